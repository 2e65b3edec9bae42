// Attention without a mask, whose tiles are all equally long.
func.func @full(%q: tensor<?x16x?x64xbf16>, %k: tensor<?x16x?x64xbf16>, %v: tensor<?x16x?x64xbf16>) -> tensor<?x16x?x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<?x16x?x64xbf16>, tensor<?x16x?x64xbf16>, tensor<?x16x?x64xbf16>) -> tensor<?x16x?x64xbf16>
  return %o : tensor<?x16x?x64xbf16>
}
