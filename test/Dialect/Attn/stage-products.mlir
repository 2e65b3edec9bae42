// attn-stage-products: which product of a tile follows from which.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-stage-products))' | FileCheck %s

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
!q = tensor<128x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!v = tensor<32x32xbf16, #attn.shared<64>>
!s = tensor<128x32xf32, #acc>
!p = tensor<128x32xbf16, #acc>

// Scores follow from loads, a sum of two products is one stage, what is multiplied with the
// scores is the next, and so on; a scaled accumulator follows from the scores, too. A stage
// that was there is computed anew. Of what the tile before left, none is counted.
// CHECK-LABEL: attn.kernel @stages
// CHECK: attn.dot.issue {{.*}} transpose_rhs :
// CHECK: attn.dot.issue {{.*}} transpose_rhs :
// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} stage 1 :
// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} stage 2 :
// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} stage 1 :
// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} :
// CHECK: attn.dot.issue {{.*}}, %{{[^ ]+}} stage 1 :
attn.kernel @stages(%x: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !v>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  %true = arith.cmpi sgt, %n, %c0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %r:3 = attn.stream %pos step 32 over [%c0 to %n] carry (%a0 = %none, %b0 = %none, %c = %none : !s, !s, !s) {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %qk = attn.dot.issue %q, %k, %none transpose_rhs stage 7 : !q, !k, !s -> <!s>
      %s0 = attn.dot.wait %qk : <!s> -> !s
      %more = attn.dot.issue %q, %k, %s0 transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %more : <!s> -> !s
      %p = arith.truncf %s : !s to !p
      %pv = attn.dot.issue %p, %v, %a0 : !p, !v, !s -> <!s>
      %a = attn.dot.wait %pv : <!s> -> !s
      %t = arith.truncf %a : !s to !p
      %tv = attn.dot.issue %t, %v, %b0 : !p, !v, !s -> <!s>
      %b = attn.dot.wait %tv : <!s> -> !s
      %scaled = arith.mulf %c, %s : !s
      %old = arith.truncf %b0 : !s to !p
      %ov = attn.dot.issue %old, %v, %scaled : !p, !v, !s -> <!s>
      %d = attn.dot.wait %ov : <!s> -> !s
      %cv = attn.dot.issue %old, %v, %none : !p, !v, !s -> <!s>
      %e = attn.dot.wait %cv : <!s> -> !s
      %f = arith.addf %d, %e : !s
      %both = scf.if %true -> !p {
        %g = arith.truncf %e : !s to !p
        scf.yield %g : !p
      } else {
        scf.yield %old : !p
      }
      %gv = attn.dot.issue %both, %v, %none : !p, !v, !s -> <!s>
      %h = attn.dot.wait %gv : <!s> -> !s
      %i = arith.addf %f, %h : !s
      attn.yield %a, %b, %i : !s, !s, !s
    }
    attn.store %r#2, %x[%cta, %c0] : !s -> <?x32xf32>
  }
}

// Outside of streams products stay as they are.
// CHECK-LABEL: attn.kernel @outside
// CHECK: attn.dot.issue {{.*}} transpose_rhs stage 3 :
attn.kernel @outside(%x: !attn.view<?x32xf32>, %n: index) attributes {threads = 256 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %qk = attn.dot.issue %q, %k, %none transpose_rhs stage 3 : !q, !k, !s -> <!s>
    %s = attn.dot.wait %qk : <!s> -> !s
    attn.store %s, %x[%cta, %c0] : !s -> <?x32xf32>
  }
}
