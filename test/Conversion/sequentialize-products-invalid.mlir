// attn-sequentialize-rings: asynchronous products that it cannot follow.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-sequentialize-rings

// Which of two products is waited for shows at run time only.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<16x16xf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @chosen(%n: index, %b: i1) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %x = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %y = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %p = arith.select %b, %x, %y : !attn.product<!s>
    // expected-error @below {{'attn.dot.wait' op expected a product straight from attn.dot.issue, of which it is the only use}}
    %s = attn.dot.wait %p : <!s> -> !s
  }
}

// -----

// Carried from one round of a loop to the next.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<16x16xf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @carried(%n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %first = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %last = scf.for %j = %w to %n step %n iter_args(%x = %first) -> !attn.product<!s> {
      %next = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      // expected-error @below {{'attn.dot.wait' op expected a product straight from attn.dot.issue, of which it is the only use}}
      %s = attn.dot.wait %x outstanding 1 : <!s> -> !s
      scf.yield %next : !attn.product<!s>
    }
    %t = attn.dot.wait %last : <!s> -> !s
  }
}

// -----

// From elsewhere.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!s = tensor<64x16xf32, #acc>
func.func private @other() -> !attn.product<!s>
attn.kernel @called(%n: index) attributes {threads = 128 : i64} {
  attn.ctas %w in %n {
    %p = func.call @other() : () -> !attn.product<!s>
    // expected-error @below {{'attn.dot.wait' op expected a product straight from attn.dot.issue, of which it is the only use}}
    %s = attn.dot.wait %p : <!s> -> !s
  }
}

// -----

// Waited for twice.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<16x16xf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @twice(%n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %p = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    // expected-error @below {{'attn.dot.wait' op expected a product straight from attn.dot.issue, of which it is the only use}}
    %s = attn.dot.wait %p : <!s> -> !s
    %t = attn.dot.wait %p : <!s> -> !s
  }
}

// -----

// Never waited for: when it reads its slots nobody knows.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<16x16xf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @never(%n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %n {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    // expected-error @below {{'attn.dot.issue' op expected}}
    %p = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
  }
}
