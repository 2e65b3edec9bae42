// One bias of all sequences, of which each has its own length.
func.func @f(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>,
    %n: tensor<?xi32>, %bias: tensor<1x2x?x?xbf16>) -> (tensor<?x2x?x64xbf16>) {
  %o = attn.attention %q, %k, %v scale(0.125) lengths(%n : tensor<?xi32>)
    captures(%bias : tensor<1x2x?x?xbf16>)
    score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<1x2x?x?xbf16>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%zero, %h, %i, %j] : tensor<1x2x?x?xbf16> -> bf16
    %wide = arith.extf %x : bf16 to f32
    %y = arith.addf %s, %wide : f32
    attn.yield %y : f32
  }
    : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x2x?x64xbf16>
  return %o : tensor<?x2x?x64xbf16>
}
