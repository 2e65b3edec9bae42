// RUN: attn-opt %s --convert-attn-launch-to-gpu --split-input-file | FileCheck %s
// RUN: attn-opt %s --convert-attn-launch-to-gpu=checks=false --split-input-file | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED-NOT: cf.assert

// CHECK-LABEL: module attributes {{.*}}gpu.container_module
// CHECK:       gpu.module @k_device
// CHECK:         llvm.func @k({{.*}}gpu.kernel

// CHECK:       func.func @f(%[[A:[a-z0-9]+]]: memref<?x8xf16, strided<[?, ?], offset: ?>>, %[[B:[a-z0-9]+]]: memref<8x?xf32>, %[[N:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: f32)
// CHECK:         %{{.*}}, %[[OFFSET:[a-z0-9_]+]], %[[SIZES:[a-z0-9_]+]]:2, %[[STRIDES:[a-z0-9_]+]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[BASE:[a-z0-9_]+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[WIDE:[a-z0-9_]+]] = arith.index_cast %[[OFFSET]]
// CHECK:         %[[BYTES:[a-z0-9_]+]] = arith.muli %[[WIDE]], %c2_i64
// CHECK:         %[[FIRST:[a-z0-9_]+]] = arith.index_cast %[[BASE]]
// CHECK:         %[[ADDRESS:[a-z0-9_]+]] = arith.addi %[[FIRST]], %[[BYTES]]
// CHECK:         %[[ROWS:[a-z0-9_]+]] = arith.index_cast %[[SIZES]]#0
// CHECK:         %[[STRIDE:[a-z0-9_]+]] = arith.index_cast %[[STRIDES]]#0

// The second view's dimensions are the operand's in the other order.
// CHECK:         %{{.*}}, %{{.*}}, %[[BSIZES:[a-z0-9_]+]]:2, %{{.*}}:2 = memref.extract_strided_metadata %[[B]]
// CHECK:         %[[COLUMNS:[a-z0-9_]+]] = arith.index_cast %[[BSIZES]]#1

// CHECK:         arith.cmpi sle, %[[ROWS]], %{{.*}} : i64
// CHECK:         cf.assert %{{.*}}, "launch of k: expected [\22le\22, [\22size\22, 0, 0], 536870912]"
// CHECK:         arith.remsi %[[ADDRESS]], %{{.*}} : i64
// CHECK:         arith.remsi %[[STRIDE]], %{{.*}} : i64
// CHECK:         cf.assert %{{.*}}, "launch of k: expected view 0 at a multiple of 16 bytes, and rows too"
// CHECK:         %[[TILES:[a-z0-9_]+]] = arith.ceildivsi %[[COLUMNS]], %{{.*}}
// CHECK:         %[[GRID:[a-z0-9_]+]] = arith.muli %[[ROWS]], %[[TILES]]
// CHECK:         %[[P:[a-z0-9_]+]] = llvm.inttoptr %[[ADDRESS]]
// CHECK:         %[[SCALAR:[a-z0-9_]+]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[ANY:[a-z0-9_]+]] = arith.cmpi sgt, %[[GRID]],
// CHECK:         cf.cond_br %[[ANY]], ^[[GO:[a-z0-9]+]], ^[[AFTER:[a-z0-9]+]]
// CHECK:       ^[[GO]]:
// CHECK:         gpu.launch_func @k_device::@k blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) dynamic_shared_memory_size %{{.*}} args(%[[P]] : !llvm.ptr, %[[ROWS]] : i64, %[[STRIDE]] : i64, %[[SCALAR]] : i64, %[[S]] : f32)
// CHECK:         cf.br ^[[AFTER]]
#same = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
gpu.module @k_device {
  llvm.func @k(%p: !llvm.ptr, %n: i64, %s: i64, %i: i64, %f: f32) attributes {attn.manifest = {
      views = [!attn.view<?x8xf16>, !attn.view<?x8xf32>], scalars = [index, f32], block = 256 : i64, shared_bytes = 1024 : i64,
      limits = [["le", ["size", 0, 0], 536870912]], align = [{view = 0, bytes = 16}],
      grid = ["mul", ["size", 0, 0], ["ceildiv", ["size", 1, 0], 128]],
      parameters = [{kind = "pointer", view = 0}, {kind = "size", view = 0, dim = 0}, {kind = "stride", view = 0, dim = 0},
                    {kind = "scalar", index = 0}, {kind = "scalar", index = 1}]}} {
    llvm.return
  }
}
func.func @f(%a: memref<?x8xf16, strided<[?, ?], offset: ?>>, %b: memref<8x?xf32>, %n: index, %s: f32) {
  attn.launch @k ins(%a : memref<?x8xf16, strided<[?, ?], offset: ?>>) outs(%b : memref<8x?xf32>)
      scalars(%n, %s : index, f32) views [#same, #swapped]
  return
}

// -----

// Launches of programs are another conversion's.

// CHECK-LABEL: func.func @program
// CHECK:         attn.launch @p
#id = affine_map<(d0) -> (d0)>
llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
func.func @program(%a: memref<?xf32>) {
  attn.launch @p outs(%a : memref<?xf32>) views [#id]
  return
}
