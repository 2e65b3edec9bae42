// Products with the key that have more than 32 bits: cut off, and as they wrap, of sums and differences, too.
// A shift by an amount that is below the number of bits.

func.func @cut(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %wide = arith.index_cast %j : index to i64
    %factor = arith.constant 67108864 : i64
    %product = arith.muli %wide, %factor : i64
    %low = arith.trunci %product : i64 to i32
    %most = arith.constant 100 : i32
    %p = arith.cmpi slt, %low, %most : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @wraps(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %key = arith.index_cast %j : index to i32
    %factor = arith.constant 67108864 : i32
    %product = arith.muli %key, %factor : i32
    %most = arith.constant 100 : i32
    %p = arith.cmpi slt, %product, %most : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @small(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %three = arith.constant 3 : index
    %product = arith.muli %j, %three : index
    %key = arith.index_cast %product : index to i32
    %query = arith.index_cast %i : index to i32
    %p = arith.cmpi sle, %key, %query : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @bits(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %set = arith.constant 0x5A3C96F1 : i32
    %key = arith.index_cast %j : index to i32
    %last = arith.constant 31 : i32
    %bit = arith.andi %key, %last : i32
    %shifted = arith.shrui %set, %bit : i32
    %p = arith.trunci %shifted : i32 to i1
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @sum(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %key = arith.index_cast %j : index to i32
    %more = arith.constant 1000 : i32
    %factor = arith.constant 4194304 : i32
    %most = arith.constant 0 : i32
    %sum = arith.addi %key, %more : i32
    %product = arith.muli %sum, %factor : i32
    %p = arith.cmpi sle, %product, %most : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @turned(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x15x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %key = arith.index_cast %j : index to i32
    %query = arith.index_cast %i : index to i32
    %factor = arith.constant 67108864 : i32
    %most = arith.constant 5 : i32
    %distance = arith.subi %query, %key : i32
    %product = arith.muli %distance, %factor : i32
    %p = arith.cmpi sle, %product, %most : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x15x16xf32>, tensor<1x1x15x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}

func.func @quotient(%q: tensor<1x1x64x16xf32>, %k: tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32> {
  %o = attn.attention %q, %k, %k scale(0.25)
      keep(%b: index, %h: index, %i: index, %j: index) {
    %key = arith.index_cast %j : index to i32
    %more = arith.constant 1000 : i32
    %factor = arith.constant 4194304 : i32
    %divisor = arith.constant 8388608 : i32
    %most = arith.constant 20 : i32
    %sum = arith.addi %key, %more : i32
    %product = arith.muli %sum, %factor : i32
    %quotient = arith.divui %product, %divisor : i32
    %p = arith.cmpi ule, %quotient, %most : i32
    attn.yield %p : i1
  } : (tensor<1x1x64x16xf32>, tensor<1x1x200x16xf32>, tensor<1x1x200x16xf32>) -> tensor<1x1x64x16xf32>
  return %o : tensor<1x1x64x16xf32>
}
