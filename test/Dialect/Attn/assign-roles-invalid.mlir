// attn-assign-roles: numbers that are none, kernels that have no producer. Roles that are more than rings connect are errors when they are split.
// RUN: for most in -1 5; do not attn-opt %s --pass-pipeline="builtin.module(attn.kernel(attn-assign-roles{most=$most}))" 2>&1 || exit 1; done | FileCheck %s --check-prefix=MOST
// MOST: error: expected 1 to 4 roles, or 0 for what the kernel asks for, but got -1
// MOST: error: expected 1 to 4 roles, or 0 for what the kernel asks for, but got 5
// RUN: sed 's/producer_warps = 4 : i64, //' %s > %t.none
// RUN: attn-opt %t.none -o %t.before
// RUN: attn-opt %t.none --pass-pipeline='builtin.module(attn.kernel(attn-assign-roles))' | diff %t.before -

// P is taken out of registers, though another role computes it.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: 'attn.dot.issue' op expected role 1 to get what others compute out of rings, but got a product that it takes from another role

// What is stored is of both.
// RUN: sed 's/attn.store %r#0/attn.store %both/' %s | not attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: 'attn.store' op expected a tile that follows from the products of one role, but got one that follows from those of 2

// All threads of a CTA wait for each other.
// RUN: sed 's/^ *attn.store %r#0/attn.barrier\n&/' %s | not attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOGETHER
// TOGETHER: error: 'attn.barrier' op expected one role of those who compute, but got several beside what all of a CTA do together

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
!p = tensor<64x16xbf16, #acc>
attn.kernel @two(%y: !attn.view<?x16xf32>, %n: index) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  %p0 = arith.constant dense<1.0> : !p
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %cta in %n {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%s1 = %zero, %o1 = %zero) -> (!s, !s) {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %pk = attn.dot.issue %p0, %k, %s1 : !p, !k, !s -> <!s>
      %s = attn.dot.wait %pk : <!s> -> !s
      attn.ring.release %rk : <2 x !k>
      %p = arith.truncf %s : !s to !p
      %v = attn.ring.wait %rv : <2 x !k> -> !k
      %pv = attn.dot.issue %p, %v, %o1 stage 1 role 1 : !p, !k, !s -> <!s>
      %o = attn.dot.wait %pv : <!s> -> !s
      attn.ring.release %rv : <2 x !k>
      scf.yield %s, %o : !s, !s
    }
    %both = arith.addf %r#0, %r#1 : !s
    attn.store %r#0, %y[%cta, %c0] : !s -> <?x16xf32>
  }
}
