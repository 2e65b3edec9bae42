// RUN: attn-opt %s --convert-attn-to-host=unload=drop --split-input-file | FileCheck %s
// RUN: attn-opt %s --convert-attn-to-host --split-input-file | FileCheck %s --check-prefix=KEEP
// KEEP-NOT: @drop

// The bundle, and what the library keeps of it.

// CHECK:       llvm.mlir.global internal constant @programs("manifest")
// CHECK:       llvm.mlir.global internal @programs_module() {{.*}} : !llvm.struct<(ptr, i64, ptr)>
// CHECK:         llvm.mlir.addressof @programs
// CHECK:         llvm.mlir.constant(8 : i64)
// CHECK:         llvm.mlir.zero

// What others call begins a call and ends it.

// CHECK:       func.func @f(%[[HOOKS:[a-z0-9_]+]]: !llvm.ptr, %[[A:[a-z0-9_]+]]: memref<?x8xf16, strided{{.*}}>, %[[FLAG:[a-z0-9_]+]]: i1, %[[N:[a-z0-9_]+]]: index) -> i32 attributes {llvm.emit_c_interface}
// CHECK:         %[[PLACE:[a-z0-9_]+]] = llvm.alloca
// CHECK:         %[[BEGUN:[a-z0-9_]+]] = llvm.call @attnHostBegin(%[[HOOKS]], %[[PLACE]])
// CHECK:         cf.cond_br %{{.*}}, ^[[EXIT:[a-z0-9_]+]](%[[BEGUN]] : i32), ^
// CHECK:         %[[CALL:[a-z0-9_]+]] = llvm.load %[[PLACE]]
// CHECK:         %[[STATUS:[a-z0-9_]+]] = call @f_in_call(%[[CALL]], %[[A]], %[[FLAG]], %[[N]])
// CHECK:         %[[ENDED:[a-z0-9_]+]] = llvm.call @attnHostEnd(%[[CALL]], %[[STATUS]])
// CHECK:         cf.br ^[[EXIT]](%[[ENDED]] : i32)
// CHECK:       ^[[EXIT]](%[[RESULT:[a-z0-9_]+]]: i32):
// CHECK-NEXT:    return %[[RESULT]] : i32

// CHECK:       func.func private @f_in_call(%[[CALL:[a-z0-9_]+]]: !llvm.ptr, %[[A:[a-z0-9_]+]]: memref<?x8xf16, strided{{.*}}>, %[[FLAG:[a-z0-9_]+]]: i1, %[[N:[a-z0-9_]+]]: index) -> i32
// Room is made once, not in each turn of a loop.
// CHECK:         llvm.alloca
// CHECK:         %[[TENSORS:[a-z0-9_]+]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i32, i32, i32, i32, array<8 x i64>, array<8 x i64>)>
// CHECK:         %[[SIZE:[a-z0-9_]+]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[WIDTH:[a-z0-9_]+]] = llvm.mlir.constant(8 : i64)
// CHECK:         %[[COUNT:[a-z0-9_]+]] = llvm.mul %{{.*}}, %[[SIZE]]
// CHECK:         %[[TWO:[a-z0-9_]+]] = llvm.mlir.constant(2 : i64)
// CHECK:         %[[BYTES:[a-z0-9_]+]] = llvm.mul %[[COUNT]], %[[TWO]]
// CHECK:         %[[ALIGNMENT:[a-z0-9_]+]] = llvm.mlir.constant(128 : i64)
// CHECK:         %[[S:[a-z0-9_]+]] = llvm.call @attnHostAllocate(%[[CALL]], %[[BYTES]], %[[ALIGNMENT]], %[[MEMORY:[a-z0-9_]+]])
// CHECK:         cf.cond_br %{{.*}}, ^[[EXIT:[a-z0-9_]+]](%[[S]] : i32), ^
// CHECK:         llvm.load %[[MEMORY]]
// CHECK:         %[[B:[a-z0-9_]+]] = builtin.unrealized_conversion_cast {{.*}} to memref<?x8xf16>

// The element that the memref begins with, its sizes and strides.
// CHECK:         %{{.*}}, %[[OFFSET:[a-z0-9_]+]], %[[SIZES:[a-z0-9_]+]]:2, %[[STRIDES:[a-z0-9_]+]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[BASE:[a-z0-9_]+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[SHIFT:[a-z0-9_]+]] = arith.muli %[[OFFSET]], %c2
// CHECK:         %[[DATA:[a-z0-9_]+]] = arith.addi %[[BASE]], %[[SHIFT]]
// CHECK:         %[[WIDE:[a-z0-9_]+]] = arith.index_cast %[[DATA]]
// CHECK:         %[[FIELD:[a-z0-9_]+]] = llvm.getelementptr %[[T:[a-z0-9_]+]][0, 0]
// CHECK:         llvm.store %[[WIDE]], %[[FIELD]]
// CHECK:         %[[UNKNOWN:[a-z0-9_]+]] = llvm.mlir.constant(-1 : i32)
// CHECK:         %[[FIELD:[a-z0-9_]+]] = llvm.getelementptr %[[T]][0, 3]
// CHECK:         llvm.store %[[UNKNOWN]], %[[FIELD]]
// CHECK:         %[[STRIDE:[a-z0-9_]+]] = arith.index_cast %[[STRIDES]]#1
// CHECK:         %[[FIELD:[a-z0-9_]+]] = llvm.getelementptr %[[T]][0, 6, 1]
// CHECK:         llvm.store %[[STRIDE]], %[[FIELD]]
// CHECK:         memref.extract_strided_metadata %[[B]]

// An i1 is a byte, an index 64 bits.
// CHECK:         llvm.mlir.constant(4 : i32)
// CHECK:         %[[BYTE:[a-z0-9_]+]] = arith.extui %[[FLAG]] : i1 to i8
// CHECK:         %[[FIELD:[a-z0-9_]+]] = llvm.getelementptr %[[SCALARS:[a-z0-9_]+]][0, 2]
// CHECK:         llvm.store %[[BYTE]], %[[FIELD]]
// CHECK:         llvm.mlir.constant(8 : i32)
// CHECK:         arith.index_cast %[[N]] : index to i64

// CHECK:         %[[MODULE:[a-z0-9_]+]] = llvm.mlir.addressof @programs_module
// CHECK:         %[[NAME:[a-z0-9_]+]] = llvm.mlir.addressof @attn_name_product
// CHECK:         %[[S:[a-z0-9_]+]] = llvm.call @attnHostLaunch(%[[CALL]], %[[MODULE]], %[[NAME]], %[[T]], %{{.*}}, %[[SCALARS]], %{{.*}})
// CHECK:         cf.cond_br %{{.*}}, ^[[EXIT]](%[[S]] : i32), ^

// Callers return what those return that they call.
// CHECK:         %[[R:[a-z0-9_]+]]:2 = call @helper(%[[CALL]], %[[B]])
// CHECK:         cf.cond_br %{{.*}}, ^[[EXIT]](%[[R]]#1 : i32), ^
// CHECK:         cf.cond_br %[[FLAG]]
// CHECK:         llvm.call @attnHostLaunch
// CHECK:         llvm.call @attnHostFree(%[[CALL]],
// CHECK:         return %c0_i32
// CHECK:       ^[[EXIT]](%[[S:[a-z0-9_]+]]: i32):
// CHECK-NEXT:    return %[[S]] : i32

// CHECK:       func.func private @helper(%[[CALL:[a-z0-9_]+]]: !llvm.ptr, %{{.*}}: memref<?x8xf16>) -> (f16, i32)
// CHECK:         llvm.mlir.constant(64 : i64)
// CHECK:         llvm.call @attnHostAllocate(%[[CALL]]
// CHECK:         %[[NONE:[a-z0-9_]+]] = ub.poison : f16
// CHECK:         return %[[NONE]], %{{.*}} : f16, i32

// CHECK:       func.func @pure(%{{.*}}: memref<f16>) -> f16
// CHECK:       llvm.mlir.global internal constant @attn_name_product("product\00")
// CHECK:       llvm.func @drop()
// CHECK:         llvm.call @attnHostModuleClose

#id = affine_map<(d0, d1) -> (d0, d1)>
llvm.mlir.global internal constant @programs("manifest") : !llvm.array<8 x i8>
func.func private @product(!attn.view<?x8xf16>, !attn.view<?x8xf16>, i1, index) attributes {attn.program = @programs}

func.func @f(%a: memref<?x8xf16, strided<[?, ?], offset: ?>>, %flag: i1, %n: index) attributes {llvm.emit_c_interface} {
  %b = memref.alloc(%n) {alignment = 128 : i64} : memref<?x8xf16>
  attn.launch @product ins(%a : memref<?x8xf16, strided<[?, ?], offset: ?>>) outs(%b : memref<?x8xf16>)
      scalars(%flag, %n : i1, index) views [#id, #id]
  %e = func.call @helper(%b) : (memref<?x8xf16>) -> f16
  cf.cond_br %flag, ^again, ^done
^again:
  attn.launch @product ins(%b : memref<?x8xf16>) outs(%a : memref<?x8xf16, strided<[?, ?], offset: ?>>)
      scalars(%flag, %n : i1, index) views [#id, #id]
  cf.br ^done
^done:
  memref.dealloc %b : memref<?x8xf16>
  return
}

func.func private @helper(%b: memref<?x8xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<f16>
  %e = memref.load %b[%c0, %c0] : memref<?x8xf16>
  memref.dealloc %t : memref<f16>
  return %e : f16
}

// Has no part in it.
func.func @pure(%a: memref<f16>) -> f16 {
  %e = memref.load %a[] : memref<f16>
  return %e : f16
}

// -----

// Nothing to do: memory is as it was.

// CHECK-LABEL: func.func @other
// CHECK:         memref.alloc
func.func @other() {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

// The target goes with the last of the dialect; a kernel that is left keeps it.

// CHECK-LABEL: module @launched {
// CHECK-LABEL: module @kept attributes {attn.target
#id = affine_map<(d0) -> (d0)>
module @launched attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 4, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1048576, smem_per_block = 1048576, registers_per_sm = 1048576, l2_bytes = 33554432, l2_effective_bytes = 33554432, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 64, dispatch_chunk = 1, dram_gbps = 50, tensor_gflops = 500, clock_mhz = 3000, special_per_clock = 1, fma_per_clock = 16, l2_gbps = 200>} {
  llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
  func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
  func.func @f(%a: memref<?xf32>) {
    attn.launch @p outs(%a : memref<?xf32>) views [#id]
    return
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
module @kept attributes {attn.target = #attn.target<"cpu", arch = "host", capabilities = ["cpu"], sms = 4, max_resident_ctas = 1, max_cluster_ctas = 1, max_clusters = 4, smem_per_sm = 1048576, smem_per_block = 1048576, registers_per_sm = 1048576, l2_bytes = 33554432, l2_effective_bytes = 33554432, l2_domains = 1, l2_partitions = 1, l2_sector_bytes = 64, dispatch_chunk = 1, dram_gbps = 50, tensor_gflops = 500, clock_mhz = 3000, special_per_clock = 1, fma_per_clock = 16, l2_gbps = 200>} {
  llvm.mlir.global internal constant @programs("") : !llvm.array<0 x i8>
  func.func private @p(!attn.view<?xf32>) attributes {attn.program = @programs}
  func.func @f(%a: memref<?xf32>) {
    attn.launch @p outs(%a : memref<?xf32>) views [#id]
    return
  }
  attn.kernel @k(%v: !attn.view<?xf32>) {
    attn.return
  }
}
