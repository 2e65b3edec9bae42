// attn-delay-waits: products issued early, waited for late, slots released behind their readers.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-delay-waits))' -o %t.mlir --remarks-filter='attn-delay.*' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// The pass twice is the pass once.
// RUN: attn-opt %t.mlir --pass-pipeline='builtin.module(attn.kernel(attn-delay-waits))' | diff %t.mlir -

// REMARK: remark: [Passed] delayed | Category:attn-delay-waits | Function=gradients | Remark="waits let later products be under way:", waits=3

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0, 2), 64:(0, 0)], registers [2:(0, 1), 8:(0, 8)]>
!k = tensor<128x64xbf16, #attn.shared<128>>
!q = tensor<64x64xbf16, #attn.shared<128>>
!l = tensor<1x64xf32, #attn.shared<128>>
!r = tensor<1x64xf32, #row>
!s = tensor<128x64xf32, #acc>
!p = tensor<128x64xbf16, #acc>

// dK and dV as attn-stage-loads and attn-issue-dots leave them: each product is waited for
// at once. What threads read of a ring is there when a product starts that follows from it.
// CHECK-LABEL: attn.kernel @gradients
// CHECK: attn.stream
// CHECK: %[[Q:.*]] = attn.ring.wait %[[RQ:ring[_0-9]*]] :
// CHECK-NEXT: %[[S:.*]] = attn.dot.issue %{{.*}}, %[[Q]], %{{.*}} transpose_rhs :
// CHECK-NEXT: %[[O:.*]] = attn.ring.wait %[[RO:ring[_0-9]*]] :
// The load goes in front of the product that is issued last before a wait in front of its use.
// CHECK-NEXT: %[[DELTA:.*]] = attn.load
// CHECK-NEXT: %[[DP:.*]] = attn.dot.issue %{{.*}}, %[[O]], %{{.*}} transpose_rhs :
// CHECK-NEXT: %[[L:.*]] = attn.ring.wait %[[RL:ring[_0-9]*]] :
// CHECK-NEXT: attn.convert_layout %[[L]]
// CHECK: attn.dot.wait %[[S]] outstanding 1
// CHECK: math.exp2
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: %[[DV:.*]] = attn.dot.issue %{{.*}}, %[[O]], %{{.*}} stage 1
// CHECK-NEXT: attn.ring.release %[[RL]]
// CHECK-NEXT: attn.broadcast %[[DELTA]]
// CHECK-NEXT: attn.dot.wait %[[DP]] outstanding 1
// CHECK: %[[DK:.*]] = attn.dot.issue %{{.*}}, %[[Q]], %{{.*}} stage 1
// CHECK-NEXT: attn.dot.wait %[[DV]] outstanding 1
// CHECK-NEXT: attn.ring.release %[[RO]]
// CHECK-NEXT: attn.dot.wait %[[DK]] :
// CHECK-NEXT: attn.ring.release %[[RQ]]
// CHECK-NEXT: attn.yield
attn.kernel @gradients(%delta: !attn.view<1x?xf32>, %x: !attn.view<?x64xf32>, %n: index) attributes {threads = 256 : i64} {
  %rk = attn.ring.create : <1 x !k>
  %rq = attn.ring.create : <2 x !q>
  %ro = attn.ring.create : <2 x !q>
  %rl = attn.ring.create : <2 x !l>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %sums:2 = attn.stream %pos step 64 over [%c0 to %n] carry (%a = %none, %b = %none : !s, !s) {
      %d = attn.load %delta[%c0, %pos] : <1x?xf32> -> !r
      %q = attn.ring.wait %rq : <2 x !q> -> !q
      %ps = attn.dot.issue %k, %q, %none transpose_rhs : !k, !q, !s -> <!s>
      %s = attn.dot.wait %ps : <!s> -> !s
      %l = attn.ring.wait %rl : <2 x !l> -> !l
      %lse = attn.convert_layout %l : !l to !r
      attn.ring.release %rl : <2 x !l>
      %lses = attn.broadcast %lse : !r to !s
      %e = arith.addf %s, %lses : !s
      %w = math.exp2 %e : !s
      %p = arith.truncf %w : !s to !p
      %o = attn.ring.wait %ro : <2 x !q> -> !q
      %pv = attn.dot.issue %p, %o, %b stage 1 : !p, !q, !s -> <!s>
      %v = attn.dot.wait %pv : <!s> -> !s
      %pd = attn.dot.issue %k, %o, %none transpose_rhs : !k, !q, !s -> <!s>
      %dp = attn.dot.wait %pd : <!s> -> !s
      attn.ring.release %ro : <2 x !q>
      %ds = attn.broadcast %d : !r to !s
      %c = arith.subf %dp, %ds : !s
      %dx = arith.mulf %w, %c : !s
      %g = arith.truncf %dx : !s to !p
      %pk = attn.dot.issue %g, %q, %a stage 1 : !p, !q, !s -> <!s>
      %u = attn.dot.wait %pk : <!s> -> !s
      attn.ring.release %rq : <2 x !q>
      attn.yield %u, %v : !s, !s
    }
    attn.ring.release %rk : <1 x !k>
    attn.store %sums#0, %x[%cta, %c0] : !s -> <?x64xf32>
  }
}
