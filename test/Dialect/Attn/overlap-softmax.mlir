// attn-overlap-softmax: the loop of consumers, rotated by half a tile.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' --remarks-filter='attn-overlap.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=attention | Remark="products are under way during the softmax:", loops=1
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=plain | Remark="products are under way during the softmax:", loops=1

// Of first rows the release needs the first number of a thread, and nothing else differs.
// RUN: sed 's/{overlap,/{overlap, first_rows,/' %s | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' -o %t.first
// RUN: grep -c 'after first' %t.first
// RUN: sed 's/after first/after/; s/first_rows, //' %t.first | diff %t -

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #row>

// Without a tile there is no first one: the loop's results are what it starts from. Before
// the loop, scores and softmax of the first tile, as they stood; P and the scaled sum go
// into it. In it, the scores of a tile are issued before P V of the last one, so that the
// wait for the scores leaves one product under way. The scale is computed meanwhile; the
// sum is scaled, and P is cut to 16 bits, when P V is there, since that one still reads the
// registers. The keys are given back in front of this wait, and not before the maximum.
// Behind the loop, P V of the last tile.

// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: attn.kernel @attention
// CHECK-DAG: %[[NONE:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x32xf32,
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32,
// CHECK-DAG: %[[LEAST:[^ ]+]] = arith.constant dense<-3.40282347E+38> : tensor<128xf32,
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK: %[[RQ:ring[^ ]*]] = attn.ring.create : <1 x
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK-NEXT: %[[RV:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK: attn.specialize producer 4 warps(24) {
// CHECK: } consumers(240) {
// CHECK-NEXT: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]] :
// CHECK-NEXT: %[[ANY:[^ ]+]] = arith.cmpi sgt, %[[N:[^ ]+]], %[[C0]] : index
// CHECK-NEXT: %[[R:[^ ]+]] = scf.if %[[ANY]] -> (tensor<128x64xf32,
// The first tile.
// CHECK-NEXT: %[[K0:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK0:[^ ]+]] = attn.dot.issue %[[Q]], %[[K0]], %[[NONE]] transpose_rhs :
// CHECK-NEXT: %[[S0:[^ ]+]] = attn.dot.wait %[[QK0]] :
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: %[[X0:[^ ]+]] = attn.reduce max %[[S0]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M0:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X0]] from %{{[^ ]+}}, %[[LEAST]] scale(
// CHECK-NEXT: %[[B0:[^ ]+]] = attn.broadcast %[[M0]] :
// CHECK-NEXT: %[[D0:[^ ]+]] = arith.subf %[[S0]], %[[B0]] :
// CHECK-NEXT: %[[E0:[^ ]+]] = math.exp2 %[[D0]] :
// CHECK-NEXT: %[[F0:[^ ]+]] = arith.subf %[[LEAST]], %[[M0]] :
// CHECK-NEXT: %[[G0:[^ ]+]] = math.exp2 %[[F0]] :
// CHECK-NEXT: %[[H0:[^ ]+]] = attn.broadcast %[[G0]] :
// CHECK-NEXT: %[[A0:[^ ]+]] = arith.mulf %[[H0]], %[[ZERO]] :
// CHECK-NEXT: %[[P0:[^ ]+]] = arith.truncf %[[E0]] :
// CHECK-NEXT: %[[L:[^ ]+]]:3 = scf.for %{{[^ ]+}} = %[[C1]] to %[[N]] step %[[C1]] iter_args(%[[M1:[^ ]+]] = %[[M0]], %[[A1:[^ ]+]] = %[[A0]], %[[P1:[^ ]+]] = %[[P0]]) ->
// Scores of this tile, values of the last.
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %[[Q]], %[[K]], %[[NONE]] transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 1 :
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[M]] :
// CHECK-NEXT: %[[D:[^ ]+]] = arith.subf %[[S]], %[[B]] :
// CHECK-NEXT: %[[E:[^ ]+]] = math.exp2 %[[D]] :
// CHECK-NEXT: %[[F:[^ ]+]] = arith.subf %[[M1]], %[[M]] :
// CHECK-NEXT: %[[G:[^ ]+]] = math.exp2 %[[F]] :
// CHECK-NEXT: %[[H:[^ ]+]] = attn.broadcast %[[G]] :
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %[[M]] :
// CHECK-NEXT: %[[O1:[^ ]+]] = attn.dot.wait %[[PV1]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: %[[A:[^ ]+]] = arith.mulf %[[O1]], %[[H]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[E]] :
// CHECK-NEXT: scf.yield %[[M]], %[[A]], %[[P]] :
// CHECK-NEXT: }
// The last tile's values.
// CHECK-NEXT: %[[V2:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV2:[^ ]+]] = attn.dot.issue %[[L]]#2, %[[V2]], %[[L]]#1 stage 1 :
// CHECK-NEXT: %[[O2:[^ ]+]] = attn.dot.wait %[[PV2]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: scf.yield %[[O2]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ZERO]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.store %[[R]],
// CHECK-NEXT: attn.ring.release %[[RQ]] :
attn.kernel @attention(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %sq = attn.ring.acquire %rq : <1 x !q> -> <!q>
      %pq = attn.ring.issue %sq, %x[%cta, %c0] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pq : <!q>
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
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
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %a stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// A sum that is not scaled, and no maximum: the release of the keys stays where it is.

// CHECK-LABEL: attn.kernel @plain
// CHECK: } consumers(240) {
// CHECK: scf.if
// CHECK: attn.dot.issue {{.*}} transpose_rhs
// CHECK: %[[L:[^ ]+]]:2 = scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[A1:[^ ]+]] = %{{[^ ]+}}, %[[P1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK:[^ ]+]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %{{[^ ]+}}, %[[K]], %{{[^ ]+}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV:[^ ]+]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 1 :
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK-NEXT: %[[O1:[^ ]+]] = attn.dot.wait %[[PV1]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: scf.yield %[[O1]], %[[P]] :
attn.kernel @plain(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
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
        %p = arith.truncf %s : !s to !p
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

// Keys that are the same for all tiles, which the loop does not give back: no release is held
// back. Only what is of use to the next product alone stays behind
// the wait for this one: P in another layout, but not P, which is carried besides.

// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=kept | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @kept
// CHECK-DAG: %[[LEAST:[^ ]+]] = arith.constant dense<-3.40282347E+38> : tensor<128xf32,
// CHECK-DAG: %[[HALF:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x32xbf16,
// CHECK: } consumers(240) {
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK:[^ ]+]] :
// CHECK: scf.if
// CHECK: %[[L:[^ ]+]]:4 = scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[A1:[^ ]+]] = %{{[^ ]+}}, %[[M1:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}, %[[P1:[^ ]+]] = %{{[^ ]+}}) ->
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %{{[^ ]+}}, %[[K]], %{{[^ ]+}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV:[^ ]+]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 1 :
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: %[[H:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: %[[O1:[^ ]+]] = attn.dot.wait %[[PV1]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: %[[P:[^ ]+]] = attn.convert_layout %[[H]] :
// CHECK-NEXT: scf.yield %[[O1]], %[[M]], %[[H]], %[[P]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[V2:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV2:[^ ]+]] = attn.dot.issue %[[L]]#3, %[[V2]], %[[L]]#0 stage 1 :
// CHECK-NEXT: %[[O2:[^ ]+]] = attn.dot.wait %[[PV2]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: scf.yield %[[O2]], %[[L]]#1, %[[L]]#2 :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[LEAST]], %[[HALF]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.release %[[RK]] :
#other = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(8, 0), 2:(0, 1), 4:(0, 8)]>
!p2 = tensor<128x32xbf16, #other>
attn.kernel @kept(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.0> : !p
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero, %m1 = %least, %e1 = %half) -> (!o, !m, !p) {
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %h = arith.truncf %s : !s to !p
        %p = attn.convert_layout %h : !p to !p2
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p2, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %o, %m, %h : !o, !m, !p
      }
      attn.ring.release %rk : <2 x !k>
      attn.store %r#0, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %r#1, %y[%n, %c0] : !m -> <?x64xf32>
      attn.store %r#2, %x[%n, %c0] : !p -> <?x64xbf16>
    }
  }
}

// Loops that go on where the one before ended, as for tiles without a mask and with one, are one
// chain: the first tile is that of the first loop which has any, and the last tile's values come
// behind the last loop. A loop begins with its second tile if no tile came before. What may hold a
// release back must be a number, from the first tile on: that of a loop is, where the one before
// started from one.

// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=chain | Remark="products are under way during the softmax:", loops=3
// CHECK-LABEL: attn.kernel @chain
// CHECK-SAME: %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[C:[^ ]+]]: index, %[[D:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32,
// CHECK-DAG: %[[LEAST:[^ ]+]] = arith.constant dense<-3.40282347E+38> : tensor<128xf32,
// CHECK: attn.ring.create : <1 x
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK-NEXT: %[[RV:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK: } consumers(240) {
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: %[[RUN0:[^ ]+]] = arith.cmpi slt, %[[A]], %[[B]] : index
// CHECK-NEXT: %[[RUN1:[^ ]+]] = arith.cmpi slt, %[[B]], %[[C]] : index
// CHECK-NEXT: %[[ANY1:[^ ]+]] = arith.ori %[[RUN0]], %[[RUN1]] : i1
// CHECK-NEXT: %[[RUN2:[^ ]+]] = arith.cmpi slt, %[[C]], %[[D]] : index
// CHECK-NEXT: %[[ANY2:[^ ]+]] = arith.ori %[[ANY1]], %[[RUN2]] : i1
// CHECK-NEXT: %[[R:[^ ]+]]:2 = scf.if %[[ANY2]] -> (
// CHECK-NEXT: %[[F:[^ ]+]]:2 = scf.if %[[RUN0]] -> (
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK: arith.index_cast %[[A]] : index to i32
// CHECK-NOT: attn.ring
// CHECK: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[G:[^ ]+]]:2 = scf.if %[[RUN1]] -> (
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK: arith.index_cast %[[B]] : index to i32
// CHECK-NOT: attn.ring
// CHECK: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] : <
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK: arith.index_cast %[[C]] : index to i32
// CHECK-NOT: attn.ring
// CHECK: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: scf.yield %{{[^ ]+}}, %[[P]] :
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[G]]#0, %[[G]]#1 :
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND0:[^ ]+]] = arith.addi %[[A]], %[[C1]] : index
// CHECK-NEXT: %[[L0:[^ ]+]]:3 = scf.for %[[J:[^ ]+]] = %[[SECOND0]] to %[[B]] step %[[C1]] iter_args(%[[M1:[^ ]+]] = %[[F]]#0, %[[A1:[^ ]+]] = %[[ZERO]], %[[P1:[^ ]+]] = %[[F]]#1) ->
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: attn.dot.wait %[[QK]] outstanding 1 :
// CHECK: arith.index_cast %[[J]] : index to i32
// CHECK: %[[MJ:[^ ]+]] = arith.maximumf %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[MJ]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %[[M]] :
// CHECK-NEXT: attn.dot.wait %[[PV1]] : <
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND1:[^ ]+]] = arith.addi %[[B]], %[[C1]] : index
// CHECK-NEXT: %[[FROM1:[^ ]+]] = arith.select %[[RUN0]], %[[B]], %[[SECOND1]] : index
// CHECK-NEXT: %[[L1:[^ ]+]]:3 = scf.for %[[J:[^ ]+]] = %[[FROM1]] to %[[C]] step %[[C1]] iter_args(%[[M1:[^ ]+]] = %[[L0]]#0, %[[A1:[^ ]+]] = %[[L0]]#1, %[[P1:[^ ]+]] = %[[L0]]#2) ->
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: attn.dot.wait %[[QK]] outstanding 1 :
// CHECK: arith.index_cast %[[J]] : index to i32
// CHECK: %[[MJ:[^ ]+]] = arith.maximumf %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[MJ]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %[[M]] :
// CHECK-NEXT: attn.dot.wait %[[PV1]] : <
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND2:[^ ]+]] = arith.addi %[[C]], %[[C1]] : index
// CHECK-NEXT: %[[FROM2:[^ ]+]] = arith.select %[[ANY1]], %[[C]], %[[SECOND2]] : index
// CHECK-NEXT: %[[L2:[^ ]+]]:3 = scf.for %[[J:[^ ]+]] = %[[FROM2]] to %[[D]] step %[[C1]] iter_args(%[[M1:[^ ]+]] = %[[L1]]#0, %[[A1:[^ ]+]] = %[[L1]]#1, %[[P1:[^ ]+]] = %[[L1]]#2) ->
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs :
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV1:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: attn.dot.wait %[[QK]] outstanding 1 :
// CHECK: arith.index_cast %[[J]] : index to i32
// CHECK: %[[MJ:[^ ]+]] = arith.maximumf %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[MJ]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %[[M]] :
// CHECK-NEXT: attn.dot.wait %[[PV1]] : <
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[V2:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV2:[^ ]+]] = attn.dot.issue %[[L2]]#2, %[[V2]], %[[L2]]#1 stage 1 :
// CHECK-NEXT: %[[O2:[^ ]+]] = attn.dot.wait %[[PV2]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: scf.yield %[[L2]]#0, %[[O2]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[LEAST]], %[[ZERO]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.store %[[R]]#1,
attn.kernel @chain(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %a: index, %b: index, %c: index, %d: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %first:2 = scf.for %j = %a to %b step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %js = tensor.splat %jf : !m
        %mj = arith.maximumf %js, %max : !m
        %km, %m, %am = attn.advance %mj from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %next:2 = scf.for %j = %b to %c step %c1 iter_args(%m1 = %first#0, %o1 = %first#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %js = tensor.splat %jf : !m
        %mj = arith.maximumf %js, %max : !m
        %km, %m, %am = attn.advance %mj from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %last:2 = scf.for %j = %c to %d step %c1 iter_args(%m1 = %next#0, %o1 = %next#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %js = tensor.splat %jf : !m
        %mj = arith.maximumf %js, %max : !m
        %km, %m, %am = attn.advance %mj from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// Loops by themselves: what the first gives is used besides; P of the next has another layout; the
// next lies in a branch; it does not go on with the sum.

// REMARK-COUNT-5: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=unchained | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @unchained
// CHECK: } consumers(240) {
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
attn.kernel @unchained(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %first:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %first#0, %y[%cta, %c0] : !m -> <?x64xf32>
      %next:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %first#0, %o1 = %first#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %other:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %next#0, %o1 = %next#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p0 = arith.truncf %s : !s to !p
        %p = attn.convert_layout %p0 : !p to !p2
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p2, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %inner:2 = scf.if %b -> (!m, !o) {
      %nested:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %other#0, %o1 = %other#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p0 = arith.truncf %s : !s to !p
        %p = attn.convert_layout %p0 : !p to !p2
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p2, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
        scf.yield %nested#0, %nested#1 : !m, !o
      } else {
        scf.yield %least, %zero : !m, !o
      }
      %last:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %inner#0, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// Nor is it a chain where something happens in between, or where values come from another ring.

// REMARK-COUNT-3: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=between | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @between
// CHECK: } consumers(240) {
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: attn.ring.release %{{[^ ]+}} : <1 x
// CHECK-NEXT: attn.ring.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK: %{{[^ ]+}} = attn.dot.wait {{.*}} : <
// CHECK: scf.for
// CHECK: outstanding 1 :
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
attn.kernel @between(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %rw = attn.ring.create : <2 x !k>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %first:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.ring.release %rq : <1 x !q>
      %q2 = attn.ring.wait %rq : <1 x !q> -> !q
      %next:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %first#0, %o1 = %first#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q2, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %last:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %next#0, %o1 = %next#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rw : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rw : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// A release of values waits for nothing any more: what it waited for is of an earlier tile.

// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=release | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @release
// CHECK: } consumers(240) {
// CHECK: outstanding 1 :
// CHECK: attn.ring.release {{.*}} after %
// CHECK-NEXT: attn.dot.wait
// CHECK-NEXT: attn.ring.release %[[RV:[^ ]+]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: attn.ring.release %[[RV]] : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: attn.store
attn.kernel @release(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %last:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k> after %m : !m
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// It is one where it starts from no less than one, and where both of two branches do.

// REMARK-COUNT-2: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=held | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @held
// CHECK: } consumers(240) {
// CHECK: outstanding 1 :
// CHECK-NOT: attn.ring.release
// CHECK: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %
// CHECK: outstanding 1 :
// CHECK-NOT: attn.ring.release
// CHECK: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>> after %
attn.kernel @held(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %other = attn.reduce max %zero : !o
      %kmore, %more, %amore = attn.advance %other from %ones, %least scale(0.5) : !m
      %first:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %more, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %chosen = scf.if %b -> !m {
        %kmost, %most, %amost = attn.advance %first#0 from %ones, %least scale(0.5) : !m
        scf.yield %most : !m
      } else {
        scf.yield %least : !m
      }
      %last:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %chosen, %o1 = %first#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// A maximum is none where it starts from -inf, or where one of two branches, or a loop before, gives that.
// Then the release stays behind the scores.

// REMARK-COUNT-4: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=infinite | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @infinite
// CHECK: } consumers(240) {
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: attn.store
attn.kernel @infinite(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %infinite = arith.constant dense<0xFF800000> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %inf:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %infinite, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %then = scf.if %b -> !m {
        scf.yield %infinite : !m
      } else {
        scf.yield %least : !m
      }
      %either:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %then, %o1 = %inf#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %else = scf.if %b -> !m {
        scf.yield %least : !m
      } else {
        scf.yield %infinite : !m
      }
      %or:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %else, %o1 = %either#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %before = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %infinite) -> !m {
        %km, %m, %am = attn.advance %infinite from %ones, %m1 scale(0.5) : !m
        scf.yield %m : !m
      }
      %last:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %before, %o1 = %or#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// Nor where nobody knows: it comes from other arithmetic, from a loop that does not compute a
// maximum, or from round to round of a loop around this one.

// REMARK-COUNT-3: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=unknown | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @unknown
// CHECK: } consumers(240) {
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: attn.store
attn.kernel @unknown(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %other = attn.reduce max %zero : !o
      %any:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %other, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %falling = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least) -> !m {
        %m = arith.addf %m1, %least : !m
        scf.yield %m : !m
      }
      %fallen:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %falling, %o1 = %any#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%mi = %least, %oi = %fallen#1) -> (!m, !o) {
      %inner:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %mi, %o1 = %oi) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
        scf.yield %inner#0, %inner#1 : !m, !o
      }
      attn.store %last#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %last#0, %y[%cta, %c0] : !m -> <?x64xf32>
    }
  }
}

// Nor where it is known too late, since it follows from the sum; where it is no maximum of this tile;
// and where it is not one of rows, but of a tile, or a number by itself.

// REMARK-COUNT-4: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=elsewhere | Remark="products are under way during the softmax:", loops=1
// CHECK-LABEL: attn.kernel @elsewhere
// CHECK: } consumers(240) {
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: outstanding 1 :
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <2 x tensor<32x64xbf16, #[[SHARED]]>>{{$}}
// CHECK: attn.store
attn.kernel @elsewhere(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %low = arith.constant -3.40282347E+38 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %late:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %rows = attn.reduce max %o1 : !o
        %more = arith.maximumf %max, %rows : !m
        %km, %m, %am = attn.advance %more from %ones, %m1 scale(0.5) : !m
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !m, !o
      }
      %koutside, %outside, %aoutside = attn.advance %late#0 from %ones, %least scale(0.5) : !m
      %same:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %o1 = %late#1) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %b2 = attn.broadcast %max : !m to !o
        %a = arith.mulf %o1, %b2 : !o
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %a stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %outside, %o : !m, !o
      }
      %wide:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %none, %o1 = %same#1) -> (!s, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %m = arith.maximumf %m1, %s : !s
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : !s, !o
      }
      %scalar:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %low, %o1 = %wide#1) -> (f32, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %max = attn.reduce max %s : !s
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %m = arith.maximumf %m1, %jf : f32
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %m, %o : f32, !o
      }
      %rows = tensor.splat %scalar#0 : !m
      attn.store %scalar#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.store %rows, %y[%cta, %c0] : !m -> <?x64xf32>
      attn.store %wide#0, %y[%cta, %c0] : !s -> <?x64xf32>
    }
  }
}

// Each loop is looked at by itself: the second one stays.

// CHECK-LABEL: attn.kernel @loops
// CHECK: } consumers(240) {
// CHECK: scf.if
// CHECK-COUNT-2: attn.dot.issue
// CHECK: outstanding 1
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait %{{[^ ]+}} : <
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: scf.yield
attn.kernel @loops(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %one = arith.constant dense<1.0> : !p
      %first = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !o {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !o
      }
      // REMARK: overlap-softmax.mlir:[[# @LINE + 1]]:17: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=loops | Remark="a loop does not have asynchronous products of two stages"
      %second = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %first) -> !o {
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %one, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !o
      }
      attn.store %second, %y[%cta, %c0] : !o -> <?x64xf32>
    }
  }
}
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=loops | Remark="products are under way during the softmax:", loops=1

// In the pipeline: a loop without a mask, and one with. The numbers of both are.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s --check-prefix=PIPE
// PIPE: } consumers({{[0-9]+}}) {
// PIPE: outstanding 1 :
// PIPE: attn.ring.release {{.*}} after %
// PIPE: outstanding 1 :
// PIPE: attn.ring.release {{.*}} after %
// PIPE-NOT: {{outstanding 1 :|after %}}
