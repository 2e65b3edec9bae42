// Turns of a CTA to add, which two warps of the producer give to those who compute: two barriers behind the ring. At the first
// both warps arrive, at the second each of the four warps that compute.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not="attn.beside {{[0-9]}}" --implicit-check-not="attn.add_turn "

// CHECK-LABEL: llvm.func @turns(
// CHECK-SAME: shared_bytes = 1056 : i64
// CHECK: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.fence.mbarrier.init

// Warp 1 of the producer tells others: it waits until the additions of the turn before are there, gives its part of the next
// turn, and only then waits for memory.
// CHECK: nvvm.setmaxregister decrease
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK: arith.cmpi eq, %[[WARP]], %c5_i32
// CHECK: arith.xori %{{.*}}, %c1_i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "added"}
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.inline_asm {{.*}}fence.acq_rel.gpu;{{.*}}st.relaxed.gpu
// The end is no turn.
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "added"}
// CHECK-NOT: nvvm.mbarrier.arrive
// CHECK: llvm.inline_asm {{.*}}fence.acq_rel.gpu;{{.*}}st.relaxed.gpu

// Warp 2 looks at the tiles in front, each lane at every 32nd, and gives its part when the turn before has begun.
// CHECK: arith.cmpi eq, %[[WARP]], %c6_i32
// CHECK: scf.for {{.*}} step %c32
// CHECK: llvm.inline_asm {{.*}}ld.acquire.gpu
// One lane waits for that: others could find the barrier a phase on.
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "turn"}
// CHECK: nvvm.mbarrier.arrive

// Those who compute neither look nor store.
// CHECK: nvvm.setmaxregister increase
// CHECK-NOT: llvm.inline_asm
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "turn"}
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: llvm.inline_asm
// CHECK: llvm.return
!k = tensor<1x64xf32, #attn.shared<128>>
attn.kernel @turns(%x: !attn.view<?x64xf32>, %p: !attn.view<?xi32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !k>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      attn.beside 1 {
        scf.for %i = %c0 to %n step %c1 {
          attn.report_progress %p[%cta] at %i : <?xi32>
        }
        attn.report_progress %p[%cta] : <?xi32>
      }
      attn.beside 2 {
        scf.for %i = %c0 to %n step %c1 {
          attn.await_progress %p[] from %c0 to %cta at %i : <?xi32>
        }
      }
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <1 x !k> -> <!k>
        %q = attn.ring.issue %s, %x[%i, %c0] : <!k>, <?x64xf32> -> <!k>
        attn.ring.land %q : <!k>
      }
    } consumers(232) {
      scf.for %i = %c0 to %n step %c1 {
        %t = attn.ring.wait %r : <1 x !k> -> !k
        attn.ring.release %r : <1 x !k>
        attn.add_turn take
        attn.add_turn pass
      }
    }
  }
}
