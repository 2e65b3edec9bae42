// attn-outline-for-cpu: kernels that no launcher could call.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-outline-for-cpu

// expected-error @below {{'attn.kernel' op expected one materialised grid (attn-materialize-grid), but got 0}}
attn.kernel @grid(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : <?xf32>
  attn.grid (%i) visit %v in (i = %n) {
  }
}

// -----

// expected-error @below {{'attn.kernel' op expected one materialised grid (attn-materialize-grid), but got 0}}
attn.kernel @nothing(%x: !attn.view<?xf32>) {
}

// -----

// expected-error @below {{'attn.kernel' op expected views in front of scalars, but got a view as argument 1}}
attn.kernel @order(%s: f32, %x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : <?xf32>
  attn.ctas %i in %n {
  }
}

// -----

attn.kernel @scalar(%x: !attn.view<?xf32>, %s: index) {
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected a number of CTAs that is integer arithmetic over sizes of views}}
  %n = arith.shrsi %c2, %s : index
  attn.ctas %i in %n {
  }
}
