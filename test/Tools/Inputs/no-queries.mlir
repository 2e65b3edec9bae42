func.func @f(%q: tensor<?x2x0x32xf16>, %k: tensor<?x1x?x32xf16>, %v: tensor<?x1x?x32xf16>)
    -> tensor<?x2x0x32xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<?x2x0x32xf16>, tensor<?x1x?x32xf16>, tensor<?x1x?x32xf16>) -> tensor<?x2x0x32xf16>
  return %o : tensor<?x2x0x32xf16>
}
