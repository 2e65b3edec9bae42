// Bufferization of attn.launch, in the stock mlir-opt: in destination style, with a copy where the
// destination is still read afterwards.
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s

attn.kernel @k(%a: !attn.view<?x8xf32>, %b: !attn.view<8x?xf32>, %s: f32) {
}

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32, {{.*}}>, %[[B:.*]]: memref<?x8xf32, {{.*}}>, %[[S:.*]]: f32)
// CHECK-NOT: memref.alloc
// CHECK: attn.launch @k ins(%[[A]] : memref<{{.*}}>) outs(%[[B]] : memref<{{.*}}>) scalars(%[[S]] : f32) views [#{{.*}}, #{{.*}}]{{$}}
// CHECK: return %[[B]]
func.func @in_place(%a: tensor<?x8xf32>, %b: tensor<?x8xf32> {bufferization.writable = true}, %s: f32)
    -> tensor<?x8xf32> {
  %r = attn.launch @k ins(%a : tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) scalars(%s : f32)
      views [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>] -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @read_later(
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32, {{.*}}>, %[[B:.*]]: memref<?x8xf32, {{.*}}>, %{{.*}}: f32)
// CHECK: %[[NEW:.*]] = memref.alloc
// CHECK: attn.launch @k ins(%[[A]] : {{.*}}) outs(%[[NEW]] :
// CHECK: memref.load %[[B]]
func.func @read_later(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %s: f32) -> (tensor<?x8xf32>, f32) {
  %r = attn.launch @k ins(%a : tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) scalars(%s : f32)
      views [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>] -> tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %old = tensor.extract %b[%c0, %c0] : tensor<?x8xf32>
  return %r, %old : tensor<?x8xf32>, f32
}

attn.kernel @two(%a: !attn.view<?xf32>, %b: !attn.view<?xf32>) {
}

// What a kernel writes are two arrays, though a tensor without contents is one value.
// CHECK-LABEL: func.func @one_value(
// CHECK: %[[FIRST:.*]] = memref.alloc
// CHECK: %[[SECOND:.*]] = memref.alloc
// CHECK: attn.launch @two outs(%[[FIRST]], %[[SECOND]] : memref<?xf32>, memref<?xf32>)
func.func @one_value(%n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:2 = attn.launch @two outs(%e, %e : tensor<?xf32>, tensor<?xf32>)
      views [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<?xf32>, tensor<?xf32>
  return %r#0 : tensor<?xf32>
}
