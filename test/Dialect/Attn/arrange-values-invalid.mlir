// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @rank(%v: tensor<8x50x64xf8E4M3FN>) {
  // expected-error @+1 {{expected values of rank 4, but got}}
  %c = attn.arrange_values %v : tensor<8x50x64xf8E4M3FN> -> tensor<1x8x64x64xf8E4M3FN>
  return
}

// -----

func.func @columns(%v: tensor<1x8x50x40xf8E4M3FN>) {
  // expected-error @+1 {{expected values with static heads and a last dimension of a multiple of 16, but got}}
  %c = attn.arrange_values %v : tensor<1x8x50x40xf8E4M3FN> -> tensor<1x8x40x64xf8E4M3FN>
  return
}

// -----

func.func @groups(%v: tensor<1x8x50x64xf8E4M3FN>) {
  // expected-error @+1 {{expected columns of 'tensor<1x8x64x64xf8E4M3FN>', but got 'tensor<1x8x64x50xf8E4M3FN>'}}
  %c = attn.arrange_values %v : tensor<1x8x50x64xf8E4M3FN> -> tensor<1x8x64x50xf8E4M3FN>
  return
}

// -----

attn.kernel @sizes(%c: !attn.view<1x8x64x64xf8E4M3FN>) {
  %zero = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<24x64xf8E4M3FN>
  // expected-error @+1 {{expected tile sizes of a multiple of 16, but got 'tensor<24x64xf8E4M3FN>'}}
  attn.store_columns %t, %c[%zero, %zero, %zero, %zero] : tensor<24x64xf8E4M3FN> -> <1x8x64x64xf8E4M3FN>
  attn.return
}

// -----

attn.kernel @view(%c: !attn.view<1x8x64x50xf8E4M3FN>) {
  %zero = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<16x64xf8E4M3FN>
  // expected-error @+1 {{expected a view of whole groups of 16 columns, but got}}
  attn.store_columns %t, %c[%zero, %zero, %zero, %zero] : tensor<16x64xf8E4M3FN> -> <1x8x64x50xf8E4M3FN>
  attn.return
}
