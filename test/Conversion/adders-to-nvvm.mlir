// Two warps that add tiles out of a ring in turn, one CTA after the other: each has every other tile, and a word behind the ring says
// how many are there.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func @adders(
// CHECK-SAME: shared_bytes = 65576 : i64
// CHECK: llvm.alloca
// CHECK: %[[VISITS:[0-9]+]] = llvm.alloca
// CHECK-NEXT: llvm.store %c0_i32, %[[VISITS]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: %[[WORD:.*]] = llvm.getelementptr %{{.*}}[65568]
// CHECK-NEXT: llvm.store %c0_i32, %[[WORD]]
// CHECK: scf.if %[[FIRST]]
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for
// The second warp tells of the first visit what was before it. The first one tells of its own tile when it comes by that of the other.
// CHECK: %[[NUMBER:.*]] = llvm.load %[[VISITS]]
// CHECK: %[[BEFORE:.*]] = arith.addi %[[NUMBER]], %c1_i32
// CHECK: %[[WHOSE:.*]] = arith.remui %[[BEFORE]], %c2_i32
// CHECK: arith.cmpi eq, %[[WHOSE]], %c0_i32
// CHECK: scf.if
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: llvm.inline_asm {{.*}}ld.acquire.cta.shared.s32 there
// CHECK: llvm.inline_asm {{.*}}red.release.gpu.global.max.s32
// CHECK: llvm.inline_asm {{.*}}red.release.cta.shared.max.s32 {{.*}} %[[NUMBER]]
// CHECK: %[[AGAIN:.*]] = llvm.load %[[VISITS]]
// CHECK: arith.remui %[[AGAIN]], %c2_i32
// CHECK: scf.if
// Near CTAs first, where they have not been seen to be far enough; then those beyond, of which the least is remembered.
// CHECK: scf.if
// CHECK: llvm.inline_asm {{.*}}ld.acquire.gpu
// CHECK: scf.if
// CHECK: scf.for {{.*}} step %c32
// CHECK: llvm.inline_asm {{.*}}ld.acquire.gpu
// CHECK-NEXT: arith.minsi
// One lane waits for the slot: others could find its barrier two phases on.
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.fence.proxy
// CHECK: scf.if
// CHECK-NOT: scf.
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "full"}
// CHECK-NEXT: }
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.mbarrier.arrive
// Of a tile of the other warp it counts the slot.
// CHECK: } else {
// CHECK-NEXT: llvm.load
// CHECK-NEXT: arith.addi
// CHECK-NEXT: llvm.store
// CHECK-NEXT: }
// The end.
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: red.release.gpu.global.max.s32
// The second warp.
// CHECK: arith.cmpi eq, %{{.*}}, %c6_i32
// CHECK: arith.remui %{{.*}}, %c2_i32
// CHECK-NEXT: arith.cmpi eq, %{{.*}}, %c1_i32
// CHECK: nvvm.setmaxregister increase
!t = tensor<128x64xf32, #attn.shared<128>>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(64, 0)]>
attn.kernel @adders(%x: !attn.view<?x64xf32>, %p: !attn.view<?xi32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  %r = attn.ring.create : <2 x !t>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      attn.beside 1 {
        scf.for %i = %c0 to %n step %c1 {
          attn.report_progress %p[%cta] at %i : <?xi32>
          attn.await_progress %p[] from %c0 to %cta at %i : <?xi32>
          %t = attn.ring.wait %r : <2 x !t> -> !t
          attn.accumulate %t, %x[%i, %c0] ordered : !t -> <?x64xf32>
          attn.ring.release %r : <2 x !t>
        }
        attn.report_progress %p[%cta] : <?xi32>
      }
      attn.beside 2 {
        scf.for %i = %c0 to %n step %c1 {
          attn.report_progress %p[%cta] at %i : <?xi32>
          attn.await_progress %p[] from %c0 to %cta at %i : <?xi32>
          %t = attn.ring.wait %r : <2 x !t> -> !t
          attn.accumulate %t, %x[%i, %c0] ordered : !t -> <?x64xf32>
          attn.ring.release %r : <2 x !t>
        }
        attn.report_progress %p[%cta] : <?xi32>
      }
    } consumers(232) {
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <2 x !t> -> <!t>
        attn.ring.put %zero into %s : tensor<128x64xf32, #acc> into <!t>
      }
    }
  }
}

// -----

!t = tensor<128x64xf32, #attn.shared<128>>
attn.kernel @twice(%x: !attn.view<?x64xf32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : <2 x !t>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      attn.beside 1 {
        %t = attn.ring.wait %r : <2 x !t> -> !t
        // expected-error @+1 {{expected a wait for CTAs in front, the tile of a ring, its addition and its release in a block, as 2 warps add in turn, but got other steps}}
        attn.accumulate %t, %x[%c0, %c0] atomic : !t -> <?x64xf32>
        attn.ring.release %r : <2 x !t>
      }
      attn.beside 2 {
        %t = attn.ring.wait %r : <2 x !t> -> !t
        attn.accumulate %t, %x[%c0, %c0] atomic : !t -> <?x64xf32>
        attn.ring.release %r : <2 x !t>
      }
    } consumers(232) {
    }
  }
}

// -----

!t = tensor<128x64xf32, #attn.shared<128>>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(64, 0)]>
attn.kernel @slot(%x: !attn.view<?x64xf32>, %p: !attn.view<?xi32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  %r = attn.ring.create : <1 x !t>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      attn.beside 1 {
        scf.for %i = %c0 to %n step %c1 {
          attn.report_progress %p[%cta] at %i : <?xi32>
          attn.await_progress %p[] from %c0 to %cta at %i : <?xi32>
          %t = attn.ring.wait %r : <1 x !t> -> !t
          // expected-error @+1 {{expected a slot for each of 2 warps that add in turn, but got '!attn.ring<1 x tensor<128x64xf32, #attn.shared<128>>>'}}
          attn.accumulate %t, %x[%i, %c0] ordered : !t -> <?x64xf32>
          attn.ring.release %r : <1 x !t>
        }
        attn.report_progress %p[%cta] : <?xi32>
      }
      attn.beside 2 {
        scf.for %i = %c0 to %n step %c1 {
          attn.report_progress %p[%cta] at %i : <?xi32>
          attn.await_progress %p[] from %c0 to %cta at %i : <?xi32>
          %t = attn.ring.wait %r : <1 x !t> -> !t
          attn.accumulate %t, %x[%i, %c0] ordered : !t -> <?x64xf32>
          attn.ring.release %r : <1 x !t>
        }
        attn.report_progress %p[%cta] : <?xi32>
      }
    } consumers(232) {
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <1 x !t> -> <!t>
        attn.ring.put %zero into %s : tensor<128x64xf32, #acc> into <!t>
      }
    }
  }
}
