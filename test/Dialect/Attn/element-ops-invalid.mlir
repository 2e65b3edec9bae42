// RUN: attn-opt %s --split-input-file --verify-diagnostics

attn.kernel @k(%v: !attn.view<?xf32>) {
  %c1 = arith.constant 1 : index
  attn.grid (%x) visit %visit in (x = %c1) {
    // expected-error @below {{expected a view of i32 or i64, but got '!attn.view<?xf32>'}}
    %n = attn.read %v[%x] : !attn.view<?xf32>
  }
}

// -----

attn.kernel @k(%v: !attn.view<?x2xi32>) {
  %c1 = arith.constant 1 : index
  attn.grid (%x) visit %visit in (x = %c1) {
    // expected-error @below {{expected 2 offsets, one for each dimension of '!attn.view<?x2xi32>', but got 1}}
    attn.write %x, %v[%x] : !attn.view<?x2xi32>
  }
}

// -----

// A grid's size is the host's to compute.
attn.kernel @k(%v: !attn.view<?xi32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected to stand in a grid: beside it a kernel holds index arithmetic only}}
  %n = attn.read %v[%c0] : !attn.view<?xi32>
  attn.grid (%x) visit %visit in (x = %n) {
  }
}

// -----

attn.kernel @k(%v: !attn.view<?x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%x) visit %visit in (x = %c1) {
    // expected-error @below {{expected a tile of 'i32' as the view has, but got 'tensor<16x64xf32>'}}
    %t = attn.load %v[%c0, %c0] : !attn.view<?x64xi32> -> tensor<16x64xf32>
  }
}
