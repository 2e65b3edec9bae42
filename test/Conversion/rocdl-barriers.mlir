// convert-attn-to-rocdl: where barriers stand, that each is there and no other. (The order of
// operands is in rocdl-mfma.mlir, whole kernels in attn-to-rocdl.mlir.)
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers),convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// A release is a read: the product reads the first tile behind the barrier of the second one's wait.
// So the copy into the slot of the first needs a barrier of its own.
// CHECK-LABEL: llvm.func @release(
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: rocdl.s.barrier
// CHECK-NOT: rocdl.s.barrier
// CHECK: rocdl.mfma
// CHECK-NOT: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK-NOT: rocdl.s.barrier
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x16xf16, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x16xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @release(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %ra = attn.ring.create : !attn.ring<1 x !t>
  %rb = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %w in %c1 {
    %s0 = attn.ring.acquire %ra : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p0 = attn.ring.issue %s0, %a[%c0, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p0 : !attn.pending<!t>
    %x = attn.ring.wait %ra : !attn.ring<1 x !t> -> !t
    %s1 = attn.ring.acquire %rb : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p1 = attn.ring.issue %s1, %b[%c0, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p1 : !attn.pending<!t>
    %y = attn.ring.wait %rb : !attn.ring<1 x !t> -> !t
    %d = attn.dot %x, %y, %zero transpose_rhs : !t, !t into !c
    attn.ring.release %ra : !attn.ring<1 x !t>
    %s2 = attn.ring.acquire %ra : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p2 = attn.ring.issue %s2, %a[%c1, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p2 : !attn.pending<!t>
    attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}

// -----

// A wait is a read, too, without a release; and what a wait brings is written: one barrier between
// the copy and the product, one between the product and the next copy into the slot. Between the
// waits for two tiles that were copied before the first of them none is needed.
// CHECK-LABEL: llvm.func @wait(
// CHECK-COUNT-2: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: rocdl.s.barrier
// CHECK-NOT: rocdl.s.barrier
// CHECK: rocdl.mfma
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK-NOT: rocdl.s.barrier
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x16xf16, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x16xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @wait(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %ra = attn.ring.create : !attn.ring<1 x !t>
  %rb = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %w in %c1 {
    %s0 = attn.ring.acquire %ra : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p0 = attn.ring.issue %s0, %a[%c0, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p0 : !attn.pending<!t>
    %s1 = attn.ring.acquire %rb : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p1 = attn.ring.issue %s1, %b[%c0, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p1 : !attn.pending<!t>
    %x = attn.ring.wait %ra : !attn.ring<1 x !t> -> !t
    %y = attn.ring.wait %rb : !attn.ring<1 x !t> -> !t
    %d = attn.dot %x, %y, %zero transpose_rhs : !t, !t into !c
    %s2 = attn.ring.acquire %ra : !attn.ring<1 x !t> -> !attn.slot<!t>
    %p2 = attn.ring.issue %s2, %a[%c1, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p2 : !attn.pending<!t>
    attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}
