// Late turns of two warpgroups: a barrier for each group behind that of the ring, at which the four warps of the group in front
// arrive. A thread finds both of its barriers once, and counts the turns that it takes.
// RUN: split-file %s %t
// RUN: attn-opt %t/turns.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %t/turns.mlir --implicit-check-not="attn.turn " --implicit-check-not=nvvm.barrier.arrive
// Others have named barriers, and no more shared memory than the ring.
// RUN: sed 's/ late$//' %t/turns.mlir | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefix=NAMED --implicit-check-not=elect.sync
// NAMED: shared_bytes = 1040 : i64
// NAMED-COUNT-2: nvvm.barrier.arrive
// RUN: attn-opt %t/alone.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %t/alone.mlir --implicit-check-not=nvvm.mbarrier.init
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm)'

//--- turns.mlir
// CHECK-LABEL: llvm.func @turns(
// CHECK-SAME: shared_bytes = 1056 : i64
// Four warps arrive.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK: %[[OWN:[^ ]+]] = llvm.inline_asm has_side_effects {{.*}}"mad.lo.s32 $0, $1, 8, $2;", "=r,r,r"
// CHECK-NEXT: llvm.store %[[OWN]], %[[OWNS:[^ ]+]] :
// CHECK: %[[NEXT:[^ ]+]] = llvm.inline_asm has_side_effects {{.*}}"mad.lo.s32 $0, $1, 8, $2;", "=r,r,r"
// CHECK-NEXT: llvm.store %[[NEXT]], %[[NEXTS:[^ ]+]] :
// The last group gives the first one its turn.
// CHECK: scf.if
// CHECK: llvm.inline_asm has_side_effects {{.*}}"{\0A.reg .pred one;\0A.reg .b32 lane;\0Aelect.sync lane|one, -1;\0A@one mbarrier.arrive.shared.b64 _, [$0];\0A}", "r,~{memory}" %[[NEXT]] :
// CHECK: scf.for
// CHECK: %[[TAKEN:[^ ]+]] = llvm.load %[[COUNTER:[^ ]+]] :
// CHECK: %[[WAIT:[^ ]+]] = llvm.load %[[OWNS]]
// CHECK: %[[PARITY:[^ ]+]] = arith.remui %[[TAKEN]], %c2_i32
// CHECK: nvvm.mbarrier.try_wait.parity %[[WAIT]], %[[PARITY]], %{{.*}} {attn.barrier = "group's turn"}
// CHECK: %[[MORE:[^ ]+]] = arith.addi %[[TAKEN]], %c1_i32
// CHECK: llvm.store %[[MORE]], %[[COUNTER]]
// CHECK: %[[TELL:[^ ]+]] = llvm.load %[[NEXTS]]
// CHECK: llvm.inline_asm has_side_effects {{.*}}@one mbarrier.arrive.shared.b64 _, [$0];{{.*}} %[[TELL]] :
// CHECK: llvm.return
!k = tensor<1x64xf32, #attn.shared<128>>
attn.kernel @turns(%x: !attn.view<?x64xf32>) attributes {threads = 256 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !k>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <1 x !k> -> <!k>
        %q = attn.ring.issue %s, %x[%i, %c0] : <!k>, <?x64xf32> -> <!k>
        attn.ring.land %q : <!k>
      }
    } consumers(232) {
      attn.turn start of 2 late
      scf.for %i = %c0 to %n step %c1 {
        attn.turn take of 2 late
        attn.turn pass of 2 late
      }
    }
  }
}

//--- alone.mlir
// Three groups, and no ring whose fence would be for all: theirs.
// CHECK-LABEL: llvm.func @alone(
// CHECK-SAME: shared_bytes = 24 : i64
// CHECK-COUNT-3: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: gpu.barrier
// CHECK: arith.remui %{{[^ ]+}}, %c3_i32
// CHECK: arith.cmpi eq, %{{[^ ]+}}, %c2_i32
// CHECK: llvm.return
attn.kernel @alone() attributes {threads = 384 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    attn.turn start of 3 late
    attn.turn take of 3 late
    attn.turn pass of 3 late
  }
}

//--- errors.mlir
attn.kernel @unstarted() attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    // expected-error @below {{'attn.turn' op expected 'start' in front of all other steps of 'late' turns, but got 'take'}}
    attn.turn take of 2 late
    attn.turn pass of 2 late
  }
}

// -----

attn.kernel @mixed() attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    // expected-note @below {{the first step is here}}
    attn.turn start of 2 late
    // expected-error @below {{'attn.turn' op expected one 'start' and the same groups, late or not, in all steps of a kernel}}
    attn.turn take of 2
    attn.turn pass of 2 late
  }
}

// -----

attn.kernel @groups() attributes {threads = 384 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    // expected-note @below {{the first step is here}}
    attn.turn start of 3 late
    attn.turn take of 3 late
    // expected-error @below {{'attn.turn' op expected one 'start' and the same groups, late or not, in all steps of a kernel}}
    attn.turn pass of 2 late
  }
}

// -----

attn.kernel @twice() attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %c1 {
    // expected-note @below {{the first step is here}}
    attn.turn start of 2 late
    // expected-error @below {{'attn.turn' op expected one 'start' and the same groups, late or not, in all steps of a kernel}}
    attn.turn start of 2 late
  }
}
