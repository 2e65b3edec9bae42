// attn-overlap-softmax: what says nothing of how many columns of the last tile count (overlap-softmax-last.mlir).
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

// Columns from one on: the first ones may be zero, the last ones are not.

// CHECK-LABEL: attn.kernel @later
// CHECK-NOT: depth
// CHECK: attn.store
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
        %future = arith.cmpi sge, %cols, %rows : !i
        %past = arith.cmpi sgt, %cols, %rows : !i
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

// Rows that are not counted one by one.

// CHECK-LABEL: attn.kernel @packed
// CHECK-NOT: depth
// CHECK: attn.store
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
// CHECK-NOT: depth
// CHECK: attn.store
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
// CHECK-NOT: depth
// CHECK: attn.store
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
// CHECK-NOT: depth
// CHECK: attn.store
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
// CHECK-NOT: depth
// CHECK: attn.store
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

// Nor are those of scores that a factor turns around.

// CHECK-LABEL: attn.kernel @turned
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @turned(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
        %minus = arith.constant dense<-1.0> : !s
        %d = arith.mulf %t, %minus : !s
        %e = math.exp2 %d : !s
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

// One of which does not.

// CHECK-LABEL: attn.kernel @branch
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @branch(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
          %w = math.exp2 %s : !s
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

// A loop that does not count tiles: its last one need not be the one before the end.

// CHECK-LABEL: attn.kernel @by_twos
// CHECK-NOT: depth
// CHECK: attn.store
attn.kernel @by_twos(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r:2 = scf.for %j = %c0 to %n step %c2 iter_args(%l1 = %nothing, %o1 = %zero) -> (!m, !o) {
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
