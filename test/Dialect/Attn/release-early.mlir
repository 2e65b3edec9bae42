// attn-release-early: a tile that stays is given back behind the last product that reads it.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-release-early))' -o %t
// RUN: FileCheck %s --input-file=%t
// Twice is once.
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-release-early))' | diff %t -
// Nothing else changes: the lines are the same, in another order.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' | sort > %t.before
// RUN: sort %t | diff %t.before -

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 8:(16)], registers [2:(8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>
!o = tensor<128x64xf32, #wide>

// The tile of the next visit is copied while the last values are summed and the result is stored.

// CHECK-LABEL: attn.kernel @loop
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create own_rows : <1 x
// CHECK: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]] :
// CHECK-NEXT: %{{[^ ]+}} = scf.for
// CHECK: attn.dot.issue %[[Q]],
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.dot.issue
// CHECK-NEXT: attn.dot.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.store
// CHECK-NEXT: }
attn.kernel @loop(%y: !attn.view<?x64xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %none) -> !s {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      scf.yield %s : !s
    }
    %p = arith.truncf %last : !s to !p
    %v = attn.ring.wait %rv : <2 x !k> -> !k
    %pv = attn.dot.issue %p, %v, %zero stage 1 : !p, !k, !o -> <!o>
    %o = attn.dot.wait %pv : <!o> -> !o
    attn.ring.release %rv : <2 x !k>
    attn.store %o, %y[%cta, %c0] : !o -> <?x64xf32>
    attn.ring.release %rq : <1 x !q>
  }
}

// Of two loops and a branch it is the last one that counts; products by themselves count as loops
// do, up to their waits. Within a loop of visits each has its own release.

// CHECK-LABEL: attn.kernel @visits
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create own_rows : <2 x
// CHECK: scf.for
// CHECK-NEXT: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]] :
// CHECK: %[[FIRST:[^ ]+]] = attn.dot.issue %[[Q]],
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[FIRST]] :
// CHECK-NEXT: %{{[^ ]+}} = scf.if
// CHECK-NEXT: scf.for
// CHECK: attn.dot.issue %[[Q]],
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: attn.store
// CHECK-NEXT: }
attn.kernel @visits(%y: !attn.view<?x32xf32>, %n: index, %b: i1) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <2 x !q>
  %rk = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    scf.for %t = %cta to %n step %n {
      %q = attn.ring.wait %rq : <2 x !q> -> !q
      %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
      %first = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %first : <!s> -> !s
      %then = scf.if %b -> !s {
        %some = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %s) -> !s {
          %qk = attn.dot.issue %q, %k, %s0 transpose_rhs : !q, !k, !s -> <!s>
          %s1 = attn.dot.wait %qk : <!s> -> !s
          scf.yield %s1 : !s
        }
        scf.yield %some : !s
      } else {
        scf.yield %s : !s
      }
      %sums = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %then) -> !s {
        %s1 = arith.addf %s0, %s0 : !s
        scf.yield %s1 : !s
      }
      attn.store %sums, %y[%t, %c0] : !s -> <?x32xf32>
      attn.ring.release %rq : <2 x !q>
    }
  }
}

// A product under way leaves a loop, then a branch: it is waited for behind both.

// CHECK-LABEL: attn.kernel @under_way
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create own_rows : <1 x
// CHECK: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ]] :
// CHECK-NOT: attn.ring.release %[[RQ]] :
// CHECK: scf.for
// CHECK-NOT: attn.ring.release %[[RQ]] :
// CHECK: %[[B:[^ ]+]] = scf.if
// CHECK-NOT: attn.ring.release %[[RQ]] :
// CHECK: %[[S:[^ ]+]] = attn.dot.wait %[[B]] :
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NEXT: arith.addf %[[S]], %[[S]]
// CHECK-NEXT: attn.store
attn.kernel @under_way(%y: !attn.view<?x32xf32>, %n: index, %b: i1) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k0 = attn.ring.wait %rk : <2 x !k> -> !k
    %start = attn.dot.issue %q, %k0, %none transpose_rhs : !q, !k, !s -> <!s>
    %next = scf.for %j = %c0 to %n step %c1 iter_args(%qk = %start) -> !attn.product<!s> {
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %more = attn.dot.issue %q, %k, %s transpose_rhs : !q, !k, !s -> <!s>
      scf.yield %more : !attn.product<!s>
    }
    %either = scf.if %b -> !attn.product<!s> {
      scf.yield %next : !attn.product<!s>
    } else {
      %s = attn.dot.wait %next : <!s> -> !s
      %more = attn.dot.issue %q, %k0, %s transpose_rhs : !q, !k, !s -> <!s>
      scf.yield %more : !attn.product<!s>
    }
    %s = attn.dot.wait %either : <!s> -> !s
    %twice = arith.addf %s, %s : !s
    attn.store %twice, %y[%cta, %c0] : !s -> <?x32xf32>
    attn.ring.release %rk : <2 x !k>
    attn.ring.release %rq : <1 x !q>
  }
}

// Products go round in a loop that begins behind the one that reads the tile.

// CHECK-LABEL: attn.kernel @into_loop
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create own_rows : <1 x
// CHECK: attn.dot.issue
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: attn.ring.release %[[RQ]] :
// CHECK-NEXT: attn.store
attn.kernel @into_loop(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
  %one = arith.constant dense<1.0> : !p
  %ones = arith.constant dense<1.0> : tensor<32x32xbf16, #attn.shared<64>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %start = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%pending = %start) -> !attn.product<!s> {
      %s = attn.dot.wait %pending : <!s> -> !s
      attn.store %s, %y[%j, %c0] : !s -> <?x32xf32>
      %more = attn.dot.issue %one, %ones, %s transpose_rhs : !p, tensor<32x32xbf16, #attn.shared<64>>, !s -> <!s>
      scf.yield %more : !attn.product<!s>
    }
    attn.store %none, %y[%cta, %c0] : !s -> <?x32xf32>
    attn.ring.release %rq : <1 x !q>
  }
}

// A tile that nobody reads is free at once.

// CHECK-LABEL: attn.kernel @unread
// CHECK: attn.ring.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.store
attn.kernel @unread(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    attn.store %none, %y[%cta, %c0] : !s -> <?x32xf32>
    attn.ring.release %rq : <1 x !q>
  }
}

//===----------------------------------------------------------------------===//
// Releases that stay
//===----------------------------------------------------------------------===//

// Of a ring that is not `own_rows` the tile may be what a store goes through.

// CHECK-LABEL: attn.kernel @others
// CHECK: %[[RQ:[^ ]+]] = attn.ring.create : <1 x
// CHECK: attn.dot.wait
// CHECK-NEXT: attn.store
// CHECK-NEXT: attn.ring.release %[[RQ]] :
attn.kernel @others(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %qk : <!s> -> !s
    attn.store %s, %y[%cta, %c0] : !s -> <?x32xf32>
    attn.ring.release %rq : <1 x !q>
  }
}

// It stands there already.

// CHECK-LABEL: attn.kernel @already
// CHECK: attn.dot.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.store
attn.kernel @already(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %qk : <!s> -> !s
    attn.ring.release %rq : <1 x !q>
    attn.store %s, %y[%cta, %c0] : !s -> <?x32xf32>
  }
}

// The wait is in another block.

// CHECK-LABEL: attn.kernel @elsewhere
// CHECK: attn.store
// CHECK-NEXT: scf.if
// CHECK-NEXT: attn.ring.release
attn.kernel @elsewhere(%y: !attn.view<?x32xf32>, %n: index, %b: i1) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    attn.store %none, %y[%cta, %c0] : !s -> <?x32xf32>
    scf.if %b {
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// The product is waited for outside of the block, by whoever gets it.

// CHECK-LABEL: attn.kernel @leaves
// CHECK: scf.for
// CHECK: attn.dot.issue
// CHECK-NEXT: attn.store
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: scf.yield
attn.kernel @leaves(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %one = arith.constant dense<1.0> : !p
    %ones = arith.constant dense<1.0> : tensor<32x32xbf16, #attn.shared<64>>
    %start = attn.dot.issue %one, %ones, %none transpose_rhs : !p, tensor<32x32xbf16, #attn.shared<64>>, !s -> <!s>
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%pending = %start) -> !attn.product<!s> {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
      attn.store %none, %y[%cta, %c0] : !s -> <?x32xf32>
      attn.ring.release %rq : <1 x !q>
      scf.yield %qk : !attn.product<!s>
    }
    %s = attn.dot.wait %last : <!s> -> !s
    attn.store %s, %y[%cta, %c0] : !s -> <?x32xf32>
  }
}

// It waits for registers that are computed later.

// CHECK-LABEL: attn.kernel @after
// CHECK: attn.reduce
// CHECK-NEXT: attn.store
// CHECK-NEXT: attn.ring.release %{{[^ ]+}} : <{{.*}}> after %
attn.kernel @after(%y: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create own_rows : <1 x !q>
  %none = arith.constant dense<0.0> : !s
  %k = arith.constant dense<0.0> : tensor<32x64xbf16, #attn.shared<128>>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %qk : <!s> -> !s
    %m = attn.reduce max %s : !s
    attn.store %s, %y[%cta, %c0] : !s -> <?x32xf32>
    attn.ring.release %rq : <1 x !q> after %m : tensor<128xf32, #rows>
  }
}
