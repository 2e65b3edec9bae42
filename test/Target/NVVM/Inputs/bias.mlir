func.func @f(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %bias: tensor<1x4x?x?xbf16>) -> tensor<?x4x?x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) captures(%bias : tensor<1x4x?x?xbf16>)
    score(%s: f32, %b: index, %h: index, %i: index, %j: index, %bias_: tensor<1x4x?x?xbf16>) {
      %none = arith.constant 0 : index
      %x = attn.gather %bias_[%none, %h, %i, %j] : tensor<1x4x?x?xbf16> -> bf16
      %y = arith.extf %x : bf16 to f32
      %r = arith.addf %s, %y fastmath<contract> : f32
      attn.yield %r : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> tensor<?x4x?x64xbf16>
  return %o : tensor<?x4x?x64xbf16>
}
