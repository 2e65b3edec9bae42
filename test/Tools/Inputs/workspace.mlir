// A kernel and another that reads what it wrote; its workspace is as long as the function computes.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id = affine_map<(d0, d1) -> (d0, d1)>
attn.kernel @first(%x: !attn.view<?x16xbf16>, %y: !attn.view<?x?x16xf32>, %s: f32)
    attributes {dim_names = [["row", ""], ["split", "row", ""]], outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %n = attn.dim %x, 0 : <?x16xbf16>
  %m = attn.dim %y, 0 : <?x?x16xf32>
  attn.grid (%j, %i) visit %v in (j = %m, i = %n) {
    %a = attn.load %x[%i, %c0] : <?x16xbf16> -> tensor<16x16xbf16>
    %d = attn.dot %a, %a, %zero transpose_rhs : tensor<16x16xbf16>, tensor<16x16xbf16> into tensor<16x16xf32>
    %t = tensor.splat %s : tensor<16x16xf32>
    %e = arith.mulf %d, %t : tensor<16x16xf32>
    attn.store %e, %y[%j, %i, %c0] : tensor<16x16xf32> -> <?x?x16xf32>
  }
}
attn.kernel @second(%y: !attn.view<?x?x16xf32>, %o: !attn.view<?x16xf32>, %s: f32)
    attributes {dim_names = [["split", "row", ""], ["row", ""]], outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %o, 0 : <?x16xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %a = attn.load %y[%c0, %i, %c0] : <?x?x16xf32> -> tensor<16x16xf32>
    %t = tensor.splat %s : tensor<16x16xf32>
    %e = arith.mulf %a, %t : tensor<16x16xf32>
    attn.store %e, %o[%i, %c0] : tensor<16x16xf32> -> <?x16xf32>
  }
}
func.func @sum(%n: f32, %x: tensor<?x16xbf16>, %s: f32, %unread: tensor<4x?xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  %two = arith.constant 2.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x16xbf16>
  %tiles = arith.ceildivui %rows, %c64 : index
  %most = arith.maxui %tiles, %c1 : index
  %long = arith.cmpi ugt, %rows, %c1000 : index
  %splits = arith.select %long, %c1, %most : index
  %ws = tensor.empty(%splits, %rows) : tensor<?x?x16xf32>
  %p = attn.launch @first ins(%x : tensor<?x16xbf16>) outs(%ws : tensor<?x?x16xf32>) scalars(%s : f32) views [#id, #id3] -> tensor<?x?x16xf32>
  %e = tensor.empty(%rows) : tensor<?x16xf32>
  %o = attn.launch @second ins(%p : tensor<?x?x16xf32>) outs(%e : tensor<?x16xf32>) scalars(%two : f32) views [#id3, #id] -> tensor<?x16xf32>
  return %o : tensor<?x16xf32>
}
