// Attention with scores so far apart that maxima grow by more than 2^16 from tile to tile, in a
// window in which the first tiles of some rows hold nothing.
func.func @growing(%q: tensor<?x4x?x64xf16>, %k: tensor<?x2x?x64xf16>, %v: tensor<?x2x?x64xf16>)
    -> (tensor<?x4x?x64xf16>, tensor<?x4x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v mask(#attn.window<left = 40, right = 3, align = bottom_right>)
      scale(4.0)
      : (tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
      -> (tensor<?x4x?x64xf16>, tensor<?x4x?xf32>)
  return %o, %lse : tensor<?x4x?x64xf16>, tensor<?x4x?xf32>
}
