// attn-split-columns: K of 320 columns, of which the first 288 are V. Both are two or three panels of one load each; scores are a sum of
// products. A second run changes nothing.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-split-columns))' --remarks-filter='attn-split-columns' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-split-columns))' -o %t.again
// RUN: diff %t %t.again

// REMARK: remark: [Passed] panels | Category:attn-split-columns | Function=k | Remark="wide tiles are panels of columns:", tiles=4

// CHECK: %[[Q0:.*]] = attn.load %{{.*}} -> tensor<64x192xbf16>
// CHECK: %[[Q1:.*]] = attn.load %{{.*}} -> tensor<64x96xbf16>
// CHECK: %[[Q2:.*]] = attn.load %{{.*}} -> tensor<64x32xbf16>
// CHECK: attn.stream {{.*}} carry (%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}} : tensor<64x192xf32>, tensor<64x96xf32>)
// CHECK: %[[K0:.*]] = attn.load %{{.*}} until %{{.*}} -> tensor<32x192xbf16>
// CHECK: %[[K1:.*]] = attn.load %{{.*}} until %{{.*}} -> tensor<32x96xbf16>
// CHECK: %[[K2:.*]] = attn.load %{{.*}} until %{{.*}} -> tensor<32x32xbf16>
// CHECK-NOT: attn.load
// CHECK: %[[S0:.*]] = attn.dot %[[Q0]], %[[K0]], %{{.*}} transpose_rhs
// CHECK: %[[S1:.*]] = attn.dot %[[Q1]], %[[K1]], %[[S0]] transpose_rhs
// CHECK: %[[S:.*]] = attn.dot %[[Q2]], %[[K2]], %[[S1]] transpose_rhs
// CHECK: %[[P:.*]] = arith.truncf %[[S]]
// CHECK: %[[X0:.*]] = arith.mulf %[[A0]], %{{.*}} : tensor<64x192xf32>
// CHECK: %[[X1:.*]] = arith.mulf %[[A1]], %{{.*}} : tensor<64x96xf32>
// CHECK: %[[O0:.*]] = attn.dot %[[P]], %[[K0]], %[[X0]]
// CHECK: %[[O1:.*]] = attn.dot %[[P]], %[[K1]], %[[X1]]
// CHECK: attn.yield %[[O0]], %[[O1]]
// CHECK: attn.store %{{.*}} : tensor<64x192xf32>
// CHECK: attn.store %{{.*}} : tensor<64x96xf32>
attn.kernel @k(%n: index, %q: !attn.view<?x320xbf16>, %k: !attn.view<?x320xbf16>, %o: !attn.view<?x288xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero = arith.constant dense<0.0> : tensor<64x288xf32>
  %scale = arith.constant dense<0.5> : tensor<64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %x = attn.load %q[%i, %c0] : <?x320xbf16> -> tensor<64x320xbf16>
    %sum = attn.stream %pos step 32 over [%c0 to %n] carry (%acc = %zero : tensor<64x288xf32>) {
      %y = attn.load %k[%pos, %c0] until %n : <?x320xbf16> -> tensor<32x320xbf16>
      %v = tensor.extract_slice %y[0, 0] [32, 288] [1, 1] : tensor<32x320xbf16> to tensor<32x288xbf16>
      %s = attn.dot %x, %y, %none transpose_rhs : tensor<64x320xbf16>, tensor<32x320xbf16> into tensor<64x32xf32>
      %p = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
      %b = attn.broadcast %scale : tensor<64xf32> to tensor<64x288xf32>
      %scaled = arith.mulf %acc, %b : tensor<64x288xf32>
      %next = attn.dot %p, %v, %scaled : tensor<64x32xbf16>, tensor<32x288xbf16> into tensor<64x288xf32>
      attn.yield %next : tensor<64x288xf32>
    }
    attn.store %sum, %o[%i, %c0] : tensor<64x288xf32> -> <?x288xf32>
  }
}
