// What has no registers of FP8, and what is no order of an operand.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' --verify-diagnostics

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

attn.kernel @order(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    // expected-error @+2 {{expected a result whose elements each thread has, but got}}
    // expected-error @+1 {{failed to legalize operation 'attn.interleave'}}
    %u = attn.interleave %t : tensor<16x32xf32, #acc> to tensor<16x32xf32, #acc>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #acc> -> <?x32xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

#quarters = #attn.fragment<threads [4:(0, 8), 8:(1, 0)], registers [8:(0, 1), 2:(8, 0)]>

attn.kernel @groups(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    // expected-error @+2 {{expected a result whose elements each thread has, but got}}
    // expected-error @+1 {{failed to legalize operation 'attn.interleave'}}
    %u = attn.interleave %t : tensor<16x32xf32, #acc> to tensor<16x32xf32, #quarters>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #quarters> -> <?x32xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

attn.kernel @type(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf8E4M3FNUZ>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    // expected-error @+1 {{'arith.truncf' op expected tiles of FP8 in registers as operands of products and stores alone, of f32 rounded to f8E4M3FN or f8E5M2, but got another operation on them}}
    %u = arith.truncf %t : tensor<16x32xf32, #acc> to tensor<16x32xf8E4M3FNUZ, #acc>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf8E4M3FNUZ, #acc> -> <?x32xf8E4M3FNUZ>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>

attn.kernel @wider(%x: !attn.view<?x32xf8E4M3FN>, %y: !attn.view<?x32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    // expected-error @+1 {{'attn.load' op expected tiles of FP8 in registers as operands of products and stores alone}}
    %t = attn.load %x[%c0, %c0] : <?x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN, #acc>
    %u = arith.extf %t : tensor<16x32xf8E4M3FN, #acc> to tensor<16x32xf32, #acc>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #acc> -> <?x32xf32>
  }
}
