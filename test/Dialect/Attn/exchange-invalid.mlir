// Every constraint of clusters and of attn.exchange.
// RUN: attn-opt %s --split-input-file -verify-diagnostics

attn.kernel @ordered(%n: index) {
  // expected-error @below {{'attn.grid' op expected no order, run or persistent CTAs of a grid of clusters}}
  attn.grid (%i) visit %v in (row = %n) persistent 4 cluster {
  }
}

// -----

attn.kernel @no_cluster(%n: index) {
  attn.grid (%i) visit %v in (row = %n) {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{'attn.exchange' op expected to stand in the body of a grid of clusters itself, which all of its CTAs reach}}
    %x = attn.exchange %i gives %t : tensor<16xf32> -> !attn.view<?x16xf32>
  }
}

// -----

attn.kernel @in_loop(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    scf.for %j = %i to %n step %n {
      %t = arith.constant dense<1.0> : tensor<16xf32>
      // expected-error @below {{'attn.exchange' op expected to stand in the body of a grid of clusters itself}}
      %x = attn.exchange %i gives %t : tensor<16xf32> -> !attn.view<?x16xf32>
    }
  }
}

// -----

attn.kernel @nothing(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    // expected-error @below {{'attn.exchange' op expected at least one tile, but got none}}
    "attn.exchange"(%i) : (index) -> ()
  }
}

// -----

attn.kernel @views(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{'attn.exchange' op expected a view for each of its 2 tiles, but got 1}}
    %x = attn.exchange %i gives %t, %t : tensor<16xf32>, tensor<16xf32> -> !attn.view<?x16xf32>
  }
}

// -----

attn.kernel @larger(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{'attn.exchange' op expected a view of CTAs and of at most the sizes of 'tensor<16xf32>', but got '!attn.view<?x17xf32>'}}
    %x = attn.exchange %i gives %t : tensor<16xf32> -> !attn.view<?x17xf32>
  }
}

// -----

attn.kernel @any_size(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{expected a view of CTAs and of at most the sizes of 'tensor<16xf32>', but got '!attn.view<4x?xf32>'}}
    %x = attn.exchange %i gives %t : tensor<16xf32> -> !attn.view<4x?xf32>
  }
}

// -----

attn.kernel @element(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{expected a view of CTAs and of at most the sizes of 'tensor<16xf32>', but got '!attn.view<4x16xf16>'}}
    %x = attn.exchange %i gives %t : tensor<16xf32> -> !attn.view<4x16xf16>
  }
}

// -----

attn.kernel @no_rows(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{'attn.exchange' op expected at least one row of each CTA, but got 0}}
    %x = attn.exchange %i gives %t scatter 0 : tensor<16xf32> -> !attn.view<?x16xf32>
  }
}

// -----

attn.kernel @other_rows(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf32>
    // expected-error @below {{'attn.exchange' op expected views of as many CTAs and rows as '!attn.view<4x8xf32>' has, to scatter, but got '!attn.view<4x4xf32>'}}
    %x:2 = attn.exchange %i gives %t, %t scatter 1 : tensor<16xf32>, tensor<16xf32> -> !attn.view<4x8xf32>, !attn.view<4x4xf32>
  }
}

// -----

attn.kernel @half(%n: index) {
  attn.grid (%i) visit %v in (row = %n) cluster {
    %t = arith.constant dense<1.0> : tensor<16xf16>
    // expected-error @below {{'attn.exchange' op expected tiles of f32 to scatter, but got '!attn.view<4x8xf16>'}}
    %x = attn.exchange %i gives %t scatter 1 : tensor<16xf16> -> !attn.view<4x8xf16>
  }
}
