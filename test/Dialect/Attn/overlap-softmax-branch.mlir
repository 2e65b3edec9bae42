// attn-overlap-softmax: a softmax with the branch of attn-optimistic-max.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' --remarks-filter='attn-overlap.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=branch | Remark="products are under way during the softmax:", loops=1
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=other | Remark="products are under way during the softmax:", loops=1

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #row>

// Who does not say so (holds_first), is asked before the first tile, too.
// RUN: sed 's/ holds_first//' %s | attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s --check-prefix=ASKS
// ASKS-LABEL: attn.kernel @branch
// ASKS: attn.dot.wait
// ASKS: %[[MISSED:[^ ]+]] = attn.any
// ASKS: scf.if %[[MISSED]] ->
// ASKS: scf.for
// ASKS-LABEL: attn.kernel @other

// Before the first tile no maximum is known: it takes the branch without asking. Behind it both
// products are issued as ever, but waited for at once, since the branch may scale the sum; all of
// the softmax comes behind that, and the keys are given back as soon as scores are there.

// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: attn.kernel @branch
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create :
// CHECK-NEXT: %[[RK:[^ ]+]] = attn.ring.create :
// CHECK-NEXT: %[[RV:[^ ]+]] = attn.ring.create :
// CHECK: %[[R:[^ ]+]] = scf.if %{{[^ ]+}} ->
// The first tile: its own maximum at once.
// CHECK-NEXT: %[[K0:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK0:[^ ]+]] = attn.dot.issue %{{[^ ]+}}, %[[K0]], %{{[^ ]+}} transpose_rhs :
// CHECK-NEXT: %[[S0:[^ ]+]] = attn.dot.wait %[[QK0]] : <
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: %[[X0:[^ ]+]] = attn.reduce max %[[S0]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M0:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X0]] from %{{[^ ]+}}, %{{[^ ]+}} scale(
// CHECK-NEXT: %[[B0:[^ ]+]] = attn.broadcast %[[M0]] :
// CHECK-NEXT: %[[D0:[^ ]+]] = arith.subf %[[S0]], %[[B0]] :
// CHECK-NEXT: %[[E0:[^ ]+]] = math.exp2 %[[D0]] :
// CHECK-NEXT: %[[F0:[^ ]+]] = arith.subf %{{[^ ]+}}, %[[M0]] :
// CHECK-NEXT: %[[G0:[^ ]+]] = math.exp2 %[[F0]] :
// CHECK-NEXT: %[[H0:[^ ]+]] = attn.broadcast %[[G0]] :
// CHECK-NEXT: %[[A0:[^ ]+]] = arith.mulf %[[H0]], %{{[^ ]+}} :
// CHECK-NEXT: %[[P0:[^ ]+]] = arith.truncf %[[E0]] :
// CHECK-NEXT: %[[L:[^ ]+]]:3 = scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[M1:[^ ]+]] = %[[M0]], %[[A1:[^ ]+]] = %[[A0]], %[[P1:[^ ]+]] = %[[P0]]) ->
// Scores of this tile, values of the last; both are waited for.
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %{{[^ ]+}}, %[[K]], %{{[^ ]+}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: %[[O1:[^ ]+]] = attn.dot.wait %[[PV1]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// The softmax, with its branch.
// CHECK-NEXT: %[[BK:[^ ]+]] = attn.broadcast %[[M1]] :
// CHECK-NEXT: %[[DK:[^ ]+]] = arith.subf %[[S]], %[[BK]] :
// CHECK-NEXT: %[[EK:[^ ]+]] = math.exp2 %[[DK]] :
// CHECK-NEXT: %[[SUM:[^ ]+]] = attn.reduce sum %[[EK]] :
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ugt, %[[SUM]], %{{[^ ]+}} :
// CHECK-NEXT: %[[MISSED:[^ ]+]] = attn.any %[[OVER]] holds_first :
// CHECK-NEXT: %[[PK:[^ ]+]] = arith.truncf %[[EK]] :
// CHECK-NEXT: %[[IF:[^ ]+]]:3 = scf.if %[[MISSED]] ->
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[M]] :
// CHECK-NEXT: %[[D:[^ ]+]] = arith.subf %[[S]], %[[B]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[F:[^ ]+]] = arith.subf %[[M1]], %[[M]] :
// CHECK-NEXT: %[[G:[^ ]+]] = math.exp2 %[[F]] :
// CHECK-NEXT: %[[H:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: %[[A:[^ ]+]] = arith.mulf %[[O1]], %[[H]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]] :
// CHECK-NEXT: scf.yield %[[M]], %[[A]], %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[M1]], %[[O1]], %[[PK]] :
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#2 :
// CHECK-NEXT: }
// The last tile's values.
// CHECK-NEXT: %[[V2:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV2:[^ ]+]] = attn.dot.issue %[[L]]#2, %[[V2]], %[[L]]#1 stage 1 :
// CHECK-NEXT: %[[O2:[^ ]+]] = attn.dot.wait %[[PV2]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: scf.yield %[[O2]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{[^ ]+}} :
// CHECK-NEXT: }
// CHECK-NEXT: attn.store %[[R]], %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] :
attn.kernel @branch(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %sum = attn.reduce sum %e1 : !s
        %over = arith.cmpf ugt, %sum, %bound : !m
        %missed = attn.any %over holds_first : tensor<128xi1, #row>
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %missed -> (!m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o, !p
        }
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %t#2, %v, %t#1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %t#0, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Of a branch on something else nothing is known: the first tile has it, too.

// CHECK-LABEL: attn.kernel @other
// CHECK-SAME: %[[WHICH:[^ ]+]]: i1
// CHECK: %[[QK0:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.dot.wait %[[QK0]] :
// CHECK: %[[FIRST:[^ ]+]]:3 = scf.if %[[WHICH]] ->
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]+}} = %[[FIRST]]#0, %{{[^ ]+}} = %[[FIRST]]#1, %{{[^ ]+}} = %[[FIRST]]#2)
// CHECK: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.issue
// CHECK-NEXT: attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.dot.wait %[[PV]] : <
// CHECK-NEXT: attn.ring.release
// CHECK: scf.if %[[WHICH]] ->
attn.kernel @other(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %which: i1, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %b1 = attn.broadcast %m1 : !m to !s
        %d1 = arith.subf %s, %b1 : !s
        %e1 = math.exp2 %d1 : !s
        %p1 = arith.truncf %e1 : !s to !p
        %t:3 = scf.if %which -> (!m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %a, %p : !m, !o, !p
        } else {
          scf.yield %m1, %o1, %p1 : !m, !o, !p
        }
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %t#2, %v, %t#1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %t#0, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}
