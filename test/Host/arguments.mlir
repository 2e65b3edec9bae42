// A function that C calls does not write to what it takes, unless the argument says that it may.

// RUN: attn-compile %s --target=cpu --host --emit=llvm | FileCheck %s

// CHECK-LABEL: llvm.func @kept(
// CHECK: llvm.call @malloc
// CHECK-LABEL: llvm.func @_mlir_ciface_kept(
func.func @kept(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: llvm.func @updated(
// CHECK-NOT: llvm.call @malloc
// CHECK-LABEL: llvm.func @_mlir_ciface_updated(
func.func @updated(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>, %c: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
