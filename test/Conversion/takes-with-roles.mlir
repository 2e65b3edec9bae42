// attn.take where a producer has loops of its own: it takes, and hands the number on through two slots of shared memory.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.take
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl)' 2>&1 | FileCheck %s --check-prefix=AMD
// AMD: error: 'attn.{{specialize|take}}' op expected a target with asynchronous products and roles of warps (the capability 'wgmma'), but got "mi300x"

// Behind the ring (1024 bytes and two barriers): two barriers that the producer arrives at, two at which all 128
// consumers do, and two numbers. They are set up before the fence that is for those of rings, too.
// CHECK-LABEL: llvm.func @roles(
// CHECK-SAME: shared_bytes = 1080 : i64
// CHECK: llvm.alloca %c1_i32 x i32
// CHECK-NEXT: %[[COUNT:.*]] = llvm.alloca %c1_i32 x i32
// CHECK-NEXT: llvm.store %c0_i32, %[[COUNT]]
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier

// The producer, one thread, waits for a free slot, of which the first two are; then it takes.
// CHECK: nvvm.setmaxregister decrease
// CHECK: %[[N:.*]] = llvm.load %[[COUNT]]
// CHECK: %[[N1:.*]] = arith.addi %[[N]], %c1_i32
// CHECK: llvm.store %[[N1]], %[[COUNT]]
// CHECK: %[[SLOT:.*]] = arith.remui %[[N]], %c2_i32
// CHECK: %[[ROUND:.*]] = arith.divui %[[N]], %c2_i32
// CHECK: %[[PARITY:.*]] = arith.remui %[[ROUND]], %c2_i32
// CHECK: %[[PAST:.*]] = arith.xori %[[PARITY]], %c1_i32
// CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PAST]], %{{.*}} {attn.barrier = "empty"}
// CHECK: %[[NUMBER:.*]] = llvm.atomicrmw add
// CHECK: llvm.store %[[NUMBER]], %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: nvvm.mbarrier.arrive %[[FULL:[^ ]*]]
// CHECK: scf.while
// CHECK: llvm.atomicrmw add

// Consumers wait for the number and give the slot back, each thread by itself; none of them adds.
// CHECK: nvvm.setmaxregister increase
// CHECK-NOT: llvm.atomicrmw
// CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %{{.*}}, %{{.*}} {attn.barrier = "full"}
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: nvvm.mbarrier.arrive
// CHECK: scf.while
// CHECK-NOT: llvm.atomicrmw
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "full"}
// CHECK: llvm.return
!k = tensor<16x32xbf16, #attn.shared<64>>
attn.kernel @roles(%x: !attn.view<?x32xbf16>, %counter: !attn.view<1xi32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : !attn.view<?x32xbf16>
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : !attn.ring<1 x !k>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      %first = attn.take %counter[%c0] hand_on : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %s = attn.ring.acquire %r : !attn.ring<1 x !k> -> !attn.slot<!k>
        %p = attn.ring.issue %s, %x[%i, %c0] : !attn.slot<!k>, !attn.view<?x32xbf16> -> !attn.pending<!k>
        attn.ring.land %p : !attn.pending<!k>
        %next = attn.take %counter[%c0] hand_on : <1xi32>
        scf.yield %next : index
      }
    } consumers(232) {
      %first = attn.take %counter[%c0] from_producer : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %t = attn.ring.wait %r : !attn.ring<1 x !k> -> !k
        attn.ring.release %r : !attn.ring<1 x !k>
        %next = attn.take %counter[%c0] from_producer : <1xi32>
        scf.yield %next : index
      }
    }
  }
}

// attn-split-roles decides who takes.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128 persistent resident=1 dynamic' --lower='wgmma=all specialize overlap ping-pong' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=SPLIT
// SPLIT: attn.specialize producer
// SPLIT: attn.take %{{.*}} hand_on : <1xi32>
// SPLIT: scf.while
// SPLIT: attn.take %{{.*}} hand_on : <1xi32>
// SPLIT: consumers(
// SPLIT: attn.take %{{.*}} from_producer : <1xi32>
// SPLIT: scf.while
// SPLIT: attn.take %{{.*}} from_producer : <1xi32>
// SPLIT-NOT: attn.take
