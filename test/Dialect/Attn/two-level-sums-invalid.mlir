// attn-two-level-sums: kernels that stay as they are, with a remark.
// RUN: attn-opt %s --split-input-file -o %t.before
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-two-level-sums))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after

// CHECK: remark: [Missed] summed-apart | Category:attn-two-level-sums | Function=wide | Remark="no product of 8-bit elements is added to others"
attn.kernel @wide(%n: index, %a: !attn.view<?x?xbf16>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %dot = attn.dot %x, %x, %acc transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      attn.yield %dot : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}

// -----

// CHECK: remark: [Missed] summed-apart | {{.*}}Function=alone |
attn.kernel @alone(%n: index, %a: !attn.view<?x?xf8E4M3FN>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %x = attn.load %a[%i, %c0] : <?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> into tensor<64x64xf32>
    attn.store %dot, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}
