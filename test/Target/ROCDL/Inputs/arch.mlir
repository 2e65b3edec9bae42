module attributes {attn.target = #attn.target<"mi300x", TARGET>} {
  func.func @f(%a: tensor<?x32xbf16>, %b: tensor<32x?xbf16>) -> tensor<?x?xf32> {
    %c = attn.matmul %a, %b : (tensor<?x32xbf16>, tensor<32x?xbf16>) -> tensor<?x?xf32>
    return %c : tensor<?x?xf32>
  }
}
