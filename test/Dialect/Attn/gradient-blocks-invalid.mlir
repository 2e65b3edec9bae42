// Lists of blocks that do not fit the gradients that they are of.
// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<2x4x64x64xf16>, %k: tensor<2x2x64x64xf16>, %lse: tensor<2x4x64xf32>, %l0: tensor<1x1x2xi32>, %l1: tensor<1x1x2x2xi32>, %l2: tensor<1x1x2xi32>, %l3: tensor<1x1x2x2xi32>, %l4: tensor<1x1x2xi32>, %l5: tensor<1x1x2x2xi32>) {
  // expected-error @below {{expected as many lists of blocks by keys as by queries, 2, but got 4}}
  %dq, %dk, %dv = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.125) blocks<32, 32>(%l0, %l1) by_keys(%l2, %l3, %l4, %l5) : (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %k: tensor<2x2x64x64xf16>, %lse: tensor<2x4x64xf32>, %l0: tensor<1x1x2xi32>, %l1: tensor<1x1x2xi32>) {
  // expected-error @below {{blocks expect counts and numbers of the blocks that masks are asked for, and perhaps of those that they are not, 2 or 4 tensors, but got 1}}
  %dq, %dk, %dv = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.125) blocks<32, 32>(%l0) by_keys(%l1) : (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2xi32>) -> (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %k: tensor<2x2x64x64xf16>, %lse: tensor<2x4x64xf32>, %l0: tensor<1x1x2xi32>, %l1: tensor<1x1x2x2xi32>, %l2: tensor<1x1x2xi32>, %l3: tensor<1x1x2x2xi32>) {
  // expected-error @below {{each a multiple of 16 up to 65536, but got <32, 24>}}
  %dq, %dk, %dv = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.125) blocks<32, 24>(%l0, %l1) by_keys(%l2, %l3) : (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %k: tensor<2x2x64x64xf16>, %lse: tensor<2x4x64xf32>, %l0: tensor<1x4x2xi32>, %l1: tensor<1x4x2x2xi32>, %l2: tensor<1x4x2xi32>, %l3: tensor<1x4x2x2xi32>) {
  // expected-error @below {{blocks expect counts of 1 or 2 KV heads in lists by keys, but got 'tensor<1x4x2xi32>'}}
  %dq, %dk, %dv = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.125) blocks<32, 32>(%l0, %l1) by_keys(%l2, %l3) : (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<1x4x2xi32>, tensor<1x4x2x2xi32>, tensor<1x4x2xi32>, tensor<1x4x2x2xi32>) -> (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<2x4x64x64xf16>, %k: tensor<2x2x64x64xf16>, %lse: tensor<2x4x64xf32>, %l0: tensor<1x1x2xi32>, %l1: tensor<1x1x2x2xi32>, %l2: tensor<1x1x2xi32>, %l3: tensor<1x1x2x2xi32>) {
  // expected-error @below {{blocks expect counts of 4 rows of blocks, of 16 keys each, but got 'tensor<1x1x2xi32>'}}
  %dq, %dk, %dv = attn.attention_backward %q, %k, %k, %q, %q, %lse scale(0.125) blocks<32, 16>(%l0, %l1) by_keys(%l2, %l3) : (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<2x4x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<1x4x64x64xf16>, %c: tensor<3xi32>, %lse: tensor<1x4x64xf32>, %n: tensor<1x1x2xi32>, %i: tensor<1x1x2x2xi32>) {
  // expected-error @below {{blocks expect no cu_seqlens_q in gradients, but got some}}
  %dq, %dk, %dv = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.125) cu_seqlens_q(%c) cu_seqlens_k(%c) blocks<32, 32>(%n, %i) by_keys(%n, %i) : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64xf32>, tensor<3xi32>, tensor<3xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>)
  return
}

// -----

func.func @f(%q: tensor<1x4x64x64xf16>, %lse: tensor<1x4x64xf32>, %n: tensor<1x1x2xi32>, %i: tensor<1x1x2x2xi32>, %s: f32) {
  // expected-error @below {{gradients of captures expect no lists of blocks, but got some}}
  %dq, %dk, %dv, %ds = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(0.125) blocks<32, 32>(%n, %i) by_keys(%n, %i) captures(%s) of([0])
    score(%x: f32, %b: index, %h: index, %r: index, %j: index, %c: f32) {
    %y = arith.mulf %x, %c : f32
    attn.yield %y : f32
  } : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>, f32) -> (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64xf32>)
  return
}

// -----

func.func @f(%q: tensor<1x4x64x64xf16>, %lse: tensor<1x4x64xf32>, %sum: tensor<1x1x4x64x64xf32>, %n: tensor<1x1x2xi32>, %i: tensor<1x1x2x2xi32>) {
  // expected-error @below {{ordered contributions expect streams that go forwards, but got lists of blocks}}
  %dk, %dv, %all = attn.attention_backward_fused %q, %q, %q, %q, %lse, %lse, %sum scale(0.125) ordered blocks<32, 32>(%n, %i) : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x4x64xf32>, tensor<1x4x64xf32>, tensor<1x1x4x64x64xf32>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>, tensor<1x1x4x64x64xf32>)
  return
}
