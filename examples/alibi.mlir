// Attention with linear biases (ALiBi): a penalty that grows with the distance
// of query and key, with a slope of 2^(-8 (h + 1) / H) for head h of H = 16.
//
//   attn-compile alibi.mlir --run --size=batch=1,query=200,key=200

func.func @alibi(%q: tensor<?x16x?x64xf16>, %k: tensor<?x16x?x64xf16>,
                 %v: tensor<?x16x?x64xf16>) -> tensor<?x16x?x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %one = arith.constant 1 : index
        %h1 = arith.addi %h, %one : index
        %hi = arith.index_cast %h1 : index to i32
        %hf = arith.sitofp %hi : i32 to f32
        %step = arith.constant -0.5 : f32
        %exponent = arith.mulf %hf, %step : f32
        %slope = math.exp2 %exponent : f32
        %distance = arith.subi %j, %i : index
        %di = arith.index_cast %distance : index to i32
        %df = arith.sitofp %di : i32 to f32
        %bias = arith.mulf %slope, %df fastmath<contract, reassoc> : f32
        %y = arith.addf %s, %bias fastmath<contract> : f32
        attn.yield %y : f32
      }
      : (tensor<?x16x?x64xf16>, tensor<?x16x?x64xf16>, tensor<?x16x?x64xf16>)
      -> tensor<?x16x?x64xf16>
  return %o : tensor<?x16x?x64xf16>
}
