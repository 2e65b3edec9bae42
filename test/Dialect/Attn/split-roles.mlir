// attn-split-roles: a producer that fills the rings, consumers that compute.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles),cse,canonicalize)' -o %t
// RUN: FileCheck %s --input-file=%t
// By itself it leaves neither loops of the producer that carry tiles nor, to consumers, arithmetic
// for copies only.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=ALONE
// Twice is once.
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-split-roles),cse,canonicalize)' | diff %t -

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>

// The producer has what fills rings and the arithmetic of its places, and loops that carry
// no tiles; consumers have the rest, and no condition on what is ahead of them. Rings are
// in front of both. Registers: 65536 are 168 for each of 384 threads at the launch (a
// multiple of 8), which is 40 + 2 x 232 for a thread of each group.

// CHECK-LABEL: attn.kernel @attention
// CHECK-SAME: producer_warps = 4 : i64, threads = 256 : i64
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #{{acc[0-9]*}}>
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: %[[RQ:ring[^ ]*]] = attn.ring.create : <1 x
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK-NEXT: %[[RV:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK: attn.ctas %[[CTA:[^ ]+]] in
// CHECK-NEXT: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[CTA]], %[[C128]]
// CHECK-NEXT: %[[SQ:[^ ]+]] = attn.ring.acquire %[[RQ]] :
// CHECK-NEXT: %[[PQ:[^ ]+]] = attn.ring.issue %[[SQ]], %{{[^ ]+}}[%[[ROW]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[PQ]] :
// CHECK-NEXT: scf.for %[[J:[^ ]+]] = %[[C0]] to %{{[^ ]+}} step %[[C1]] {
// CHECK-NEXT: %[[KEY:[^ ]+]] = arith.muli %[[J]], %[[C32]]
// CHECK-NEXT: %[[SOME:[^ ]+]] = arith.cmpi slt, %[[KEY]],
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK-NEXT: %[[SK:[^ ]+]] = attn.ring.acquire %[[RK]] ahead 1 :
// CHECK-NEXT: %[[PK:[^ ]+]] = attn.ring.issue %[[SK]], %{{[^ ]+}}[%[[KEY]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[PK]] :
// CHECK-NEXT: %[[SV:[^ ]+]] = attn.ring.acquire %[[RV]] ahead 1 :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.ring.issue %[[SV]], %{{[^ ]+}}[%[[KEY]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[PV]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } consumers(232) {
// CHECK-NEXT: %[[ROW2:[^ ]+]] = arith.muli %[[CTA]], %[[C128]]
// CHECK-NEXT: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]] :
// CHECK-NEXT: %[[R:[^ ]+]] = scf.for %{{[^ ]+}} = %[[C0]] to %{{[^ ]+}} step %[[C1]] iter_args(%[[A:[^ ]+]] = %[[ZERO]]) -> (tensor<128x64xf32,
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK]] :
// CHECK-NEXT: %[[QK:[^ ]+]] = attn.dot.issue %[[Q]], %[[K]],
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] :
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %[[RV]] :
// CHECK-NEXT: %[[PV:[^ ]+]] = attn.dot.issue %[[P]], %[[V]], %[[A]] :
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait %[[PV]] :
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: scf.yield %[[O]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.store %[[R]], %{{[^ ]+}}[%[[ROW2]], %[[C0]]] :
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: attn.return
// ALONE-LABEL: attn.kernel @attention
// ALONE: attn.specialize
// ALONE-NOT: {{iter_args|ub.poison|attn.dot}}
// ALONE: } consumers(232) {
// ALONE: scf.for
// ALONE-NOT: {{arith.muli|arith.cmpi|scf.if}}
// ALONE: attn.return
attn.kernel @attention(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  attn.ctas %cta in %n {
    %row = arith.muli %cta, %c128 : index
    %sq = attn.ring.acquire %rq : <1 x !q> -> <!q>
    %pq = attn.ring.issue %sq, %x[%row, %c0] : <!q>, <?x64xbf16> -> <!q>
    attn.ring.land %pq : <!q>
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> !o {
      %key = arith.muli %j, %c32 : index
      %some = arith.cmpi slt, %key, %n : index
      scf.if %some {
        %sk = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %pk = attn.ring.issue %sk, %x[%key, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %pk : <!k>
        %sv = attn.ring.acquire %rv ahead 1 : <2 x !k> -> <!k>
        %pv = attn.ring.issue %sv, %x[%key, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %pv : <!k>
      }
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %po = attn.dot.issue %p, %v, %a : !p, !k, !o -> <!o>
      %o = attn.dot.wait %po : <!o> -> !o
      attn.ring.release %rv : <2 x !k>
      scf.yield %o : !o
    }
    attn.store %r, %y[%row, %c0] : !o -> <?x64xf32>
    attn.ring.release %rq : <1 x !q>
  }
}

// Registers of other numbers of consumers. One group whose rings leave shared memory for a second
// CTA leaves registers for it, too: 128 at the launch, 2 x 128 - 40 afterwards. Alone on an SM it could
// have more than a thread is given. Three groups have 128 each at the launch, (4 x 128 - 32) / 3
// afterwards, which leaves the producer the fewest that it may have.

// CHECK-LABEL: attn.kernel @one
// CHECK: attn.specialize producer 4 warps(32) {
// CHECK: } consumers(224) {
attn.kernel @one(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}
// CHECK-LABEL: attn.kernel @alone
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK: } consumers(240) {
attn.kernel @alone(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %r = attn.ring.create : <30 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <30 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <30 x !k> -> !k
    attn.ring.release %r : <30 x !k>
  }
}
// CHECK-LABEL: attn.kernel @three
// CHECK: attn.specialize producer 4 warps(32) {
// CHECK: } consumers(160) {
attn.kernel @three(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 384 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}

// Four have 96 (65536 / 640 is 102) at the launch: (5 x 96 - 32) / 4.

// CHECK-LABEL: attn.kernel @four
// CHECK: attn.specialize producer 4 warps(32) {
// CHECK: } consumers(112) {
attn.kernel @four(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 512 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}

// A branch that gives tiles, as of a masked and an unmasked body, is one of the producer that
// gives none.

// CHECK-LABEL: attn.kernel @branch
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: scf.if %{{[^ ]+}} {
// CHECK-NEXT: attn.ring.acquire
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: }
// CHECK-NEXT: } consumers(232) {
// CHECK-NEXT: %[[R:[^ ]+]] = scf.if %{{[^ ]+}} -> (tensor<128x64xf32,
// CHECK-NOT: {{attn.ring.(acquire|issue|land)}}
// CHECK: attn.store %[[R]],
// ALONE-LABEL: attn.kernel @branch
// ALONE: attn.specialize
// ALONE-NEXT: scf.if %{{[^ ]+}} {
// ALONE-NOT: {{ub.poison|scf.yield}}
// ALONE: } consumers(232) {
attn.kernel @branch(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %b: i1) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  %p = arith.constant dense<1.0> : !p
  %zero = arith.constant dense<0.0> : !o
  attn.ctas %cta in %n {
    %o = scf.if %b -> !o {
      %sv = attn.ring.acquire %r : <2 x !k> -> <!k>
      %pv = attn.ring.issue %sv, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
      attn.ring.land %pv : <!k>
      %v = attn.ring.wait %r : <2 x !k> -> !k
      %d = attn.dot.issue %p, %v, %zero : !p, !k, !o -> <!o>
      %t = attn.dot.wait %d : <!o> -> !o
      attn.ring.release %r : <2 x !k>
      scf.yield %t : !o
    } else {
      scf.yield %zero : !o
    }
    attn.store %o, %y[%cta, %cta] : !o -> <?x64xf32>
  }
}

// Tiles that stay for a whole visit, here Q and a tile beside it, come last of what the producer
// fills before its loop: in a persistent CTA their slots are free when the visit before is over,
// those of streamed tiles earlier. Arithmetic stays in place. Nothing moves over a loop, be it in
// a branch, as in the second visit here.

// CHECK-LABEL: attn.kernel @resident
// CHECK: %[[RQ:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK-NEXT: %[[RA:ring[^ ]*]] = attn.ring.create : <1 x
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: scf.for %[[T:[^ ]+]] =
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[T]],
// CHECK-NEXT: %[[SOME:[^ ]+]] = arith.cmpi slt
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.cmpi sgt
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK-NEXT: attn.ring.acquire %[[RK]] :
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: attn.ring.acquire %[[RK]] :
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: }
// CHECK-NEXT: %[[SQ:[^ ]+]] = attn.ring.acquire %[[RQ]] :
// CHECK-NEXT: %[[PQ:[^ ]+]] = attn.ring.issue %[[SQ]], %{{[^ ]+}}[%[[ROW]], %[[T]]] :
// CHECK-NEXT: attn.ring.land %[[PQ]]
// CHECK-NEXT: %[[SA:[^ ]+]] = attn.ring.acquire %[[RA]] :
// CHECK-NEXT: %[[PA:[^ ]+]] = attn.ring.issue %[[SA]], %{{[^ ]+}}[%[[ROW]], %[[ROW]]] :
// CHECK-NEXT: attn.ring.land %[[PA]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: attn.ring.acquire %[[RK]] ahead 1 :
// CHECK: }
// CHECK-NEXT: attn.ring.acquire %[[RQ]] :
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.acquire %[[RA]] :
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: } consumers(232) {
attn.kernel @resident(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <2 x !q>
  %ra = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  attn.ctas %cta in %n {
    scf.for %t = %cta to %n step %n {
      %row = arith.muli %t, %c128 : index
      %sq = attn.ring.acquire %rq : <2 x !q> -> <!q>
      %pq = attn.ring.issue %sq, %x[%row, %t] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pq : <!q>
      %sa = attn.ring.acquire %ra : <1 x !q> -> <!q>
      %pa = attn.ring.issue %sa, %x[%row, %row] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pa : <!q>
      %some = arith.cmpi slt, %row, %n : index
      %more = arith.cmpi sgt, %t, %n : index
      scf.if %some {
        %s = attn.ring.acquire %rk : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%t, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      } {attn.ahead}
      scf.if %more {
        %s = attn.ring.acquire %rk : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%row, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      } {attn.ahead}
      scf.for %j = %c0 to %n step %c1 {
        %s = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%j, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      }
      %sr = attn.ring.acquire %rq : <2 x !q> -> <!q>
      %pr = attn.ring.issue %sr, %x[%row, %t] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pr : <!q>
      scf.if %some {
        scf.for %j = %c0 to %n step %c1 {
          %s = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
          %p = attn.ring.issue %s, %x[%j, %c0] : <!k>, <?x64xbf16> -> <!k>
          attn.ring.land %p : <!k>
        }
      }
      %sb = attn.ring.acquire %ra : <1 x !q> -> <!q>
      %pb = attn.ring.issue %sb, %x[%row, %row] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pb : <!q>
      scf.for %j = %c0 to %n step %c1 {
        %s = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%j, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      }
      scf.if %more {
        %s = attn.ring.acquire %rk : <2 x !k> -> <!k>
        %p = attn.ring.issue %s, %x[%row, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %p : <!k>
      }
    }
  }
}

// In the pipeline: nothing but copies before the consumers, none behind.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles),cse,canonicalize)' -o %t.split
// RUN: FileCheck %s --check-prefix=PIPE --input-file=%t.split
// PIPE: attn.specialize producer 4 warps({{[0-9]+}}) {
// PIPE-NOT: {{attn.ring.(wait|release)|attn.dot|attn.store|iter_args|attn.fragment|math|ub.poison}}
// PIPE: } consumers({{[0-9]+}}) {
// PIPE-NOT: {{attn.ring.(acquire|issue|land)|ub.poison}}
// PIPE: attn.return

// With pairs of tiles and two stages of Q: in each visit K before Q, which the visit before may hold still.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64 persistent resident=1 pair-tiles' --lower='wgmma=all specialize resident-stages=2' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles),cse,canonicalize)' | FileCheck %s --check-prefix=VISITS
// VISITS-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// VISITS: attn.specialize producer
// VISITS-NEXT: scf.for %[[PAIR:[^ ]+]] =
// VISITS: scf.for %[[TILE:[^ ]+]] =
// VISITS-NOT: attn.ring.acquire
// VISITS: scf.if
// VISITS-NEXT: attn.ring.acquire %{{[^ ]+}} : <2 x tensor<64x128xbf16, #[[SHARED]]>>
// VISITS: attn.ring.acquire %[[RQ:[^ ]+]] : <2 x tensor<128x128xbf16, #[[SHARED]]>>
// VISITS: scf.for
// VISITS-NOT: attn.ring.acquire %[[RQ]] :
// VISITS: } consumers(
// VISITS: attn.ring.wait %[[RQ]] :
// VISITS: attn.store
// VISITS-NEXT: attn.ring.release %[[RQ]] :
