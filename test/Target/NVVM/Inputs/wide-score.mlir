// Products of 128 bits, which no GPU has.
func.func @f(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>) -> tensor<?x2x?x64xbf16> {
  %o = attn.attention %q, %k, %k scale(0.1)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %n = arith.fptosi %s : f32 to i128
        %m = arith.muli %n, %n : i128
        %x = arith.sitofp %m : i128 to f32
        attn.yield %x : f32
      } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x2x?x64xbf16>
  return %o : tensor<?x2x?x64xbf16>
}
