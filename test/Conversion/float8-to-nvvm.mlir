// attn.interleave moves no element out of its register; four weights make a word of FP8.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' --mlir-print-ir-after=convert-attn-to-nvvm -o /dev/null 2>&1 | FileCheck %s

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#lhs = #attn.fragment<threads [4:(0, 4), 8:(1, 0)], registers [4:(0, 1), 2:(8, 0), 2:(0, 16)]>

// CHECK-LABEL: llvm.func @order
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15] : vector<16xf32>, vector<16xf32>
attn.kernel @order(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #acc>
    %u = attn.interleave %t : tensor<16x32xf32, #acc> to tensor<16x32xf32, #lhs>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf32, #lhs> -> <?x32xf32>
  }
}
