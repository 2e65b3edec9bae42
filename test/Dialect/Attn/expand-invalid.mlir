// RUN: attn-opt %s --attn-expand --split-input-file --verify-diagnostics

// What cannot be differentiated is refused before anything is expanded.

func.func @no_rule(%q: tensor<1x2x8x16xf16>, %o: tensor<1x2x8x16xf16>, %lse: tensor<1x2x8xf32>) -> tensor<1x2x8x16xf16> {
  // expected-error @+1 {{'attn.attention_backward' op score modification expects operations that have a derivative}}
  %dq, %dk, %dv = attn.attention_backward %q, %q, %q, %o, %o, %lse scale(0.25)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @+1 {{but got 'math.powf' of the score}}
    %y = math.powf %s, %s : f32
    attn.yield %y : f32
  } : (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8xf32>)
      -> (tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>)
  return %dq : tensor<1x2x8x16xf16>
}

// -----

// RUN: echo 'module {}' | not attn-opt --attn-expand=form=three-kernels 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: field 'form': expected one of two_kernels, fused, ordered, but got "three_kernels"
