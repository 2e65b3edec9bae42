// attn-arrange-tiles: V by rows of FP8 becomes columns, and weights are interleaved before they are rounded. A second run changes nothing, and neither does
// one for a target whose units sum over rows, nor one of bf16.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-arrange-tiles))' --remarks-filter='attn-arrange.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-arrange-tiles))' -o %t.again
// RUN: diff %t %t.again
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn.kernel(attn-arrange-tiles))' --remarks-filter='attn-arrange.*' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/f8E4M3FN/bf16/g' %s > %t.wide
// RUN: attn-opt %t.wide --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-arrange-tiles))' --remarks-filter='attn-arrange.*' 2>&1 | FileCheck %s --check-prefix=NONE

// REMARK: remark: [Passed] arranged | Category:attn-arrange-tiles | Function=k | Remark="tiles of 8-bit elements are arranged in the kernel", tiles=1
// NONE-NOT: arranged
// NONE-NOT: attn.interleave

// CHECK: attn.stream
// CHECK: %[[V:.*]] = attn.load {{.*}} -> tensor<64x32xf8E4M3FN>
// CHECK: %[[P:.*]] = math.exp2
// CHECK-NEXT: %[[ORDERED:.*]] = attn.interleave %[[P]] : tensor<128x64xf32> to tensor<128x64xf32>
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[ORDERED]] : tensor<128x64xf32> to tensor<128x64xf8E4M3FN>
// CHECK-NEXT: %[[COLUMNS:.*]] = attn.arrange %[[V]] : tensor<64x32xf8E4M3FN> to tensor<32x64xf8E4M3FN>
// CHECK-NEXT: attn.dot %[[NARROW]], %[[COLUMNS]], %{{.*}} transpose_rhs
// CHECK: attn.load
// CHECK-NEXT: attn.dot
// CHECK-NOT: attn.arrange
attn.kernel @k(%n: index, %a: !attn.view<?x?xf32>, %b: !attn.view<?x32xf8E4M3FN>, %w: !attn.view<?x64xf8E4M3FN>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %x = attn.load %a[%i, %c0] : <?x?xf32> -> tensor<128x64xf32>
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<128x32xf32>) {
      %v = attn.load %b[%pos, %c0] : <?x32xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
      %p = math.exp2 %x : tensor<128x64xf32>
      %q = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf8E4M3FN>
      %dot = attn.dot %q, %v, %acc : tensor<128x64xf8E4M3FN>, tensor<64x32xf8E4M3FN> into tensor<128x32xf32>
      // Summed along rows, as K in Q K^T.
      %k = attn.load %w[%pos, %c0] : <?x64xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
      %other = attn.dot %q, %k, %dot transpose_rhs : tensor<128x64xf8E4M3FN>, tensor<32x64xf8E4M3FN> into tensor<128x32xf32>
      attn.yield %other : tensor<128x32xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<128x32xf32> -> <?x?xf32>
  }
}
