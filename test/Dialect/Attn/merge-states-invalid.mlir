// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @rank(%os: tensor<?x4x?x64xbf16>, %lses: tensor<?x?x4x?xf32>) {
  // expected-error @+1 {{expected outputs of rank 5, [parts, batch, heads, queries, D] in the order of its layout, but got 'tensor<?x4x?x64xbf16>'}}
  %0 = attn.merge_states %os, %lses : (tensor<?x4x?x64xbf16>, tensor<?x?x4x?xf32>) -> tensor<4x?x64xbf16>
  return
}

// -----

func.func @dynamic_dim(%os: tensor<?x?x4x?x?xbf16>, %lses: tensor<?x?x4x?xf32>) {
  // expected-error @+1 {{expected a static D of 1 or more, but got 'tensor<?x?x4x?x?xbf16>'}}
  %0 = attn.merge_states %os, %lses : (tensor<?x?x4x?x?xbf16>, tensor<?x?x4x?xf32>) -> tensor<?x4x?x?xbf16>
  return
}

// -----

func.func @lses(%os: tensor<3x?x4x?x64xbf16>, %lses: tensor<2x?x4x?xf32>) {
  // expected-error @+1 {{expected lses of 'tensor<3x?x4x?xf32>', as its outputs have, but got 'tensor<2x?x4x?xf32>'}}
  %0 = attn.merge_states %os, %lses : (tensor<3x?x4x?x64xbf16>, tensor<2x?x4x?xf32>) -> tensor<?x4x?x64xbf16>
  return
}

// -----

// LSEs have heads before queries in any layout.
func.func @layout(%os: tensor<3x?x7x4x64xbf16>, %lses: tensor<3x?x7x4xf32>) {
  // expected-error @+1 {{expected lses of 'tensor<3x?x4x7xf32>', as its outputs have, but got 'tensor<3x?x7x4xf32>'}}
  %0 = attn.merge_states %os, %lses layout(bshd) : (tensor<3x?x7x4x64xbf16>, tensor<3x?x7x4xf32>) -> tensor<?x7x4x64xbf16>
  return
}

// -----

func.func @result(%os: tensor<3x?x4x?x64xbf16>, %lses: tensor<3x?x4x?xf32>) {
  // expected-error @+1 {{expected a result of 'tensor<?x4x?x64xbf16>', as its outputs have, but got 'tensor<?x4x?x32xbf16>'}}
  %0 = attn.merge_states %os, %lses : (tensor<3x?x4x?x64xbf16>, tensor<3x?x4x?xf32>) -> tensor<?x4x?x32xbf16>
  return
}

// -----

func.func @lse(%os: tensor<3x?x4x?x64xbf16>, %lses: tensor<3x?x4x?xf32>) {
  // expected-error @+1 {{expected an LSE of 'tensor<?x4x?xf32>', as its outputs have, but got 'tensor<?x5x?xf32>'}}
  %0:2 = attn.merge_states %os, %lses : (tensor<3x?x4x?x64xbf16>, tensor<3x?x4x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x5x?xf32>)
  return
}

// -----

func.func @element(%os: tensor<3x?x4x?x64xbf16>, %lses: tensor<3x?x4x?xbf16>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 32-bit float values, but got 'tensor<3x?x4x?xbf16>'}}
  %0 = attn.merge_states %os, %lses : (tensor<3x?x4x?x64xbf16>, tensor<3x?x4x?xbf16>) -> tensor<?x4x?x64xbf16>
  return
}
