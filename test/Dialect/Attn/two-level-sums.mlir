// attn-two-level-sums: what a stream carries takes no part in a product of FP8. A second run changes nothing.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-two-level-sums))' --remarks-filter='attn-two.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-two-level-sums))' -o %t.again
// RUN: diff %t %t.again

// REMARK: remark: [Passed] summed-apart | Category:attn-two-level-sums | Function=k | Remark="products of 8-bit elements are summed by themselves, then added", products=1

// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: attn.stream {{.*}} carry (%[[SUM:.*]] =
// CHECK: %[[DOT:.*]] = attn.dot %{{.*}}, %{{.*}}, %{{.*}} transpose_rhs
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[DOT]]
// CHECK: attn.yield %[[NEXT]]
attn.kernel @k(%n: index, %a: !attn.view<?x?xf8E4M3FN>, %b: !attn.view<?x?xf8E4M3FN>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
      %y = attn.load %b[%i, %pos] : <?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
      %dot = attn.dot %x, %y, %acc transpose_rhs : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> into tensor<64x64xf32>
      attn.yield %dot : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}
