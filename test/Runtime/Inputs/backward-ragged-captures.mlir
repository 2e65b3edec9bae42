// Gradients of what the region of packed sequences reads: a slope of a head, a number for each key of a sequence, and
// a factor of all scores; the second also summed over heads.
func.func @training(%q: tensor<1x?x4x64xbf16>, %k: tensor<1x?x2x64xbf16>, %v: tensor<1x?x2x64xbf16>, %do: tensor<1x?x4x64xbf16>, %cq: tensor<?xi32>, %ck: tensor<?xi32>, %slopes: tensor<4xf32>, %keys: tensor<1x4x1x?xf32>, %factor: f32)
    -> (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x1x?xf32>, tensor<1x1x?xbf16>, tensor<1x1x1x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)
      cu_seqlens_q(%cq : tensor<?xi32>) cu_seqlens_k(%ck : tensor<?xi32>) captures(%slopes, %keys, %factor : tensor<4xf32>, tensor<1x4x1x?xf32>, f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<4xf32>, %u: tensor<1x4x1x?xf32>, %n: f32) {
    %zero = arith.constant 0 : index
    %slope = attn.gather %t[%h] : tensor<4xf32> -> f32
    %key = attn.gather %u[%zero, %h, %zero, %j] : tensor<1x4x1x?xf32> -> f32
    %distance = arith.subi %j, %i : index
    %number = arith.index_cast %distance : index to i32
    %far = arith.sitofp %number : i32 to f32
    %few = arith.constant 0.03125 : f32
    %scaled = arith.mulf %far, %few : f32
    %bias = arith.mulf %slope, %scaled : f32
    %times = arith.mulf %s, %n : f32
    %sum = arith.addf %times, %bias : f32
    %y = arith.addf %sum, %key : f32
    attn.yield %y : f32
  }
      : (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>) -> (tensor<1x?x4x64xbf16>, tensor<1x4x?xf32>)
  %r:7 = attn.attention_backward %q, %k, %v, %o, %do, %lse mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)
      cu_seqlens_q(%cq) cu_seqlens_k(%ck) captures(%slopes, %keys, %factor) of([0, 1, 2, 1])
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<4xf32>, %u: tensor<1x4x1x?xf32>, %n: f32) {
    %zero = arith.constant 0 : index
    %slope = attn.gather %t[%h] : tensor<4xf32> -> f32
    %key = attn.gather %u[%zero, %h, %zero, %j] : tensor<1x4x1x?xf32> -> f32
    %distance = arith.subi %j, %i : index
    %number = arith.index_cast %distance : index to i32
    %far = arith.sitofp %number : i32 to f32
    %few = arith.constant 0.03125 : f32
    %scaled = arith.mulf %far, %few : f32
    %bias = arith.mulf %slope, %scaled : f32
    %times = arith.mulf %s, %n : f32
    %sum = arith.addf %times, %bias : f32
    %y = arith.addf %sum, %key : f32
    attn.yield %y : f32
  }
      : (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x4x64xbf16>, tensor<1x?x4x64xbf16>, tensor<1x4x?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<4xf32>, tensor<1x4x1x?xf32>, f32) -> (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x1x?xf32>, tensor<1x1x?xbf16>, tensor<1x1x1x?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x4x?xf32>, tensor<1x4x1x?xf32>, tensor<1x1x?xbf16>, tensor<1x1x1x?xf32>
}
