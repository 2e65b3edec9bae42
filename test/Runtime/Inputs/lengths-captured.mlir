// Bounds that are numbers of each sequence, beside its length.
func.func @decode(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>, %n: tensor<?xi32>,
                  %from: tensor<?xi32>, %ahead: tensor<?xi32>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>) {
  %o, %lse = attn.attention %q, %k, %v scale(0.125) lengths(%n : tensor<?xi32>)
    captures(%from, %ahead : tensor<?xi32>, tensor<?xi32>)
    keep(%b: index, %h: index, %i: index, %j: index, %first: tensor<?xi32>, %behind: tensor<?xi32>) {
      %0 = attn.gather %first[%b] : tensor<?xi32> -> i32
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi sge, %j, %1 : index
      %3 = attn.gather %behind[%b] : tensor<?xi32> -> i32
      %4 = arith.index_cast %3 : i32 to index
      %5 = arith.addi %i, %4 : index
      %6 = arith.cmpi sle, %j, %5 : index
      %7 = arith.andi %2, %6 : i1
      attn.yield %7 : i1
    }
    : (tensor<?x8x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>)
  return %o, %lse : tensor<?x8x?x64xbf16>, tensor<?x8x?xf32>
}
