// convert-attn-to-rocdl: what is told to LLVM's scheduler, priorities of waves around products that are 'prioritized', and
// the hint that CTAs wait for each other, which is dropped.
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// Exponentials between products (strategy 2); copies stay where they are: all may pass but loads and products (1926).
// CHECK-LABEL: llvm.func @hints(
// CHECK: rocdl.iglp.opt 2
// CHECK: rocdl.sched.barrier 1926
// CHECK-NOT: rocdl.{{iglp|sched}}
// CHECK: llvm.return
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @hints(%o: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    attn.scheduling_hint interleave_exponentials
    attn.scheduling_hint hold_copies
  }
}
}

// -----

// The first product goes before other waves', the second does not.
// CHECK-LABEL: llvm.func @priorities(
// CHECK: rocdl.s.setprio 1
// CHECK: rocdl.mfma.f32.32x32x8f16
// CHECK: rocdl.s.setprio 0
// CHECK-NOT: rocdl.s.setprio
// CHECK: rocdl.mfma.f32.32x32x8f16
// CHECK-NOT: rocdl.s.setprio
// CHECK: llvm.return
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
#lhs = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1)]>
!a = tensor<32x16xf16, #lhs>
!b = tensor<32x16xf16, #attn.shared<32, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x16xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @priorities(%a: !v, %b: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %r = attn.ring.create : !attn.ring<1 x !b>
  attn.ctas %w in %c1 {
    %x = attn.load %a[%c0, %c0] : !v -> !a
    %s = attn.ring.acquire %r : !attn.ring<1 x !b> -> !attn.slot<!b>
    %p = attn.ring.issue %s, %b[%c0, %c0] by registers : !attn.slot<!b>, !v -> !attn.pending<!b>
    attn.ring.land %p : !attn.pending<!b>
    %y = attn.ring.wait %r : !attn.ring<1 x !b> -> !b
    %d = attn.dot %x, %y, %zero transpose_rhs prioritized : !a, !b into !c
    %e = attn.dot %x, %y, %d transpose_rhs : !a, !b into !c
    attn.ring.release %r : !attn.ring<1 x !b>
    attn.store %e, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}

// -----

// No CTA waits for another: a launch may hold some of them back.
// CHECK-LABEL: llvm.func @in_step(
// CHECK-NOT: attn.in_step
// CHECK-NOT: atomic
// CHECK: llvm.return
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @in_step(%counter: !attn.view<1xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %all = arith.constant true
  attn.ctas %w in %c4 {
    attn.in_step %all, %counter[%c0] : !attn.view<1xi32>
  }
}
}
