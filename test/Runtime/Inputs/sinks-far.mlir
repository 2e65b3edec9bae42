// A sink so far above all scores that O is zero, which is below and above what V has.

func.func @f(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %s: tensor<2xf32>) -> tensor<1x2x64x16xf32> {
  %o = attn.attention %q, %k, %k mask(#attn.causal<top_left>) scale(0.25) sinks(%s : tensor<2xf32>)
      score(%x: f32, %b: index, %h: index, %i: index, %j: index) {
    %far = arith.constant -1.0e4 : f32
    attn.yield %far : f32
  } : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %o : tensor<1x2x64x16xf32>
}
