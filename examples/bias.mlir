// An additive bias for each head, query and key: a table of relative positions
// that was made once, for example. On NVIDIA GPUs with a tensor memory accelerator
// it streams as the keys do, if there is a multiple of 8 of them.
//
//   attn-compile bias.mlir --run --size=batch=2,query=200,key=304

func.func @bias(%q: tensor<?x16x?x64xbf16>, %k: tensor<?x16x?x64xbf16>,
                %v: tensor<?x16x?x64xbf16>, %bias: tensor<1x16x?x?xbf16>)
    -> tensor<?x16x?x64xbf16> {
  %o = attn.attention %q, %k, %v scale(0.125) captures(%bias : tensor<1x16x?x?xbf16>)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index,
            %t: tensor<1x16x?x?xbf16>) {
        %zero = arith.constant 0 : index
        %x = attn.gather %t[%zero, %h, %i, %j] : tensor<1x16x?x?xbf16> -> bf16
        %xf = arith.extf %x : bf16 to f32
        %y = arith.addf %s, %xf fastmath<contract> : f32
        attn.yield %y : f32
      }
      : (tensor<?x16x?x64xbf16>, tensor<?x16x?x64xbf16>, tensor<?x16x?x64xbf16>)
      -> tensor<?x16x?x64xbf16>
  return %o : tensor<?x16x?x64xbf16>
}
