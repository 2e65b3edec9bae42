// A score modification of operations that nobody knows is refused like any other.
//
// RUN: attn-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects scalar operations of arith and math}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'test.unknown'}}
    %x = "test.unknown"(%s) : (f32) -> f32
    attn.yield %x : f32
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}

// -----

func.func @f(%q: tensor<1x4x16x64xf16>) {
  // expected-error @below {{score modification expects scalar operations of arith and math}}
  %o = attn.attention %q, %q, %q scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    // expected-note @below {{but got 'test.terminator'}}
    "test.terminator"(%s) : (f32) -> ()
  } : (tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>, tensor<1x4x16x64xf16>) -> tensor<1x4x16x64xf16>
  return
}
