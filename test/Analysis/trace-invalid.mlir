// attn-trace: kernels that it cannot slice.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-trace))'

// expected-error @below {{'attn.kernel' op expected its grid materialised before it is traced (attn-materialize-grid)}}
attn.kernel @grid(%x: !attn.view<?xf32>, %n: index) {
  attn.grid (%i) visit %v in (i = %n) {
  }
}

// -----

// Index arithmetic that depends on data.

attn.kernel @data(%x: !attn.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.ctas %w in %n {
    %t = attn.load %x[%w] : !attn.view<?xf32> -> tensor<1xf32>
    // expected-error @below {{'tensor.extract' op cannot be traced: expected index arithmetic to be independent of tiles}}
    %e = tensor.extract %t[%c0] : tensor<1xf32>
    %i = arith.fptosi %e : f32 to i64
    %j = arith.index_cast %i : i64 to index
    %s = attn.load %x[%j] : !attn.view<?xf32> -> tensor<1xf32>
  }
}

// -----

// Loops that carry tiles: streams are traced before they become loops.

attn.kernel @loop(%x: !attn.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  attn.ctas %w in %n {
    // expected-error @below {{'scf.for' op cannot be traced: expected index arithmetic to be independent of tiles}}
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> tensor<1xf32> {
      %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
      scf.yield %t : tensor<1xf32>
    }
    attn.store %r, %x[%w] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// Accesses of no CTA.

attn.kernel @outside(%x: !attn.view<?xf32>, %n: index) {
  // expected-error @below {{'attn.load' op cannot be traced outside of attn.ctas: no CTA accesses this}}
  %t = attn.load %x[%n] : !attn.view<?xf32> -> tensor<1xf32>
  attn.ctas %w in %n {
  }
}

// -----

// A stream that carries an index would lose it.

attn.kernel @carried(%x: !attn.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %n {
    // expected-error @below {{'attn.stream' op cannot be traced: expected index arithmetic to be independent of what a stream carries}}
    %r = attn.stream %j step 4 over [%c0 to %n] carry (%i = %c0 : index) {
      %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<4xf32>
      %next = arith.addi %i, %c1 : index
      attn.yield %next : index
    }
  }
}
