!q = tensor<?x2x?x64xbf16>
!kv = tensor<?x1x?x64xbf16>
!lse = tensor<?x2x?xf32>
func.func @causal(%q: !q, %k: !kv, %v: !kv, %shift: f32) -> (!q, !lse) {
  %o:2 = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) captures(%shift : f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
        %y = arith.addf %s, %c : f32
        attn.yield %y : f32
      } : (!q, !kv, !kv) -> (!q, !lse)
  return %o#0, %o#1 : !q, !lse
}
