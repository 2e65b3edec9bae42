// The gradient of a bias that heads share.
func.func @bias(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %do: tensor<?x8x?x64xbf16>, %lse: tensor<?x8x?xf32>, %delta: tensor<?x8x?xf32>, %bias: tensor<?x1x?x?xbf16>) -> tensor<?x1x?x?xbf16> {
  %r = attn.attention_backward_capture %q, %k, %v, %do, %lse, %delta scale(0.125) captures(%bias) of(0)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<?x1x?x?xbf16>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<?x1x?x?xbf16> -> bf16
    %wide = arith.extf %x : bf16 to f32
    %y = arith.addf %s, %wide : f32
    attn.yield %y : f32
  } : (tensor<?x8x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>, tensor<?x8x?xf32>, tensor<?x1x?x?xbf16>) -> tensor<?x1x?x?xbf16>
  return %r : tensor<?x1x?x?xbf16>
}
