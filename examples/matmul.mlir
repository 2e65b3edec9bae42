// A plain matrix product, streamed over k by the same passes as attention.
//
//   attn-compile matmul.mlir --run --size=m=300,n=200,k=500

func.func @matmul(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %c = attn.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
