// convert-attn-to-nvvm: rings whose slots have a part for each warpgroup that computes (attn-split-roles).
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not="attn.beside {{[0-9]}}" --implicit-check-not=attn.alone --implicit-check-not=unrealized_conversion_cast
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="scf."

// Each part of each of two slots has a barrier that its copy completes, and one at which the 4 warps
// of its group arrive: 2 x 2 x 2 barriers, 64 bytes behind 36864 of data. Those of the keys follow, and
// 8 warps give these back. Boxes have the rows of a part; nothing else than that follows from parts.

// CHECK-LABEL: llvm.func @parts(
// CHECK-SAME: %[[MAP:[^ ]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: attn.beside_threads = 2 : i64
// CHECK-SAME: block = 384 : i64
// CHECK-SAME: {box = [1, 64, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}
// CHECK-SAME: {box = [16, 64], kind = "tensor_map", swizzle = 128 : i64, view = 1 : i64}
// CHECK-SAME: shared_bytes = 36960 : i64
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : i32
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK-DAG: %[[C288:[^ ]+]] = arith.constant 288 : i32
// CHECK-DAG: %[[C320:[^ ]+]] = arith.constant 320 : i32
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.constant 8192 : i32
// CHECK-DAG: %[[SLOTBYTES:[^ ]+]] = arith.constant 16384 : i32
// CHECK-DAG: %[[KEYBYTES:[^ ]+]] = arith.constant 2048 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: llvm.store %[[C0]], %[[COUNT:[^ ]+]] : i32, !llvm.ptr
// CHECK: %[[T:[^ ]+]] = arith.index_cast %{{[^ ]+}} : index to i32
// CHECK: scf.if
// CHECK-NEXT: %[[F:[^ ]+]] = llvm.getelementptr %[[BASE]][36864]
// CHECK-NEXT: nvvm.mbarrier.init %[[F]], %[[C1]] :
// CHECK-NEXT: %[[E:[^ ]+]] = llvm.getelementptr %[[BASE]][36896]
// CHECK-NEXT: nvvm.mbarrier.init %[[E]], %[[C4]] :
// CHECK-NEXT: %[[F1:[^ ]+]] = llvm.getelementptr %[[F]][8]
// CHECK-NEXT: nvvm.mbarrier.init %[[F1]], %[[C1]] :
// CHECK-NEXT: %[[E1:[^ ]+]] = llvm.getelementptr %[[E]][8]
// CHECK-NEXT: nvvm.mbarrier.init %[[E1]], %[[C4]] :
// CHECK-NEXT: %[[F2:[^ ]+]] = llvm.getelementptr %[[F]][16]
// CHECK-NEXT: nvvm.mbarrier.init %[[F2]], %[[C1]] :
// CHECK-NEXT: %[[E2:[^ ]+]] = llvm.getelementptr %[[E]][16]
// CHECK-NEXT: nvvm.mbarrier.init %[[E2]], %[[C4]] :
// CHECK-NEXT: %[[F3:[^ ]+]] = llvm.getelementptr %[[F]][24]
// CHECK-NEXT: nvvm.mbarrier.init %[[F3]], %[[C1]] :
// CHECK-NEXT: %[[E3:[^ ]+]] = llvm.getelementptr %[[E]][24]
// CHECK-NEXT: nvvm.mbarrier.init %[[E3]], %[[C4]] :
// CHECK-NEXT: {{^ *}}}
// CHECK: scf.if
// CHECK-NEXT: %[[FK:[^ ]+]] = llvm.getelementptr %[[BASE]][36928]
// CHECK-NEXT: nvvm.mbarrier.init %[[FK]], %[[C1]] :
// CHECK-NEXT: %[[EK:[^ ]+]] = llvm.getelementptr %[[BASE]][36944]
// CHECK-NEXT: nvvm.mbarrier.init %[[EK]], %[[C8]] :
// CHECK: nvvm.fence.mbarrier.init

// One thread of the producer's second warp copies the first 64 rows, to the first half of the slot's
// only panel: it waits for the 4 warps that have read them. Barriers of a slot are 16 bytes.

// CHECK: nvvm.setmaxregister decrease 24
// CHECK-NEXT: %[[SECOND:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C288]] : i32
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK-NEXT: scf.for %[[J:[^ ]+]] =
// CHECK-NEXT: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[N1:[^ ]+]] = arith.addi %[[N]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: llvm.store %[[N1]], %[[COUNT]]
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[N]], %[[C2]] : i32
// CHECK: %[[EMPTY:[^ ]+]] = llvm.getelementptr %[[BASE]][36896]
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[SLOT]], %[[C16]] : i32
// CHECK-NEXT: %[[EMPTY0:[^ ]+]] = llvm.getelementptr %[[EMPTY]][%[[AT]]]
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[EMPTY0]], %{{[^ ]+}}, %{{[^ ]+}} {attn.barrier = "empty"}
// CHECK-NEXT: %[[FULL:[^ ]+]] = llvm.getelementptr %[[BASE]][36864]
// CHECK-NEXT: %[[FULL0:[^ ]+]] = llvm.getelementptr %[[FULL]][%[[AT]]]
// CHECK-NEXT: %[[DATA:[^ ]+]] = arith.muli %[[SLOT]], %[[SLOTBYTES]] : i32
// CHECK-NEXT: %[[TO:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[DATA]]]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL0]], %[[HALF]]
// CHECK-NEXT: %[[HEAD:[^ ]+]] = arith.index_cast
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %[[MAP]], %[[FULL0]], box[%[[C0]], %[[ROW]], %[[HEAD]]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: {{^ *}}}

// One of the third copies the 64 rows behind, which have barriers of their own.

// CHECK-NEXT: %[[THIRD:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C320]] : i32
// CHECK-NEXT: scf.if %[[THIRD]] {
// CHECK-NEXT: scf.for %[[J:[^ ]+]] =
// CHECK: %[[SLOT:[^ ]+]] = arith.remui %{{[^ ]+}}, %[[C2]] : i32
// CHECK: %[[TWICE:[^ ]+]] = arith.muli %[[SLOT]], %[[C2]] : i32
// CHECK-NEXT: %[[NUMBER:[^ ]+]] = arith.addi %[[TWICE]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: %[[EMPTY:[^ ]+]] = llvm.getelementptr %[[BASE]][36896]
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[NUMBER]], %[[C8]] : i32
// CHECK-NEXT: %[[EMPTY1:[^ ]+]] = llvm.getelementptr %[[EMPTY]][%[[AT]]]
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[EMPTY1]], %{{[^ ]+}}, %{{[^ ]+}} {attn.barrier = "empty"}
// CHECK-NEXT: %[[FULL:[^ ]+]] = llvm.getelementptr %[[BASE]][36864]
// CHECK-NEXT: %[[FULL1:[^ ]+]] = llvm.getelementptr %[[FULL]][%[[AT]]]
// CHECK-NEXT: %[[DATA:[^ ]+]] = arith.muli %[[SLOT]], %[[SLOTBYTES]] : i32
// CHECK-NEXT: %[[TO:[^ ]+]] = llvm.getelementptr %[[BASE]][%[[DATA]]]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL1]], %[[HALF]]
// CHECK-NEXT: %[[HEAD:[^ ]+]] = arith.index_cast
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT: %[[BEHIND:[^ ]+]] = arith.addi %[[ROW]], %[[C64]] {{.*}}: i32
// CHECK-NEXT: %[[LOWER:[^ ]+]] = llvm.getelementptr %[[TO]][8192]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[LOWER]], %[[MAP]], %[[FULL1]], box[%[[C0]], %[[BEHIND]], %[[HEAD]]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: {{^ *}}}

// The first warp copies keys, whole.

// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C256]] : i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{[^ ]+}}, %[[KEYBYTES]]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: } else {

// A thread waits for its group's part, and a warp gives that back.

// CHECK: nvvm.setmaxregister increase 240
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[N]], %[[C2]] : i32
// CHECK-NEXT: %[[TWICE:[^ ]+]] = arith.muli %[[SLOT]], %[[C2]] : i32
// CHECK-NEXT: %[[GROUP:[^ ]+]] = arith.divui %[[T]], %[[C128]] : i32
// CHECK-NEXT: %[[NUMBER:[^ ]+]] = arith.addi %[[TWICE]], %[[GROUP]] {{.*}}: i32
// CHECK-NEXT: %[[FULL:[^ ]+]] = llvm.getelementptr %[[BASE]][36864]
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[NUMBER]], %[[C8]] : i32
// CHECK-NEXT: %[[OWN:[^ ]+]] = llvm.getelementptr %[[FULL]][%[[AT]]]
// CHECK: nvvm.mbarrier.try_wait.parity %[[OWN]], %{{[^ ]+}}, %{{[^ ]+}} {attn.barrier = "full"}
// CHECK: wgmma.wait_group
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[N]], %[[C2]] : i32
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: %[[ONE:[^ ]+]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[ONE]] {
// CHECK-NEXT: %[[TWICE:[^ ]+]] = arith.muli %[[SLOT]], %[[C2]] : i32
// CHECK-NEXT: %[[NUMBER:[^ ]+]] = arith.addi %[[TWICE]], %[[GROUP]] {{.*}}: i32
// CHECK-NEXT: %[[EMPTY:[^ ]+]] = llvm.getelementptr %[[BASE]][36896]
// CHECK-NEXT: %[[AT:[^ ]+]] = arith.muli %[[NUMBER]], %[[C8]] : i32
// CHECK-NEXT: %[[OWN:[^ ]+]] = llvm.getelementptr %[[EMPTY]][%[[AT]]]
// CHECK-NEXT: nvvm.mbarrier.arrive %[[OWN]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: arith.addi %[[N]], %[[C1]]
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @parts(
// LLVM-COUNT-12: nvvm.mbarrier.init
// LLVM-NOT: nvvm.mbarrier.init
// LLVM: nvvm.setmaxregister decrease 24
// LLVM-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// LLVM-NOT: nvvm.cp.async.bulk.tensor
// LLVM: nvvm.setmaxregister increase 240
// LLVM: llvm.return
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<16x64xbf16, #attn.shared<128>>
!s = tensor<128x16xf32, #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>>
attn.kernel @parts(%x: !attn.view<4x?x64xbf16>, %z: !attn.view<?x64xbf16>, %y: !attn.view<?x16xf32>, %h: index, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create own_rows parts 2 : <2 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
      attn.beside 1 {
        scf.for %t = %w to %n step %c1 {
          %s = attn.ring.acquire %rq part 0 : <2 x !q> -> <!q>
          %p = attn.ring.issue %s, %x[%h, %t, %c0] : <!q>, <4x?x64xbf16> -> <!q>
          attn.ring.land %p : <!q>
        }
      }
      attn.beside 2 {
        scf.for %t = %w to %n step %c1 {
          %s = attn.ring.acquire %rq part 1 : <2 x !q> -> <!q>
          %p = attn.ring.issue %s, %x[%h, %t, %c0] : <!q>, <4x?x64xbf16> -> <!q>
          attn.ring.land %p : <!q>
        }
      }
      scf.for %t = %w to %n step %c1 {
        %s = attn.ring.acquire %rk : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %z[%t, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      }
    } consumers (240) {
      scf.for %t = %w to %n step %c1 {
        %q = attn.ring.wait %rq : <2 x !q> -> !q
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %d = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %d : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        attn.ring.release %rq : <2 x !q>
        attn.store %s, %y[%t, %c0] : !s -> <?x16xf32>
      }
    }
  }
}

// -----

// Of 128 columns the second panel lies 128 rows on, whichever part a copy is of. The first warp hands numbers on
// to 256 threads that compute and 2 that copy, each of which waits for them by itself.

// CHECK-LABEL: llvm.func @takes(
// CHECK-SAME: {box = [64, 64], kind = "tensor_map", swizzle = 128 : i64, view = 0 : i64}
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.constant 258 : i32
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.constant 16384 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[ALL]]
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[ALL]]
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "full"}
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "empty"}
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:[^ ]+]], %[[HALF]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[BASE]], %{{[^ ]+}}, %[[FULL]],
// CHECK: %[[NEXT:[^ ]+]] = llvm.getelementptr %[[BASE]][16384]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[NEXT]], %{{[^ ]+}}, %[[FULL]],
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "full"}
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:[^ ]+]], %[[HALF]]
// CHECK: %[[LOWER:[^ ]+]] = llvm.getelementptr %[[BASE]][8192]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[LOWER]], %{{[^ ]+}}, %[[FULL]],
// CHECK: %[[NEXT:[^ ]+]] = llvm.getelementptr %[[BASE]][24576]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[NEXT]], %{{[^ ]+}}, %[[FULL]],
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.setmaxregister increase 240
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @takes(
!t = tensor<128x128xbf16, #attn.shared<128>>
attn.kernel @takes(%x: !attn.view<?x128xbf16>, %counter: !attn.view<1xi32>) attributes {threads = 256 : i64} {
  %n = attn.dim %x, 0 : !attn.view<?x128xbf16>
  %c0 = arith.constant 0 : index
  %r = attn.ring.create own_rows parts 2 : <1 x !t>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(24) {
      attn.beside 1 {
        %first = attn.take %counter[%c0] from_producer : <1xi32>
        scf.while (%i = %first) : (index) -> index {
          %more = arith.cmpi ult, %i, %n : index
          scf.condition(%more) %i : index
        } do {
        ^bb0(%i: index):
          %s = attn.ring.acquire %r part 0 : <1 x !t> -> <!t>
          %p = attn.ring.issue %s, %x[%i, %c0] : <!t>, <?x128xbf16> -> <!t>
          attn.ring.land %p : <!t>
          %next = attn.take %counter[%c0] from_producer : <1xi32>
          scf.yield %next : index
        }
      }
      attn.beside 2 {
        %first = attn.take %counter[%c0] from_producer : <1xi32>
        scf.while (%i = %first) : (index) -> index {
          %more = arith.cmpi ult, %i, %n : index
          scf.condition(%more) %i : index
        } do {
        ^bb0(%i: index):
          %s = attn.ring.acquire %r part 1 : <1 x !t> -> <!t>
          %p = attn.ring.issue %s, %x[%i, %c0] : <!t>, <?x128xbf16> -> <!t>
          attn.ring.land %p : <!t>
          %next = attn.take %counter[%c0] from_producer : <1xi32>
          scf.yield %next : index
        }
      }
      %first = attn.take %counter[%c0] hand_on : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %next = attn.take %counter[%c0] hand_on : <1xi32>
        scf.yield %next : index
      }
    } consumers(240) {
      %first = attn.take %counter[%c0] from_producer : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %q = attn.ring.wait %r : <1 x !t> -> !t
        attn.ring.release %r : <1 x !t>
        %next = attn.take %counter[%c0] from_producer : <1xi32>
        scf.yield %next : index
      }
    }
  }
}
