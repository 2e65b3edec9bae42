// attn-split-roles: rows of a tile that stays, which each warpgroup gives back by itself, are copied part by part.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles),cse,canonicalize)' -o %t
// RUN: FileCheck %s --input-file=%t
// Twice is once.
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-split-roles),cse,canonicalize)' | diff %t -

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>

// Of two warpgroups each has 64 of the 128 rows, which another warp of the producer copies: it waits
// for no other warpgroup, and has nothing of the keys, whose ring has no parts. What is left is
// for the first warp. Those who compute know nothing of it.

// CHECK-LABEL: attn.kernel @visits
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK: %[[RQ:ring[^ ]*]] = attn.ring.create own_rows parts 2 : <1 x
// CHECK-NEXT: %[[RK:ring[^ ]*]] = attn.ring.create : <2 x
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[N:[^ ]+]] {
// CHECK-NEXT: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: attn.beside 1 {
// CHECK-NEXT: scf.for %[[T1:[^ ]+]] = %[[CTA]] to %[[N]] step %[[N]] {
// CHECK-NEXT: %[[ROW1:[^ ]+]] = arith.muli %[[T1]], %[[C128]]
// CHECK-NEXT: %[[S1:[^ ]+]] = attn.ring.acquire %[[RQ]] part 0 :
// CHECK-NEXT: %[[P1:[^ ]+]] = attn.ring.issue %[[S1]], %{{[^ ]+}}[%[[ROW1]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[P1]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: attn.beside 2 {
// CHECK-NEXT: scf.for %[[T2:[^ ]+]] = %[[CTA]] to %[[N]] step %[[N]] {
// CHECK-NEXT: %[[ROW2:[^ ]+]] = arith.muli %[[T2]], %[[C128]]
// CHECK-NEXT: %[[S2:[^ ]+]] = attn.ring.acquire %[[RQ]] part 1 :
// CHECK-NEXT: %[[P2:[^ ]+]] = attn.ring.issue %[[S2]], %{{[^ ]+}}[%[[ROW2]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[P2]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %{{[^ ]+}} = %[[CTA]] to %[[N]] step %[[N]] {
// CHECK-NEXT: scf.for %[[J:[^ ]+]] =
// CHECK-NEXT: %[[SK:[^ ]+]] = attn.ring.acquire %[[RK]] ahead 1 :
// CHECK-NEXT: %[[PK:[^ ]+]] = attn.ring.issue %[[SK]], %{{[^ ]+}}[%[[J]], %[[C0]]] :
// CHECK-NEXT: attn.ring.land %[[PK]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } consumers(232) {
// CHECK-NOT: {{attn.ring.(acquire|issue|land)|attn.beside}}
// CHECK: attn.ring.wait %[[RQ]] :
// CHECK: attn.ring.wait %[[RK]] :
// CHECK: attn.ring.release %[[RK]] :
// CHECK: attn.store
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NOT: {{attn.ring.(acquire|issue|land)|attn.beside}}
// CHECK: attn.return
attn.kernel @visits(%x: !attn.view<?x64xbf16>, %z: !attn.view<?x64xbf16>, %y: !attn.view<?x32xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  attn.ctas %cta in %n {
    scf.for %t = %cta to %n step %n {
      %row = arith.muli %t, %c128 : index
      %sq = attn.ring.acquire %rq : <1 x !q> -> <!q>
      %pq = attn.ring.issue %sq, %x[%row, %c0] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pq : <!q>
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %none) -> !s {
        %sk = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %pk = attn.ring.issue %sk, %z[%j, %c0] : <!k>, <?x64xbf16> -> <!k>
        attn.ring.land %pk : <!k>
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %s0 transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        scf.yield %s : !s
      }
      attn.store %r, %y[%row, %c0] : !s -> <?x32xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// The first warp takes tiles from a counter, and tells the others, too, which have two slots.

// CHECK-LABEL: attn.kernel @takes
// CHECK: %[[RQ:ring[^ ]*]] = attn.ring.create own_rows parts 2 : <2 x
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: attn.beside 1 {
// CHECK-NEXT: %{{[^ ]+}} = attn.take %{{[^ ]+}}[%{{[^ ]+}}] from_producer :
// CHECK-NEXT: {{.*}}scf.while
// CHECK: attn.ring.acquire %[[RQ]] part 0 :
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: %[[NEXT1:[^ ]+]] = attn.take %{{[^ ]+}}[%{{[^ ]+}}] from_producer :
// CHECK-NEXT: scf.yield %[[NEXT1]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: attn.beside 2 {
// CHECK-NEXT: %{{[^ ]+}} = attn.take %{{[^ ]+}}[%{{[^ ]+}}] from_producer :
// CHECK-NEXT: {{.*}}scf.while
// CHECK: attn.ring.acquire %[[RQ]] part 1 :
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: %{{[^ ]+}} = attn.take %{{[^ ]+}}[%{{[^ ]+}}] from_producer :
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %{{[^ ]+}} = attn.take %{{[^ ]+}}[%{{[^ ]+}}] hand_on :
// CHECK-NEXT: {{.*}}scf.while
// CHECK-NOT: attn.ring.acquire %[[RQ]]
// CHECK: attn.take %{{[^ ]+}}[%{{[^ ]+}}] hand_on :
// CHECK: } consumers(232) {
// CHECK-COUNT-2: attn.take %{{[^ ]+}}[%{{[^ ]+}}] from_producer :
// CHECK-NOT: attn.take
// CHECK: attn.return
attn.kernel @takes(%x: !attn.view<?x64xbf16>, %counter: !attn.view<1xi32>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <2 x !q>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %first = attn.take %counter[%c0] : <1xi32>
    scf.while (%i = %first) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %sq = attn.ring.acquire %rq : <2 x !q> -> <!q>
      %pq = attn.ring.issue %sq, %x[%i, %c0] : <!q>, <?x64xbf16> -> <!q>
      attn.ring.land %pq : <!q>
      %q = attn.ring.wait %rq : <2 x !q> -> !q
      attn.ring.release %rq : <2 x !q>
      %next = attn.take %counter[%c0] : <1xi32>
      scf.yield %next : index
    }
  }
}

// Three warpgroups have three parts.

// CHECK-LABEL: attn.kernel @three
// CHECK: attn.ring.create own_rows parts 3 : <1 x
// CHECK: attn.beside 1 {
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.acquire %{{[^ ]+}} part 0 :
// CHECK: attn.beside 2 {
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.acquire %{{[^ ]+}} part 1 :
// CHECK: attn.beside 3 {
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.acquire %{{[^ ]+}} part 2 :
// CHECK-NEXT: %{{[^ ]+}} = attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: }
// CHECK-NEXT: } consumers(160) {
!t = tensor<192x64xbf16, #attn.shared<128>>
attn.kernel @three(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 384 : i64} {
  %r = attn.ring.create own_rows : <1 x !t>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !t> -> <!t>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!t>, <?x64xbf16> -> <!t>
    attn.ring.land %p : <!t>
    %q = attn.ring.wait %r : <1 x !t> -> !t
    attn.ring.release %r : <1 x !t>
  }
}

// In the pipeline, with a grid that is taken from a counter: the producer's first warp copies keys and values alone.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128 persistent resident=1 dynamic' --lower='wgmma=all specialize overlap ping-pong exchange-columns' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax,attn-release-early),cse,canonicalize)' -o %t.split
// RUN: FileCheck %s --check-prefix=PIPE --input-file=%t.split
// PIPE: %[[RQ:[^ ]+]] = attn.ring.create own_rows parts 2 : <1 x tensor<128x128xbf16,
// PIPE: attn.specialize producer 4 warps({{[0-9]+}}) {
// PIPE-NEXT: attn.beside 1 {
// PIPE-NOT: attn.ring.acquire
// PIPE: attn.ring.acquire %[[RQ]] part 0 :
// PIPE-NOT: attn.ring.acquire
// PIPE: attn.beside 2 {
// PIPE-NOT: attn.ring.acquire
// PIPE: attn.ring.acquire %[[RQ]] part 1 :
// PIPE-NOT: {{attn.ring.acquire|hand_on}}
// PIPE: attn.take %{{[^ ]+}} hand_on
// PIPE-NOT: attn.ring.acquire %[[RQ]]
// PIPE: } consumers({{[0-9]+}}) {
// PIPE: attn.ring.wait %[[RQ]] :
// PIPE: attn.ring.release %[[RQ]] :
// PIPE: attn.convert_layout
// PIPE-NEXT: attn.store
// PIPE-NOT: attn.ring.release %[[RQ]]
// PIPE: attn.return

//===----------------------------------------------------------------------===//
// Slots of one part
//===----------------------------------------------------------------------===//

// A tile of one warpgroup, tiles whose rows are more or fewer than 64 of each, and one that is given back
// as a whole.

// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=WHOLE
// WHOLE-LABEL: attn.kernel @single
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
!single = tensor<64x64xbf16, #attn.shared<128>>
attn.kernel @single(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %r = attn.ring.create own_rows : <1 x !single>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !single> -> <!single>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!single>, <?x64xbf16> -> <!single>
    attn.ring.land %p : <!single>
    %q = attn.ring.wait %r : <1 x !single> -> !single
    attn.ring.release %r : <1 x !single>
  }
}

// WHOLE-LABEL: attn.kernel @rows
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE-COUNT-3: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
!more = tensor<256x64xbf16, #attn.shared<128>>
attn.kernel @rows(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xbf16>, %z: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create own_rows : <1 x !single>
  %more = attn.ring.create own_rows : <1 x !more>
  %other = attn.ring.create : <1 x !q>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !single> -> <!single>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!single>, <?x64xbf16> -> <!single>
    attn.ring.land %p : <!single>
    %s2 = attn.ring.acquire %more : <1 x !more> -> <!more>
    %p2 = attn.ring.issue %s2, %y[%cta, %cta] : <!more>, <?x64xbf16> -> <!more>
    attn.ring.land %p2 : <!more>
    %s3 = attn.ring.acquire %other : <1 x !q> -> <!q>
    %p3 = attn.ring.issue %s3, %z[%cta, %cta] : <!q>, <?x64xbf16> -> <!q>
    attn.ring.land %p3 : <!q>
  }
}

// As many warpgroups as the producer has warps: the first of these has the other copies.

// WHOLE-LABEL: attn.kernel @four
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
attn.kernel @four(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 512 : i64} {
  %r = attn.ring.create own_rows : <1 x !more>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !more> -> <!more>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!more>, <?x64xbf16> -> <!more>
    attn.ring.land %p : <!more>
  }
}

// Copies by threads, of this tile or of another one, are what a whole warp does; a tile of
// several blocks has no rows in a row.

// WHOLE-LABEL: attn.kernel @async
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
attn.kernel @async(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create own_rows : <1 x !q>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !q> -> <!q>
    %p = attn.ring.issue %s, %x[%cta, %cta] by async : <!q>, <?x64xbf16> -> <!q>
    attn.ring.land %p : <!q>
  }
}

// WHOLE-LABEL: attn.kernel @beside_async
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE-COUNT-2: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
attn.kernel @beside_async(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create own_rows : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !q> -> <!q>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!q>, <?x64xbf16> -> <!q>
    attn.ring.land %p : <!q>
    %sk = attn.ring.acquire %rk : <2 x !k> -> <!k>
    %pk = attn.ring.issue %sk, %x[%cta, %cta] by async : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %pk : <!k>
  }
}

// WHOLE-LABEL: attn.kernel @blocks
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: attn.ring.acquire %{{[^ ]+}} :
// WHOLE-NOT: {{parts|attn.beside| part }}
// WHOLE: consumers(
attn.kernel @blocks(%x: !attn.view<?x?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create own_rows : <1 x !q>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <1 x !q> -> <!q>
    %p = attn.ring.issue %s, %x[%cta, %c0, %c0] then [%n] : <!q>, <?x?x64xbf16> -> <!q>
    attn.ring.land %p : <!q>
  }
}

// Warps of the producer that have something else to do, here what is added out of a ring.
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=fused tiles=query=64,key=128 persistent' --lower='wgmma=all specialize delay-waits exchange-columns' --emit=target -o %t.fused
// RUN: attn-opt %t.fused --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=FUSED
// FUSED-LABEL: attn.kernel @training_step_attention_backward_fused(
// FUSED: attn.ring.create own_rows : <1 x tensor<128x128xbf16,
// FUSED: attn.beside 1 {
// FUSED-NOT: {{attn.beside| part }}
// FUSED: consumers(
