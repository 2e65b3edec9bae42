// Gradients as kernels: dQ groups queries and streams keys; dK and dV group keys and stream query heads and, of
// each, queries.
//
// RUN: attn-opt %s --attn-stream-partition=tiles=query=32,key=16 --split-input-file | FileCheck %s

// CHECK-LABEL: attn.kernel @causal_attention_backward_query
// CHECK: attn.grid (%[[B:.*]], %[[G:.*]], %[[M:.*]], %[[BLOCK:.*]]) visit {{.*}} sharing [batch, kv_head] {
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c32
// CHECK: %[[Q:.*]] = attn.load %q[%[[B]], %[[H:.*]], %[[FIRST]], %c0] : {{.*}} -> tensor<32x64xbf16>
// CHECK: %[[DO:.*]] = attn.load %do{{.*}} -> tensor<32x32xbf16>
// CHECK: %[[LSE:.*]] = attn.load %lse[%[[B]], %[[H]], %[[FIRST]]] : {{.*}} -> tensor<32xf32>
// CHECK: %[[DELTA:.*]] = attn.load %delta{{.*}} -> tensor<32xf32>
// What there is one of for each row is computed once: minus LSE, as an exponent of 2.
// CHECK: arith.cmpf oeq, %[[LSE]]
// CHECK: %[[REFERENCE:.*]] = arith.select
// CHECK: attn.stream %[[POS:.*]] step 16 over [%c0 to %{{.*}}, masked %{{.*}} to %{{.*}}] carry (%[[SUM:.*]] = %{{.*}} : tensor<32x64xf32>) {
// CHECK: %[[K:.*]] = attn.load %k[%[[B]], %[[G]], %[[POS]], %c0]
// CHECK: %[[V:.*]] = attn.load %v[%[[B]], %[[G]], %[[POS]], %c0]
// CHECK: %[[DOT:.*]] = attn.dot %[[Q]], %[[K]], %{{.*}} transpose_rhs
// CHECK: %[[S:.*]] = attn.mask %[[DOT]] keep
// CHECK: %[[R:.*]] = attn.broadcast %[[REFERENCE]]
// CHECK: math.fma %[[S]], %{{.*}}, %[[R]]
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[DP:.*]] = attn.dot %[[DO]], %[[V]], %{{.*}} transpose_rhs
// CHECK: %[[D:.*]] = attn.broadcast %[[DELTA]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[DP]], %[[D]]
// CHECK: arith.mulf %[[P]], %[[DIFFERENCE]]
// CHECK: %[[DX:.*]] = arith.truncf {{.*}} to tensor<32x16xbf16>
// CHECK: attn.dot %[[DX]], %[[K]], %[[SUM]]
// CHECK: arith.mulf
// CHECK: attn.store {{.*}}, %dq[%[[B]], %[[H]], %[[FIRST]], %c0]
//
// CHECK-LABEL: attn.kernel @causal_attention_backward_key
// CHECK: attn.grid (%[[B:.*]], %[[G:.*]], %[[BLOCK:.*]]) visit {{.*}} sharing [batch, kv_head] {
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c16
// CHECK: %[[K:.*]] = attn.load %k[%[[B]], %[[G]], %[[FIRST]], %c0] : {{.*}} -> tensor<16x64xbf16>
// CHECK: %[[V:.*]] = attn.load %v{{.*}} -> tensor<16x32xbf16>
// Of a block of keys: queries from the first that sees some, masked up to the first that sees all, and in the last tile.
// CHECK: attn.stream %[[MEMBER:.*]] step 1 over [masked %c0 to %c2] carry (%[[DK0:.*]] = %{{.*}}, %[[DV0:.*]] = %{{.*}} : tensor<16x64xf32>, tensor<16x32xf32>) {
// CHECK-NEXT: attn.stream %[[POS:.*]] step 32 over [masked %[[LO:.*]] to %[[FULL:.*]], %[[FULL]] to %[[END:.*]], masked %[[END]] to %{{.*}}] carry (%[[DK:.*]] = %[[DK0]], %[[DV:.*]] = %[[DV0]] :
// CHECK: %[[H:.*]] = arith.addi %{{.*}}, %[[MEMBER]]
// CHECK: %[[Q:.*]] = attn.load %q[%[[B]], %[[H]], %[[POS]], %c0]
// CHECK: %[[DO:.*]] = attn.load %do[%[[B]], %[[H]], %[[POS]], %c0]
// CHECK: %[[LSE:.*]] = attn.load %lse[%[[B]], %[[H]], %[[POS]]] : {{.*}} -> tensor<1x32xf32>
// CHECK: %[[DELTA:.*]] = attn.load %delta{{.*}} -> tensor<1x32xf32>
// CHECK: attn.dot %[[K]], %[[Q]], %{{.*}} transpose_rhs
// CHECK: attn.broadcast %{{.*}} : tensor<1x32xf32> to tensor<16x32xf32>
// CHECK: math.exp2
// CHECK: attn.dot %{{.*}}, %[[DO]], %[[DV]] : tensor<16x32xbf16>, tensor<32x32xbf16> into tensor<16x32xf32>
// CHECK: attn.dot %[[V]], %[[DO]], %{{.*}} transpose_rhs
// CHECK: attn.dot %{{.*}}, %[[Q]], %[[DK]] : tensor<16x32xbf16>, tensor<32x64xbf16> into tensor<16x64xf32>
// CHECK: attn.store {{.*}}, %dk[%[[B]], %[[G]], %[[FIRST]], %c0]
// CHECK: attn.store {{.*}}, %dv[%[[B]], %[[G]], %[[FIRST]], %c0]
func.func @causal(%q: tensor<1x4x?x64xbf16>, %k: tensor<1x2x?x64xbf16>, %v: tensor<1x2x?x32xbf16>, %do: tensor<1x4x?x32xbf16>, %lse: tensor<1x4x?xf32>, %delta: tensor<1x4x?xf32>)
    -> (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x32xf32>) {
  %dq = attn.attention_backward_query %q, %k, %v, %do, %lse, %delta mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x32xbf16>, tensor<1x4x?x32xbf16>, tensor<1x4x?xf32>, tensor<1x4x?xf32>) -> tensor<1x4x?x64xbf16>
  %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x32xbf16>, tensor<1x4x?x32xbf16>, tensor<1x4x?xf32>, tensor<1x4x?xf32>) -> (tensor<1x2x?x64xbf16>, tensor<1x2x?x32xf32>)
  return %dq, %dk, %dv : tensor<1x4x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x32xf32>
}

// -----

// One query head a KV head: no stream around the other. The derivative of the modification stands beside it.
// CHECK-LABEL: attn.kernel @heads_attention_backward_key
// CHECK: attn.stream %{{.*}} step 32 over [%c0 to %c32]
// CHECK-NOT: attn.stream
// CHECK: %[[T:.*]] = math.tanh
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[T]], %[[T]]
// CHECK: %[[NEG:.*]] = arith.negf %[[SQUARE]]
// CHECK: %[[SLOPE:.*]] = arith.addf %[[NEG]]
// Scores that were modified have LSE taken off before they are exponents: both may be 1e9, and products would not cancel.
// CHECK: %[[OFF:.*]] = arith.addf %[[T]]
// CHECK: arith.mulf %[[OFF]]
// CHECK: math.exp2
// CHECK: arith.mulf %{{.*}}, %[[SLOPE]]
func.func @heads(%q: tensor<1x2x32x16xf16>, %lse: tensor<1x2x32xf32>) -> (tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>) {
  %dk, %dv = attn.attention_backward_key %q, %q, %q, %q, %lse, %lse scale(0.5)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %t = math.tanh %s : f32
    attn.yield %t : f32
  } : (tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>, tensor<1x2x32xf32>, tensor<1x2x32xf32>) -> (tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>)
  return %dk, %dv : tensor<1x2x32x16xf16>, tensor<1x2x32x16xf16>
}
