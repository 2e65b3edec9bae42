// convert-attn-to-nvvm: stores by the tensor memory accelerator (attn-store-tensors).
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.store --implicit-check-not=unrealized_conversion_cast --implicit-check-not="!llvm.ptr<1>" --implicit-check-not="llvm.store %{{[^ ]+}}, %{{[^ ]+}} : i32, !llvm.ptr<3>"
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="scf." --implicit-check-not=gpu.barrier
// A whole kernel: the tensor map of the result has the rows of one of 12 warps, and its own view.
// RUN: attn-compile %examples/sawtooth-gb10.mlir --target=h200 --schedule=tiles=query=192,key=128 --lower='wgmma=all specialize overlap ping-pong store-tensors' --emit=llvm | FileCheck %s --check-prefix=KERNEL
// KERNEL: parameters = [
// KERNEL-SAME: {box = [1, 1, 192, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}
// KERNEL-SAME: {box = [1, 1, 128, 64], kind = "tensor_map", swizzle = 128 : i64, view = 1 : i64}
// KERNEL-SAME: {box = [1, 1, 128, 64], kind = "tensor_map", swizzle = 128 : i64, view = 2 : i64}
// KERNEL-SAME: {box = [1, 1, 16, 64], kind = "tensor_map", swizzle = 128 : i64, view = 3 : i64}
// KERNEL-COUNT-4: nvvm.stmatrix
// KERNEL-NOT: nvvm.stmatrix
// KERNEL: nvvm.cp.async.bulk.tensor.global.shared.cta
// KERNEL-NOT: nvvm.cp.async.bulk.tensor.global.shared.cta
// Without the option there is no such parameter.
// RUN: attn-compile %examples/sawtooth-gb10.mlir --target=h200 --schedule=tiles=query=192,key=128 --lower='wgmma=all specialize overlap ping-pong' --emit=llvm | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=nvvm.stmatrix --implicit-check-not='kind = "tensor_map", swizzle = 128 : i64, view = 3'
// WITHOUT: kind = "tensor_map", swizzle = 128 : i64, view = 2
// WITHOUT: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>

//===----------------------------------------------------------------------===//
// Two panels
//===----------------------------------------------------------------------===//

// The box is that of a warp, 16 of 64 rows, and of a panel, 64 of 128 columns, of one h. The base
// must be a multiple of 16 bytes, as for copies.

// Four 8 x 8 matrices a time: lane l names row l mod 8 of matrix l / 8, and matrices are rows 0 and 8
// of one chunk of 16 bytes, then rows 0 and 8 of the next. Swizzled by 128 bytes chunk c of row r is
// c xor r mod 8; each step of 2 chunks flips further bits, and the second panel lies 64 rows on.

// The warp waits for its lanes, which have read these rows. All lanes' writes come before what the
// accelerator reads: each fences its own, then all wait, and one copies. It waits until the memory
// has been read, before it gives the slot back, as all threads do.

// CHECK-LABEL: llvm.func @panels(
// CHECK-SAME: %[[MAP:[^ ]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %[[HEAD:[^ ]+]]: i64
// CHECK-SAME: align = [{bytes = 16 : i64, view = 0 : i64}]
// CHECK-SAME: parameters = [{box = [1, 16, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}, {index = 0 : i64, kind = "scalar"}, {index = 1 : i64, kind = "scalar"}]
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : i32
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[C2048:[^ ]+]] = arith.constant 2048 : i32
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.constant -1 : i32
// CHECK-DAG: %[[F32:[^ ]+]] = llvm.mlir.constant(32 : i32) : i32
// CHECK-DAG: %[[F64:[^ ]+]] = llvm.mlir.constant(64 : i32) : i32
// CHECK-DAG: %[[F96:[^ ]+]] = llvm.mlir.constant(96 : i32) : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: %[[H:[^ ]+]] = arith.index_cast %[[HEAD]] : i64 to index
// CHECK: %[[CTA:[^ ]+]] = gpu.block_id x
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: %[[TID:[^ ]+]] = llvm.inline_asm has_side_effects {{.*}}%tid.x
// CHECK-NEXT: %[[WARP:[^ ]+]] = arith.divui %[[TID]], %[[C32]]
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[WARP]], %[[C16]]
// CHECK: %[[W:[^ ]+]]:32 = vector.to_elements
// CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
// CHECK-NEXT: %[[LANE:[^ ]+]] = arith.remui %[[TID]], %[[C32]]
// CHECK-NEXT: %[[IN:[^ ]+]] = arith.remui %[[LANE]], %[[C8]]
// CHECK-NEXT: %[[MATRIX:[^ ]+]] = arith.divui %[[LANE]], %[[C8]]
// CHECK-NEXT: %[[UPPER:[^ ]+]] = arith.addi %[[ROW]], %[[IN]]
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.remui %[[MATRIX]], %[[C2]]
// CHECK-NEXT: %[[DOWN:[^ ]+]] = arith.muli %[[ODD]], %[[C8]]
// CHECK-NEXT: %[[R:[^ ]+]] = arith.addi %[[UPPER]], %[[DOWN]]
// CHECK-NEXT: %[[CHUNK:[^ ]+]] = arith.divui %[[MATRIX]], %[[C2]]
// CHECK-NEXT: %[[BITS:[^ ]+]] = arith.remui %[[IN]], %[[C8]]
// CHECK-NEXT: %[[SWIZZLED:[^ ]+]] = arith.xori %[[BITS]], %[[CHUNK]]
// CHECK-NEXT: %[[ROWBYTES:[^ ]+]] = arith.muli %[[R]], %[[C128]]
// CHECK-NEXT: %[[BYTES:[^ ]+]] = arith.shli %[[SWIZZLED]], %[[C4]]
// CHECK-NEXT: %[[OFFSET:[^ ]+]] = arith.addi %[[ROWBYTES]], %[[BYTES]]
// CHECK-NEXT: %[[P0:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[OFFSET]]]
// CHECK-NEXT: nvvm.stmatrix %[[P0]], %[[W]]#0, %[[W]]#1, %[[W]]#2, %[[W]]#3 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-NEXT: %[[I0:[^ ]+]] = llvm.ptrtoint %[[P0]]
// CHECK-NEXT: %[[I1:[^ ]+]] = llvm.xor %[[I0]], %[[F32]]
// CHECK-NEXT: %[[P1:[^ ]+]] = llvm.inttoptr %[[I1]]
// CHECK-NEXT: nvvm.stmatrix %[[P1]], %[[W]]#4, %[[W]]#5, %[[W]]#6, %[[W]]#7 {
// CHECK-NEXT: %[[I2:[^ ]+]] = llvm.xor %[[I0]], %[[F64]]
// CHECK-NEXT: %[[P2:[^ ]+]] = llvm.inttoptr %[[I2]]
// CHECK-NEXT: nvvm.stmatrix %[[P2]], %[[W]]#8, %[[W]]#9, %[[W]]#10, %[[W]]#11 {
// CHECK-NEXT: %[[I3:[^ ]+]] = llvm.xor %[[I0]], %[[F96]]
// CHECK-NEXT: %[[P3:[^ ]+]] = llvm.inttoptr %[[I3]]
// CHECK-NEXT: nvvm.stmatrix %[[P3]], %[[W]]#12, %[[W]]#13, %[[W]]#14, %[[W]]#15 {
// CHECK-NEXT: %[[P4:[^ ]+]] = llvm.getelementptr %[[P0]][8192]
// CHECK-NEXT: nvvm.stmatrix %[[P4]], %[[W]]#16, %[[W]]#17, %[[W]]#18, %[[W]]#19 {
// CHECK-NEXT: %[[P5:[^ ]+]] = llvm.getelementptr %[[P1]][8192]
// CHECK-NEXT: nvvm.stmatrix %[[P5]], %[[W]]#20, %[[W]]#21, %[[W]]#22, %[[W]]#23 {
// CHECK-NEXT: %[[P6:[^ ]+]] = llvm.getelementptr %[[P2]][8192]
// CHECK-NEXT: nvvm.stmatrix %[[P6]], %[[W]]#24, %[[W]]#25, %[[W]]#26, %[[W]]#27 {
// CHECK-NEXT: %[[P7:[^ ]+]] = llvm.getelementptr %[[P3]][8192]
// CHECK-NEXT: nvvm.stmatrix %[[P7]], %[[W]]#28, %[[W]]#29, %[[W]]#30, %[[W]]#31 {
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
// CHECK-NEXT: %[[ONE:[^ ]+]] = nvvm.elect.sync -> i1
// CHECK-NEXT: scf.if %[[ONE]] {
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[WARP]], %[[C2048]]
// CHECK-NEXT: %[[FROM:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[AT]]]
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.index_cast %[[H]] : index to i32
// CHECK-NEXT: %[[Y0:[^ ]+]] = arith.index_cast %[[CTA]] : index to i32
// CHECK-NEXT: %[[Y:[^ ]+]] = arith.addi %[[Y0]], %[[ROW]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[FROM]], box[%[[C0]], %[[Y]], %[[Z]]]
// CHECK-NEXT: %[[NEXT:[^ ]+]] = llvm.getelementptr %[[FROM]][8192]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[NEXT]], box[%[[C64]], %[[Y]], %[[Z]]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: }
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.return

// LLVM-LABEL: llvm.func @panels(
// LLVM-COUNT-8: nvvm.stmatrix
// LLVM: nvvm.fence.proxy
// LLVM: nvvm.bar.warp.sync
// LLVM-NEXT: %[[ONE:[^ ]+]] = nvvm.elect.sync -> i1
// LLVM-NEXT: llvm.cond_br %[[ONE]], ^[[COPY:[^,]+]], ^[[DONE:.+]]
// LLVM: ^[[COPY]]:
// LLVM-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// LLVM-NEXT: nvvm.cp.async.bulk.commit.group
// LLVM-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// LLVM-NEXT: llvm.br ^[[DONE]]
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 16:(0, 8)]>
!q = tensor<64x128xbf16, #attn.shared<128>>
attn.kernel @panels(%o: !attn.view<8x?x128xbf16>, %x: bf16, %h: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  %n = attn.dim %o, 1 : <8x?x128xbf16>
  attn.ctas %i in %n {
    %t = tensor.splat %x : tensor<64x128xbf16, #wide>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%h, %i, %c0] through %q(!q) by_tensor_map : tensor<64x128xbf16, #wide> -> <8x?x128xbf16>
    attn.ring.release %r : <1 x !q>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Narrow panels, more rows a warp
//===----------------------------------------------------------------------===//

// 48 columns of 96 bytes have panels of 32 bytes, of one step each; the last begins at column 32. Of
// the view's 40 columns it has 8: the accelerator does not write the rest. The warp's 32 rows are one
// box; the lower 16 lie 512 bytes on, and their registers come behind. A single warp's first row is 0
// all the same.

// CHECK-LABEL: llvm.func @tall(
// CHECK-SAME: parameters = [{box = [32, 16], kind = "tensor_map", swizzle = 32 : i64, view = 0 : i64}, {index = 0 : i64, kind = "scalar"}]
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK-DAG: %[[C1024:[^ ]+]] = arith.constant 1024 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: %[[CTA:[^ ]+]] = gpu.block_id x
// CHECK: %[[WARP:[^ ]+]] = arith.divui %{{[^ ]+}}, %[[C32]]
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[WARP]], %[[C32]]
// CHECK: %[[W:[^ ]+]]:24 = vector.to_elements
// CHECK: %[[IN:[^ ]+]] = arith.remui %{{[^ ]+}}, %[[C8]]
// CHECK: %[[FOURTH:[^ ]+]] = arith.divui %[[IN]], %[[C4]]
// CHECK-NEXT: %[[BITS:[^ ]+]] = arith.remui %[[FOURTH]], %[[C2]]
// CHECK-NEXT: arith.xori %[[BITS]], %{{[^ ]+}} :
// CHECK: %[[P:[^ ]+]] = llvm.getelementptr %[[BASE]][%{{[^ ]+}}]
// CHECK-NEXT: nvvm.stmatrix %[[P]], %[[W]]#0, %[[W]]#1, %[[W]]#2, %[[W]]#3 {
// CHECK-NEXT: %[[P1:[^ ]+]] = llvm.getelementptr %[[P]][1024]
// CHECK-NEXT: nvvm.stmatrix %[[P1]], %[[W]]#4, %[[W]]#5, %[[W]]#6, %[[W]]#7 {
// CHECK-NEXT: %[[P2:[^ ]+]] = llvm.getelementptr %[[P]][2048]
// CHECK-NEXT: nvvm.stmatrix %[[P2]], %[[W]]#8, %[[W]]#9, %[[W]]#10, %[[W]]#11 {
// CHECK-NEXT: %[[L:[^ ]+]] = llvm.getelementptr %[[P]][512]
// CHECK-NEXT: nvvm.stmatrix %[[L]], %[[W]]#12, %[[W]]#13, %[[W]]#14, %[[W]]#15 {
// CHECK-NEXT: %[[L1:[^ ]+]] = llvm.getelementptr %[[P]][1536]
// CHECK-NEXT: nvvm.stmatrix %[[L1]], %[[W]]#16, %[[W]]#17, %[[W]]#18, %[[W]]#19 {
// CHECK-NEXT: %[[L2:[^ ]+]] = llvm.getelementptr %[[P]][2560]
// CHECK-NEXT: nvvm.stmatrix %[[L2]], %[[W]]#20, %[[W]]#21, %[[W]]#22, %[[W]]#23 {
// CHECK-NEXT: nvvm.fence.proxy
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.elect.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[WARP]], %[[C1024]]
// CHECK-NEXT: %[[FROM:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[AT]]]
// CHECK-NEXT: %[[Y0:[^ ]+]] = arith.index_cast %[[CTA]] : index to i32
// CHECK-NEXT: %[[Y:[^ ]+]] = arith.addi %[[Y0]], %[[ROW]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{[^ ]+}}, %[[FROM]], box[%[[C0]], %[[Y]]]
// CHECK-NEXT: %[[SECOND:[^ ]+]] = llvm.getelementptr %[[FROM]][1024]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{[^ ]+}}, %[[SECOND]], box[%[[C16]], %[[Y]]]
// CHECK-NEXT: %[[THIRD:[^ ]+]] = llvm.getelementptr %[[FROM]][2048]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{[^ ]+}}, %[[THIRD]], box[%[[C32]], %[[Y]]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// LLVM-LABEL: llvm.func @tall(
#tall = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8), 2:(16, 0)]>
!q = tensor<32x48xf16, #attn.shared<32>>
attn.kernel @tall(%o: !attn.view<?x40xf16>, %x: f16) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <1 x !q>
  %n = attn.dim %o, 0 : <?x40xf16>
  attn.ctas %i in %n {
    %t = tensor.splat %x : tensor<32x48xf16, #tall>
    %q = attn.ring.wait %r : <1 x !q> -> !q
    attn.store %t, %o[%i, %c0] through %q(!q) by_tensor_map : tensor<32x48xf16, #tall> -> <?x40xf16>
  }
}
