// What frameworks' front ends print: maxima that come with their positions, rows kept as dimensions of size 1, padding as
// large numbers.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 4 functions, 4 raised, 8 passed, 0 failed

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#kept = affine_map<(h, i, j) -> (h, i, 0)>

// CHECK-LABEL: func.func @position_of_maximum(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<6x1x9x16xf32>, tensor<6x1x11x16xf32>, tensor<6x1x11x16xf32>) -> tensor<6x1x9x16xf32>
func.func @position_of_maximum(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> tensor<6x9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.divf %x, %four : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %most0 = tensor.empty() : tensor<6x9xf32>
  %most1 = linalg.fill ins(%lowest : f32) outs(%most0 : tensor<6x9xf32>) -> tensor<6x9xf32>
  %at0 = tensor.empty() : tensor<6x9xi64>
  %at1 = linalg.fill ins(%first : i64) outs(%at0 : tensor<6x9xi64>) -> tensor<6x9xi64>
  %m:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most1, %at1 : tensor<6x9xf32>, tensor<6x9xi64>) {
  ^bb0(%x: f32, %most: f32, %at: i64):
    %j = linalg.index 2 : index
    %here = arith.index_cast %j : index to i64
    %y = arith.maximumf %x, %most : f32
    %more = arith.cmpf ogt, %x, %most : f32
    %position = arith.select %more, %here, %at : i64
    linalg.yield %y, %position : f32, i64
  } -> (tensor<6x9xf32>, tensor<6x9xi64>)
  %kept = tensor.expand_shape %m#0 [[0], [1, 2]] output_shape [6, 9, 1] : tensor<6x9xf32> into tensor<6x9x1xf32>
  %less = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %kept : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %y = arith.subf %x, %most : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %weights = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%less : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %s0 = tensor.empty() : tensor<6x9x1xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%s1 : tensor<6x9x1xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %y = arith.addf %x, %so_far : f32
    linalg.yield %y : f32
  } -> tensor<6x9x1xf32>
  %shares = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %y = arith.divf %x, %total : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o : tensor<6x9x16xf32>
}

// CHECK-LABEL: func.func @position_by_selection(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<6x1x9x16xf32>, tensor<6x1x11x16xf32>, tensor<6x1x11x16xf32>) -> tensor<6x1x9x16xf32>
func.func @position_by_selection(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> tensor<6x9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.divf %x, %four : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %most0 = tensor.empty() : tensor<6x9xf32>
  %most1 = linalg.fill ins(%lowest : f32) outs(%most0 : tensor<6x9xf32>) -> tensor<6x9xf32>
  %at0 = tensor.empty() : tensor<6x9xi64>
  %at1 = linalg.fill ins(%first : i64) outs(%at0 : tensor<6x9xi64>) -> tensor<6x9xi64>
  %m:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most1, %at1 : tensor<6x9xf32>, tensor<6x9xi64>) {
  ^bb0(%x: f32, %most: f32, %at: i64):
    %j = linalg.index 2 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf oge, %x, %most : f32
    %y = arith.select %more, %x, %most : f32
    %position = arith.select %more, %here, %at : i64
    linalg.yield %y, %position : f32, i64
  } -> (tensor<6x9xf32>, tensor<6x9xi64>)
  %kept = tensor.expand_shape %m#0 [[0], [1, 2]] output_shape [6, 9, 1] : tensor<6x9xf32> into tensor<6x9x1xf32>
  %less = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %kept : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %y = arith.subf %x, %most : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %weights = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%less : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %s0 = tensor.empty() : tensor<6x9x1xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%s1 : tensor<6x9x1xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %y = arith.addf %x, %so_far : f32
    linalg.yield %y : f32
  } -> tensor<6x9x1xf32>
  %shares = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %y = arith.divf %x, %total : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o : tensor<6x9x16xf32>
}

// CHECK-LABEL: func.func @exponentials_of_logarithms(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<6x1x9x16xf32>, tensor<6x1x11x16xf32>, tensor<6x1x11x16xf32>) -> tensor<6x1x9x16xf32>
func.func @exponentials_of_logarithms(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> tensor<6x9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.divf %x, %four : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %most0 = tensor.empty() : tensor<6x9xf32>
  %most1 = linalg.fill ins(%lowest : f32) outs(%most0 : tensor<6x9xf32>) -> tensor<6x9xf32>
  %at0 = tensor.empty() : tensor<6x9xi64>
  %at1 = linalg.fill ins(%first : i64) outs(%at0 : tensor<6x9xi64>) -> tensor<6x9xi64>
  %m:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most1, %at1 : tensor<6x9xf32>, tensor<6x9xi64>) {
  ^bb0(%x: f32, %most: f32, %at: i64):
    %j = linalg.index 2 : index
    %here = arith.index_cast %j : index to i64
    %y = arith.maximumf %x, %most : f32
    %more = arith.cmpf ogt, %x, %most : f32
    %position = arith.select %more, %here, %at : i64
    linalg.yield %y, %position : f32, i64
  } -> (tensor<6x9xf32>, tensor<6x9xi64>)
  %kept = tensor.expand_shape %m#0 [[0], [1, 2]] output_shape [6, 9, 1] : tensor<6x9xf32> into tensor<6x9x1xf32>
  %less = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %kept : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %y = arith.subf %x, %most : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %weights = math.exp %less : tensor<6x9x11xf32>
  %s0 = tensor.empty() : tensor<6x9x1xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%s1 : tensor<6x9x1xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %y = arith.addf %x, %so_far : f32
    linalg.yield %y : f32
  } -> tensor<6x9x1xf32>
  %log = math.log %sum : tensor<6x9x1xf32>
  %shares = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%less, %log : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %y = arith.subf %x, %total : f32
    %w = math.exp %y : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o : tensor<6x9x16xf32>
}

// Numbers are distributed over sums to be compared, and not where it would overflow: keys that are kept one and a half times.
// CHECK-LABEL: func.func @padding_by_large_numbers(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures(
// CHECK-NEXT: %[[KEPT:.*]] = attn.gather
// CHECK-NEXT: %[[MINUS:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT: %[[INNER:.*]] = arith.addf %[[MINUS]], %[[KEPT]] : f32
// CHECK-NEXT: %[[LARGE:.*]] = arith.constant 3.000000e+38 : f32
// CHECK-NEXT: %[[BIAS:.*]] = arith.mulf %[[INNER]], %[[LARGE]] : f32
// CHECK-NEXT: arith.addf %[[BIAS]]
func.func @padding_by_large_numbers(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>, %kept_keys: tensor<6x11xf32>) -> tensor<6x9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %unmasked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.divf %x, %four : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (h, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%unmasked, %kept_keys : tensor<6x9x11xf32>, tensor<6x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %is_kept: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %low = arith.constant -3.0e+38 : f32
    %hidden = arith.subf %one, %is_kept : f32
    %bias = arith.mulf %hidden, %low : f32
    %y = arith.addf %x, %bias : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %most0 = tensor.empty() : tensor<6x9xf32>
  %most1 = linalg.fill ins(%lowest : f32) outs(%most0 : tensor<6x9xf32>) -> tensor<6x9xf32>
  %at0 = tensor.empty() : tensor<6x9xi64>
  %at1 = linalg.fill ins(%first : i64) outs(%at0 : tensor<6x9xi64>) -> tensor<6x9xi64>
  %m:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most1, %at1 : tensor<6x9xf32>, tensor<6x9xi64>) {
  ^bb0(%x: f32, %most: f32, %at: i64):
    %j = linalg.index 2 : index
    %here = arith.index_cast %j : index to i64
    %y = arith.maximumf %x, %most : f32
    %more = arith.cmpf ogt, %x, %most : f32
    %position = arith.select %more, %here, %at : i64
    linalg.yield %y, %position : f32, i64
  } -> (tensor<6x9xf32>, tensor<6x9xi64>)
  %kept = tensor.expand_shape %m#0 [[0], [1, 2]] output_shape [6, 9, 1] : tensor<6x9xf32> into tensor<6x9x1xf32>
  %less = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %kept : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %y = arith.subf %x, %most : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %weights = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%less : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %s0 = tensor.empty() : tensor<6x9x1xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%s1 : tensor<6x9x1xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %y = arith.addf %x, %so_far : f32
    linalg.yield %y : f32
  } -> tensor<6x9x1xf32>
  %shares = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9x1xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %y = arith.divf %x, %total : f32
    linalg.yield %y : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o : tensor<6x9x16xf32>
}
