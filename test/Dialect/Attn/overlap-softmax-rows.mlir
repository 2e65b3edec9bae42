// attn-overlap-softmax: what need not wait for the product with the values of the last tile.
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

// of what the loop starts from.

// CHECK-LABEL: attn.kernel @sums
// CHECK: %[[R:[^ ]+]]:2 = scf.if
// CHECK: scf.for
// CHECK: attn.dot.issue {{.*}} depth
// CHECK-NEXT: %[[INV:[^ ]+]] = arith.divf %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: scf.yield %[[O]], %[[INV]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ZERO:[^ ]+]], %{{[^ ]+}} :
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
      %two = arith.constant dense<2.0> : !m
      %inv = arith.divf %two, %r#0 : !m
      %b = attn.broadcast %inv : !m to !o
      %w = arith.mulf %r#1, %b : !o
      attn.store %w, %y[%cta, %c0] : !o -> <?x64xf32>
      attn.ring.release %rq : <1 x !q>
    }
  }
}

// What ends a block stays at its end, whatever it hands on.

// CHECK-LABEL: attn.kernel @handed_on
// CHECK: scf.for
// CHECK: %[[R:[^ ]+]]:3 = scf.if
// CHECK: scf.for
// CHECK: attn.store
// CHECK: attn.ring.release
// CHECK-NEXT: scf.yield %[[R]]#0 :
attn.kernel @handed_on(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index, %size: index, %first: index, %more: index) attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64} {
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
      %u = scf.for %turn = %c0 to %more step %c1 iter_args(%before = %nothing) -> !m {
        %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l1 = %before, %o1 = %zero) -> (!m, !o) {
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
        scf.yield %r#0 : !m
      }
    }
  }
}
