// RUN: attn-opt %s --attn-expand-copies | FileCheck %s

// CHECK-LABEL: func.func @copies
// CHECK-SAME:    %[[A:.*]]: memref<4x?xf32>, %[[B:.*]]: memref<4x?xf32>, %[[C:.*]]: memref<4x?xf32, strided<[?, 1]>>
func.func @copies(%a: memref<4x?xf32>, %b: memref<4x?xf32>, %c: memref<4x?xf32, strided<[?, 1]>>) {
  // A memcpy.
  // CHECK:       memref.copy %[[A]], %[[B]]
  memref.copy %a, %b : memref<4x?xf32> to memref<4x?xf32>
  // CHECK-NOT:   memref.copy
  // CHECK:       linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[C]] :
  memref.copy %a, %c : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  // CHECK:       linalg.generic {{.*}} ins(%[[C]] : {{.*}}) outs(%[[B]] :
  memref.copy %c, %b : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return
}
