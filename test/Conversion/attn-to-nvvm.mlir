// convert-attn-to-nvvm: one kernel for each pattern, with what it becomes beside it.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.kernel --implicit-check-not="attn.ctas" --implicit-check-not=unrealized_conversion_cast
// The same for the other target of this family.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s
// And to the LLVM dialect, which LLVM takes.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="__nv_" --implicit-check-not="gpu.thread_id" --implicit-check-not="scf." --implicit-check-not="vector."
// LLVM: llvm.func @ring_tensor

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

// Two slots of two panels, then a full and an empty barrier for each slot. One thread
// sets them up; the copy arrives once, every warp releases once; then all threads see
// them. One thread waits for the slot that is ahead of those released and copies the
// two panels, coordinates innermost first, of which the whole slot is counted. The
// view needs nothing but its tensor map.

// CHECK-LABEL: gpu.module @ring_tensor_device
// CHECK: llvm.mlir.global external @attn_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @ring_tensor(%[[MAP:[^ ]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[I:[^ ]+]]: i64)
// CHECK-SAME: parameters = [{box = [1, 1, 16, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}, {index = 0 : i64, kind = "scalar"}]
// CHECK-SAME: shared_bytes = 8224 : i64
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 64>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : i32
// CHECK-DAG: %[[BYTES:[^ ]+]] = arith.constant 4096 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared : !llvm.ptr<3>
// CHECK: %[[COUNT:[^ ]+]] = llvm.alloca %[[C1]] x i32
// CHECK: llvm.store %[[C0]], %[[COUNT]]
// CHECK: %[[TID:[^ ]+]] = gpu.thread_id x
// CHECK: %[[T:[^ ]+]] = arith.index_cast %[[TID]] : index to i32
// CHECK: %[[FIRST:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C0]] : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[FULL:[^ ]+]] = llvm.getelementptr %[[BASE]][8192]
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %[[C1]]
// CHECK-NEXT: %[[EMPTY:[^ ]+]] = llvm.getelementptr %[[BASE]][8208]
// CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY]], %[[C2]]
// CHECK-NEXT: %[[FULL1:[^ ]+]] = llvm.getelementptr %[[FULL]][8]
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL1]], %[[C1]]
// CHECK-NEXT: %[[EMPTY1:[^ ]+]] = llvm.getelementptr %[[EMPTY]][8]
// CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY1]], %[[C2]]
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier
// CHECK: %[[CTA:[^ ]+]] = gpu.block_id x
// Acquire.
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[AHEAD:[^ ]+]] = arith.addi %[[N]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[AHEAD]], %[[C2]] : i32
// CHECK-NEXT: %[[ROUND:[^ ]+]] = arith.divui %[[AHEAD]], %[[C2]] : i32
// CHECK-NEXT: %[[PARITY:[^ ]+]] = arith.remui %[[ROUND]], %[[C2]] : i32
// CHECK-NEXT: %[[PAST:[^ ]+]] = arith.xori %[[PARITY]], %[[C1]] : i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: %[[AT:[^ ]+]] = arith.muli %[[SLOT]], %[[C8]] : i32
// CHECK: %[[E:[^ ]+]] = llvm.getelementptr %{{[^ ]+}}[%[[AT]]]
// CHECK: nvvm.mbarrier.try_wait.parity %[[E]], %[[PAST]],
// CHECK: }
// Issue.
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[F:[^ ]+]] = llvm.getelementptr %{{[^ ]+}}[%{{[^ ]+}}] : (!llvm.ptr<3>, i32)
// CHECK: %[[PLACE:[^ ]+]] = arith.muli %[[SLOT]], %[[BYTES]] : i32
// CHECK: %[[DATA:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[PLACE]]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[F]], %[[BYTES]]
// CHECK-DAG: %[[OI:[^ ]+]] = arith.index_cast %{{[^ ]+}} : index to i32
// CHECK-DAG: %[[OC:[^ ]+]] = arith.index_cast %[[CTA]] : index to i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DATA]], %[[MAP]], %[[F]], box[%[[OI]], %[[OC]], %[[C1]], %[[OI]]]
// CHECK-DAG: %[[OJ:[^ ]+]] = arith.addi %[[OI]], %[[C64]] {{.*}}: i32
// CHECK-DAG: %[[PANEL:[^ ]+]] = llvm.getelementptr %[[DATA]][2048]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[PANEL]], %[[MAP]], %[[F]], box[%[[OJ]], %[[OC]], %[[C1]], %[[OI]]]
// CHECK-NOT: nvvm.cp.async
// CHECK: }
// Wait: every thread, for the slot after those released.
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[N]], %[[C2]] : i32
// CHECK: %[[ROUND:[^ ]+]] = arith.divui %[[N]], %[[C2]] : i32
// CHECK-NEXT: %[[PARITY:[^ ]+]] = arith.remui %[[ROUND]], %[[C2]] : i32
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity %{{[^ ]+}}, %[[PARITY]],
// Release: one lane a warp, after the others.
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if
// CHECK: nvvm.mbarrier.arrive
// CHECK: }
// CHECK: %[[N1:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[C1]] {{.*}}: i32
// CHECK-NEXT: llvm.store %[[N1]], %[[COUNT]]
// CHECK-NEXT: llvm.return
attn.kernel @ring_tensor(%x: !attn.view<?x4x?x64xbf16>, %i: index) attributes {threads = 64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x tensor<16x128xbf16, #attn.shared<128>>>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r ahead 1 : <2 x tensor<16x128xbf16, #attn.shared<128>>> -> <tensor<16x128xbf16, #attn.shared<128>>>
    %p = attn.ring.issue %s, %x[%i, %c1, %w, %i] : <tensor<16x128xbf16, #attn.shared<128>>>, <?x4x?x64xbf16> -> <tensor<16x128xbf16, #attn.shared<128>>>
    attn.ring.land %p : <tensor<16x128xbf16, #attn.shared<128>>>
    %t = attn.ring.wait %r : <2 x tensor<16x128xbf16, #attn.shared<128>>> -> tensor<16x128xbf16, #attn.shared<128>>
    attn.ring.release %r : <2 x tensor<16x128xbf16, #attn.shared<128>>>
  }
}

// -----

// One slot: there is nothing to choose. By threads: all of them wait for the slot, each
// copies its chunks of 16 bytes, of which what lies outside of the view is zero, and
// each arrives. 16 rows of two chunks are half of 64 threads.

// CHECK-LABEL: llvm.func @ring_async
// CHECK-SAME: (%[[X:[^ ]+]]: !llvm.ptr, %[[B:[^ ]+]]: i64, %[[M:[^ ]+]]: i64, %[[N:[^ ]+]]: i64, %[[SB:[^ ]+]]: i64, %[[SM:[^ ]+]]: i64, %[[I:[^ ]+]]: i64)
// CHECK-SAME: align = [{bytes = 16 : i64, view = 0 : i64}]
// CHECK-SAME: parameters = [{kind = "pointer", view = 0 : i64}, {dim = 0 : i64, kind = "size", view = 0 : i64}, {dim = 1 : i64, kind = "size", view = 0 : i64}, {dim = 2 : i64, kind = "size", view = 0 : i64}, {dim = 0 : i64, kind = "stride", view = 0 : i64}, {dim = 1 : i64, kind = "stride", view = 0 : i64}, {index = 0 : i64, kind = "scalar"}]
// CHECK-SAME: shared_bytes = 1040 : i64
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i64
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i64
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i64
// CHECK-DAG: %[[THREADS:[^ ]+]] = arith.constant 64 : i32
// CHECK-DAG: %[[CHUNKS:[^ ]+]] = arith.constant 32 : i32
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[THREADS]]
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[THREADS]]
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: %[[T:[^ ]+]] = llvm.inline_asm has_side_effects {{.*}}%tid.x
// CHECK-DAG: %[[ORIGIN:[^ ]+]] = arith.muli %[[I]], %[[SB]] : i64
// CHECK-DAG: %[[EXISTS:[^ ]+]] = arith.cmpi ult, %[[I]], %[[B]] : i64
// CHECK-DAG: %[[ROW:[^ ]+]] = arith.divui %[[T]], %{{[^ ]+}} : i32
// CHECK-DAG: %[[CHUNK:[^ ]+]] = arith.remui %[[T]], %{{[^ ]+}} : i32
// CHECK: %[[LEFT:[^ ]+]] = arith.subi %[[N]], %[[COLUMN:[^ ]+]] : i64
// CHECK: %[[SOME:[^ ]+]] = arith.maxsi %[[LEFT]], %[[C0]] : i64
// CHECK: %[[MOST:[^ ]+]] = arith.minsi %[[SOME]], %[[C8]] : i64
// CHECK: %[[BYTESW:[^ ]+]] = arith.muli %[[MOST]], %[[C2]] : i64
// CHECK: %[[THERE:[^ ]+]] = arith.trunci %[[BYTESW]] : i64 to i32
// CHECK: %[[ROWW:[^ ]+]] = arith.extsi %[[ROW]] : i32 to i64
// CHECK: %[[AT:[^ ]+]] = arith.addi %[[I]], %[[ROWW]] : i64
// CHECK: %[[MINE:[^ ]+]] = arith.cmpi slt, %[[T]], %[[CHUNKS]] : i32
// CHECK: scf.if %[[MINE]] {
// CHECK: %[[IN:[^ ]+]] = arith.cmpi ult, %[[AT]], %[[M]] : i64
// CHECK: %[[BOTH:[^ ]+]] = arith.andi %[[EXISTS]], %[[IN]] : i1
// CHECK: %[[BYTES:[^ ]+]] = arith.select %[[BOTH]], %[[THERE]], %[[NONE:[^ ]+]] : i32
// CHECK: %[[ANY:[^ ]+]] = arith.cmpi sgt, %[[BYTES]], %[[NONE]] : i32
// CHECK: arith.select %[[ANY]], %{{[^ ]+}}, %[[C0]] : i64
// CHECK: %[[SRC:[^ ]+]] = llvm.addrspacecast %{{[^ ]+}} : !llvm.ptr to !llvm.ptr<1>
// CHECK: nvvm.cp.async.shared.global %{{[^ ]+}}, %[[SRC]], 16, cache = cg, %[[BYTES]]
// CHECK: }
// CHECK: nvvm.cp.async.mbarrier.arrive %{{[^ ]+}} {noinc = true}
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.arrive
attn.kernel @ring_async(%x: !attn.view<?x?x?xf16>, %i: index) attributes {threads = 64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : <1 x tensor<16x16xf16, #attn.shared<32>>> -> <tensor<16x16xf16, #attn.shared<32>>>
    %p = attn.ring.issue %s, %x[%i, %i, %i] by async : <tensor<16x16xf16, #attn.shared<32>>>, <?x?x?xf16> -> <tensor<16x16xf16, #attn.shared<32>>>
    attn.ring.land %p : <tensor<16x16xf16, #attn.shared<32>>>
    %t = attn.ring.wait %r : <1 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    attn.ring.release %r : <1 x tensor<16x16xf16, #attn.shared<32>>>
  }
}

// -----

// Rings follow each other at multiples of 1024 bytes, their barriers behind them all.

// CHECK-LABEL: llvm.func @places
// CHECK-SAME: shared_bytes = 8288 : i64
// CHECK: llvm.getelementptr %[[B:[^ ]+]][8192]
// CHECK: llvm.getelementptr %[[B]][8216]
// CHECK: llvm.getelementptr %[[B]][8240]
// CHECK: llvm.getelementptr %[[B]][8256]
// CHECK: llvm.getelementptr %[[B]][8272]
// CHECK: llvm.getelementptr %[[B]][8280]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
attn.kernel @places() attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %0 = attn.ring.create : <3 x tensor<8x16xbf16, #attn.shared<32>>>
  %1 = attn.ring.create : <2 x tensor<8x64xf32, #attn.shared<128>>>
  %2 = attn.ring.create : <1 x tensor<8x16xbf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    attn.ring.release %1 : <2 x tensor<8x64xf32, #attn.shared<128>>>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.dot
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Both operands in shared memory, the right-hand one by rows of the result's columns,
// as K is. Four matrices at once: of the left-hand side the second is eight rows down
// and the third across; of the right-hand side the other way round, so that each pair
// is one column of matrices. Chunks are where the swizzle puts them.

// CHECK-LABEL: llvm.func @dot_shared
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-DAG: %[[RHS:[^ ]+]] = llvm.getelementptr %[[BASE]][1024]
// CHECK-DAG: %[[WARP:[^ ]+]] = arith.divui %[[T:[^ ]+]], %[[C32]] : i32
// CHECK-DAG: %[[ROWS:[^ ]+]] = arith.muli %[[WARP]], %[[C16]] : i32
// CHECK-DAG: %[[LANE:[^ ]+]] = arith.remui %[[T]], %[[C32]] : i32
// CHECK-DAG: %[[IN:[^ ]+]] = arith.remui %[[LANE]], %[[C8]] : i32
// CHECK-DAG: %[[EIGHTH:[^ ]+]] = arith.divui %[[LANE]], %[[C8]] : i32
// CHECK-DAG: %[[SECOND:[^ ]+]] = arith.remui %[[EIGHTH]], %[[C2]] : i32
// CHECK-DAG: %[[THIRD:[^ ]+]] = arith.divui %[[LANE]], %[[C16]] : i32
// CHECK: %[[DOWN:[^ ]+]] = arith.muli %[[SECOND]], %[[C8]] : i32
// CHECK-NEXT: %[[LROW:[^ ]+]] = arith.addi %[[IN]], %[[DOWN]] {{.*}}: i32
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.addi %[[LROW]], %[[ROWS]] {{.*}}: i32
// CHECK-NEXT: %[[BITS:[^ ]+]] = arith.divui %[[IN]], %[[C4]] : i32
// CHECK-NEXT: %[[BIT:[^ ]+]] = arith.remui %[[BITS]], %[[C2]] : i32
// CHECK-NEXT: %[[CHUNK:[^ ]+]] = arith.xori %[[BIT]], %[[THIRD]] : i32
// CHECK-NEXT: %[[ROWAT:[^ ]+]] = arith.muli %[[ROW]], %[[C32]] : i32
// CHECK-NEXT: %[[CHUNKAT:[^ ]+]] = arith.shli %[[CHUNK]], %[[C4]] : i32
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.addi %[[ROWAT]], %[[CHUNKAT]] {{.*}}: i32
// CHECK-NEXT: %[[DOWN:[^ ]+]] = arith.muli %[[THIRD]], %[[C8]] : i32
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.addi %[[IN]], %[[DOWN]] {{.*}}: i32
// CHECK-NEXT: %[[CHUNK:[^ ]+]] = arith.xori %[[BIT]], %[[SECOND]] : i32
// CHECK: %[[A:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[AT]]]
// CHECK-NEXT: %[[AM:[^ ]+]] = nvvm.ldmatrix %[[A]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NEXT: %[[A0:[^ ]+]] = llvm.extractvalue %[[AM]][0]
// CHECK-NEXT: %[[A1:[^ ]+]] = llvm.extractvalue %[[AM]][1]
// CHECK-NEXT: %[[A2:[^ ]+]] = llvm.extractvalue %[[AM]][2]
// CHECK-NEXT: %[[A3:[^ ]+]] = llvm.extractvalue %[[AM]][3]
// CHECK: %[[B:[^ ]+]] = llvm.getelementptr %[[RHS]][%{{[^ ]+}}]
// CHECK-NEXT: %[[BM:[^ ]+]] = nvvm.ldmatrix %[[B]] {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NEXT: %[[B0:[^ ]+]] = llvm.extractvalue %[[BM]][0]
// CHECK-NEXT: %[[B1:[^ ]+]] = llvm.extractvalue %[[BM]][1]
// CHECK-NEXT: %[[B2:[^ ]+]] = llvm.extractvalue %[[BM]][2]
// CHECK-NEXT: %[[B3:[^ ]+]] = llvm.extractvalue %[[BM]][3]
// CHECK-NEXT: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] C[%[[C:[^ ]+]]#0, %[[C]]#1, %[[C]]#2, %[[C]]#3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32)
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]] C[%[[C]]#4, %[[C]]#5, %[[C]]#6, %[[C]]#7]
// CHECK-NOT: nvvm.mma.sync
attn.kernel @dot_shared(%o: !attn.view<16x16xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
  %rb = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
    %b = attn.ring.wait %rb : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
    %d = attn.dot %a, %b, %zero transpose_rhs : tensor<16x16xbf16, #attn.shared<32>>, tensor<16x16xbf16, #attn.shared<32>> into tensor<16x16xf32, #acc>
    attn.store %d, %o[%c0, %c0] : tensor<16x16xf32, #acc> -> <16x16xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// The left-hand side in registers, as P is: the accumulator's registers in pairs, in
// the order that they have. The right-hand one by rows of the sum, as V is: matrices
// are transposed on the way, the second of them eight rows down. f16 comes in pairs.

// CHECK-LABEL: llvm.func @dot_fragment
// CHECK: %[[P:[^ ]+]] = arith.truncf %{{[^ ]+}} : vector<8xf32> to vector<8xf16>
// CHECK: %[[W:[^ ]+]] = vector.bitcast %[[P]] : vector<8xf16> to vector<4xi32>
// CHECK: %[[A:[^ ]+]]:4 = vector.to_elements %[[W]]
// CHECK: %[[BM:[^ ]+]] = nvvm.ldmatrix %{{[^ ]+}} {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NEXT: %[[B0:[^ ]+]] = llvm.extractvalue %[[BM]][0]
// CHECK-NEXT: %[[B1:[^ ]+]] = llvm.extractvalue %[[BM]][1]
// CHECK-NEXT: %[[B2:[^ ]+]] = llvm.extractvalue %[[BM]][2]
// CHECK-NEXT: %[[B3:[^ ]+]] = llvm.extractvalue %[[BM]][3]
// CHECK-DAG: %[[A0:[^ ]+]] = llvm.bitcast %[[A]]#0 : i32 to vector<2xf16>
// CHECK-DAG: %[[A1:[^ ]+]] = llvm.bitcast %[[A]]#1 : i32 to vector<2xf16>
// CHECK-DAG: %[[A2:[^ ]+]] = llvm.bitcast %[[A]]#2 : i32 to vector<2xf16>
// CHECK-DAG: %[[A3:[^ ]+]] = llvm.bitcast %[[A]]#3 : i32 to vector<2xf16>
// CHECK-DAG: %[[H0:[^ ]+]] = llvm.bitcast %[[B0]] : i32 to vector<2xf16>
// CHECK-DAG: %[[H1:[^ ]+]] = llvm.bitcast %[[B1]] : i32 to vector<2xf16>
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[H0]], %[[H1]]] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32)
// CHECK-DAG: %[[H2:[^ ]+]] = llvm.bitcast %[[B2]] : i32 to vector<2xf16>
// CHECK-DAG: %[[H3:[^ ]+]] = llvm.bitcast %[[B3]] : i32 to vector<2xf16>
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[H2]], %[[H3]]] C[
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.return
attn.kernel @dot_fragment(%o: !attn.view<16x16xf32>, %f: f32) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rb = attn.ring.create : <1 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %s = tensor.splat %f : tensor<16x16xf32, #acc>
    %p = arith.truncf %s : tensor<16x16xf32, #acc> to tensor<16x16xf16, #acc>
    %b = attn.ring.wait %rb : <1 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    %d = attn.dot %p, %b, %s : tensor<16x16xf16, #acc>, tensor<16x16xf16, #attn.shared<32>> into tensor<16x16xf32, #acc>
    attn.store %d, %o[%c0, %c0] : tensor<16x16xf32, #acc> -> <16x16xf32>
  }
}

// -----

// Sizes: two blocks of rows a warp, two steps of the sum, three pairs of columns: 24
// products, for which the left-hand side is fetched four times and the right-hand one
// six, whatever the number of blocks.

// CHECK-LABEL: llvm.func @dot_sizes
// CHECK-COUNT-10: nvvm.ldmatrix
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @dot_sizes
// LLVM-COUNT-24: nvvm.mma.sync
// LLVM-NOT: nvvm.mma.sync
// LLVM-LABEL: llvm.func @fetch_matrices
// LLVM-LABEL: llvm.func @integers(
// LLVM-COUNT-6: llvm.intr.smax({{.*}}) : (i32, i32) -> i32
// LLVM-LABEL: llvm.func @everything
// LLVM-LABEL: llvm.func @both
#big = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(32, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8), 2:(16, 0)]>
attn.kernel @dot_sizes(%o: !attn.view<64x48xf32>) attributes {threads = 64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x tensor<64x32xbf16, #attn.shared<64>>>
  %rb = attn.ring.create : <1 x tensor<32x48xbf16, #attn.shared<32>>>
  %zero = arith.constant dense<0.0> : tensor<64x48xf32, #big>
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x tensor<64x32xbf16, #attn.shared<64>>> -> tensor<64x32xbf16, #attn.shared<64>>
    %b = attn.ring.wait %rb : <1 x tensor<32x48xbf16, #attn.shared<32>>> -> tensor<32x48xbf16, #attn.shared<32>>
    %d = attn.dot %a, %b, %zero : tensor<64x32xbf16, #attn.shared<64>>, tensor<32x48xbf16, #attn.shared<32>> into tensor<64x48xf32, #big>
    attn.store %d, %o[%c0, %c0] : tensor<64x48xf32, #big> -> <64x48xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.convert_layout
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// To the layout of an A operand, of 16-bit elements: by ldmatrix.

// CHECK-LABEL: llvm.func @fetch_matrices
// CHECK: %[[M:[^ ]+]] = nvvm.ldmatrix %{{[^ ]+}} {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NEXT: %[[M0:[^ ]+]] = llvm.extractvalue %[[M]][0]
// CHECK-NEXT: %[[M1:[^ ]+]] = llvm.extractvalue %[[M]][1]
// CHECK-NEXT: %[[M2:[^ ]+]] = llvm.extractvalue %[[M]][2]
// CHECK-NEXT: %[[M3:[^ ]+]] = llvm.extractvalue %[[M]][3]
// CHECK-NEXT: %[[W:[^ ]+]] = vector.from_elements %[[M0]], %[[M1]], %[[M2]], %[[M3]] : vector<4xi32>
// CHECK-NEXT: %[[V:[^ ]+]] = vector.bitcast %[[W]] : vector<4xi32> to vector<8xbf16>
// CHECK-NEXT: arith.mulf %[[V]], %[[V]] : vector<8xbf16>
attn.kernel @fetch_matrices(%o: !attn.view<16x16xbf16>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xbf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %t = attn.ring.wait %r : <1 x tensor<16x16xbf16, #attn.shared<32>>> -> tensor<16x16xbf16, #attn.shared<32>>
    %f = attn.convert_layout %t : tensor<16x16xbf16, #attn.shared<32>> to tensor<16x16xbf16, #acc>
    %m = arith.mulf %f, %f : tensor<16x16xbf16, #acc>
    attn.store %m, %o[%c0, %c0] : tensor<16x16xbf16, #acc> -> <16x16xbf16>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Of 32-bit elements: one at a time, from where the swizzle put it.

// CHECK-LABEL: llvm.func @fetch_elements
// CHECK-NOT: nvvm.ldmatrix
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: arith.xori
// CHECK: %[[E0:[^ ]+]] = llvm.load %{{[^ ]+}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-7: llvm.load %{{[^ ]+}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load {{.*}} -> f32
// CHECK: arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<8xf32>
attn.kernel @fetch_elements(%o: !attn.view<16x16xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xf32, #attn.shared<64>>>
  attn.ctas %w in %c1 {
    %t = attn.ring.wait %r : <1 x tensor<16x16xf32, #attn.shared<64>>> -> tensor<16x16xf32, #attn.shared<64>>
    %f = attn.convert_layout %t : tensor<16x16xf32, #attn.shared<64>> to tensor<16x16xf32, #acc>
    %m = arith.mulf %f, %f : tensor<16x16xf32, #acc>
    attn.store %m, %o[%c0, %c0] : tensor<16x16xf32, #acc> -> <16x16xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Between layouts that give a thread the same elements: the registers in another
// order.

// CHECK-LABEL: llvm.func @permute
// CHECK: arith.sitofp
// CHECK: %[[S:[^ ]+]] = arith.addf
// CHECK: vector.shuffle %[[S]], %[[S]] [0, 2, 1, 3, 4, 6, 5, 7] : vector<8xf32>, vector<8xf32>
attn.kernel @permute(%o: !attn.view<16x16xf32>, %i: index) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.iota 1 from %i : tensor<16x16xindex, #acc>
    %j = arith.index_cast %t : tensor<16x16xindex, #acc> to tensor<16x16xi32, #acc>
    %f = arith.sitofp %j : tensor<16x16xi32, #acc> to tensor<16x16xf32, #acc>
    %p = attn.convert_layout %f : tensor<16x16xf32, #acc> to tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>>
    attn.store %p, %o[%c0, %c0] : tensor<16x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>> -> <16x16xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Arithmetic of a thread
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 2:(16)], registers [2:(8)]>

// Constants and splats are vectors of a thread's four elements; indices have 32 bits.
// The index of an element is that of the thread's first and what its register adds.

// CHECK-LABEL: llvm.func @elements
// CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: i64, %[[S:[^ ]+]]: f32, %[[N:[^ ]+]]: i64, %[[H:[^ ]+]]: f16)
// CHECK-DAG: %[[TWO:[^ ]+]] = arith.constant dense<2.000000e+00> : vector<4xf32>
// CHECK-DAG: %[[SEVEN:[^ ]+]] = arith.constant dense<7> : vector<4xi32>
// CHECK-DAG: %[[OF:[^ ]+]] = arith.constant dense<[0, -1, 8, 7]> : vector<4xi32>
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK: %[[SS:[^ ]+]] = vector.broadcast %[[S]] : f32 to vector<4xf32>
// CHECK-NEXT: %[[A:[^ ]+]] = arith.mulf %[[SS]], %[[TWO]] : vector<4xf32>
// CHECK: %[[TID:[^ ]+]] = gpu.thread_id x
// CHECK-NEXT: %[[T:[^ ]+]] = arith.index_cast %[[TID]] : index to i32
// CHECK-NEXT: %[[Q:[^ ]+]] = arith.divui %[[T]], %[[C4]] : i32
// CHECK-NEXT: %[[R8:[^ ]+]] = arith.remui %[[Q]], %[[C8]] : i32
// CHECK-NEXT: %[[WARP:[^ ]+]] = arith.divui %[[T]], %[[C32]] : i32
// CHECK-NEXT: %[[R16:[^ ]+]] = arith.muli %[[WARP]], %[[C16]] : i32
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.addi %[[R8]], %[[R16]] {{.*}}: i32
// CHECK-NEXT: %[[ROWN:[^ ]+]] = arith.addi %[[NARROW:[^ ]+]], %[[ROW]] {{.*}}: i32
// CHECK: %[[L:[^ ]+]] = arith.remui %[[T]], %[[C4]] : i32
// CHECK-NEXT: %[[COL:[^ ]+]] = arith.muli %[[L]], %[[C2]] : i32
// CHECK-NEXT: %[[COLN:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[COL]] {{.*}}: i32
// The distance of two index tiles: one number and a constant a register.
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.subi %[[ROWN]], %[[COLN]] {{.*}}: i32
// CHECK-NEXT: %[[FV:[^ ]+]] = vector.broadcast %[[FIRST]] : i32 to vector<4xi32>
// CHECK-NEXT: %[[D:[^ ]+]] = arith.addi %[[FV]], %[[OF]] {{.*}}: vector<4xi32>
// CHECK-NEXT: %[[E:[^ ]+]] = arith.cmpi slt, %[[D]], %[[SEVEN]] : vector<4xi32>
// CHECK-NEXT: %[[F:[^ ]+]] = arith.select %[[E]], %[[TWO]], %[[A]] : vector<4xi1>, vector<4xf32>
// From an index to an integer: nothing, or another width. Positions are converted to floats once.
// CHECK-NEXT: %[[FF:[^ ]+]] = arith.sitofp %[[FIRST]] : i32 to f32
// CHECK-NEXT: %[[FFV:[^ ]+]] = vector.broadcast %[[FF]] : f32 to vector<4xf32>
// CHECK-NEXT: %[[I32:[^ ]+]] = arith.addf %[[FFV]], %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: %[[X:[^ ]+]] = arith.extsi %[[D]] : vector<4xi32> to vector<4xi64>
// CHECK-NEXT: %[[I64:[^ ]+]] = arith.sitofp %[[X]] : vector<4xi64> to vector<4xf32>
// CHECK-NEXT: %[[Y:[^ ]+]] = arith.extui %[[D]] : vector<4xi32> to vector<4xi64>
// CHECK-NEXT: %[[U64:[^ ]+]] = arith.uitofp %[[Y]] : vector<4xi64> to vector<4xf32>
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.trunci %[[D]] : vector<4xi32> to vector<4xi8>
// CHECK-NEXT: %[[I8:[^ ]+]] = arith.sitofp %[[Z]] : vector<4xi8> to vector<4xf32>
// CHECK-NEXT: %[[S1:[^ ]+]] = arith.addf %[[F]], %[[I32]] : vector<4xf32>
// CHECK-NEXT: %[[S2:[^ ]+]] = arith.addf %[[S1]], %[[I64]] : vector<4xf32>
// CHECK-NEXT: %[[S3:[^ ]+]] = arith.addf %[[S2]], %[[U64]] : vector<4xf32>
// CHECK-NEXT: %[[S4:[^ ]+]] = arith.addf %[[S3]], %[[I8]] : vector<4xf32>
// CHECK-NEXT: %[[HS:[^ ]+]] = vector.broadcast %[[H]] : f16 to vector<4xf16>
// CHECK-NEXT: %[[HX:[^ ]+]] = arith.extf %[[HS]] : vector<4xf16> to vector<4xf32>
// CHECK-NEXT: arith.divf %[[S4]], %[[HX]] : vector<4xf32>
attn.kernel @elements(%o: !attn.view<32x8xf32>, %s: f32, %n: index, %h: f16) attributes {threads = 64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : tensor<32x8xf32, #acc>
  %seven = arith.constant dense<7> : tensor<32x8xindex, #acc>
  attn.ctas %w in %c1 {
    %ss = tensor.splat %s : tensor<32x8xf32, #acc>
    %a = arith.mulf %ss, %two : tensor<32x8xf32, #acc>
    %rows = attn.iota 0 from %n : tensor<32x8xindex, #acc>
    %cols = attn.iota 1 from %w : tensor<32x8xindex, #acc>
    %d = arith.subi %rows, %cols : tensor<32x8xindex, #acc>
    %e = arith.cmpi slt, %d, %seven : tensor<32x8xindex, #acc>
    %f = arith.select %e, %two, %a : tensor<32x8xi1, #acc>, tensor<32x8xf32, #acc>
    %i32 = arith.index_cast %d : tensor<32x8xindex, #acc> to tensor<32x8xi32, #acc>
    %f32 = arith.sitofp %i32 : tensor<32x8xi32, #acc> to tensor<32x8xf32, #acc>
    %i64 = arith.index_cast %d : tensor<32x8xindex, #acc> to tensor<32x8xi64, #acc>
    %f64 = arith.sitofp %i64 : tensor<32x8xi64, #acc> to tensor<32x8xf32, #acc>
    %u64 = arith.index_castui %d : tensor<32x8xindex, #acc> to tensor<32x8xi64, #acc>
    %v64 = arith.uitofp %u64 : tensor<32x8xi64, #acc> to tensor<32x8xf32, #acc>
    %i8 = arith.index_cast %d : tensor<32x8xindex, #acc> to tensor<32x8xi8, #acc>
    %f8 = arith.sitofp %i8 : tensor<32x8xi8, #acc> to tensor<32x8xf32, #acc>
    %1 = arith.addf %f, %f32 : tensor<32x8xf32, #acc>
    %2 = arith.addf %1, %f64 : tensor<32x8xf32, #acc>
    %3 = arith.addf %2, %v64 : tensor<32x8xf32, #acc>
    %4 = arith.addf %3, %f8 : tensor<32x8xf32, #acc>
    %hs = tensor.splat %h : tensor<32x8xf16, #acc>
    %hx = arith.extf %hs : tensor<32x8xf16, #acc> to tensor<32x8xf32, #acc>
    %5 = arith.divf %4, %hx : tensor<32x8xf32, #acc>
    attn.store %5, %o[%c0, %c0] : tensor<32x8xf32, #acc> -> <32x8xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>

// Rows: first the registers of a row, then the four lanes that share it, by
// butterflies. A maximum that knows NaN is one instruction. Repeated along the row, a
// row's register goes to each of its columns.

// CHECK-LABEL: llvm.func @reduce
// CHECK: %[[E:[^ ]+]]:8 = vector.to_elements
// CHECK: %[[A1:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[E]]#0, %[[E]]#1)
// CHECK-NEXT: %[[B1:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[E]]#2, %[[E]]#3)
// CHECK-NEXT: %[[A2:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[A1]], %[[E]]#4)
// CHECK-NEXT: %[[A3:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[A2]], %[[E]]#5)
// CHECK-NEXT: %[[B2:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[B1]], %[[E]]#6)
// CHECK-NEXT: %[[B3:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[B2]], %[[E]]#7)
// CHECK-NEXT: %[[X1:[^ ]+]], %{{[^ ]+}} = gpu.shuffle xor %[[A3]], %[[C1:[^ ]+]], %[[W:[^ ]+]] : f32
// CHECK-NEXT: %[[A4:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[A3]], %[[X1]])
// CHECK-NEXT: %[[X2:[^ ]+]], %{{[^ ]+}} = gpu.shuffle xor %[[B3]], %[[C1]], %[[W]] : f32
// CHECK-NEXT: %[[B4:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[B3]], %[[X2]])
// CHECK-NEXT: %[[X3:[^ ]+]], %{{[^ ]+}} = gpu.shuffle xor %[[A4]], %[[C2:[^ ]+]], %[[W]] : f32
// CHECK-NEXT: %[[A5:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[A4]], %[[X3]])
// CHECK-NEXT: %[[X4:[^ ]+]], %{{[^ ]+}} = gpu.shuffle xor %[[B4]], %[[C2]], %[[W]] : f32
// CHECK-NEXT: %[[B5:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"(%[[B4]], %[[X4]])
// CHECK-NEXT: %[[R:[^ ]+]] = vector.from_elements %[[A5]], %[[B5]] : vector<2xf32>
// CHECK-NEXT: %[[M:[^ ]+]] = vector.shuffle %[[R]], %[[R]] [0, 0, 1, 1, 0, 0, 1, 1]
// CHECK-NEXT: %[[D:[^ ]+]] = arith.subf %{{[^ ]+}}, %[[M]] : vector<8xf32>
// CHECK: %[[F:[^ ]+]]:8 = vector.to_elements %[[D]]
// A sum of the registers alone: no lanes.
// CHECK: arith.addf %[[F]]#0, %[[F]]#1 : f32
// CHECK-NOT: gpu.shuffle
// CHECK: arith.mulf
// Then of the lanes alone: no registers.
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
attn.kernel @reduce(%l: !attn.view<16xf32>, %i: index, %s: f32) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.iota 1 from %i : tensor<16x16xindex, #acc>
    %j = arith.index_cast %t : tensor<16x16xindex, #acc> to tensor<16x16xi32, #acc>
    %f = arith.sitofp %j : tensor<16x16xi32, #acc> to tensor<16x16xf32, #acc>
    %m = attn.reduce max %f : tensor<16x16xf32, #acc>
    %b = attn.broadcast %m : tensor<16xf32, #rows> to tensor<16x16xf32, #acc>
    %d = arith.subf %f, %b : tensor<16x16xf32, #acc>
    %p = attn.reduce_registers sum %d : tensor<16x16xf32, #acc>
    %x = tensor.splat %s : tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>>
    %q = arith.mulf %p, %x : tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>>
    %r = attn.reduce sum %q : tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>>
    attn.store %r, %l[%c0] : tensor<16xf32, #rows> -> <16xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>

// Integers are compared with their signs, in the thread alone (attn-integer-maxima).

// CHECK-LABEL: llvm.func @integers
// CHECK: %[[B:[^ ]+]] = arith.bitcast %{{[^ ]+}} : vector<8xf32> to vector<8xi32>
// CHECK-NEXT: %[[E:[^ ]+]]:8 = vector.to_elements %[[B]]
// CHECK-NEXT: %[[A1:[^ ]+]] = arith.maxsi %[[E]]#0, %[[E]]#1 : i32
// CHECK-NEXT: %[[B1:[^ ]+]] = arith.maxsi %[[E]]#2, %[[E]]#3 : i32
// CHECK-NEXT: %[[A2:[^ ]+]] = arith.maxsi %[[A1]], %[[E]]#4 : i32
// CHECK-NEXT: %[[A3:[^ ]+]] = arith.maxsi %[[A2]], %[[E]]#5 : i32
// CHECK-NEXT: %[[B2:[^ ]+]] = arith.maxsi %[[B1]], %[[E]]#6 : i32
// CHECK-NEXT: %[[B3:[^ ]+]] = arith.maxsi %[[B2]], %[[E]]#7 : i32
// CHECK-NEXT: %[[I:[^ ]+]] = vector.from_elements %[[A3]], %[[B3]] : vector<2xi32>
// CHECK-NEXT: arith.bitcast %[[I]] : vector<2xi32> to vector<2xf32>
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
attn.kernel @integers(%l: !attn.view<16xf32>, %i: index) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.iota 1 from %i : tensor<16x16xindex, #acc>
    %j = arith.index_cast %t : tensor<16x16xindex, #acc> to tensor<16x16xi32, #acc>
    %f = arith.sitofp %j : tensor<16x16xi32, #acc> to tensor<16x16xf32, #acc>
    %x = arith.bitcast %f : tensor<16x16xf32, #acc> to tensor<16x16xi32, #acc>
    %m = attn.reduce_registers max %x : tensor<16x16xi32, #acc>
    %y = arith.bitcast %m : tensor<16x4xi32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>> to tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>>
    %r = attn.reduce max %y : tensor<16x4xf32, #attn.fragment<threads [4:(0, 1), 8:(1, 0)], registers [2:(8, 0)]>>
    attn.store %r, %l[%c0] : tensor<16xf32, #rows> -> <16xf32>
  }
}

// -----

// Threads that hold copies of a row are not added up twice.

// CHECK-LABEL: llvm.func @copies
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK: gpu.shuffle xor %{{[^ ]+}}, %[[C1]],
// CHECK: gpu.shuffle xor %{{[^ ]+}}, %[[C2]],
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
#copies = #attn.fragment<threads [4:(0, 2), 4:(1, 0), 2:(0, 0)], registers [2:(0, 1)]>
attn.kernel @copies(%l: !attn.view<4xf32>, %s: f32) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %p = tensor.splat %s : tensor<4x8xf32, #copies>
    %r = attn.reduce sum %p : tensor<4x8xf32, #copies>
    attn.store %r, %l[%c0] : tensor<4xf32, #attn.fragment<threads [4:(0), 4:(1), 2:(0)], registers []>> -> <4xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// Columns are compared with what is left of the bound, register by register.

// CHECK-LABEL: llvm.func @columns
// CHECK-DAG: %[[COLOF:[^ ]+]] = arith.constant dense<[0, 1, 0, 1]> : vector<4xi32>
// CHECK: %[[LEFT:[^ ]+]] = arith.subi %{{[^ ]+}}, %{{[^ ]+}} {{.*}}: vector<4xi32>
// CHECK-NEXT: arith.cmpi sgt, %[[LEFT]], %[[COLOF]] : vector<4xi32>
attn.kernel @columns(%o: !attn.view<16x8xf32>, %n: index) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<16x8xf32, #acc>
  %two = arith.constant dense<2.0> : tensor<16x8xf32, #acc>
  attn.ctas %w in %c1 {
    %cols = attn.iota 1 from %w : tensor<16x8xindex, #acc>
    %end = tensor.splat %n : tensor<16x8xindex, #acc>
    %k = arith.cmpi slt, %cols, %end : tensor<16x8xindex, #acc>
    %t = arith.select %k, %one, %two : tensor<16x8xi1, #acc>, tensor<16x8xf32, #acc>
    attn.store %t, %o[%c0, %c0] : tensor<16x8xf32, #acc> -> <16x8xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// Not without a sign: what is left may be negative, which is large then.

// CHECK-LABEL: llvm.func @unsigned
// CHECK-NOT: arith.subi
// CHECK: arith.cmpi {{ult|ugt}}, {{.*}} : vector<4xi32>
attn.kernel @unsigned(%o: !attn.view<16x8xf32>, %n: index) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<16x8xf32, #acc>
  %two = arith.constant dense<2.0> : tensor<16x8xf32, #acc>
  attn.ctas %w in %c1 {
    %cols = attn.iota 1 from %w : tensor<16x8xindex, #acc>
    %end = tensor.splat %n : tensor<16x8xindex, #acc>
    %k = arith.cmpi ult, %cols, %end : tensor<16x8xindex, #acc>
    %t = arith.select %k, %one, %two : tensor<16x8xi1, #acc>, tensor<16x8xf32, #acc>
    attn.store %t, %o[%c0, %c0] : tensor<16x8xf32, #acc> -> <16x8xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Math
//===----------------------------------------------------------------------===//

#row = #attn.fragment<threads [32:(1)], registers [2:(32)]>

// 2^x, log2 x and the larger of two are instructions; e^x, ln x and tanh x follow from
// them, one element at a time. Scalars likewise. The square root stays; the absolute value is no
// bit mask. What the unit does not know is a polynomial.

// CHECK-LABEL: llvm.func @everything
// CHECK-SAME: %[[F:[^ ]+]]: f32)
// CHECK-DAG: %[[LOG2E:[^ ]+]] = arith.constant {{(dense<)?}}1.44269502{{>?}} : vector<2xf32>
// CHECK-DAG: %[[LN2:[^ ]+]] = arith.constant dense<0.693147182> : vector<2xf32>
// CHECK-DAG: %[[TWOLOG2E:[^ ]+]] = arith.constant dense<2.885390e+00> : vector<2xf32>
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant dense<1.000000e+00> : vector<2xf32>
// CHECK-DAG: %[[TWO:[^ ]+]] = arith.constant dense<2.000000e+00> : vector<2xf32>
// CHECK-DAG: %[[SLOG2E:[^ ]+]] = arith.constant 1.44269502 : f32
// CHECK: %[[E:[^ ]+]]:2 = vector.to_elements
// CHECK-NEXT: %[[A:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[E]]#0) : (f32) -> f32
// CHECK-NEXT: %[[B:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[E]]#1)
// CHECK-NEXT: %[[A2:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[A]])
// CHECK-NEXT: %[[B2:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[B]])
// CHECK-NEXT: %[[Y:[^ ]+]] = vector.from_elements %[[A2]], %[[B2]]
// CHECK-NEXT: %[[Z:[^ ]+]] = arith.mulf %[[Y]], %[[LOG2E]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: arith.mulf %{{[^ ]+}}, %[[LN2]] : vector<2xf32>
// CHECK: arith.mulf %{{[^ ]+}}, %[[TWOLOG2E]] : vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: arith.addf %{{[^ ]+}}, %[[ONE]] : vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: %[[T:[^ ]+]] = arith.mulf %{{[^ ]+}}, %[[TWO]] : vector<2xf32>
// CHECK-NEXT: arith.subf %[[ONE]], %[[T]] : vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.fmax.nan.f"
// CHECK: math.sqrt %{{[^ ]+}} : vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.fabs"
// CHECK: %[[S:[^ ]+]] = arith.mulf %[[F]], %[[SLOG2E]] : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[S]])
// CHECK-NOT: math.exp
// CHECK-NOT: math.log
// CHECK-NOT: math.tanh
// CHECK-NOT: math.erf
// CHECK-NOT: math.sin
attn.kernel @everything(%o: !attn.view<64xf32>, %f: f32) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %i = attn.iota 0 from %w : tensor<64xindex, #row>
    %j = arith.index_cast %i : tensor<64xindex, #row> to tensor<64xi32, #row>
    %x = arith.sitofp %j : tensor<64xi32, #row> to tensor<64xf32, #row>
    %0 = math.exp2 %x : tensor<64xf32, #row>
    %1 = math.log2 %0 : tensor<64xf32, #row>
    %2 = math.exp %1 : tensor<64xf32, #row>
    %3 = math.log %2 : tensor<64xf32, #row>
    %4 = math.tanh %3 : tensor<64xf32, #row>
    %5 = arith.maximumf %4, %x : tensor<64xf32, #row>
    %6 = math.sqrt %5 : tensor<64xf32, #row>
    %7 = math.absf %6 : tensor<64xf32, #row>
    %8 = math.erf %7 : tensor<64xf32, #row>
    %9 = math.sin %8 : tensor<64xf32, #row>
    %s = math.exp %f : f32
    %t = tensor.splat %s : tensor<64xf32, #row>
    %u = arith.addf %9, %t : tensor<64xf32, #row>
    attn.store %u, %o[%c0] : tensor<64xf32, #row> -> <64xf32>
  }
}

// -----

// An approximate tanh is one instruction of the target.

// CHECK-LABEL: llvm.func @approximate
// CHECK-COUNT-2: llvm.intr.tanh(%{{[^ ]+}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK-NOT: llvm.nvvm.ex2
#row = #attn.fragment<threads [32:(1)], registers [2:(32)]>
attn.kernel @approximate(%o: !attn.view<64xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %i = attn.iota 0 from %w : tensor<64xindex, #row>
    %j = arith.index_cast %i : tensor<64xindex, #row> to tensor<64xi32, #row>
    %x = arith.sitofp %j : tensor<64xi32, #row> to tensor<64xf32, #row>
    %y = math.tanh %x fastmath<afn> : tensor<64xf32, #row>
    attn.store %y, %o[%c0] : tensor<64xf32, #row> -> <64xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.store
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// Each thread its elements, neighbouring columns together, where they lie in the view: the tile's
// rows and columns up to the view's end, and the matrix itself. All of a row lie in it, or none. Sizes are compared in 32 bits, of which a
// tile is a small part; addresses have 64.

// CHECK-LABEL: llvm.func @store
// CHECK-SAME: (%[[O:[^ ]+]]: !llvm.ptr, %[[B:[^ ]+]]: i64, %[[M:[^ ]+]]: i64, %[[SB:[^ ]+]]: i64, %[[SM:[^ ]+]]: i64, %[[F:[^ ]+]]: f16, %[[I:[^ ]+]]: i64)
// CHECK-SAME: align = [{bytes = 4 : i64, view = 0 : i64}]
// CHECK-DAG: %[[MOST:[^ ]+]] = arith.constant 1073741824 : i64
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i64
// CHECK-DAG: %[[OB:[^ ]+]] = arith.muli %[[I]], %[[SB]] : i64
// CHECK-DAG: %[[EXISTS:[^ ]+]] = arith.cmpi ult, %[[I]], %[[B]] : i64
// CHECK-DAG: %[[OM:[^ ]+]] = arith.muli %[[I]], %[[SM]] : i64
// CHECK-DAG: %[[LEFT:[^ ]+]] = arith.subi %[[M]], %[[I]] : i64
// CHECK-DAG: %[[SOME:[^ ]+]] = arith.minsi %[[LEFT]], %[[MOST]] : i64
// CHECK-DAG: %[[ROWS:[^ ]+]] = arith.trunci %[[SOME]] : i64 to i32
// CHECK-DAG: %[[IN:[^ ]+]] = arith.cmpi slt, %[[ROW:[^ ]+]], %[[ROWS]] : i32
// CHECK: %[[BOTH:[^ ]+]] = arith.andi %[[EXISTS]], %[[IN]] : i1
// CHECK: scf.if
// CHECK: %[[PAIR:[^ ]+]] = vector.broadcast %[[F]] : f16 to vector<2xf16>
// CHECK: %[[ROWW:[^ ]+]] = arith.extsi %[[ROW]] : i32 to i64
// CHECK-NEXT: arith.muli %[[ROWW]], %[[SM]] : i64
// CHECK: %[[TO:[^ ]+]] = llvm.addrspacecast %[[O]] : !llvm.ptr to !llvm.ptr<1>
// CHECK: %[[BYTE:[^ ]+]] = arith.muli %{{[^ ]+}}, %[[C2]] : i64
// CHECK: %[[AT:[^ ]+]] = llvm.getelementptr %[[TO]][%[[BYTE]]]
// CHECK: llvm.store %[[PAIR]], %[[AT]] {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
// CHECK: }
// CHECK: scf.if
// CHECK: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
attn.kernel @store(%o: !attn.view<?x?x64xf16>, %f: f16, %i: index) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16x8xf16, #acc>
    attn.store %t, %o[%i, %i, %c8] : tensor<16x8xf16, #acc> -> <?x?x64xf16>
  }
}

// -----

#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>

// One value a row: of the threads that hold copies the first stores.

// CHECK-LABEL: llvm.func @store_rows
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK: %[[COPY:[^ ]+]] = arith.remui %[[T:[^ ]+]], %[[C4]] : i32
// CHECK: %[[OWNS:[^ ]+]] = arith.cmpi eq, %[[COPY]], %[[C0]] : i32
// CHECK: %[[IN:[^ ]+]] = arith.cmpi slt,
// CHECK: %[[DOES:[^ ]+]] = arith.andi %[[OWNS]], %[[IN]] : i1
// CHECK: scf.if %[[DOES]] {
// CHECK: llvm.store
// CHECK: }
// CHECK: %[[DOES:[^ ]+]] = arith.andi %[[OWNS]], %{{[^ ]+}} : i1
// CHECK: scf.if %[[DOES]] {
// CHECK: llvm.store
// CHECK: }
// CHECK-NOT: llvm.store
attn.kernel @store_rows(%l: !attn.view<?xf32>, %f: f32, %i: index) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16xf32, #rows>
    attn.store %t, %l[%i] : tensor<16xf32, #rows> -> <?xf32>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Through shared memory: pairs of columns go where the swizzle has them, then each lane
// stores a chunk of 16 bytes of a row. Only the warp itself read these rows: it waits
// for its own lanes. The next copy into the memory comes after. Threads wrote there:
// each releases the slot.

// CHECK-LABEL: llvm.func @store_through
// CHECK-SAME: align = [{bytes = 16 : i64, view = 0 : i64}]
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C1:[^ ]+]]
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C32:[^ ]+]]
// CHECK: gpu.barrier
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[W:[^ ]+]]:4 = vector.to_elements
// CHECK: llvm.store %[[W]]#0, %[[AT:[^ ]+]] : i32, !llvm.ptr<3>
// CHECK-NEXT: %[[DOWN:[^ ]+]] = llvm.getelementptr %[[AT]][256]
// CHECK-NEXT: llvm.store %[[W]]#1, %[[DOWN]] : i32, !llvm.ptr<3>
// CHECK: %[[FLIPPED:[^ ]+]] = llvm.xor
// CHECK-NEXT: %[[ACROSS:[^ ]+]] = llvm.inttoptr %[[FLIPPED]]
// CHECK-NEXT: llvm.store %[[W]]#2, %[[ACROSS]] : i32, !llvm.ptr<3>
// CHECK: llvm.store %[[W]]#3, %{{[^ ]+}} : i32, !llvm.ptr<3>
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: %[[V:[^ ]+]] = llvm.load %{{[^ ]+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: scf.if
// CHECK: llvm.store %[[V]], %{{[^ ]+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK: }
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.arrive
attn.kernel @store_through(%o: !attn.view<?x16xf16>, %f: f16) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16x16xf16, #acc>
    %b = attn.ring.wait %r : <1 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    attn.store %t, %o[%w, %c0] through %b(tensor<16x16xf16, #attn.shared<32>>) : tensor<16x16xf16, #acc> -> <?x16xf16>
    attn.ring.release %r : <1 x tensor<16x16xf16, #attn.shared<32>>>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Memory that held other rows was read by other warps: all wait. f32 goes directly.

// CHECK-LABEL: llvm.func @store_through_other
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK: nvvm.fence.proxy
// CHECK-NOT: !llvm.ptr<3>
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
attn.kernel @store_through_other(%o: !attn.view<?x16xf16>, %p: !attn.view<?x16xf32>, %f: f16, %g: f32) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<32x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16x16xf16, #acc>
    %u = tensor.splat %g : tensor<16x16xf32, #acc>
    %b = attn.ring.wait %r : <1 x tensor<32x16xf16, #attn.shared<32>>> -> tensor<32x16xf16, #attn.shared<32>>
    attn.store %t, %o[%w, %c0] through %b(tensor<32x16xf16, #attn.shared<32>>) : tensor<16x16xf16, #acc> -> <?x16xf16>
    attn.store %u, %p[%w, %c0] through %b(tensor<32x16xf16, #attn.shared<32>>) : tensor<16x16xf32, #acc> -> <?x16xf32>
  }
}

// -----

// A layout whose registers are no pairs of columns does not go through it.

// CHECK-LABEL: llvm.func @store_through_layout
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NOT: llvm.store {{.*}}!llvm.ptr<3>
// CHECK: llvm.return
#other = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(8, 0), 2:(0, 1), 2:(0, 8)]>
attn.kernel @store_through_layout(%o: !attn.view<?x16xf16>, %f: f16) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16x16xf16, #other>
    %b = attn.ring.wait %r : <1 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    attn.store %t, %o[%w, %c0] through %b(tensor<16x16xf16, #attn.shared<32>>) : tensor<16x16xf16, #other> -> <?x16xf16>
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>

// Nor does one into a view that ends within a chunk: of 20 columns the last 4 are no
// chunk, and what is behind them is another's.

// CHECK-LABEL: llvm.func @store_through_edge
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NOT: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK: llvm.return
attn.kernel @store_through_edge(%o: !attn.view<?x20xf16>, %f: f16) attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = attn.ring.create : <1 x tensor<16x16xf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
    %t = tensor.splat %f : tensor<16x16xf16, #acc>
    %b = attn.ring.wait %r : <1 x tensor<16x16xf16, #attn.shared<32>>> -> tensor<16x16xf16, #attn.shared<32>>
    attn.store %t, %o[%w, %c16] through %b(tensor<16x16xf16, #attn.shared<32>>) : tensor<16x16xf16, #acc> -> <?x20xf16>
  }
}

// -----

//===----------------------------------------------------------------------===//
// The manifest
//===----------------------------------------------------------------------===//

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// What is not used is not passed; what the kernel says of its arguments goes along. The
// number of CTAs, as of a persistent grid, is an expression.

// CHECK-LABEL: gpu.module @manifest_device
// CHECK: llvm.func @manifest(%{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %{{[^ ]+}}: f32)
// CHECK-SAME: attn.manifest = {align = [{bytes = 2 : i64, view = 0 : i64}, {bytes = 4 : i64, view = 1 : i64}], block = 32 : i64, dim_names = {{\[\[}}"rows", ""], ["rows", "columns"]], grid = ["min", ["mul", ["ceildiv", ["size", 1, 0], 16], ["size", 0, 0]], 132], limits = {{\[\[}}"le", ["size", 0, 0], 536870912], ["le", ["mul", ["ceildiv", ["size", 1, 0], 16], ["size", 0, 0]], 536870912]], names = ["x", "y", "a", "b", "f"], outputs = 1 : i64, parameters = [{kind = "pointer", view = 1 : i64}, {dim = 0 : i64, kind = "size", view = 1 : i64}, {dim = 0 : i64, kind = "stride", view = 1 : i64}, {index = 2 : i64, kind = "scalar"}], permutations = [#{{[^,]+}}, #{{[^]]+}}], scalars = [i32, index, f32], shared_bytes = 0 : i64, views = [!attn.view<?x8xbf16>, !attn.view<?x64xf32>]}
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 32>
attn.kernel @manifest(%x: !attn.view<?x8xbf16>, %y: !attn.view<?x64xf32>, %a: i32, %b: index, %f: f32) attributes {threads = 32, dim_names = [["rows", ""], ["rows", "columns"]], outputs = 1, permutations = [#id, #swap]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c132 = arith.constant 132 : index
  %m = attn.dim %y, 0 : <?x64xf32>
  %k = attn.dim %x, 0 : <?x8xbf16>
  %n = arith.ceildivui %m, %c16 : index
  %t = arith.muli %n, %k : index
  %g = arith.minui %t, %c132 : index
  attn.ctas %w in %g {
    %v = tensor.splat %f : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>>
    attn.store %v, %y[%w, %c0] : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>> -> <?x64xf32>
  }
}

// -----

// Every operator of an expression.

// CHECK-LABEL: llvm.func @expressions
// CHECK-SAME: grid = ["select", ["and", ["lt", ["size", 0, 0], 7], ["or", ["eq", ["size", 0, 1], 1], ["ne", ["size", 0, 1], 2]]], ["add", ["floordiv", ["size", 0, 0], 3], ["sub", ["max", ["size", 0, 1], 5], ["rem", ["size", 0, 0], 4]]], ["select", ["le", ["size", 0, 0], 8], ["min", ["size", 0, 0], 9], ["select", ["gt", ["size", 0, 0], 10], 11, ["select", ["ge", ["size", 0, 0], 12], 1, 0]]]]
attn.kernel @expressions(%x: !attn.view<?x?xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %m = attn.dim %x, 0 : <?x?xf32>
  %n = attn.dim %x, 1 : <?x?xf32>
  %lt = arith.cmpi ult, %m, %c7 : index
  %eq = arith.cmpi eq, %n, %c1 : index
  %ne = arith.cmpi ne, %n, %c2 : index
  %or = arith.ori %eq, %ne : i1
  %and = arith.andi %lt, %or : i1
  %div = arith.divui %m, %c3 : index
  %max = arith.maxsi %n, %c5 : index
  %rem = arith.remsi %m, %c4 : index
  %sub = arith.subi %max, %rem : index
  %add = arith.addi %div, %sub : index
  %le = arith.cmpi sle, %m, %c8 : index
  %min = arith.minsi %m, %c9 : index
  %gt = arith.cmpi ugt, %m, %c10 : index
  %ge = arith.cmpi sge, %m, %c12 : index
  %x0 = arith.select %ge, %c1, %c0 : index
  %x1 = arith.select %gt, %c11, %x0 : index
  %x2 = arith.select %le, %min, %x1 : index
  %x3 = arith.select %and, %add, %x2 : index
  %v = arith.constant dense<1.0> : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>>
  attn.ctas %w in %x3 {
    attn.store %v, %x[%w, %c0] : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>> -> <?x?xf32>
  }
}

// -----

// A tensor map and a pointer of one view, as of a tile that is updated; 16 bytes where
// it is copied by chunks.

// CHECK-LABEL: llvm.func @both
// CHECK-SAME: align = [{bytes = 16 : i64, view = 0 : i64}]
// CHECK-SAME: parameters = [{kind = "pointer", view = 0 : i64}, {box = [16, 32], kind = "tensor_map", swizzle = 64 : i64, view = 0 : i64}, {dim = 0 : i64, kind = "size", view = 0 : i64}, {dim = 0 : i64, kind = "stride", view = 0 : i64}]
attn.kernel @both(%x: !attn.view<?x32xbf16>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x tensor<16x32xbf16, #attn.shared<64>>>
  %z = arith.constant dense<0.0> : tensor<32x1xbf16, #attn.fragment<threads [32:(1, 0)], registers []>>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : <1 x tensor<16x32xbf16, #attn.shared<64>>> -> <tensor<16x32xbf16, #attn.shared<64>>>
    %p = attn.ring.issue %s, %x[%w, %c0] : <tensor<16x32xbf16, #attn.shared<64>>>, <?x32xbf16> -> <tensor<16x32xbf16, #attn.shared<64>>>
    attn.ring.land %p : <tensor<16x32xbf16, #attn.shared<64>>>
    attn.store %z, %x[%w, %c0] : tensor<32x1xbf16, #attn.fragment<threads [32:(1, 0)], registers []>> -> <?x32xbf16>
  }
}

// -----

// Views are numbered among views, whatever stands before them.

// CHECK-LABEL: llvm.func @order
// CHECK-SAME: grid = ["size", 0, 0]
// CHECK-SAME: {kind = "pointer", view = 0 : i64}
// CHECK-SAME: views = [!attn.view<?x1xf32>]
attn.kernel @order(%f: f32, %y: !attn.view<?x1xf32>) attributes {threads = 32} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %y, 0 : <?x1xf32>
  attn.ctas %w in %n {
    %v = tensor.splat %f : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>>
    attn.store %v, %y[%w, %c0] : tensor<32x1xf32, #attn.fragment<threads [32:(1, 0)], registers []>> -> <?x1xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.any
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// What a thread holds, and then all threads of its warp.

// CHECK-LABEL: llvm.func @any(
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.constant -1 : i32
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: %[[E:[^ ]+]]:4 = vector.to_elements %[[OVER]] : vector<4xi1>
// CHECK-NEXT: %[[A:[^ ]+]] = arith.ori %[[E]]#0, %[[E]]#1 : i1
// CHECK-NEXT: %[[B:[^ ]+]] = arith.ori %[[A]], %[[E]]#2 : i1
// CHECK-NEXT: %[[C:[^ ]+]] = arith.ori %[[B]], %[[E]]#3 : i1
// CHECK-NEXT: %[[ANY:[^ ]+]] = nvvm.vote.sync any %[[ALL]], %[[C]] -> i1
// CHECK-NEXT: scf.if %[[ANY]] {
// LLVM-LABEL: llvm.func @any(
// LLVM: %[[ANY:[^ ]+]] = nvvm.vote.sync any %{{[^ ]+}}, %{{[^ ]+}} -> i1
// LLVM-NEXT: llvm.cond_br %[[ANY]]
attn.kernel @any(%o: !attn.view<16x8xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %bound = arith.constant dense<2.0> : tensor<16x8xf32, #acc>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    %t = attn.iota 1 from %c0 : tensor<16x8xindex, #acc>
    %t32 = arith.index_cast %t : tensor<16x8xindex, #acc> to tensor<16x8xi32, #acc>
    %f = arith.sitofp %t32 : tensor<16x8xi32, #acc> to tensor<16x8xf32, #acc>
    %c = arith.cmpf ugt, %f, %bound : tensor<16x8xf32, #acc>
    %any = attn.any %c : tensor<16x8xi1, #acc>
    scf.if %any {
      attn.store %f, %o[%c0, %c0] : tensor<16x8xf32, #acc> -> <16x8xf32>
    }
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.often
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0)]>

// The threads of a warpgroup count at a barrier of their own, behind those of roles and turns; 32 of 128 are
// many. All have the same number: the vote says so to ptxas.

// CHECK-LABEL: llvm.func @often(
// CHECK-DAG: %[[MASK:[^ ]+]] = arith.constant -1 : i32
// CHECK-DAG: %[[GROUP:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[FIRST:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[MANY:[^ ]+]] = arith.constant 32 : i32
// CHECK: scf.for
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: vector.to_elements %[[OVER]]
// CHECK-COUNT-2: arith.ori
// CHECK-NEXT: %[[OWN:[^ ]+]] = arith.ori
// CHECK-NEXT: %[[NUMBER:[^ ]+]] = arith.divui %{{[^ ]+}}, %[[GROUP]] : i32
// CHECK-NEXT: %[[BARRIER:[^ ]+]] = arith.addi %[[NUMBER]], %[[FIRST]]
// CHECK-NEXT: %[[COUNT:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.popc.aligned.count"(%[[BARRIER]], %[[GROUP]], %[[OWN]]) : (i32, i32, i1) -> i32
// CHECK-NEXT: %[[OFTEN:[^ ]+]] = arith.cmpi uge, %[[COUNT]], %[[MANY]] : i32
// CHECK-NEXT: %[[ALL:[^ ]+]] = nvvm.vote.sync any %[[MASK]], %[[OFTEN]] -> i1
// CHECK-NEXT: scf.if %[[ALL]] {
// LLVM-LABEL: llvm.func @often(
// LLVM: %[[COUNT:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.popc.aligned.count"(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}) : (i32, i32, i1) -> i32
// LLVM: %[[OFTEN:[^ ]+]] = llvm.icmp "uge" %[[COUNT]],
// LLVM: %[[ALL:[^ ]+]] = nvvm.vote.sync any %{{[^ ]+}}, %[[OFTEN]] -> i1
// LLVM-NEXT: llvm.cond_br %[[ALL]]
attn.kernel @often(%o: !attn.view<128x8xf32>, %n: index) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %bound = arith.constant dense<2.0> : tensor<128x8xf32, #acc>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    scf.for %j = %c0 to %n step %c1 {
    %t = attn.iota 1 from %c0 : tensor<128x8xindex, #acc>
    %t32 = arith.index_cast %t : tensor<128x8xindex, #acc> to tensor<128x8xi32, #acc>
    %f = arith.sitofp %t32 : tensor<128x8xi32, #acc> to tensor<128x8xf32, #acc>
    %c = arith.cmpf ugt, %f, %bound : tensor<128x8xf32, #acc>
    %many = attn.often %c : tensor<128x8xi1, #acc>
    scf.if %many {
      attn.store %f, %o[%c0, %c0] : tensor<128x8xf32, #acc> -> <128x8xf32>
    }
    }
  }
}

// With `once` one thread is enough.

// CHECK-LABEL: llvm.func @one_is_enough(
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant 1 : i32
// CHECK: %[[COUNT:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.popc.aligned.count"
// CHECK-NEXT: arith.cmpi uge, %[[COUNT]], %[[ONE]] : i32
attn.kernel @one_is_enough(%o: !attn.view<128x8xf32>) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %bound = arith.constant dense<2.0> : tensor<128x8xf32, #acc>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    %t = attn.iota 1 from %c0 : tensor<128x8xindex, #acc>
    %t32 = arith.index_cast %t : tensor<128x8xindex, #acc> to tensor<128x8xi32, #acc>
    %f = arith.sitofp %t32 : tensor<128x8xi32, #acc> to tensor<128x8xf32, #acc>
    %c = arith.cmpf ugt, %f, %bound : tensor<128x8xf32, #acc>
    %one = attn.often %c once : tensor<128x8xi1, #acc>
    scf.if %one {
      attn.store %f, %o[%c0, %c0] : tensor<128x8xf32, #acc> -> <128x8xf32>
    }
  }
}

// In the body of a kernel, too.

// CHECK-LABEL: llvm.func @often_once(
// CHECK-NOT: scf.for
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: vector.to_elements %[[OVER]]
// CHECK-COUNT-2: arith.ori
// CHECK-NEXT: %[[OWN:[^ ]+]] = arith.ori
// CHECK: %[[COUNT:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.popc.aligned.count"(%{{[^ ]+}}, %{{[^ ]+}}, %[[OWN]]) : (i32, i32, i1) -> i32
// CHECK-NEXT: %[[OFTEN:[^ ]+]] = arith.cmpi uge, %[[COUNT]],
// CHECK-NEXT: %[[ALL:[^ ]+]] = nvvm.vote.sync any %{{[^ ]+}}, %[[OFTEN]] -> i1
// CHECK-NEXT: scf.if %[[ALL]] {
// LLVM-LABEL: llvm.func @often_once(
// LLVM: %[[COUNT:[^ ]+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.popc.aligned.count"
// LLVM: nvvm.vote.sync any
attn.kernel @often_once(%o: !attn.view<128x8xf32>) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %bound = arith.constant dense<2.0> : tensor<128x8xf32, #acc>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    %t = attn.iota 1 from %c0 : tensor<128x8xindex, #acc>
    %t32 = arith.index_cast %t : tensor<128x8xindex, #acc> to tensor<128x8xi32, #acc>
    %f = arith.sitofp %t32 : tensor<128x8xi32, #acc> to tensor<128x8xf32, #acc>
    %c = arith.cmpf ugt, %f, %bound : tensor<128x8xf32, #acc>
    %many = attn.often %c : tensor<128x8xi1, #acc>
    scf.if %many {
      attn.store %f, %o[%c0, %c0] : tensor<128x8xf32, #acc> -> <128x8xf32>
    }
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.settle
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// Nobody set the first visit apart: the sums are what they were, and nobody asks for what was said of them.

// CHECK-LABEL: llvm.func @settle(
// CHECK-SAME: %[[SUM:[^ :]+]]: f32)
// CHECK-NOT: arith.cmpf
// CHECK: %[[SUMS:[^ ]+]] = vector.broadcast %[[SUM]] : f32 to vector<2xf32>
// CHECK: llvm.store %[[SUMS]],
// CHECK-NOT: arith.cmpf
// CHECK: llvm.return
attn.kernel @settle(%o: !attn.view<16x8xf32>, %x: f32) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %few = arith.constant dense<6.0> : tensor<16x8xf32, #acc>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    %sums = tensor.splat %x : tensor<16x8xf32, #acc>
    %peaked = arith.cmpf olt, %sums, %few : tensor<16x8xf32, #acc>
    %l = attn.settle %sums if %peaked : tensor<16x8xf32, #acc>, tensor<16x8xi1, #acc>
    attn.store %l, %o[%c0, %c0] : tensor<16x8xf32, #acc> -> <16x8xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.advance
//===----------------------------------------------------------------------===//

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>

// Rows that are plain, and stay so, take a maximum; the rest is in a branch that the warp votes on.

// CHECK-LABEL: llvm.func @advance(
// CHECK: %[[U:[^ ]+]] = arith.mulf %[[MAX:[^ ]+]], %{{[^ ]+}} : vector<2xf32>
// CHECK: llvm.nvvm.fmax.nan.f
// CHECK: llvm.nvvm.fmax.nan.f
// CHECK: %[[R:[^ ]+]] = vector.from_elements
// CHECK: llvm.nvvm.ex2
// CHECK: %[[LOW:[^ ]+]] = arith.cmpf ule,
// CHECK-NEXT: %[[HIGH:[^ ]+]] = arith.cmpf uge, %[[R]],
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.ori %[[LOW]], %[[HIGH]] : vector<2xi1>
// CHECK: %[[ANY:[^ ]+]] = nvvm.vote.sync any
// CHECK-NEXT: %{{[^ ]+}}:3 = scf.if %[[ANY]] ->
// CHECK: arith.cmpf ugt, %[[U]],
// CHECK: llvm.call_intrinsic "llvm.nvvm.fabs"
// CHECK: arith.select
// CHECK: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[R]], %{{[^ ]+}} : vector<2xf32>
attn.kernel @advance(%o: !attn.view<16x8xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<2.0> : tensor<16xf32, #rows>
  %least = arith.constant dense<-3.40282347E+38> : tensor<16xf32, #rows>
  attn.ctas %cta in %c1 {
    %c0 = arith.constant 0 : index
    %t = attn.iota 1 from %c0 : tensor<16x8xindex, #acc>
    %t32 = arith.index_cast %t : tensor<16x8xindex, #acc> to tensor<16x8xi32, #acc>
    %s = arith.sitofp %t32 : tensor<16x8xi32, #acc> to tensor<16x8xf32, #acc>
    %max = attn.reduce max %s : tensor<16x8xf32, #acc>
    %f, %r, %a = attn.advance %max from %ones, %least scale(0.5) : tensor<16xf32, #rows>
    %fb = attn.broadcast %f : tensor<16xf32, #rows> to tensor<16x8xf32, #acc>
    %rb = attn.broadcast %r : tensor<16xf32, #rows> to tensor<16x8xf32, #acc>
    %ab = attn.broadcast %a : tensor<16xf32, #rows> to tensor<16x8xf32, #acc>
    %e = math.fma %fb, %rb, %ab : tensor<16x8xf32, #acc>
    attn.store %e, %o[%c0, %c0] : tensor<16x8xf32, #acc> -> <16x8xf32>
  }
}
