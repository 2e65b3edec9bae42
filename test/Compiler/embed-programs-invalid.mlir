// RUN: attn-opt %s --attn-embed-programs --split-input-file --verify-diagnostics

// expected-error@+1 {{expected the symbol of a bundle as 'attn.program', but got "programs"}}
func.func private @p(!attn.view<?xf16>) attributes {attn.program = "programs"}

// -----

// expected-error@+1 {{expected a module of programs, or a bundle that is embedded, but got no symbol "programs"}}
module {
  func.func private @p(!attn.view<?xf16>) attributes {attn.program = @programs}
}

// -----

// expected-error@+1 {{expected a module of programs, or a bundle that is embedded, but got 'func.func'}}
module {
  func.func private @p(!attn.view<?xf16>) attributes {attn.program = @programs}
  // expected-note@+1 {{this is "programs"}}
  func.func private @programs()
}

// -----

module {
  func.func private @p(!attn.view<1x2x?x64xf16>, !attn.view<1x2x?x64xf16>, !attn.view<1x2x?x64xf16>) attributes {attn.program = @programs}
  // expected-error@+1 {{expected a target with the capability 'nvvm' or 'rocdl' for this --emit, but got "cpu" (--target, --list-targets)}}
  module @programs {
    func.func @p(%q: tensor<1x2x?x64xf16>, %k: tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16> {
      %o = attn.attention %q, %k, %k scale(0.125)
          : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16>
      return %o : tensor<1x2x?x64xf16>
    }
  }
}
