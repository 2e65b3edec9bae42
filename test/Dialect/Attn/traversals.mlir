// Traversals of streams: printed and parsed back; nothing is printed for the default.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt | FileCheck %s

// CHECK-LABEL: attn.kernel @all
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[ODD:.*]]: i1, %[[LIST:.*]]: !attn.view<?xi32>, %[[LISTS:.*]]: !attn.view<4x?xi64>)
attn.kernel @all(%a: index, %b: index, %odd: i1, %list: !attn.view<?xi32>, %lists: !attn.view<4x?xi64>) {
  // CHECK: attn.stream %{{[^ ]+}} step 8 over [
  attn.stream %j step 8 traversal #attn.forward over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 ordered over [
  attn.stream %j step 8 ordered over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.reversed(%[[ODD]] : i1) over [
  attn.stream %j step 8 traversal #attn.reversed(%odd : i1) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.inside_out over [
  attn.stream %j step 8 traversal #attn.inside_out over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.inside_out(%[[ODD]] : i1) over [
  attn.stream %j step 8 traversal #attn.inside_out(%odd : i1) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.rotated(%[[A]] : index) over [masked
  attn.stream %j step 8 traversal #attn.rotated(%a : index) over [masked %a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.listed(%[[LIST]], %[[A]] : !attn.view<?xi32>, index) over [
  attn.stream %j step 8 traversal #attn.listed(%list, %a : !attn.view<?xi32>, index) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.listed(%[[LISTS]], %[[A]], %[[B]], %[[ODD]] : !attn.view<4x?xi64>, index, index, i1) over [
  attn.stream %j step 8 traversal #attn.listed(%lists, %a, %b, %odd : !attn.view<4x?xi64>, index, index, i1) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.blocks<8>(%[[A]], %[[LIST]], %[[B]] : index, !attn.view<?xi32>, index) over [
  attn.stream %j step 8 traversal #attn.blocks<8>(%a, %list, %b : index, !attn.view<?xi32>, index) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.blocks<64>(%[[A]], %[[LIST]], %[[B]], %[[A]], %[[LISTS]], %[[A]], %[[B]], %[[ODD]] : index, !attn.view<?xi32>, index, index, !attn.view<4x?xi64>, index, index, i1) over [
  attn.stream %j step 8 traversal #attn.blocks<64>(%a, %list, %b, %a, %lists, %a, %b, %odd : index, !attn.view<?xi32>, index, index, !attn.view<4x?xi64>, index, index, i1) over [%a to %b] {
  }
  // CHECK: attn.stream %{{[^ ]+}} step 8 traversal #attn.rotated(%[[A]], %[[ODD]] : index, i1) over [%[[A]] to %[[B]], masked %[[A]] to %[[B]]] attributes {note} {
  attn.stream %j step 8 traversal #attn.rotated(%a, %odd : index, i1) over [%a to %b, masked %a to %b] attributes {note} {
  }
}
