// Rings that a role goes through in the same blocks share a counter, where the producer is a warp: that of one of two, whose
// slots are taken and given back where those of the other are, is neither read nor written but for its start. Within a block one
// count may be a step ahead.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: llvm.func @rings(
// CHECK: llvm.store %c0_i32, %{{.*}} :
// CHECK: llvm.store %c0_i32, %[[A:[^ ]*]] :
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for
// CHECK: llvm.load %[[A]]
// CHECK-NOT: llvm.store
// CHECK: %[[N:.*]] = llvm.load %[[A]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c1_i32
// CHECK: llvm.store %[[NEXT]], %[[A]]
// CHECK-NOT: llvm.store
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for
// CHECK: llvm.load %[[A]]
// CHECK: llvm.load %[[A]]
// CHECK-NOT: llvm.store
// CHECK: %[[M:.*]] = llvm.load %[[A]]
// CHECK: llvm.store %{{.*}}, %[[A]]
// Here the ring that has the counter has gone on, the other is about to.
// CHECK: %[[AHEAD:.*]] = llvm.load %[[A]]
// CHECK: arith.addi %[[AHEAD]], %c-1_i32
// CHECK-NOT: llvm.store
// CHECK: llvm.return

// Where roles take different ways through them, each has its own.
// CHECK-LABEL: llvm.func @apart(
// CHECK: llvm.store %c0_i32, %[[A:[^ ]*]] :
// CHECK: llvm.store %c0_i32, %[[B:[^ ]*]] :
// CHECK: nvvm.setmaxregister decrease
// CHECK: llvm.store %{{.*}}, %[[A]]
// CHECK: llvm.store %{{.*}}, %[[B]]
// CHECK: nvvm.setmaxregister increase
// CHECK: llvm.store %{{.*}}, %[[A]]
// CHECK: llvm.store %{{.*}}, %[[B]]
!row = tensor<1x64xf32, #attn.shared<128>>
attn.kernel @rings(%x: !attn.view<?x64xf32>, %y: !attn.view<?x64xf32>) attributes {threads = 256 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !row>
  %q = attn.ring.create : <2 x !row>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <2 x !row> -> <!row>
        %p = attn.ring.issue %s, %x[%i, %c0] by async : <!row>, <?x64xf32> -> <!row>
        attn.ring.land %p : <!row>
        %t = attn.ring.acquire %q : <2 x !row> -> <!row>
        %o = attn.ring.issue %t, %y[%i, %c0] by async : <!row>, <?x64xf32> -> <!row>
        attn.ring.land %o : <!row>
      }
    } consumers(232) {
      scf.for %i = %c0 to %n step %c1 {
        %t = attn.ring.wait %r : <2 x !row> -> !row
        %u = attn.ring.wait %q : <2 x !row> -> !row
        attn.ring.release %q : <2 x !row>
        attn.ring.release %r : <2 x !row>
      }
    }
  }
}

attn.kernel @apart(%x: !attn.view<?x64xf32>, %y: !attn.view<?x64xf32>) attributes {threads = 256 : i64} {
  %n = attn.dim %x, 0 : <?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <2 x !row>
  %q = attn.ring.create : <2 x !row>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      scf.for %i = %c0 to %n step %c1 {
        %s = attn.ring.acquire %r : <2 x !row> -> <!row>
        %p = attn.ring.issue %s, %x[%i, %c0] by async : <!row>, <?x64xf32> -> <!row>
        attn.ring.land %p : <!row>
      }
      %t = attn.ring.acquire %q : <2 x !row> -> <!row>
      %o = attn.ring.issue %t, %y[%c0, %c0] by async : <!row>, <?x64xf32> -> <!row>
      attn.ring.land %o : <!row>
    } consumers(232) {
      scf.for %i = %c0 to %n step %c1 {
        %t = attn.ring.wait %r : <2 x !row> -> !row
        attn.ring.release %r : <2 x !row>
      }
      %u = attn.ring.wait %q : <2 x !row> -> !row
      attn.ring.release %q : <2 x !row>
    }
  }
}
