// An axis that is streamed one by one has no dimension in tiles: eight parts are loaded before the
// first is folded, of the last few two.
//
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition='split-ctas splits=2' | FileCheck %s --check-prefix=SPLIT

// CHECK-LABEL: func.func @merge
// CHECK: attn.launch @merge_merge_states ins(%arg0, %arg1 :
// CHECK-LABEL: attn.kernel @merge_merge_states(%os: {{.*}}, %lses: {{.*}}, %o: {{.*}}, %lse:
// CHECK: %[[PARTS:.*]] = attn.dim %os, 0
// CHECK: attn.grid (%[[B:.*]], %[[H:.*]], %[[Q:.*]]) visit %{{.*}} sharing [batch, head, query]
// CHECK: %[[ROW:.*]] = arith.muli %[[Q]], %c4
// CHECK: %[[MANY:.*]] = arith.minsi %{{.*}}, %[[PARTS]]
// CHECK: %[[ALL:.*]]:3 = attn.stream %[[P:.*]] step 8 over [%c0 to %[[MANY]]]
// CHECK: attn.load %os[%[[P]], %[[B]], %[[H]], %[[ROW]], %c0] : {{.*}} -> tensor<4x64xbf16>
// CHECK: attn.load %lses[%[[P]], %[[B]], %[[H]], %[[ROW]]] : {{.*}} -> tensor<4xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[P]], %c1
// CHECK: attn.load %os[%[[NEXT]], %[[B]], %[[H]], %[[ROW]], %c0]
// CHECK: attn.load %os[%{{.*}}, %[[B]], %[[H]], %[[ROW]], %c0]
// CHECK: math.exp2
// Behind the last part nothing is folded.
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[P]], %[[PARTS]]
// CHECK: tensor.splat %[[IS]] : tensor<4xi1>
// CHECK: attn.stream %{{.*}} step 2 over [%[[MANY]] to %[[PARTS]]] carry (%{{.*}} = %[[ALL]]#0, %{{.*}} = %[[ALL]]#1, %{{.*}} = %[[ALL]]#2
// CHECK-NOT: attn.dot
// CHECK: attn.store %{{.*}}, %o[%[[B]], %[[H]], %[[ROW]], %c0] : tensor<4x64xbf16>
// CHECK: attn.store %{{.*}}, %lse[%[[B]], %[[H]], %[[ROW]]] : tensor<4xf32>

// SPLIT-LABEL: attn.kernel @merge_merge_states_split(
// SPLIT: attn.store %{{.*}}, %maximum[
// SPLIT: attn.store %{{.*}}, %acc[
// SPLIT-LABEL: attn.kernel @merge_merge_states_merge(
func.func @merge(%os: tensor<?x?x4x?x64xbf16>, %lses: tensor<?x?x4x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %o, %lse = attn.merge_states %os, %lses : (tensor<?x?x4x?x64xbf16>, tensor<?x?x4x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %o, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// As many as there are are folded together where their number is known.
// CHECK-LABEL: attn.kernel @three_merge_states(
// CHECK: attn.stream %{{.*}} step 3 over [%c0 to %c3]
// CHECK-NOT: attn.stream
func.func @three(%os: tensor<3x1x4x?x64xf32>, %lses: tensor<3x1x4x?xf32>) -> tensor<1x4x?x64xf32> {
  %o = attn.merge_states %os, %lses : (tensor<3x1x4x?x64xf32>, tensor<3x1x4x?xf32>) -> tensor<1x4x?x64xf32>
  return %o : tensor<1x4x?x64xf32>
}
