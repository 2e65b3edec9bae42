func.func @paged(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x64x64xbf16>, %v: tensor<?x2x64x64xbf16>, %n: tensor<?xi32>, %t: tensor<?x?xi32>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) lengths(%n : tensor<?xi32>) block_table(%t : tensor<?x?xi32>)
    : (tensor<?x8x?x64xbf16>, tensor<?x2x64x64xbf16>, tensor<?x2x64x64xbf16>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>)
  return %o, %lse : tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>
}
