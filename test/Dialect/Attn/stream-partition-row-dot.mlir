// Scalar products of rows, in tiles of their columns.
//
// RUN: attn-opt %s --attn-stream-partition=tiles=query=32,value_dim=128 | FileCheck %s

// CHECK-LABEL: attn.kernel @rows_row_dot
// CHECK: attn.stream %[[POS:.*]] step 128 over [%c0 to %c192] carry (%[[SUM:.*]] = %{{.*}} : tensor<32xf32>) {
// CHECK-COUNT-2: arith.extf
// CHECK: attn.reduce sum
// CHECK: arith.addf %[[SUM]]
// CHECK: attn.store {{.*}}, %dots[
func.func @rows(%o: tensor<2x2x?x192xbf16>) -> tensor<2x2x?xf32> {
  %r = attn.row_dot %o, %o : (tensor<2x2x?x192xbf16>, tensor<2x2x?x192xbf16>) -> tensor<2x2x?xf32>
  return %r : tensor<2x2x?xf32>
}
