// Prefill attention of DeepSeek-V3 as in "Optimizing Attention on GPUs by
// Exploiting GPU Architectural NUMA Effects": 128 heads without grouping, head
// dimension 56, causal. On a GPU of several L2 domains the grid order decides:
//
//   attn-compile deepseek-v3-prefill.mlir --target=mi300x \
//     --schedule='tiles=query=128,key=64 grid-order=swizzled-head-first' --describe

func.func @prefill(%q: tensor<?x128x?x56xbf16>, %k: tensor<?x128x?x56xbf16>,
                   %v: tensor<?x128x?x56xbf16>) -> tensor<?x128x?x56xbf16> {
  // 1 / sqrt(56)
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>)
      scale(0.133630621)
      : (tensor<?x128x?x56xbf16>, tensor<?x128x?x56xbf16>, tensor<?x128x?x56xbf16>)
      -> tensor<?x128x?x56xbf16>
  return %o : tensor<?x128x?x56xbf16>
}
