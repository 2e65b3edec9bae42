// What several devices, or several calls, have made of disjoint parts of the keys, as attention to all of them.
func.func @merge(%os: tensor<?x?x32x?x128xbf16>, %lses: tensor<?x?x32x?xf32>)
    -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>) {
  %o, %lse = attn.merge_states %os, %lses
      : (tensor<?x?x32x?x128xbf16>, tensor<?x?x32x?xf32>) -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
  return %o, %lse : tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
}
