// attn-overlap-softmax: loops of which attn.settle says in their first visit how the others go are there twice.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' --remarks-filter='attn-overlap.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t --implicit-check-not=attn.settle --implicit-check-not=attn.part
// REMARK: remark: [Passed] settled | Category:attn-overlap-softmax | Function=settled | Remark="loops are there twice, once with the maximum of each tile", loops=1
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=settled | Remark="products are under way during the softmax:", loops=1
// REMARK: remark: [Passed] settled | Category:attn-overlap-softmax | Function=chain | {{.*}} loops=2
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=chain | {{.*}} loops=2
// REMARK: remark: [Passed] settled | Category:attn-overlap-softmax | Function=outside | {{.*}} loops=1
// REMARK: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=outside | {{.*}} loops=1

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #row>

// Of which nothing is said, or nothing that is handed on, are there once. So is a chain that has one of them.
// RUN: sed '/attn.settle/d; s/.l3/%%now#1/' %s | attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' -o %t.none --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=ONCE --implicit-check-not="[Passed] settled"
// RUN: FileCheck %s --input-file=%t.none --check-prefix=NONE --implicit-check-not=attn.often
// RUN: sed 's/yield .now#0, .l3,/yield %%now#0, %%now#1,/' %s | attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.often
// RUN: sed '/^ *.z:3 = /,$ { /attn.settle/d; s/.l3/%%now#1/; }' %s | attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s --check-prefix=PART
// So are loops whose `peaked` follows from more than the sums and what is in front of the loop: the induction variable, the reference
// that the branch gives, the scores; loops without a branch that holds first; and chains whose first tile is masked.
// DEFINE: %{once} = attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' --remarks-filter='attn-overlap.*'
// RUN: sed -E 's/^( *%%peaked = ).*/%%b = arith.index_cast %%j : index to i1 %%bs = tensor.splat %%b : tensor<128xi1, #row> %%bl = arith.cmpf olt, %%now#1, %%few : !m \1 arith.andi %%bl, %%bs : tensor<128xi1, #row>/' %s > %t.iv.mlir
// RUN: sed -E 's/(cmpf olt, %%now#)1/\10/' %s > %t.reference.mlir
// RUN: sed -E 's/^( *%%peaked = ).*/%%sx = attn.reduce max %%s : !s %%bs = arith.cmpf olt, %%sx, %%few : !m %%bl = arith.cmpf olt, %%now#1, %%few : !m \1 arith.andi %%bl, %%bs : tensor<128xi1, #row>/' %s > %t.scores.mlir
// RUN: sed 's/ holds_first//' %s > %t.any.mlir
// RUN: sed -E 's/^( *%%s = attn.dot.wait .*)/\1 %%mc = arith.cmpf olt, %%s, %%none : !s %%sm = arith.select %%mc, %%s, %%none : tensor<128x32xi1, #acc>, !s/' %s > %t.masked.mlir
// RUN: for f in iv reference scores any masked; do %{once} %t.$f.mlir -o %t.$f 2>&1 | FileCheck %s --check-prefix=ONCE --implicit-check-not="[Passed] settled" || exit 1; \
// RUN:   FileCheck %s --input-file=%t.$f --check-prefix=NONE --implicit-check-not=attn.often || exit 1; done
// ONCE-COUNT-3: remark: [Passed] overlapped
// NONE-LABEL: attn.kernel @settled
// NONE-COUNT-1: scf.for
// NONE-NOT: scf.for
// NONE-LABEL: attn.kernel @chain
// NONE-COUNT-2: scf.for
// NONE-NOT: scf.for
// NONE-LABEL: attn.kernel @outside
// PART-LABEL: attn.kernel @settled
// PART: attn.often
// PART-LABEL: attn.kernel @chain
// PART-NOT: attn.often
// PART: attn.return

// With `last` versions stand behind each other, and the last tile is one of the maximum of each tile, whatever the threads say: each loop
// up to there with the branch, and from there on, or from the first tile on, without a test.
// RUN: sed -E 's/(attn.settle .* if %%peaked)/\1 last/' %s > %t.last.mlir
// RUN: %{once} %t.last.mlir -o %t.last 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.last --check-prefix=ENDS --implicit-check-not=attn.settle
// ENDS-LABEL: attn.kernel @settled
// ENDS: %[[OFTEN:[^ ]+]] = attn.often
// ENDS-NEXT: %[[END:[^ ]+]] = arith.subi %n, %c1 : index
// ENDS-NEXT: %[[BEHIND:[^ ]+]] = arith.maxsi %[[END]], %c1 : index
// ENDS-NEXT: %[[TURN:[^ ]+]] = arith.select %[[OFTEN]], %c1, %[[BEHIND]] : index
// ENDS-NEXT: %[[F:[^ ]+]]:4 = scf.for %{{[^ ]+}} = %c1 to %[[TURN]] step %c1 iter_args(
// ENDS: attn.any %{{[^ ]+}} holds_first :
// ENDS: scf.yield
// ENDS: %[[E:[^ ]+]]:4 = scf.for %{{[^ ]+}} = %[[TURN]] to %n step %c1 iter_args(%{{[^ ]+}} = %[[F]]#0, %{{[^ ]+}} = %[[F]]#1, %{{[^ ]+}} = %[[F]]#2, %{{[^ ]+}} = %[[F]]#3)
// ENDS-NOT: {{attn.any|scf.if|scf.for}}
// ENDS: attn.reduce max
// ENDS-NOT: {{attn.any|scf.if|scf.for}}
// ENDS: scf.yield %[[E]]#1, %[[E]]#2, %[[E]]#3 :
// ENDS-LABEL: attn.kernel @chain
// ENDS: attn.often
// ENDS-COUNT-4: scf.for
// ENDS-NOT: scf.for
// ENDS-LABEL: attn.kernel @outside
// A loop that masks its tiles is there once then, without a test. The steps of loops that do not count tiles are not known to end at the last one.
// RUN: sed -E '/^ *.z:3 = /,$ s/^( *%%s = attn.dot.wait .*)/\1 %%mc = arith.cmpf olt, %%s, %%none : !s %%sm = arith.select %%mc, %%s, %%none : tensor<128x32xi1, #acc>, !s/' %t.last.mlir > %t.tail.mlir
// RUN: %{once} %t.tail.mlir 2>/dev/null | FileCheck %s --check-prefix=TAIL
// TAIL-LABEL: attn.kernel @chain
// TAIL: attn.often
// TAIL: scf.for
// TAIL: holds_first
// TAIL-COUNT-2: scf.for
// TAIL-NOT: {{scf.for|holds_first}}
// TAIL-LABEL: attn.kernel @outside
// RUN: sed -E 's/step %%c1 iter_args/step %%n iter_args/' %t.last.mlir | attn-opt --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s --check-prefix=STEPS
// STEPS-LABEL: attn.kernel @settled
// STEPS: %[[OFTEN:[^ ]+]] = attn.often
// STEPS-NEXT: scf.if %[[OFTEN]] ->

// The first tile is there once; what is said of its sums is asked behind it, if there is another. One version has the
// maximum of each tile, no test, and products with the values under way during the softmax, and the keys wait for the reference.
// The other is what it was. The values of the last tile are there once, too.

// CHECK-LABEL: attn.kernel @settled
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create :
// CHECK-NEXT: %[[RK:[^ ]+]] = attn.ring.create :
// CHECK-NEXT: %[[RV:[^ ]+]] = attn.ring.create :
// CHECK: %[[R:[^ ]+]]:2 = scf.if %{{[^ ]+}} ->
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: attn.dot.wait
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK-NEXT: attn.reduce max
// CHECK-NEXT: %{{[^ ]+}}, %[[M0:[^ ]+]], %{{[^ ]+}} = attn.advance
// CHECK: %[[L0:[^ ]+]] = math.fma
// CHECK: %[[A0:[^ ]+]] = arith.mulf
// CHECK-NEXT: %[[P0:[^ ]+]] = arith.truncf
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.cmpi sgt, %n, %c1 : index
// CHECK-NEXT: %[[G:[^ ]+]]:3 = scf.if %[[MORE]] ->
// CHECK-NEXT: %[[PEAKED:[^ ]+]] = arith.cmpf olt, %[[L0]], %{{[^ ]+}} :
// CHECK-NEXT: %[[OFTEN:[^ ]+]] = attn.often %[[PEAKED]] : tensor<128xi1,
// CHECK-NEXT: %[[V:[^ ]+]]:3 = scf.if %[[OFTEN]] ->
// CHECK-NEXT: %[[E:[^ ]+]]:4 = scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[M1:[^ ]+]] = %[[M0]], %[[L1:[^ ]+]] = %[[L0]], %[[A1:[^ ]+]] = %[[A0]], %[[P1:[^ ]+]] = %[[P0]])
// CHECK-NEXT: attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue {{.*}} transpose_rhs
// CHECK-NEXT: %[[V1:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.issue %[[P1]], %[[V1]], %[[A1]] stage 1 :
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] outstanding 1 : <
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[S]] :
// CHECK-NEXT: %{{[^ ]+}}, %[[M:[^ ]+]], %{{[^ ]+}} = attn.advance %[[X]] from %{{[^ ]+}}, %[[M1]] scale(
// CHECK-NOT: attn.any
// CHECK-NOT: scf.if
// CHECK: attn.ring.release %[[RK]] : {{.*}} after %[[M]] :
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait %[[PV]] : <
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: arith.mulf %[[O]],
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: scf.yield %[[M]],
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[E]]#1, %[[E]]#2, %[[E]]#3 :
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[F:[^ ]+]]:4 = scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} iter_args(%[[MB:[^ ]+]] = %[[M0]], %[[LB:[^ ]+]] = %[[L0]], %[[AB:[^ ]+]] = %[[A0]], %[[PB:[^ ]+]] = %[[P0]])
// CHECK: attn.dot.issue {{.*}} transpose_rhs
// CHECK: attn.dot.issue %[[PB]], %{{[^ ]+}}, %[[AB]] stage 1 :
// CHECK-NEXT: attn.dot.wait %{{[^ ]+}} : <
// CHECK-NEXT: attn.ring.release %[[RK]] : <2 x tensor<32x64xbf16, #{{[a-z0-9]+}}>>{{$}}
// CHECK: %[[MISSED:[^ ]+]] = attn.any %{{[^ ]+}} holds_first :
// CHECK: scf.if %[[MISSED]] ->
// CHECK-NEXT: attn.reduce max
// CHECK: } else {
// CHECK: }
// CHECK: scf.yield %[[F]]#1, %[[F]]#2, %[[F]]#3 :
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V]]#0, %[[V]]#1, %[[V]]#2 :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[L0]], %[[A0]], %[[P0]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[LAST:[^ ]+]] = attn.dot.issue %[[G]]#2, %{{[^ ]+}}, %[[G]]#1 stage 1 :
// CHECK-NEXT: attn.dot.wait %[[LAST]] :
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: scf.yield %[[G]]#0,
// CHECK-NEXT: } else {
// CHECK-NOT: attn.dot.issue
attn.kernel @settled(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %lse: !attn.view<?xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %few = arith.constant dense<6.0> : !m
  %zeros = arith.constant dense<0.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %l1 = %zeros, %o1 = %zero) -> (!m, !m, !o) {
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
        %l2 = arith.addf %l1, %sum : !m
        %p1 = arith.truncf %e1 : !s to !p
        %now:4 = scf.if %missed -> (!m, !m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %st = attn.reduce sum %e : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %l = math.fma %l1, %g, %st : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %l, %a, %p : !m, !m, !o, !p
        } else {
          scf.yield %m1, %l2, %o1, %p1 : !m, !m, !o, !p
        }
        %peaked = arith.cmpf olt, %now#1, %few : !m
        %l3 = attn.settle %now#1 if %peaked : !m, tensor<128xi1, #row>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %now#3, %v, %now#2 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %now#0, %l3, %o : !m, !m, !o
      }
      attn.store %r#1, %lse[%c0] : !m -> <?xf32>
      attn.store %r#2, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// All loops of a chain are in one version, one behind the other, with one question, if any of them has another tile.

// CHECK-LABEL: attn.kernel @chain
// CHECK: %[[FIRST:[^ ]+]]:4 = scf.if
// CHECK: %[[MORE1:[^ ]+]] = arith.cmpi sgt, %n, %c1 : index
// CHECK: %[[MORE2:[^ ]+]] = arith.cmpi slt, %{{[^ ]+}}, %rest : index
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.ori %[[MORE1]], %[[MORE2]] : i1
// CHECK-NEXT: scf.if %[[MORE]] ->
// CHECK-NEXT: %[[PEAKED:[^ ]+]] = arith.cmpf olt, %[[FIRST]]#1,
// CHECK-NEXT: %[[OFTEN:[^ ]+]] = attn.often %[[PEAKED]] :
// CHECK: scf.if %[[OFTEN]] ->
// CHECK: %[[E:[^ ]+]]:4 = scf.for {{.*}} = %[[FIRST]]#0, {{.*}} = %[[FIRST]]#1, {{.*}} = %[[FIRST]]#2, {{.*}} = %[[FIRST]]#3)
// CHECK-NOT: attn.any
// CHECK: scf.for {{.*}} = %[[E]]#0, {{.*}} = %[[E]]#1, {{.*}} = %[[E]]#2, {{.*}} = %[[E]]#3)
// CHECK-NOT: attn.any
// CHECK: } else {
// CHECK: %[[F:[^ ]+]]:4 = scf.for {{.*}} = %[[FIRST]]#0, {{.*}} = %[[FIRST]]#1, {{.*}} = %[[FIRST]]#2, {{.*}} = %[[FIRST]]#3)
// CHECK: attn.any
// CHECK: scf.for {{.*}} = %[[F]]#0, {{.*}} = %[[F]]#1, {{.*}} = %[[F]]#2, {{.*}} = %[[F]]#3)
// CHECK: attn.any
// CHECK-NOT: attn.often
attn.kernel @chain(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %lse: !attn.view<?xf32>, %rest: index, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %few = arith.constant dense<6.0> : !m
  %zeros = arith.constant dense<0.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %l1 = %zeros, %o1 = %zero) -> (!m, !m, !o) {
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
        %l2 = arith.addf %l1, %sum : !m
        %p1 = arith.truncf %e1 : !s to !p
        %now:4 = scf.if %missed -> (!m, !m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %st = attn.reduce sum %e : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %l = math.fma %l1, %g, %st : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %l, %a, %p : !m, !m, !o, !p
        } else {
          scf.yield %m1, %l2, %o1, %p1 : !m, !m, !o, !p
        }
        %peaked = arith.cmpf olt, %now#1, %few : !m
        %l3 = attn.settle %now#1 if %peaked : !m, tensor<128xi1, #row>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %now#3, %v, %now#2 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %now#0, %l3, %o : !m, !m, !o
      }
      %z:3 = scf.for %j = %c0 to %rest step %c1 iter_args(%m1 = %r#0, %l1 = %r#1, %o1 = %r#2) -> (!m, !m, !o) {
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
        %l2 = arith.addf %l1, %sum : !m
        %p1 = arith.truncf %e1 : !s to !p
        %now:4 = scf.if %missed -> (!m, !m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %st = attn.reduce sum %e : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %l = math.fma %l1, %g, %st : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %l, %a, %p : !m, !m, !o, !p
        } else {
          scf.yield %m1, %l2, %o1, %p1 : !m, !m, !o, !p
        }
        %peaked = arith.cmpf olt, %now#1, %few : !m
        %l3 = attn.settle %now#1 if %peaked : !m, tensor<128xi1, #row>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %now#3, %v, %now#2 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %now#0, %l3, %o : !m, !m, !o
      }
      attn.store %z#1, %lse[%c0] : !m -> <?xf32>
      attn.store %z#2, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Which rows have a say may be known in front of the loop.

// CHECK-LABEL: attn.kernel @outside
// CHECK: %[[THOSE:[^ ]+]] = tensor.splat
// CHECK: %[[BELOW:[^ ]+]] = arith.cmpf olt
// CHECK: %[[PEAKED:[^ ]+]] = arith.andi %[[BELOW]], %[[THOSE]] :
// CHECK-NEXT: attn.often %[[PEAKED]] :
attn.kernel @outside(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %lse: !attn.view<?xf32>, %which: i1, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %least = arith.constant dense<-3.40282347E+38> : !m
  %ones = arith.constant dense<1.0> : !m
  %bound = arith.constant dense<65536.0> : !m
  %few = arith.constant dense<6.0> : !m
  %zeros = arith.constant dense<0.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %those = tensor.splat %which : tensor<128xi1, #row>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m1 = %least, %l1 = %zeros, %o1 = %zero) -> (!m, !m, !o) {
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
        %l2 = arith.addf %l1, %sum : !m
        %p1 = arith.truncf %e1 : !s to !p
        %now:4 = scf.if %missed -> (!m, !m, !o, !p) {
          %max = attn.reduce max %s : !s
          %km, %m, %am = attn.advance %max from %ones, %m1 scale(0.5) : !m
          %b = attn.broadcast %m : !m to !s
          %d = arith.subf %s, %b : !s
          %e = math.exp2 %d : !s
          %st = attn.reduce sum %e : !s
          %f = arith.subf %m1, %m : !m
          %g = math.exp2 %f : !m
          %l = math.fma %l1, %g, %st : !m
          %h = attn.broadcast %g : !m to !o
          %a = arith.mulf %o1, %h : !o
          %p = arith.truncf %e : !s to !p
          scf.yield %m, %l, %a, %p : !m, !m, !o, !p
        } else {
          scf.yield %m1, %l2, %o1, %p1 : !m, !m, !o, !p
        }
        %below = arith.cmpf olt, %now#1, %few : !m
        %peaked = arith.andi %below, %those : tensor<128xi1, #row>
        %l3 = attn.settle %now#1 if %peaked : !m, tensor<128xi1, #row>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %now#3, %v, %now#2 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %now#0, %l3, %o : !m, !m, !o
      }
      attn.store %r#1, %lse[%c0] : !m -> <?xf32>
      attn.store %r#2, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}
