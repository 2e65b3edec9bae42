// Of FP8 AMD GPUs have conversions of f32 that is stored here, and to types of their own.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn-lower-to-rocdl)' --verify-diagnostics

#acc = #attn.fragment<threads [16:(1, 0), 4:(0, 8)], registers [8:(0, 1)]>

attn.kernel @wider(%x: !attn.view<?x32xf8E4M3FNUZ>, %y: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    // expected-error @+1 {{expected tiles of f16, bf16 or f32 on "mi300x", but got 'tensor<16x32xf8E4M3FNUZ}}
    %t = attn.load %x[%c0, %c0] : <?x32xf8E4M3FNUZ> -> tensor<16x32xf8E4M3FNUZ, #acc>
    %u = arith.extf %t : tensor<16x32xf8E4M3FNUZ, #acc> to tensor<16x32xf32, #acc>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #acc> -> <?x32xf32>
  }
}

// -----

#rows = #attn.fragment<threads [8:(0, 4), 8:(1, 0)], registers [4:(0, 1), 2:(8, 0)]>

attn.kernel @ocp(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf8E4M3FN>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #rows>
    // expected-error @+1 {{expected f8E4M3FNUZ of f32 on "mi300x", but got 'f8E4M3FN'}}
    %u = arith.truncf %t : tensor<16x32xf32, #rows> to tensor<16x32xf8E4M3FN, #rows>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf8E4M3FN, #rows> -> <?x32xf8E4M3FN>
  }
}
