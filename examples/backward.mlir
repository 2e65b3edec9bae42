// Attention and its gradients, as a step of training takes them: causal, four
// query heads to a KV head. O and LSE of the first are what the second needs.

func.func @training_step(%q: tensor<?x32x?x128xbf16>, %k: tensor<?x8x?x128xbf16>,
    %v: tensor<?x8x?x128xbf16>, %do: tensor<?x32x?x128xbf16>)
    -> (tensor<?x32x?x128xbf16>, tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>,
        tensor<?x8x?x128xbf16>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>)
      scale(0.0883883461)
      : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse
      mask(#attn.causal<bottom_right>) scale(0.0883883461)
      : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>,
         tensor<?x32x?x128xbf16>, tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
      -> (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
  return %o, %dq, %dk, %dv : tensor<?x32x?x128xbf16>, tensor<?x32x?x128xbf16>,
      tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>
}
