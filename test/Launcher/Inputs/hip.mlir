!q = tensor<?x2x?x64xbf16>
!kv = tensor<?x1x?x64xbf16>
!lse = tensor<?x2x?xf32>
func.func @causal(%q: !q, %k: !kv, %v: !kv) -> (!q, !lse) {
  %o:2 = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) : (!q, !kv, !kv) -> (!q, !lse)
  return %o#0, %o#1 : !q, !lse
}
