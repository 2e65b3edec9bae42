// attn-overlap-softmax: three products a tile.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>

// Two with values, of one left-hand side, which waits for both and is carried once. Both are
// issued behind the scores, whose wait leaves two under way; the wait for the first of
// them leaves one.
// CHECK-LABEL: attn.kernel @two_sums
// CHECK: attn.ring.create
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create
// CHECK-NEXT: %[[RV:ring[^ ]*]] = attn.ring.create
// CHECK-NEXT: %[[RW:ring[^ ]*]] = attn.ring.create
// CHECK: } consumers(240) {
// CHECK: scf.if
// CHECK: %[[QK0:[^ ]+]] = attn.dot.issue
// CHECK-NEXT: attn.dot.wait %[[QK0]] :
// CHECK-NOT: attn.dot.issue
// CHECK: %[[L:[^:]+]]:{{[0-9]+}} = scf.for {{.*}} iter_args(%[[A1:[^ ]+]] = {{[^,]+}}, %[[B1:[^ ]+]] = {{[^,]+}}, %[[P1:[^ ]+]] = {{[^,]+}})
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %{{[^ ]+}}, %[[K]], %{{[^ ]+}} transpose_rhs :
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.issue %[[P1]], %[[V]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[W:[^ ]+]] = attn.ring.wait %[[RW]] :
// CHECK-NEXT: %[[PW:[^ ]+]] = attn.dot.issue %[[P1]], %[[W]], %[[B1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 2 :
// CHECK-NEXT: attn.ring.release %[[RK]]
// CHECK-NEXT: %[[A:[^ ]+]] = attn.dot.wait %[[PV]] outstanding 1 :
// CHECK-NEXT: attn.ring.release %[[RV]]
// CHECK-NEXT: %[[B:[^ ]+]] = attn.dot.wait %[[PW]] :
// CHECK-NEXT: attn.ring.release %[[RW]]
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[S]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]], %[[P]] :
// CHECK: attn.dot.issue {{.*}} stage 1
// CHECK: attn.dot.issue {{.*}} stage 1
// CHECK-NOT: attn.dot.issue
attn.kernel @two_sums(%y: !attn.view<?x64xf32>, %z: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %rw = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a1 = %zero, %b1 = %zero) -> (!o, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %a1 stage 1 : !p, !k, !o -> <!o>
        %a = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        %w = attn.ring.wait %rw : <2 x !k> -> !k
        %pw = attn.dot.issue %p, %w, %b1 stage 1 : !p, !k, !o -> <!o>
        %b = attn.dot.wait %pw : <!o> -> !o
        attn.ring.release %rw : <2 x !k>
        scf.yield %a, %b : !o, !o
      }
      attn.store %r#0, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %r#1, %z[%cta, %c0] : !o -> <?x64xf32>
    }
  }
}

// Two of the first stage: the product with values comes behind the last of them.
// CHECK-LABEL: attn.kernel @two_scores
// CHECK: } consumers(240) {
// CHECK: scf.for
// CHECK: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] :
// CHECK: %[[QL:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK: %[[PV:[^ ]+]] = attn.dot.issue {{.*}} stage 1 :
// CHECK-NEXT: %[[T:[^ ]+]] = attn.dot.wait %[[QL]] outstanding 1 :
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: %[[U:[^ ]+]] = arith.mulf %[[S]], %[[T]]
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait %[[PV]] :
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[U]]
// CHECK-NEXT: scf.yield %[[O]], %[[P]]
attn.kernel @two_scores(%y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rl = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !o {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %l = attn.ring.wait %rl : <2 x !k> -> !k
        %ql = attn.dot.issue %q, %l, %none transpose_rhs : !q, !k, !s -> <!s>
        %t = attn.dot.wait %ql : <!s> -> !s
        attn.ring.release %rl : <2 x !k>
        %u = arith.mulf %s, %t : !s
        %p = arith.truncf %u : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !o
      }
      attn.store %r, %y[%cta, %c0] : !o -> <?x64xf32>
    }
  }
}
