// Sorted numbers of which a comparison sees the lower 32 bits.

func.func @f(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>, %ids: tensor<200xi64>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25) captures(%ids : tensor<200xi64>)
      keep(%b: index, %h: index, %i: index, %j: index, %t: tensor<200xi64>) {
    %x = arith.constant 0 : i32
    %id = attn.gather %t[%j] : tensor<200xi64> -> i64
    %wide = arith.index_cast %id : i64 to index
    %low = arith.index_cast %wide : index to i32
    %p = arith.cmpi eq, %low, %x : i32
    attn.yield %p : i1
  } {sorted = array<i64: 0>} : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}
