!q = tensor<?x2x?x32xbf16>
!k = tensor<?x1x?x32xbf16>
!l = tensor<?x2x?xf32>
func.func @training(%q: !q, %k: !k, %v: !k, %do: !q, %dl: !l) -> (!q, !k, !k) {
  %o, %l = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(SCALE) : (!q, !k, !k) -> (!q, !l)
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %l lse_gradient(%dl) mask(#attn.causal<bottom_right>) scale(SCALE)
      : (!q, !k, !k, !q, !q, !l, !l) -> (!q, !k, !k)
  return %dq, %dk, %dv : !q, !k, !k
}
