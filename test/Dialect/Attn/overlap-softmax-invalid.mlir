// attn-overlap-softmax: loops and kernels that it leaves as they are, with a remark that says why.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax))' -o %t.after --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
!p = tensor<64x16xbf16, #acc>

// What a loop is like that is rotated; others differ in one thing. Nobody asks for it here.
attn.kernel @unasked(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// RUN: sed 's/@unasked(\(.*\) attributes {/@asked(\1 attributes {overlap, /' %s > %t.asked.mlir
// RUN: attn-opt %t.asked.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax))' -o /dev/null --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: remark: [Passed] overlapped | Category:attn-overlap-softmax | Function=asked | Remark="products are under way during the softmax:", loops=1

//===----------------------------------------------------------------------===//
// No loop
//===----------------------------------------------------------------------===//

// Roles are not split.
// CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:1: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=unsplit | Remark="consumers have no loop with asynchronous products"
attn.kernel @unsplit(%n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
      %o = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !k>
      scf.yield %o : !s
    }
  }
}

// Products that are not asynchronous, and asynchronous ones in no loop, and in a loop of the producer.
// CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:1: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=elsewhere | Remark="consumers have no loop with asynchronous products"
attn.kernel @elsewhere(%n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
      scf.for %j = %c0 to %n step %c1 {
        %q = attn.ring.wait %rq : <1 x !q> -> !q
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
      }
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %s) -> !s {
        %d = attn.dot %q, %k, %o1 transpose_rhs : !q, !k into !s
        scf.yield %d : !s
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// One, as a matmul has.
attn.kernel @one(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %p0 = arith.constant dense<1.0> : !p
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=one | Remark="a loop does not have asynchronous products of two stages"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p0, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Two of the second stage, of the same tile.
attn.kernel @three(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=three | Remark="values are read by more than their product"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %ow = attn.dot.wait %pv : <!s> -> !s
        %pw = attn.dot.issue %p, %v, %ow stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pw : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// One of a third stage, which follows from one of the second.
attn.kernel @chain(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %rw = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=chain | Remark="a loop does not have asynchronous products of two stages"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %zero stage 1 : !p, !k, !s -> <!s>
        %t = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %u = arith.truncf %t : !s to !p
        %w = attn.ring.wait %rw : <2 x !k> -> !k
        %uw = attn.dot.issue %u, %w, %o1 stage 2 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %uw : <!s> -> !s
        attn.ring.release %rw : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// The scores of the next tile are under way already.
attn.kernel @carried_scores(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %k0 = attn.ring.wait %rk : <2 x !k> -> !k
      %first = attn.dot.issue %q, %k0, %zero transpose_rhs : !q, !k, !s -> <!s>
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:19: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=carried_scores | Remark="a product is not waited for in its loop"
      %r, %last = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero, %before = %first) -> (!s, !attn.product<!s>) {
        %s = attn.dot.wait %before : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o, %qk : !s, !attn.product<!s>
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// So are the values of the last one.
attn.kernel @carried_values(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %p0 = arith.constant dense<1.0> : !p
      %v0 = attn.ring.wait %rv : <2 x !k> -> !k
      %first = attn.dot.issue %p0, %v0, %zero stage 1 : !p, !k, !s -> <!s>
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:15: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=carried_values | Remark="a product is not waited for in its loop"
      %last = scf.for %j = %c0 to %n step %c1 iter_args(%before = %first) -> !attn.product<!s> {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %o1 = attn.dot.wait %before : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        scf.yield %pv : !attn.product<!s>
      }
      %r = attn.dot.wait %last : <!s> -> !s
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Two waits for one product.
attn.kernel @scores_twice(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=scores_twice | Remark="a product is not waited for in its loop"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %s2 = attn.dot.wait %qk : <!s> -> !s
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @values_twice(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=values_twice | Remark="a product is not waited for in its loop"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        %o2 = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// A wait that not every tile has.
attn.kernel @nested_scores(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=nested_scores | Remark="a product is not waited for in its loop"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = scf.if %b -> !s {
          %w = attn.dot.wait %qk : <!s> -> !s
          scf.yield %w : !s
        } else {
          scf.yield %zero : !s
        }
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @nested_values(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=nested_values | Remark="a product is not waited for in its loop"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = scf.if %b -> !s {
          %w = attn.dot.wait %pv : <!s> -> !s
          scf.yield %w : !s
        } else {
          scf.yield %zero : !s
        }
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// The same for all tiles, and given back behind them.
attn.kernel @kept(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=kept | Remark="values do not come from a ring that the loop releases"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        scf.yield %o : !s
      }
      attn.ring.release %rv : <2 x !k>
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Released in the loop, which does not wait for them.
attn.kernel @kept_released(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=kept_released | Remark="values do not come from a ring that the loop releases"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Not given back, or where not every tile does.
attn.kernel @unreleased(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=unreleased | Remark="values do not come from a ring that the loop releases"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @sometimes(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=sometimes | Remark="values do not come from a ring that the loop releases"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        scf.if %b {
          attn.ring.release %rv : <2 x !k>
        }
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Of two rings.
attn.kernel @chosen(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %rw = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=chosen | Remark="values do not come from a ring that the loop releases"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v0 = attn.ring.wait %rv : <2 x !k> -> !k
        %v1 = attn.ring.wait %rw : <2 x !k> -> !k
        %v = arith.select %b, %v0, %v1 : !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        attn.ring.release %rw : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Keys that are the values, too, or values that something else reads.
attn.kernel @same(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=same | Remark="values are read by more than their product"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        %p = arith.truncf %s : !s to !p
        %pv = attn.dot.issue %p, %k, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

#w = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!w = tensor<16x16xbf16, #w>
attn.kernel @read(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %w0 = arith.constant dense<0.0> : !w
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:20: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=read | Remark="values are read by more than their product"
      %r, %other = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero, %m1 = %w0) -> (!s, !w) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %w = attn.convert_layout %v : !k to !w
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %more = arith.addf %m1, %w : !w
        scf.yield %o, %more : !s, !w
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Keys and values in turn in one ring.
attn.kernel @one_ring(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=one_ring | Remark="the ring of the values has other tiles, too"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rk : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

// Scaled behind the product, as in a loop that is rotated already.
attn.kernel @scaled_behind(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=scaled_behind | Remark="the product with the values is not a sum that the loop carries"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %o2 = arith.mulf %o, %s : !s
        scf.yield %o2 : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Carried, and used besides.
attn.kernel @used_twice(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:20: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=used_twice | Remark="the product with the values is not a sum that the loop carries"
      %r, %other = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero, %m1 = %zero) -> (!s, !s) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %m = arith.addf %m1, %o : !s
        scf.yield %o, %m : !s, !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Not carried.
attn.kernel @dropped(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=dropped | Remark="the product with the values is not a sum that the loop carries"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o1 : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// The sum of the tiles before is stored, or what follows from it.
attn.kernel @stored(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=stored | Remark="what follows from the sum has effects"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        attn.store %o1, %y[%j, %c0] : !s -> <?x16xf32>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @stored_later(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=stored_later | Remark="what follows from the sum has effects"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %e = math.exp2 %o1 : !s
        attn.store %e, %y[%j, %c0] : !s -> <?x16xf32>
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// Scores that begin from it could not come before it.
attn.kernel @into_scores(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=into_scores | Remark="what follows from the sum has effects"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %o1 transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// A sum that some tiles scale only, and store.
attn.kernel @region(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=region | Remark="what follows from the sum has effects"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %a = scf.if %b -> !s {
          %e = math.exp2 %o1 : !s
          attn.store %e, %y[%cta, %c0] : !s -> <?x16xf32>
          scf.yield %e : !s
        } else {
          scf.yield %zero : !s
        }
        %pv = attn.dot.issue %p, %v, %a stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

// A loop that is rotated already, of a sum that is not scaled.
attn.kernel @under_way(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      %p0 = arith.constant dense<1.0> : !p
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:19: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=under_way | Remark="products are under way already"
      %r, %last = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero, %p = %p0) -> (!s, !p) {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %s = attn.dot.wait %qk outstanding 1 : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        %p2 = arith.truncf %s : !s to !p
        scf.yield %o, %p2 : !s, !p
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

attn.kernel @copies(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=copies | Remark="a loop copies or stores"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        %p = arith.truncf %s : !s to !p
        %slot = attn.ring.acquire %rk ahead 1 : <2 x !k> -> <!k>
        %copy = attn.ring.issue %slot, %x[%j, %c0] : <!k>, <?x16xbf16> -> <!k>
        attn.ring.land %copy : <!k>
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @stores(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=stores | Remark="a loop copies or stores"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        attn.store %s, %y[%j, %c0] : !s -> <?x16xf32>
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

attn.kernel @stores_sometimes(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x16xf32>, %n: index, %b: i1) attributes {overlap, producer_warps = 4 : i64, threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
    } consumers (240) {
      %q = attn.ring.wait %rq : <1 x !q> -> !q
      // CHECK: overlap-softmax-invalid.mlir:[[# @LINE + 1]]:12: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=stores_sometimes | Remark="a loop copies or stores"
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%o1 = %zero) -> !s {
        %k = attn.ring.wait %rk : <2 x !k> -> !k
        %qk = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
        %s = attn.dot.wait %qk : <!s> -> !s
        attn.ring.release %rk : <2 x !k>
        scf.if %b {
          attn.store %s, %y[%j, %c0] : !s -> <?x16xf32>
        }
        %p = arith.truncf %s : !s to !p
        %v = attn.ring.wait %rv : <2 x !k> -> !k
        %pv = attn.dot.issue %p, %v, %o1 stage 1 : !p, !k, !s -> <!s>
        %o = attn.dot.wait %pv : <!s> -> !s
        attn.ring.release %rv : <2 x !k>
        scf.yield %o : !s
      }
      attn.store %r, %y[%cta, %c0] : !s -> <?x16xf32>
    }
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

// Twice is once: the sum of attention is scaled behind the product then.
// RUN: attn-opt %S/overlap-softmax.mlir --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax))' -o %t.all.mlir
// RUN: sed '/attn.kernel @plain/,$c}' %t.all.mlir > %t.once.mlir
// RUN: attn-opt %t.once.mlir -o %t.once
// RUN: attn-opt %t.once.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-plan-overlap,attn-overlap-softmax))' -o %t.twice --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=remark:
// RUN: diff %t.once %t.twice
// TWICE: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=attention | Remark="the product with the values is not a sum that the loop carries"

// Without products of values that are asynchronous there is nothing to do, as with none.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower='wgmma=scores specialize overlap' --emit=target -o %t.scores.mlir
// RUN: attn-opt %t.scores.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax))' -o /dev/null --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=SCORES --implicit-check-not="[Passed]"
// SCORES: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=prefill_attention | Remark="a loop does not have asynchronous products of two stages"
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower='warps=4 specialize overlap' --emit=target -o %t.none.mlir
// RUN: attn-opt %t.none.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-plan-overlap),convert-attn-stream-to-scf,attn.kernel(attn-split-roles,attn-overlap-softmax))' -o /dev/null --remarks-filter='attn-overlap.*' 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=remark:
// NONE: remark: [Missed] overlapped | Category:attn-overlap-softmax | Function=prefill_attention | Remark="consumers have no loop with asynchronous products"

// It has no options, and is a pass on kernels.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-overlap-softmax{tiles=2}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option tiles
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-overlap-softmax)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnOverlapSoftmax' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'
