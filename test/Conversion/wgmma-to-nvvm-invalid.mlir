// convert-attn-to-nvvm: products that wgmma cannot compute, which attn-issue-dots would
// have left alone.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm)'

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
!f = tensor<64x32xf32, #attn.shared<128>>
!k = tensor<32x32xf32, #attn.shared<128>>
!c = tensor<64x32xf32, #acc>
attn.kernel @f32() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x !f>
  %rb = attn.ring.create : <1 x !k>
  %zero = arith.constant dense<0.0> : !c
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x !f> -> !f
    %b = attn.ring.wait %rb : <1 x !k> -> !k
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: operands are not of f16 or bf16}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %p = attn.dot.issue %a, %b, %zero transpose_rhs : !f, !k, !c -> <!c>
    %d = attn.dot.wait %p : <!c> -> !c
  }
}

// -----

// Two warps.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
!a = tensor<32x32xbf16, #attn.shared<64>>
!c = tensor<32x32xf32, #acc>
attn.kernel @rows() attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %r : <1 x !a> -> !a
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: rows are no multiple of 64}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %p = attn.dot.issue %a, %a, %zero : !a, !a, !c -> <!c>
    %d = attn.dot.wait %p : <!c> -> !c
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 34:(0, 8)]>
!a = tensor<64x16xbf16, #attn.shared<32>>
!b = tensor<272x16xbf16, #attn.shared<32>>
!c = tensor<64x272xf32, #acc>
attn.kernel @columns() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !b>
  %zero = arith.constant dense<0.0> : !c
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x !a> -> !a
    %b = attn.ring.wait %rb : <1 x !b> -> !b
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: columns are no multiple of 16 up to 256}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %p = attn.dot.issue %a, %b, %zero transpose_rhs : !a, !b, !c -> <!c>
    %d = attn.dot.wait %p : <!c> -> !c
  }
}

// -----

#p = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 3:(0, 8)]>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!p = tensor<64x24xbf16, #p>
!v = tensor<24x16xbf16, #attn.shared<32>>
!c = tensor<64x16xf32, #acc>
attn.kernel @depth() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !v>
  %zero = arith.constant dense<0.0> : !c
  %p = arith.constant dense<1.0> : !p
  attn.ctas %w in %c1 {
    %v = attn.ring.wait %r : <1 x !v> -> !v
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: the summed dimension is no multiple of 16}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %d = attn.dot.issue %p, %v, %zero : !p, !v, !c -> <!c>
    %e = attn.dot.wait %d : <!c> -> !c
  }
}

// -----

// 32 rows a warp: what mma.sync computes as well as any.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(32, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(16, 0)]>
!a = tensor<128x16xbf16, #attn.shared<32>>
!b = tensor<16x16xbf16, #attn.shared<32>>
!c = tensor<128x16xf32, #acc>
attn.kernel @warps() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !b>
  %zero = arith.constant dense<0.0> : !c
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x !a> -> !a
    %b = attn.ring.wait %rb : <1 x !b> -> !b
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: warps have other than 16 rows each}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %p = attn.dot.issue %a, %b, %zero : !a, !b, !c -> <!c>
    %d = attn.dot.wait %p : <!c> -> !c
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!a = tensor<64x64xbf16, #attn.shared<128>>
!b = tensor<64x16xbf16, #acc>
!c = tensor<64x16xf32, #acc>
attn.kernel @rhs() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !a>
  %zero = arith.constant dense<0.0> : !c
  %b = arith.constant dense<1.0> : !b
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %r : <1 x !a> -> !a
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: the right-hand side is not in shared memory}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %p = attn.dot.issue %a, %b, %zero : !a, !b, !c -> <!c>
    %d = attn.dot.wait %p : <!c> -> !c
  }
}

// -----

// Registers enough, but others: four columns in a row where the instruction wants two.
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
#p = #attn.fragment<threads [4:(0, 4), 8:(1, 0), 4:(16, 0)], registers [4:(0, 1), 2:(8, 0)]>
!p = tensor<64x16xbf16, #p>
!v = tensor<16x16xbf16, #attn.shared<32>>
!c = tensor<64x16xf32, #acc>
attn.kernel @lhs() attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : <1 x !v>
  %zero = arith.constant dense<0.0> : !c
  %p = arith.constant dense<1.0> : !p
  attn.ctas %w in %c1 {
    %v = attn.ring.wait %r : <1 x !v> -> !v
    // expected-error @below {{'attn.dot.issue' op expected a product that wgmma can compute: the left-hand side is neither in shared memory nor in the registers of an A operand}}
    // expected-error @below {{failed to legalize operation 'attn.dot.issue'}}
    %d = attn.dot.issue %p, %v, %zero : !p, !v, !c -> <!c>
    %e = attn.dot.wait %d : <!c> -> !c
  }
}
