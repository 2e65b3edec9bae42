// convert-attn-to-nvvm: roles of warps and their turns.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.specialize --implicit-check-not=attn.turn --implicit-check-not=attn.alone --implicit-check-not=unrealized_conversion_cast
// And to the LLVM dialect, with whole instructions.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="scf." --implicit-check-not=gpu.barrier

//===----------------------------------------------------------------------===//
// attn.specialize
//===----------------------------------------------------------------------===//

// 256 threads hold tiles, 128 are the producer's: the launch has them all. One CTA an SM is what
// makes ptxas heed the counts of registers. Rings are set up in front of both roles, which all
// threads wait for; only consumers, 8 warps, arrive where a slot is given back.

// CHECK-LABEL: llvm.func @roles(
// CHECK-SAME: %[[MAP:[^ ]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: attn.compute_threads = 256 : i64
// CHECK-SAME: block = 384 : i64
// CHECK-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK-DAG: %[[BYTES:[^ ]+]] = arith.constant 512 : i32
// CHECK: %[[COUNT:[^ ]+]] = llvm.alloca %[[C1]] x i32
// CHECK: %[[TID:[^ ]+]] = gpu.thread_id x
// CHECK: %[[T:[^ ]+]] = arith.index_cast %[[TID]] : index to i32
// CHECK: %[[FIRST:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C0]] : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-2: nvvm.mbarrier.init %{{[^ ]+}}, {{%c1_i32|%c8_i32}} :
// CHECK: }
// CHECK: scf.if %[[FIRST]] {
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C1]] :
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C8]] :
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C1]] :
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C8]] :
// CHECK: }
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier
// The producer is what follows the consumers. All its warps give registers up; of its threads the
// first does the work, and counts the slots that it takes, whatever is said to be ahead.
// CHECK: %[[PRODUCES:[^ ]+]] = arith.cmpi sge, %[[T]], %[[C256]] : i32
// CHECK-NEXT: scf.if %[[PRODUCES]] {
// CHECK-NEXT: nvvm.setmaxregister decrease 24
// CHECK-NEXT: %[[ALONE:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C256]] : i32
// CHECK-NEXT: scf.if %[[ALONE]] {
// CHECK-NEXT: scf.for %[[J:[^ ]+]] =
// CHECK-NEXT: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[N1:[^ ]+]] = arith.addi %[[N]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: llvm.store %[[N1]], %[[COUNT]]
// CHECK-NEXT: %[[SLOT:[^ ]+]] = arith.remui %[[N]], %[[C2]] : i32
// CHECK-NEXT: %[[ROUND:[^ ]+]] = arith.divui %[[N]], %[[C2]] : i32
// CHECK-NEXT: %[[PARITY:[^ ]+]] = arith.remui %[[ROUND]], %[[C2]] : i32
// CHECK-NEXT: %[[PAST:[^ ]+]] = arith.xori %[[PARITY]], %[[C1]] : i32
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.try_wait.parity %{{[^ ]+}}, %[[PAST]], %{{[^ ]+}} {attn.barrier = "empty"}
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[F:[^ ]+]], %[[BYTES]]
// CHECK-NEXT: %[[OJ:[^ ]+]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{[^ ]+}}, %[[MAP]], %[[F]], box[%{{[^ ]+}}, %[[OJ]]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: {{^ *}}}
// Consumers take registers and count the slots that they give back.
// CHECK-NEXT: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 240
// CHECK: %[[R:[^ ]+]] = scf.for {{.*}} -> (vector<8xf32>) {
// CHECK-NEXT: %[[N:[^ ]+]] = llvm.load %[[COUNT]]
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "full"}
// CHECK: wgmma.mma_async
// CHECK: wgmma.wait_group
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.addi %{{[^ ]+}}, %[[C1]] {{.*}}: i32
// CHECK-NEXT: llvm.store %{{[^ ]+}}, %[[COUNT]]
// CHECK-NEXT: scf.yield
// CHECK: vector.to_elements %[[R]]
// CHECK-NOT: nvvm.setmaxregister
// CHECK: llvm.return

// LLVM-LABEL: llvm.func @roles(
// LLVM: nvvm.barrier0
// LLVM: llvm.cond_br %{{[^ ]+}}, ^[[PRODUCER:bb[0-9]+]], ^[[CONSUMERS:bb[0-9]+]]
// LLVM-NEXT: ^[[PRODUCER]]:
// LLVM-NEXT: nvvm.setmaxregister decrease 24
// LLVM: nvvm.cp.async.bulk.tensor
// LLVM: ^[[CONSUMERS]]:
// LLVM-NEXT: nvvm.setmaxregister increase 240
// LLVM-NOT: nvvm.cp.async.bulk.tensor
// LLVM: wgmma.mma_async
// LLVM: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>
attn.kernel @roles(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
      scf.for %j = %c0 to %n step %c1 {
        %s = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%j, %c0] : <!k>, <?x16xbf16> -> <!k>
        attn.ring.land %p : <!k>
      }
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %p = attn.dot.issue %q, %k, %a transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %p : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        scf.yield %s : !s
      }
      attn.store %r, %y[%w, %c0] : !s -> <?x16xf32>
    }
  }
}

// -----

// Two groups of a producer, of which still one thread works.

// CHECK-LABEL: llvm.func @eight(
// CHECK-SAME: attn.compute_threads = 128 : i64
// CHECK-SAME: block = 384 : i64
// CHECK-SAME: nvvm.reqntid = array<i32: 384>
// CHECK: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK: %[[PRODUCES:[^ ]+]] = arith.cmpi sge, %[[T:[^ ]+]], %[[C128]] : i32
// CHECK-NEXT: scf.if %[[PRODUCES]] {
// CHECK-NEXT: nvvm.setmaxregister decrease 32
// CHECK-NEXT: %[[ALONE:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C128]] : i32
// CHECK-NEXT: scf.if %[[ALONE]] {
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 256
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return
!k = tensor<16x16xbf16, #attn.shared<32>>
attn.kernel @eight() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !k>
  attn.ctas %w in %c1 {
    attn.specialize producer 8 warps (32) {
      %s = attn.ring.acquire %r : <1 x !k> -> <!k>
    } consumers (256) {
    }
  }
}

// -----

// Without roles there is none of this: what the number of threads says holds for all of them.

// CHECK-LABEL: llvm.func @none(
// CHECK-NOT: attn.compute_threads
// CHECK-NOT: nvvm.minctasm
// CHECK-SAME: nvvm.reqntid = array<i32: 256>
// CHECK: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %c8_i32 :
// CHECK-NOT: nvvm.setmaxregister
// CHECK: %[[N:[^ ]+]] = llvm.load %[[COUNT:[^ ]+]] :
// CHECK-NEXT: %[[AHEAD:[^ ]+]] = arith.addi %[[N]], %{{[^ ]+}}
// CHECK-NEXT: arith.remui %[[AHEAD]], %[[C2]] : i32
// CHECK-NOT: llvm.store
// CHECK: scf.if
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: llvm.return
!k = tensor<16x16xbf16, #attn.shared<32>>
attn.kernel @none() attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !k>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r ahead 1 : <2 x !k> -> <!k>
  }
}

// -----

//===----------------------------------------------------------------------===//
// What counts threads
//===----------------------------------------------------------------------===//

// Where threads give a slot back one by one, it is consumers: 256. Copies by threads (which
// attn-specialize-warps leaves alone, but somebody may write) are by consumers, too: a tile of 256
// chunks is one for each of them.

// CHECK-LABEL: llvm.func @threads(
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C256]] :
// CHECK: nvvm.mbarrier.init %{{[^ ]+}}, %[[C256]] :
// CHECK: nvvm.setmaxregister increase 240
// CHECK-NOT: scf.if
// CHECK: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.mbarrier.arrive
!q = tensor<128x16xbf16, #attn.shared<32>>
attn.kernel @threads(%x: !attn.view<?x16xbf16>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !q>
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %s = attn.ring.acquire %r : <1 x !q> -> <!q>
      %p = attn.ring.issue %s, %x[%w, %c0] by async : <!q>, <?x16xbf16> -> <!q>
      attn.ring.land %p : <!q>
    }
  }
}

// -----

// A store through memory that held other rows waits for all that read them: not for the producer,
// so at a barrier of the consumers' own, 1. The rows are those of 8 warps, 16 each. In a branch, too.

// CHECK-LABEL: llvm.func @store(
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.setmaxregister increase 240
// CHECK: %[[T:[^ ]+]] = llvm.inline_asm {{.*}}%tid.x
// CHECK: nvvm.barrier id = %[[C1]] number_of_threads = %[[C256]]
// CHECK: %[[WARP:[^ ]+]] = arith.divui %[[T]], %[[C32]] : i32
// CHECK-NEXT: %[[ROWS:[^ ]+]] = arith.muli %[[WARP]], %[[C16]] : i32
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[LANE:[^ ]+]] = arith.remui %[[T]], %[[C32]] : i32
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.divui %[[LANE]], %{{[^ ]+}} : i32
// CHECK-NEXT: arith.addi %[[ROWS]], %[[ROW]] {{.*}}: i32
// CHECK: nvvm.fence.proxy
// CHECK: scf.if
// CHECK: nvvm.barrier id = %[[C1]] number_of_threads = %[[C256]]
// CHECK-NOT: {{nvvm.barrier id|gpu.barrier}}
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @store(
// LLVM: nvvm.fence.mbarrier.init
// LLVM-NEXT: nvvm.barrier0
// LLVM: nvvm.barrier id = %{{[^ ]+}} number_of_threads = %{{[^ ]+}}
// LLVM: nvvm.barrier id = %{{[^ ]+}} number_of_threads = %{{[^ ]+}}
// LLVM: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!o = tensor<128x16xbf16, #acc>
!other = tensor<256x16xbf16, #attn.shared<32>>
attn.kernel @store(%y: !attn.view<?x16xbf16>, %b: i1) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !other>
  %o = arith.constant dense<1.0> : !o
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %t = attn.ring.wait %r : <1 x !other> -> !other
      attn.store %o, %y[%w, %c0] through %t(!other) : !o -> <?x16xbf16>
      scf.if %b {
        attn.store %o, %y[%c1, %c0] through %t(!other) : !o -> <?x16xbf16>
      }
    }
  }
}

// -----

// Products by mma.sync have the rows of 8 warps.

// CHECK-LABEL: llvm.func @dot(
// CHECK: nvvm.setmaxregister increase 240
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<128x16xf32, #acc>
attn.kernel @dot(%y: !attn.view<?x16xf32>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %s = attn.dot %q, %k, %zero transpose_rhs : !q, !k into !s
      attn.store %s, %y[%w, %c0] : !s -> <?x16xf32>
    }
  }
}

// -----

//===----------------------------------------------------------------------===//
// attn.turn
//===----------------------------------------------------------------------===//

// Barrier 2 + g is where group g waits, with the one that passes the turn to it: 256 threads. At
// the start the last group arrives at that of the first, as if it had had its turn. Passing goes
// round, and does not wait.

// CHECK-LABEL: llvm.func @turns(
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C3:[^ ]+]] = arith.constant 3 : i32
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK: nvvm.setmaxregister increase 160
// CHECK-NEXT: %[[GROUP:[^ ]+]] = arith.divui %[[T:[^ ]+]], %[[C128]] : i32
// CHECK-NEXT: %[[LAST:[^ ]+]] = arith.cmpi eq, %[[GROUP]], %[[C2]] : i32
// CHECK-NEXT: scf.if %[[LAST]] {
// CHECK-NEXT: nvvm.barrier.arrive id = %[[C2]] number_of_threads = %[[C256]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[OWN:[^ ]+]] = arith.addi %[[GROUP]], %[[C2]] {{.*}}: i32
// CHECK-NEXT: nvvm.barrier id = %[[OWN]] number_of_threads = %[[C256]]
// CHECK-NEXT: %[[NEXT:[^ ]+]] = arith.addi %[[GROUP]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: %[[ROUND:[^ ]+]] = arith.remui %[[NEXT]], %[[C3]] : i32
// CHECK-NEXT: %[[ITS:[^ ]+]] = arith.addi %[[ROUND]], %[[C2]] {{.*}}: i32
// CHECK-NEXT: nvvm.barrier.arrive id = %[[ITS]] number_of_threads = %[[C256]]
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return
// LLVM-LABEL: llvm.func @turns(
// LLVM: nvvm.setmaxregister increase 160
// LLVM: llvm.inline_asm {{.*}}bar.arrive
// LLVM: nvvm.barrier id = %{{[^ ]+}} number_of_threads = %{{[^ ]+}}
// LLVM: llvm.inline_asm {{.*}}bar.arrive
attn.kernel @turns() attributes {threads = 384 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.specialize producer 4 warps (24) {
    } consumers (160) {
      attn.turn start of 3
      attn.turn take of 3
      attn.turn pass of 3
    }
  }
}
