// attn-overlap-softmax: the product with the values of the last tile, and what need not wait for it.
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
// more of them counts in each row than in the one above.

// CHECK-LABEL: attn.kernel @causal
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: %[[LAST:[^ ]+]] = arith.subi
// CHECK: arith.addi
// CHECK: arith.addi
// CHECK: %[[POS:[^ ]+]] = arith.muli %[[LAST]],
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %{{[^ ]+}}, %[[POS]] :
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] diagonal :
// CHECK-NOT: depth
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

// CHECK-LABEL: attn.kernel @padded
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: %[[LAST:[^ ]+]] = arith.subi
// CHECK: %[[POS:[^ ]+]] = arith.muli %[[LAST]],
// CHECK: %[[DEPTH:[^ ]+]] = arith.subi %[[SIZE:[^ ]+]], %[[POS]] :
// CHECK-NEXT: %{{[^ ]+}} = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} stage 1 depth %[[DEPTH]] :
// CHECK-NOT: depth
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

// CHECK-LABEL: attn.kernel @swapped
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: attn.dot.issue {{.*}} stage 1 depth %{{[^ ]+}} diagonal :
// CHECK-NOT: depth
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

// CHECK-LABEL: attn.kernel @fixed
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: attn.dot.issue {{.*}} stage 1 depth %{{[^ ]+}} :
// CHECK-NOT: depth
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

// CHECK-LABEL: attn.kernel @both
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: attn.dot.issue {{.*}} stage 1 depth %{{[^ ]+}} diagonal :
// CHECK-NOT: depth
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

// CHECK-LABEL: attn.kernel @window
// CHECK: scf.for
// CHECK-NOT: depth
// CHECK: scf.yield
// CHECK: attn.dot.issue {{.*}} stage 1 depth %{{[^ ]+}} diagonal :
// CHECK-NOT: depth
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

// Columns from one on: the first ones may be zero, the last ones are not.

// CHECK-LABEL: attn.kernel @later
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @later(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %keep = arith.cmpi sge, %cols, %rows : !i
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

// Rows that are not counted one by one.

// CHECK-LABEL: attn.kernel @packed
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @packed(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %four = arith.constant dense<4> : !i
        %queries = arith.divui %rows, %four : !i
        %keep = arith.cmpi sle, %cols, %queries : !i
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

// One bound or the other.

// CHECK-LABEL: attn.kernel @either
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @either(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %keep = arith.ori %inside, %past : tensor<128x32xi1, #acc>
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

// A row that counts twice.

// CHECK-LABEL: attn.kernel @twice
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @twice(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %again = attn.iota 0 from %more : !i
        %bound = arith.addi %rows, %again : !i
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

// Scores that are cleared to zero have weights.

// CHECK-LABEL: attn.kernel @zeros
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @zeros(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %t = arith.select %keep, %s, %none : tensor<128x32xi1, #acc>, !s
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

// Weights that something is added to are not zero.

// CHECK-LABEL: attn.kernel @shifted
// CHECK: } else {
// CHECK-NOT: depth
attn.kernel @shifted(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %w = math.exp2 %t : !s
        %e = arith.addf %w, %w : !s
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

// Reciprocals of sums are there when the last product is; what follows from that product comes behind it.

// CHECK-LABEL: attn.kernel @sums
// CHECK: %[[R:[^ ]+]]:2 = scf.if
// CHECK: scf.for
// CHECK: attn.dot.issue {{.*}} depth
// CHECK-NEXT: %[[INV:[^ ]+]] = arith.divf %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: scf.yield %[[O]], %[[INV]] :
// CHECK-NEXT: } else {
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[R]]#1 :
// CHECK-NEXT: %[[W:[^ ]+]] = arith.mulf %[[R]]#0, %[[B]] :
// CHECK-NEXT: attn.store %[[W]],
attn.kernel @sums(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %inv = arith.divf %ones, %r#0 : !m
      %b = attn.broadcast %inv : !m to !o
      %w = arith.mulf %r#1, %b : !o
      attn.store %w, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}
