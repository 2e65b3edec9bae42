// Three biases, of which each score reads an element.
func.func @f(%q: tensor<1x2x?x128xbf16>, %k: tensor<1x2x?x128xbf16>, %v: tensor<1x2x?x128xbf16>, %c0: tensor<?x?xbf16>, %c1: tensor<?x?xbf16>, %c2: tensor<?x?xbf16>) -> tensor<1x2x?x128xbf16> {
 %o = attn.attention %q, %k, %v scale(0.125) captures(%c0, %c1, %c2 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>)
 score(%s: f32, %b: index, %h: index, %i: index, %j: index, %d0: tensor<?x?xbf16>, %d1: tensor<?x?xbf16>, %d2: tensor<?x?xbf16>) {
  %g0 = attn.gather %d0[%i, %j] : tensor<?x?xbf16> -> bf16
  %e0 = arith.extf %g0 : bf16 to f32
  %r0 = arith.addf %s, %e0 : f32
  %g1 = attn.gather %d1[%i, %j] : tensor<?x?xbf16> -> bf16
  %e1 = arith.extf %g1 : bf16 to f32
  %r1 = arith.addf %r0, %e1 : f32
  %g2 = attn.gather %d2[%i, %j] : tensor<?x?xbf16> -> bf16
  %e2 = arith.extf %g2 : bf16 to f32
  %r2 = arith.addf %r1, %e2 : f32
  attn.yield %r2 : f32
 } : (tensor<1x2x?x128xbf16>, tensor<1x2x?x128xbf16>, tensor<1x2x?x128xbf16>) -> tensor<1x2x?x128xbf16>
 return %o : tensor<1x2x?x128xbf16>
}
