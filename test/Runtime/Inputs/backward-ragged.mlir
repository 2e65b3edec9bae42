// Attention of packed sequences with a slope for each head, and its gradients.
func.func @training(%q: tensor<1x?x4x64xbf16>, %k: tensor<1x?x2x64xbf16>, %v: tensor<1x?x2x64xbf16>, %do: tensor<1x?x4x64xbf16>, %cq: tensor<?xi32>, %ck: tensor<?xi32>, %slopes: tensor<4xf32>)
    -> (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)
      cu_seqlens_q(%cq : tensor<?xi32>) cu_seqlens_k(%ck : tensor<?xi32>) captures(%slopes : tensor<4xf32>)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<4xf32>) {
    %slope = attn.gather %t[%h] : tensor<4xf32> -> f32
    %distance = arith.subi %j, %i : index
    %number = arith.index_cast %distance : index to i32
    %far = arith.sitofp %number : i32 to f32
    %few = arith.constant 0.03125 : f32
    %scaled = arith.mulf %far, %few : f32
    %bias = arith.mulf %slope, %scaled : f32
    %y = arith.addf %s, %bias : f32
    attn.yield %y : f32
  }
      : (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>) -> (tensor<1x?x4x64xbf16>, tensor<1x4x?xf32>)
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)
      cu_seqlens_q(%cq) cu_seqlens_k(%ck) captures(%slopes)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<4xf32>) {
    %slope = attn.gather %t[%h] : tensor<4xf32> -> f32
    %distance = arith.subi %j, %i : index
    %number = arith.index_cast %distance : index to i32
    %far = arith.sitofp %number : i32 to f32
    %few = arith.constant 0.03125 : f32
    %scaled = arith.mulf %far, %few : f32
    %bias = arith.mulf %slope, %scaled : f32
    %y = arith.addf %s, %bias : f32
    attn.yield %y : f32
  }
      : (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x4x64xbf16>, tensor<1x?x4x64xbf16>, tensor<1x4x?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<4xf32>) -> (tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>)
  return %dq, %dk, %dv : tensor<1x?x4x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>
}
