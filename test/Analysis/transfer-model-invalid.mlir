// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-transfer-model=sizes=query=8

// expected-error @below {{'attn.kernel' op has no size 'query' (it has k.0)}}
attn.kernel @unknown(%k: !attn.view<?x8xbf16>) {
}

// -----

func.func @missing(%q: tensor<1x1x?x64xbf16>, %k: tensor<1x1x?x64xbf16>, %v: tensor<1x1x?x64xbf16>) -> tensor<1x1x?x64xbf16> {
  // expected-error @below {{'attn.attention' op expected the size of 'key'}}
  %o = attn.attention %q, %k, %v scale(0.125) : (tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>) -> tensor<1x1x?x64xbf16>
  return %o : tensor<1x1x?x64xbf16>
}

// -----

// expected-error @below {{'attn.kernel' op expected the size of 'key' to be predicted}}
attn.kernel @no_size(%q: !attn.view<?x8xbf16>, %k: !attn.view<?x8xbf16>) attributes {dim_names = [["query", ""], ["key", ""]]} {
  %n = attn.dim %k, 0 : !attn.view<?x8xbf16>
}

// -----

attn.kernel @zero(%q: !attn.view<?x8xbf16>, %n: index) attributes {dim_names = [["query", ""]]} {
  %c8 = arith.constant 8 : index
  %m = attn.dim %q, 0 : !attn.view<?x8xbf16>
  %d = arith.subi %m, %c8 : index
  // expected-error @below {{'arith.divui' op divides by zero for these sizes}}
  %r = arith.divui %m, %d : index
}

// -----

// What decides on control wants to be index arithmetic.
attn.kernel @memory(%q: !attn.view<?x8xbf16>) attributes {dim_names = [["query", ""]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op cannot be predicted: it is not index arithmetic that the model evaluates}}
  %r = scf.while (%x = %c0) : (index) -> index {
    %more = arith.cmpi ult, %x, %c1 : index
    scf.condition(%more) %x : index
  } do {
  ^bb0(%x: index):
    scf.yield %c1 : index
  }
}

// -----

attn.kernel @long(%q: !attn.view<?x8xbf16>) attributes {dim_names = [["query", ""]]} {
  %large = arith.constant 4194305 : index
  // expected-error @below {{'attn.ctas' op expected at most 4194304 CTAs to be predicted, but got 4194305}}
  attn.ctas %w in %large {
  }
}

// -----

attn.kernel @selected(%q: !attn.view<?x8xbf16>, %p: !attn.view<?x8xbf16>, %c: i1) attributes {dim_names = [["query", ""], ["query", ""]]} {
  // expected-error @below {{'arith.select' op cannot be predicted: views are the kernel's own}}
  %v = arith.select %c, %q, %p : !attn.view<?x8xbf16>
}
