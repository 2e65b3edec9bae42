// A transformer block in linalg, as a compiler that embeds this project may hold it:
// norms, projections, rotary embedding, causal attention of 8 query heads that share 2 KV
// heads, output projection, a gated MLP, and two residual connections. Batch and length
// are dynamic. Attention is in f16, the rest in f32; attn-raise finds it.
//
//   attn-compile block.mlir --target=cpu --host --emit=object -o block.o

#row = affine_map<(b, s, m) -> (b, s)>
#all = affine_map<(b, s, m) -> (b, s, m)>
#gain = affine_map<(b, s, m) -> (m)>
#x = affine_map<(b, s, n, k) -> (b, s, k)>
#w = affine_map<(b, s, n, k) -> (k, n)>
#y = affine_map<(b, s, n, k) -> (b, s, n)>
#pair = affine_map<(b, s, h, p, i) -> (b, s, h, i)>
#rotated = affine_map<(b, s, h, p, i) -> (b, s, h, p, i)>

// Of a batch, a KV head, a query head of it, a query, a key and a feature.
#q = affine_map<(b, g, r, i, j, d) -> (b, i, g, r, d)>
#k = affine_map<(b, g, r, i, j, d) -> (b, j, g, d)>
#s = affine_map<(b, g, r, i, j, d) -> (b, g, r, i, j)>
#p = affine_map<(b, g, r, i, d, j) -> (b, g, r, i, j)>
#v = affine_map<(b, g, r, i, d, j) -> (b, j, g, d)>
#o = affine_map<(b, g, r, i, d, j) -> (b, i, g, r, d)>
#weight = affine_map<(b, g, r, i, j) -> (b, g, r, i, j)>

// x / sqrt(mean(x^2) + 1e-5) * gain
func.func private @norm(%x: tensor<?x?x256xf32>, %gain: tensor<256xf32>) -> tensor<?x?x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?x256xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x256xf32>
  %rows = tensor.empty(%batch, %length) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x256xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%e: f32, %sum: f32):
    %square = arith.mulf %e, %e : f32
    %more = arith.addf %sum, %square : f32
    linalg.yield %more : f32
  } -> tensor<?x?xf32>
  %empty = tensor.empty(%batch, %length) : tensor<?x?x256xf32>
  %normed = linalg.generic {indexing_maps = [#all, #row, #gain, #all],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %squares, %gain : tensor<?x?x256xf32>, tensor<?x?xf32>, tensor<256xf32>)
      outs(%empty : tensor<?x?x256xf32>) {
  ^bb0(%e: f32, %sum: f32, %g: f32, %out: f32):
    %width = arith.constant 256.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %sum, %width : f32
    %inside = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %inside : f32
    %scaled = arith.mulf %e, %scale : f32
    %y = arith.mulf %scaled, %g : f32
    linalg.yield %y : f32
  } -> tensor<?x?x256xf32>
  return %normed : tensor<?x?x256xf32>
}

// x w
func.func private @linear(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %width = tensor.dim %w, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%batch, %length, %width) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.contract indexing_maps = [#x, #w, #y]
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?xf32>)
      outs(%start : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Rotates the halves of each head by an angle of its position: 10000^(-i/16) a step for
// pair i of 16.
func.func private @rotate(%x: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?x32xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x?x32xf32>
  %heads = tensor.dim %x, %c2 : tensor<?x?x?x32xf32>
  %low = tensor.extract_slice %x[0, 0, 0, 0] [%batch, %length, %heads, 16] [1, 1, 1, 1]
      : tensor<?x?x?x32xf32> to tensor<?x?x?x16xf32>
  %high = tensor.extract_slice %x[0, 0, 0, 16] [%batch, %length, %heads, 16] [1, 1, 1, 1]
      : tensor<?x?x?x32xf32> to tensor<?x?x?x16xf32>
  %empty = tensor.empty(%batch, %length, %heads) : tensor<?x?x?x2x16xf32>
  %halves = linalg.generic {indexing_maps = [#pair, #pair, #rotated],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%low, %high : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      outs(%empty : tensor<?x?x?x2x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    // -log2(10000) / 16
    %decay = arith.constant -0.830482024 : f32
    %zero = arith.constant 0 : index
    %position = linalg.index 1 : index
    %half = linalg.index 3 : index
    %number = linalg.index 4 : index
    %i = arith.index_cast %number : index to i32
    %if = arith.sitofp %i : i32 to f32
    %exponent = arith.mulf %if, %decay : f32
    %step = math.exp2 %exponent : f32
    %p = arith.index_cast %position : index to i32
    %pf = arith.sitofp %p : i32 to f32
    %angle = arith.mulf %pf, %step : f32
    %cos = math.cos %angle : f32
    %sin = math.sin %angle : f32
    %isLow = arith.cmpi eq, %half, %zero : index
    %own = arith.select %isLow, %a, %b : f32
    %minus = arith.negf %b : f32
    %other = arith.select %isLow, %minus, %a : f32
    %x0 = arith.mulf %own, %cos : f32
    %x1 = arith.mulf %other, %sin : f32
    %y = arith.addf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?x2x16xf32>
  %whole = tensor.collapse_shape %halves [[0], [1], [2], [3, 4]]
      : tensor<?x?x?x2x16xf32> into tensor<?x?x?x32xf32>
  return %whole : tensor<?x?x?x32xf32>
}

// Queries and keys are [batch, length, heads, 32], the sequence before the head.
func.func @block(%x: tensor<?x?x256xf32>, %norm1: tensor<256xf32>,
                 %wq: tensor<256x256xf32>, %wk: tensor<256x64xf32>,
                 %wv: tensor<256x64xf32>, %wo: tensor<256x256xf32>,
                 %norm2: tensor<256xf32>, %wgate: tensor<256x512xf32>,
                 %wup: tensor<256x512xf32>, %wdown: tensor<512x256xf32>)
    -> tensor<?x?x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x256xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x256xf32>
  %n1 = func.call @norm(%x, %norm1) : (tensor<?x?x256xf32>, tensor<256xf32>) -> tensor<?x?x256xf32>
  %in1 = tensor.cast %n1 : tensor<?x?x256xf32> to tensor<?x?x?xf32>

  // Projections, by head.
  %wqd = tensor.cast %wq : tensor<256x256xf32> to tensor<?x?xf32>
  %qd = func.call @linear(%in1, %wqd) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %qm = tensor.cast %qd : tensor<?x?x?xf32> to tensor<?x?x256xf32>
  %q = tensor.expand_shape %qm [[0], [1], [2, 3]] output_shape [%batch, %length, 8, 32]
      : tensor<?x?x256xf32> into tensor<?x?x8x32xf32>
  %wkd = tensor.cast %wk : tensor<256x64xf32> to tensor<?x?xf32>
  %kd = func.call @linear(%in1, %wkd) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %km = tensor.cast %kd : tensor<?x?x?xf32> to tensor<?x?x64xf32>
  %k = tensor.expand_shape %km [[0], [1], [2, 3]] output_shape [%batch, %length, 2, 32]
      : tensor<?x?x64xf32> into tensor<?x?x2x32xf32>
  %wvd = tensor.cast %wv : tensor<256x64xf32> to tensor<?x?xf32>
  %vd = func.call @linear(%in1, %wvd) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %vm = tensor.cast %vd : tensor<?x?x?xf32> to tensor<?x?x64xf32>
  %v = tensor.expand_shape %vm [[0], [1], [2, 3]] output_shape [%batch, %length, 2, 32]
      : tensor<?x?x64xf32> into tensor<?x?x2x32xf32>

  // Rotary embedding.
  %qh = tensor.cast %q : tensor<?x?x8x32xf32> to tensor<?x?x?x32xf32>
  %qr = func.call @rotate(%qh) : (tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %qs = tensor.cast %qr : tensor<?x?x?x32xf32> to tensor<?x?x8x32xf32>
  %q16 = arith.truncf %qs : tensor<?x?x8x32xf32> to tensor<?x?x8x32xf16>
  %kh = tensor.cast %k : tensor<?x?x2x32xf32> to tensor<?x?x?x32xf32>
  %kr = func.call @rotate(%kh) : (tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %ks = tensor.cast %kr : tensor<?x?x?x32xf32> to tensor<?x?x2x32xf32>
  %k16 = arith.truncf %ks : tensor<?x?x2x32xf32> to tensor<?x?x2x32xf16>
  %v16 = arith.truncf %v : tensor<?x?x2x32xf32> to tensor<?x?x2x32xf16>

  // Query head 4 g + r takes keys and values of head g.
  %q5 = tensor.expand_shape %q16 [[0], [1], [2, 3], [4]] output_shape [%batch, %length, 2, 4, 32]
      : tensor<?x?x8x32xf16> into tensor<?x?x2x4x32xf16>
  %zero = arith.constant 0.0 : f32
  %scores0 = tensor.empty(%batch, %length, %length) : tensor<?x2x4x?x?xf32>
  %scores1 = linalg.fill ins(%zero : f32) outs(%scores0 : tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32>
  %scores = linalg.contract indexing_maps = [#q, #k, #s]
      ins(%q5, %k16 : tensor<?x?x2x4x32xf16>, tensor<?x?x2x32xf16>)
      outs(%scores1 : tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#weight, #weight],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%scores : tensor<?x2x4x?x?xf32>) outs(%scores0 : tensor<?x2x4x?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    // 1 / sqrt(32)
    %scale = arith.constant 0.176776695 : f32
    %hidden = arith.constant 0xFF800000 : f32
    %query = linalg.index 3 : index
    %key = linalg.index 4 : index
    %seen = arith.cmpi sle, %key, %query : index
    %scaled = arith.mulf %e, %scale : f32
    %y = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %y : f32
  } -> tensor<?x2x4x?x?xf32>
  %weights = linalg.softmax dimension(4) ins(%masked : tensor<?x2x4x?x?xf32>)
      outs(%scores0 : tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32>
  %weights16 = arith.truncf %weights : tensor<?x2x4x?x?xf32> to tensor<?x2x4x?x?xf16>
  %o0 = tensor.empty(%batch, %length) : tensor<?x?x2x4x32xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<?x?x2x4x32xf32>) -> tensor<?x?x2x4x32xf32>
  %o = linalg.contract indexing_maps = [#p, #v, #o]
      ins(%weights16, %v16 : tensor<?x2x4x?x?xf16>, tensor<?x?x2x32xf16>)
      outs(%o1 : tensor<?x?x2x4x32xf32>) -> tensor<?x?x2x4x32xf32>
  %joined = tensor.collapse_shape %o [[0], [1], [2, 3, 4]]
      : tensor<?x?x2x4x32xf32> into tensor<?x?x256xf32>
  %in2 = tensor.cast %joined : tensor<?x?x256xf32> to tensor<?x?x?xf32>
  %wod = tensor.cast %wo : tensor<256x256xf32> to tensor<?x?xf32>
  %pd = func.call @linear(%in2, %wod) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %projected = tensor.cast %pd : tensor<?x?x?xf32> to tensor<?x?x256xf32>
  %x1 = arith.addf %x, %projected : tensor<?x?x256xf32>

  // MLP: (silu(n gate) * (n up)) down.
  %n2 = func.call @norm(%x1, %norm2) : (tensor<?x?x256xf32>, tensor<256xf32>) -> tensor<?x?x256xf32>
  %in3 = tensor.cast %n2 : tensor<?x?x256xf32> to tensor<?x?x?xf32>
  %gated = tensor.cast %wgate : tensor<256x512xf32> to tensor<?x?xf32>
  %upd = tensor.cast %wup : tensor<256x512xf32> to tensor<?x?xf32>
  %downd = tensor.cast %wdown : tensor<512x256xf32> to tensor<?x?xf32>
  %gate = func.call @linear(%in3, %gated) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %up = func.call @linear(%in3, %upd) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %hidden = linalg.generic {indexing_maps = [#all, #all],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gate : tensor<?x?x?xf32>) outs(%up : tensor<?x?x?xf32>) {
  ^bb0(%g: f32, %u: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %e = math.exp %minus : f32
    %below = arith.addf %one, %e : f32
    %silu = arith.divf %g, %below : f32
    %h = arith.mulf %silu, %u : f32
    linalg.yield %h : f32
  } -> tensor<?x?x?xf32>
  %down = func.call @linear(%hidden, %downd) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %mlp = tensor.cast %down : tensor<?x?x?xf32> to tensor<?x?x256xf32>
  %y = arith.addf %x1, %mlp : tensor<?x?x256xf32>
  return %y : tensor<?x?x256xf32>
}
