func.func @attention(%q: tensor<?x16x?x128xf8E4M3FN>, %k: tensor<?x16x?x128xf8E4M3FN>, %v: tensor<?x16x128x?xf8E4M3FN>, %qs: tensor<?x16xf32>, %ks: tensor<?x16xf32>, %vs: tensor<?x16xf32>) -> (tensor<?x16x?x128xbf16>, tensor<?x16x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(8.838834765e-02) values(interleaved)
    q_scale(%qs : tensor<?x16xf32>) k_scale(%ks : tensor<?x16xf32>) v_scale(%vs : tensor<?x16xf32>)
    : (tensor<?x16x?x128xf8E4M3FN>, tensor<?x16x?x128xf8E4M3FN>, tensor<?x16x128x?xf8E4M3FN>) -> (tensor<?x16x?x128xbf16>, tensor<?x16x?xf32>)
  return %o, %lse : tensor<?x16x?x128xbf16>, tensor<?x16x?xf32>
}
