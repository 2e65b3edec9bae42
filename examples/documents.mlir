// Documents packed into one sequence: a token attends to those before it in its own
// document. The mask is a region that reads the numbers of documents, which never
// fall; each head has a sink, one more logit in the denominator.
//
//   attn-compile examples/documents.mlir --target=h200 --emit=bundle -o documents
func.func @documents(%q: tensor<?x16x?x128xbf16>, %k: tensor<?x4x?x128xbf16>, %v: tensor<?x4x?x128xbf16>,
                     %ids: tensor<?x?xi32>, %sinks: tensor<16xf32>) -> tensor<?x16x?x128xbf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.0883883461)
      captures(%ids : tensor<?x?xi32>) sinks(%sinks : tensor<16xf32>)
      keep(%b: index, %h: index, %i: index, %j: index, %d: tensor<?x?xi32>) {
    %x = attn.gather %d[%b, %i] : tensor<?x?xi32> -> i32
    %y = attn.gather %d[%b, %j] : tensor<?x?xi32> -> i32
    %same = arith.cmpi eq, %x, %y : i32
    attn.yield %same : i1
  } {sorted = array<i64: 0>}
    : (tensor<?x16x?x128xbf16>, tensor<?x4x?x128xbf16>, tensor<?x4x?x128xbf16>) -> tensor<?x16x?x128xbf16>
  return %o : tensor<?x16x?x128xbf16>
}
