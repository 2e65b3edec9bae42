// Tiles of the grid that add to a result one after the other: each has a number in memory, which a kernel makes zero,
// reports where it stands, and waits for those that start earlier, in front of the product that it adds.
//
// RUN: attn-opt %s --attn-stream-partition=tiles=query=32,key=16 --split-input-file | FileCheck %s
// What starts earlier does not change with the order of the grid.
// RUN: attn-opt %s --attn-schedule='target=h200 tiles=query=32,key=16 grid-order=swizzled-head-first domains=4 longest-first' --split-input-file | FileCheck %s --check-prefix=ORDER

// Without a mask all tiles come to all queries: the first in front.
// CHECK-LABEL: func.func @full
// CHECK: %[[NUMBERS:.*]] = tensor.empty(%{{.*}}) : tensor<1x2x?xi32>
// CHECK: %[[ZEROS:.*]] = attn.launch @full_attention_backward_fused_clear outs(%[[NUMBERS]] : tensor<1x2x?xi32>)
// CHECK: %[[R:.*]]:4 = attn.launch @full_attention_backward_fused ins({{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZEROS]] :
// CHECK: return %[[R]]#2
// CHECK: attn.kernel @full_attention_backward_fused_clear(%progress: !attn.view<1x2x?xi32>)
// CHECK: attn.write %c0, %progress[
// CHECK: attn.kernel @full_attention_backward_fused(%q:
// CHECK-SAME: %dq_sum: !attn.view<1x1x2x?x64xf32>, %progress: !attn.view<1x2x?xi32>)
// CHECK-NOT: reversed
// CHECK: attn.grid (%[[B:.*]], %[[H:.*]], %[[KEY:.*]]) visit
// CHECK-NOT: reversed
// CHECK: attn.stream %[[POS:.*]] step 32
// CHECK: attn.report_progress %progress[%[[B]], %[[H]], %[[KEY]]] at %[[POS]] : <1x2x?xi32>
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[POS]], %c32
// CHECK-NEXT: attn.await_progress %progress[%[[B]], %[[H]]] from %c0 to %[[KEY]] at %[[NEXT]] : <1x2x?xi32>
// CHECK-NEXT: %[[DQ:.*]] = attn.dot
// CHECK-NEXT: attn.accumulate %[[DQ]], %dq_sum[{{.*}}] ordered
// CHECK-NEXT: attn.yield
// CHECK: attn.report_progress %progress[%[[B]], %[[H]], %[[KEY]]] : <1x2x?xi32>
// ORDER-LABEL: attn.kernel @full_attention_backward_fused(
// ORDER: order <[sharing, key], domains = 4> {
// ORDER: attn.await_progress {{.*}} from %c0 to %key at
func.func @full(%q: tensor<1x2x?x64xbf16>, %lse: tensor<1x2x?xf32>, %sum: tensor<1x1x2x?x64xf32>) -> tensor<1x1x2x?x64xf32> {
  %dk, %dv, %dq = attn.attention_backward_fused %q, %q, %q, %q, %lse, %lse, %sum scale(0.125) ordered
      : (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>, tensor<1x2x?xf32>, tensor<1x1x2x?x64xf32>)
      -> (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x1x2x?x64xf32>)
  return %dq : tensor<1x1x2x?x64xf32>
}

// -----

// Under a causal mask the last tile is the first at the queries where it starts: the order is reversed. Places of
// the next query head of a KV head come behind those of this one.
// CHECK-LABEL: attn.kernel @causal_attention_backward_fused(
// CHECK: attn.grid (%[[B:.*]], %[[H:.*]], %[[KEY:.*]]) visit {{.*}} in ({{.*}}, key = %[[TILES:[0-9a-z]+]]) {{.*}} reversed = [key]
// CHECK: attn.stream %[[HEAD:.*]] step 1
// CHECK: attn.stream %[[POS:.*]] step 32
// CHECK: %[[SPAN:.*]] = arith.addi %{{.*}}, %c32
// CHECK: %[[BASE:.*]] = arith.muli %[[HEAD]], %[[SPAN]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[BASE]], %[[POS]]
// CHECK: attn.report_progress %progress[%[[B]], %[[H]], %[[KEY]]] at %[[PLACE]]
// CHECK: attn.await_progress %progress[%[[B]], %[[H]]] from %[[BEHIND:.*]] to %[[TILES]] at
// ORDER-LABEL: attn.kernel @causal_attention_backward_fused(
// ORDER: order <[sharing, key], domains = 4, reversed = [key]> {
func.func @causal(%q: tensor<1x4x?x64xbf16>, %k: tensor<1x2x?x64xbf16>, %lse: tensor<1x4x?xf32>, %sum: tensor<1x1x4x?x64xf32>) -> tensor<1x1x4x?x64xf32> {
  %dk, %dv, %dq = attn.attention_backward_fused %q, %k, %k, %q, %lse, %lse, %sum mask(#attn.causal<top_left>) scale(0.125) ordered
      : (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x4x?x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x?xf32>, tensor<1x1x4x?x64xf32>)
      -> (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x1x4x?x64xf32>)
  return %dq : tensor<1x1x4x?x64xf32>
}
