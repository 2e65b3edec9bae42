// attn-overlap-softmax: the product with the values of the last tile.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax),cse,canonicalize)' | FileCheck %s

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#row = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!i = tensor<128x32xindex, #acc>
!o = tensor<128x64xf32, #wide>
!m = tensor<128xf32, #row>

// The last tile is the last one of the last loop. In row i, columns up to first + i + more - position are kept: one
// more of them counts in each row than in the one above. What may be the largest number is cut off before one is added.

// CHECK-LABEL: attn.kernel @causal(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK-DAG: %[[SUM:[^ ]+]] = arith.addi %[[FIRST]], %[[MORE]] : index
// CHECK: %[[LESS:[^ ]+]] = arith.subi %[[SUM]], %[[POS]] : index
// CHECK-NEXT: %[[CUT:[^ ]+]] = arith.minsi %[[LESS]], %[[C32]] : index
// CHECK-NEXT: %[[DEPTH:[^ ]+]] = arith.addi %[[CUT]], %[[C1]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] diagonal :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @causal(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %rows = attn.iota 0 from %first : !i
        %some = tensor.splat %more : !i
        %bound = arith.addi %rows, %some : !i
        %keep = arith.cmpi sle, %cols, %bound : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Keys that are there: so many columns in all rows.

// CHECK-LABEL: attn.kernel @padded(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %[[SIZE]], %[[POS]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @padded(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %end = tensor.splat %size : !i
        %keep = arith.cmpi slt, %cols, %end : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// The other way round.

// CHECK-LABEL: attn.kernel @swapped(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %[[FIRST]], %[[POS]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] diagonal :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @swapped(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %rows = attn.iota 0 from %first : !i
        %keep = arith.cmpi sgt, %rows, %cols : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// A number of keys that is known.

// CHECK-LABEL: attn.kernel @fixed(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK-DAG: %[[C100:[^ ]+]] = arith.constant 100 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[LESS:[^ ]+]] = arith.subi %[[C100]], %[[POS]] : index
// CHECK-NEXT: %[[CUT:[^ ]+]] = arith.minsi %[[LESS]], %[[C32]] : index
// CHECK-NEXT: %[[DEPTH:[^ ]+]] = arith.addi %[[CUT]], %[[C1]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @fixed(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %end = arith.constant dense<100> : !i
        %keep = arith.cmpi sle, %cols, %end : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Of two bounds that of each row.

// CHECK-LABEL: attn.kernel @both(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[LESS:[^ ]+]] = arith.subi %[[FIRST]], %[[POS]] : index
// CHECK-NEXT: %[[CUT:[^ ]+]] = arith.minsi %[[LESS]], %[[C32]] : index
// CHECK-NEXT: %[[DEPTH:[^ ]+]] = arith.addi %[[CUT]], %[[C1]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] diagonal :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @both(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %rows = attn.iota 0 from %first : !i
        %end = tensor.splat %size : !i
        %inside = arith.cmpi slt, %cols, %end : !i
        %past = arith.cmpi sle, %cols, %rows : !i
        %keep = arith.andi %inside, %past : tensor<128x32xi1, #acc>
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Of a window its end.

// CHECK-LABEL: attn.kernel @window(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[LESS:[^ ]+]] = arith.subi %[[FIRST]], %[[POS]] : index
// CHECK-NEXT: %[[CUT:[^ ]+]] = arith.minsi %[[LESS]], %[[C32]] : index
// CHECK-NEXT: %[[DEPTH:[^ ]+]] = arith.addi %[[CUT]], %[[C1]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] diagonal :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @window(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %rows = attn.iota 0 from %first : !i
        %future = arith.cmpi sge, %cols, %rows : !i
        %past = arith.cmpi sle, %cols, %rows : !i
        %keep = arith.andi %future, %past : tensor<128x32xi1, #acc>
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// A factor that does not, and weights that have one.

// CHECK-LABEL: attn.kernel @scaled(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %[[SIZE]], %[[POS]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @scaled(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %end = tensor.splat %size : !i
        %keep = arith.cmpi slt, %cols, %end : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %half = arith.constant dense<0.5> : !s
        %d = math.fma %t, %half, %none : !s
        %w = math.exp2 %d : !s
        %e = arith.mulf %w, %half : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Branches that clear the same.

// CHECK-LABEL: attn.kernel @branches(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[N]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %[[SIZE]], %[[POS]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @branches(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %end = tensor.splat %size : !i
        %keep = arith.cmpi slt, %cols, %end : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %large = arith.cmpi sgt, %pos, %more : index
        %e = scf.if %large -> !s {
          %w = math.exp2 %t : !s
          scf.yield %w : !s
        } else {
          %d = arith.subf %t, %none : !s
          %w = math.exp2 %d : !s
          scf.yield %w : !s
        }
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Where the last loop has no tile, all columns of the one before count.

// CHECK-LABEL: attn.kernel @chain(
// CHECK-SAME: %{{[^,]+}}: !attn.view<?x64xbf16>, %{{[^,]+}}: !attn.view<?x64xf32>, %[[N:[^ ]+]]: index, %[[SIZE:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[MORE:[^ ]+]]: index)
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : index
// CHECK-DAG: %[[RUNS:[^ ]+]] = arith.cmpi sgt, %[[SIZE]], %{{[^ ]+}} : index
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK-DAG: %[[LAST:[^ ]+]] = arith.subi %[[SIZE]], %[[C1]] : index
// CHECK-DAG: %[[POS:[^ ]+]] = arith.muli %[[LAST]], %[[C32]] : index
// CHECK: %[[HERE:[^ ]+]] = arith.subi %[[MORE]], %[[POS]] : index
// CHECK-NEXT: %[[DEPTH:[^ ]+]] = arith.select %[[RUNS]], %[[HERE]], %[[C32]] : index
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @chain(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %hidden = arith.constant dense<0xFF800000> : !s
  %zero = arith.constant dense<0.0> : !o
  %nothing = arith.constant dense<0.0> : !m
  %ones = arith.constant dense<1.0> : !m
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %f:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %e = math.exp2 %s : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      %r:2 = scf.for %j = %c0 to %size step %c1 iter_args(%l1 = %f#0, %o1 = %f#1) -> (!m, !o) {
        %pos = arith.muli %j, %c32 : index
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %cols = attn.iota 1 from %pos : !i
        %end = tensor.splat %more : !i
        %keep = arith.cmpi slt, %cols, %end : !i
        %t = arith.select %keep, %s, %hidden : tensor<128x32xi1, #acc>, !s
        %e = math.exp2 %t : !s
        %sum = attn.reduce sum %e : !s
        %l = arith.addf %l1, %sum : !m
        %p = arith.truncf %e : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !o -> <!o>
        %o = attn.dot.wait %pv : <!o> -> !o
        attn.ring.release %rv : <2 x !k>
        scf.yield %l, %o : !m, !o
      }
      attn.store %r#1, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// Reciprocals of sums are there when the last product is; what follows from that product comes behind it. Without a tile they are
