// A kernel written by hand, without names of dimensions.
attn.kernel @k(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %n = attn.dim %x, 0 : <?x16xbf16>
  attn.grid (%i) visit %v in (i = %n) {
    %a = attn.load %x[%i, %c0] : <?x16xbf16> -> tensor<16x16xbf16>
    %d = attn.dot %a, %a, %zero transpose_rhs : tensor<16x16xbf16>, tensor<16x16xbf16> into tensor<16x16xf32>
    %t = tensor.splat %s : tensor<16x16xf32>
    %e = arith.mulf %d, %t : tensor<16x16xf32>
    attn.store %e, %y[%i, %c0] : tensor<16x16xf32> -> <?x16xf32>
  }
}
