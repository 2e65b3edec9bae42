// What hand-written.mlir computes.
func.func @attention(%q: tensor<?x6x?x16xf32>, %k: tensor<?x3x?x16xf32>, %v: tensor<?x3x?x8xf32>)
    -> (tensor<?x6x?x8xf32>, tensor<?x6x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.25)
      : (tensor<?x6x?x16xf32>, tensor<?x3x?x16xf32>, tensor<?x3x?x8xf32>)
      -> (tensor<?x6x?x8xf32>, tensor<?x6x?xf32>)
  return %o, %lse : tensor<?x6x?x8xf32>, tensor<?x6x?xf32>
}
