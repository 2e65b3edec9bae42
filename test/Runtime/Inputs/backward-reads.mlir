// A bias and a mask of a tensor, read for each pair, and gradients with them.
func.func @training(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>, %do: tensor<?x4x?x64xbf16>, %bias: tensor<?x1x?x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) captures(%bias : tensor<?x1x?x?xf32>) score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<?x1x?x?xf32>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<?x1x?x?xf32> -> f32
    %sum = arith.addf %s, %x : f32
    %y = math.tanh %sum : f32
    attn.yield %y : f32
  } keep(%b: index, %h: index, %i: index, %j: index, %t: tensor<?x1x?x?xf32>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<?x1x?x?xf32> -> f32
    %least = arith.constant -1.0 : f32
    %seen = arith.cmpf ogt, %x, %least : f32
    attn.yield %seen : i1
  }
      : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse scale(0.125) captures(%bias) score(%s: f32, %b: index, %h: index, %i: index, %j: index, %t: tensor<?x1x?x?xf32>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<?x1x?x?xf32> -> f32
    %sum = arith.addf %s, %x : f32
    %y = math.tanh %sum : f32
    attn.yield %y : f32
  } keep(%b: index, %h: index, %i: index, %j: index, %t: tensor<?x1x?x?xf32>) {
    %zero = arith.constant 0 : index
    %x = attn.gather %t[%b, %zero, %i, %j] : tensor<?x1x?x?xf32> -> f32
    %least = arith.constant -1.0 : f32
    %seen = arith.cmpf ogt, %x, %least : f32
    attn.yield %seen : i1
  }
      : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>, tensor<?x1x?x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
  return %dq, %dk, %dv : tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>
}
