!q = tensor<?x8x1x128xbf16>
!k = tensor<?x2x?x128xbf16>
func.func @decode(%q: !q, %k: !k, %v: !k, %n: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.088) lengths(%n : tensor<?xi32>) : (!q, !k, !k) -> !q
  return %o : !q
}
