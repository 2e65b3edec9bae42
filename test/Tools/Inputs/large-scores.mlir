// Scores of magnitudes: SOME is added at the keys before the 20th, OTHERS at each third of those behind.
// Under a causal mask the first rows see the former alone.
func.func @f(%q: tensor<?x2x?x32xTYPE>, %k: tensor<?x2x?x32xTYPE>, %v: tensor<?x2x?x32xTYPE>) -> (tensor<?x2x?x32xTYPE>, tensor<?x2x?xf32>) {
  %o, %l = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.18) score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %c20 = arith.constant 20 : index
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %some = arith.constant SOME : f32
    %others = arith.constant OTHERS : f32
    %zero = arith.constant 0.0 : f32
    %rest = arith.remui %j, %c3 : index
    %third = arith.cmpi eq, %rest, %c0 : index
    %behind = arith.select %third, %others, %zero : f32
    %first = arith.cmpi ult, %j, %c20 : index
    %bias = arith.select %first, %some, %behind : f32
    %y = arith.addf %s, %bias : f32
    attn.yield %y : f32
  } : (tensor<?x2x?x32xTYPE>, tensor<?x2x?x32xTYPE>, tensor<?x2x?x32xTYPE>) -> (tensor<?x2x?x32xTYPE>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x32xTYPE>, tensor<?x2x?xf32>
}
