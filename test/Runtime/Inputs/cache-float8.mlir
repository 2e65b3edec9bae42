!q = tensor<?x8x?x72xbf16>
!cache = tensor<?x2x16x72xf8E4M3FN>
func.func @cache(%q: !q, %k: !cache, %v: !cache, %n: tensor<?xi32>, %t: tensor<?x?xi32>, %ks: tensor<?x2xf32>, %vs: tensor<1x2xf32>) -> (!q, tensor<?x8x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) lengths(%n : tensor<?xi32>) block_table(%t : tensor<?x?xi32>)
    k_scale(%ks : tensor<?x2xf32>) v_scale(%vs : tensor<1x2xf32>) : (!q, !cache, !cache) -> (!q, tensor<?x8x?xf32>)
  return %o, %lse : !q, tensor<?x8x?xf32>
}
