module attributes {attn.target = #attn.target<"h200", capabilities = ["nvvm", "mma.sync", "ldmatrix", "cp.async", "tma", "wgmma", "cluster", "setmaxnreg"], l2_gbps = 2147483648>} {
// Prefill attention of Llama 3 8B: 32 query heads that share 8 KV heads, head
// dimension 128, causal. Batch and sequence lengths are dynamic; with a KV cache
// of earlier tokens (Skv > Sq) the last query sees every key.
//
//   attn-compile llama3-8b-prefill.mlir --target=cpu --run --size=batch=1,query=512,key=512

func.func @prefill(%q: tensor<?x32x?x128xbf16>, %k: tensor<?x8x?x128xbf16>,
                   %v: tensor<?x8x?x128xbf16>) -> tensor<?x32x?x128xbf16> {
  // 1 / sqrt(128)
  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>)
      scale(0.0883883461)
      : (tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      -> tensor<?x32x?x128xbf16>
  return %o : tensor<?x32x?x128xbf16>
}
}
