// Shared keys and values, merged and transposed dimensions.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 15 functions, 15 raised, 30 passed, 0 failed

// CHECK-LABEL: func.func @gqa_dimension(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @gqa_dimension(%arg0: tensor<2x2x2x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x2x2x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x2x2x24x20xf32>) -> tensor<2x2x2x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, d, j) -> (b, k, g, i, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, j, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x2x2x24x16xf32>, tensor<2x2x20x16xf32>) outs(%3 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x2x2x24x20xf32>) outs(%6 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x2x2x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x2x2x24x20xf32>) outs(%10 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %12 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%12 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %14 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x2x2x24x20xf32>) outs(%14 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x2x2x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x2x24x20xf32>) outs(%18 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %20 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%20 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x2x2x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x2x2x24x16xf32>) -> tensor<2x2x2x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j, e) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j, e) -> (b, k, j, e)>, affine_map<(b, k, g, i, j, e) -> (b, k, g, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x2x2x24x20xf32>, tensor<2x2x20x16xf32>) outs(%24 : tensor<2x2x2x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x16xf32>
  return %25 : tensor<2x2x2x24x16xf32>
}

// CHECK-LABEL: func.func @gqa_broadcast(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @gqa_broadcast(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tensor.empty() : tensor<2x2x2x20x16xf32>
  %2 = linalg.broadcast ins(%arg1 : tensor<2x2x20x16xf32>) outs(%1 : tensor<2x2x2x20x16xf32>) dimensions = [2]
  %3 = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<2x2x2x20x16xf32> into tensor<2x4x20x16xf32>
  %4 = tensor.empty() : tensor<2x2x2x20x16xf32>
  %5 = linalg.broadcast ins(%arg2 : tensor<2x2x20x16xf32>) outs(%4 : tensor<2x2x2x20x16xf32>) dimensions = [2]
  %6 = tensor.collapse_shape %5 [[0], [1, 2], [3], [4]] : tensor<2x2x2x20x16xf32> into tensor<2x4x20x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %3 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x4x24x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty() : tensor<2x4x24xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%16 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %18 = tensor.empty() : tensor<2x4x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%18 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x24xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%24 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %26 = tensor.empty() : tensor<2x4x24x20xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%26 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty() : tensor<2x4x24x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %6 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%30 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %31 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @gqa_indexing(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @gqa_indexing(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h floordiv 2, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = tensor.empty() : tensor<2x4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%14 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, j)>, affine_map<(b, h, i, j, d) -> (b, h floordiv 2, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x2x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @gqa_reshaped_queries(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @gqa_reshaped_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [2, 2, 2, 24, 16] : tensor<2x4x24x16xf32> into tensor<2x2x2x24x16xf32>
  %2 = arith.constant 0.0 : f32
  %3 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<2x2x2x24x20xf32>) -> tensor<2x2x2x24x20xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, d, j) -> (b, k, g, i, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, j, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%1, %arg1 : tensor<2x2x2x24x16xf32>, tensor<2x2x20x16xf32>) outs(%4 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %6 = arith.constant 0.25 : f32
  %7 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x2x2x24x20xf32>) outs(%7 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %6 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %9 = arith.constant 0xFF800000 : f32
  %10 = tensor.empty() : tensor<2x2x2x24xf32>
  %11 = linalg.fill ins(%9 : f32) outs(%10 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x2x2x24x20xf32>) outs(%11 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %13 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8, %12 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%13 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %15 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x2x24x20xf32>) outs(%15 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %17 = arith.constant 0.0 : f32
  %18 = tensor.empty() : tensor<2x2x2x24xf32>
  %19 = linalg.fill ins(%17 : f32) outs(%18 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x2x2x24x20xf32>) outs(%19 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %21 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16, %20 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%21 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x2x2x24x16xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x2x2x24x16xf32>) -> tensor<2x2x2x24x16xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j, e) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j, e) -> (b, k, j, e)>, affine_map<(b, k, g, i, j, e) -> (b, k, g, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%22, %arg2 : tensor<2x2x2x24x20xf32>, tensor<2x2x20x16xf32>) outs(%25 : tensor<2x2x2x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x16xf32>
  %27 = tensor.collapse_shape %26 [[0], [1, 2], [3], [4]] : tensor<2x2x2x24x16xf32> into tensor<2x4x24x16xf32>
  return %27 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @gqa_rows(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x2x48x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x2x48x16xf32>
func.func @gqa_rows(%arg0: tensor<2x2x2x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x2x48x16xf32> {
  %1 = tensor.collapse_shape %arg0 [[0], [1], [2, 3], [4]] : tensor<2x2x2x24x16xf32> into tensor<2x2x48x16xf32>
  %2 = arith.constant 0.0 : f32
  %3 = tensor.empty() : tensor<2x2x48x20xf32>
  %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<2x2x48x20xf32>) -> tensor<2x2x48x20xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%1, %arg1 : tensor<2x2x48x16xf32>, tensor<2x2x20x16xf32>) outs(%4 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %6 = arith.constant 0.25 : f32
  %7 = tensor.empty() : tensor<2x2x48x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x2x48x20xf32>) outs(%7 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %6 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %9 = arith.constant 0xFF800000 : f32
  %10 = tensor.empty() : tensor<2x2x48xf32>
  %11 = linalg.fill ins(%9 : f32) outs(%10 : tensor<2x2x48xf32>) -> tensor<2x2x48xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x2x48x20xf32>) outs(%11 : tensor<2x2x48xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48xf32>
  %13 = tensor.empty() : tensor<2x2x48x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %12 : tensor<2x2x48x20xf32>, tensor<2x2x48xf32>) outs(%13 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %15 = tensor.empty() : tensor<2x2x48x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x48x20xf32>) outs(%15 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %17 = arith.constant 0.0 : f32
  %18 = tensor.empty() : tensor<2x2x48xf32>
  %19 = linalg.fill ins(%17 : f32) outs(%18 : tensor<2x2x48xf32>) -> tensor<2x2x48xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x2x48x20xf32>) outs(%19 : tensor<2x2x48xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48xf32>
  %21 = tensor.empty() : tensor<2x2x48x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %20 : tensor<2x2x48x20xf32>, tensor<2x2x48xf32>) outs(%21 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x2x48x16xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x2x48x16xf32>) -> tensor<2x2x48x16xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%22, %arg2 : tensor<2x2x48x20xf32>, tensor<2x2x20x16xf32>) outs(%25 : tensor<2x2x48x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x16xf32>
  return %26 : tensor<2x2x48x16xf32>
}

// CHECK-LABEL: func.func @gqa_rows_causal(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @gqa_rows_causal(%arg0: tensor<2x2x2x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x2x2x24x16xf32> {
  %1 = tensor.collapse_shape %arg0 [[0], [1], [2, 3], [4]] : tensor<2x2x2x24x16xf32> into tensor<2x2x48x16xf32>
  %2 = arith.constant 0.0 : f32
  %3 = tensor.empty() : tensor<2x2x48x20xf32>
  %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<2x2x48x20xf32>) -> tensor<2x2x48x20xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%1, %arg1 : tensor<2x2x48x16xf32>, tensor<2x2x20x16xf32>) outs(%4 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %6 = arith.constant 0.25 : f32
  %7 = tensor.empty() : tensor<2x2x48x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x2x48x20xf32>) outs(%7 : tensor<2x2x48x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %6 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x48x20xf32>
  %9 = tensor.expand_shape %8 [[0], [1], [2, 3], [4]] output_shape [2, 2, 2, 24, 20] : tensor<2x2x48x20xf32> into tensor<2x2x2x24x20xf32>
  %10 = arith.constant 0xFF800000 : f32
  %11 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x2x2x24x20xf32>) outs(%11 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 3 : index
    %j = linalg.index 4 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %10 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %13 = arith.constant 0xFF800000 : f32
  %14 = tensor.empty() : tensor<2x2x2x24xf32>
  %15 = linalg.fill ins(%13 : f32) outs(%14 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<2x2x2x24x20xf32>) outs(%15 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %17 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i)>, affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%17 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %19 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x2x2x24x20xf32>) outs(%19 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty() : tensor<2x2x2x24xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<2x2x2x24x20xf32>) outs(%23 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %25 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i)>, affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20, %24 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%25 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %27 = arith.constant 0.0 : f32
  %28 = tensor.empty() : tensor<2x2x2x24x16xf32>
  %29 = linalg.fill ins(%27 : f32) outs(%28 : tensor<2x2x2x24x16xf32>) -> tensor<2x2x2x24x16xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j, e) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, g, i, j, e) -> (b, h, g, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%26, %arg2 : tensor<2x2x2x24x20xf32>, tensor<2x2x20x16xf32>) outs(%29 : tensor<2x2x2x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x16xf32>
  return %30 : tensor<2x2x2x24x16xf32>
}

// CHECK-LABEL: func.func @one_kv_head(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @one_kv_head(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = tensor.empty() : tensor<2x4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%14 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @merged_batch(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @merged_batch(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x24x16xf32> into tensor<8x24x16xf32>
  %2 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %3 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = tensor.empty() : tensor<8x24x20xf32>
  %6 = linalg.fill ins(%4 : f32) outs(%5 : tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%1, %2 : tensor<8x24x16xf32>, tensor<8x20x16xf32>) outs(%6 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %8 = arith.constant 0.25 : f32
  %9 = tensor.empty() : tensor<8x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<8x24x20xf32>) outs(%9 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<8x24xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<8x24x20xf32>) outs(%13 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %15 = tensor.empty() : tensor<8x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%15 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %17 = tensor.empty() : tensor<8x24x20xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<8x24x20xf32>) outs(%17 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<8x24xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18 : tensor<8x24x20xf32>) outs(%21 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %23 = tensor.empty() : tensor<8x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%23 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<8x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%24, %3 : tensor<8x24x20xf32>, tensor<8x20x16xf32>) outs(%27 : tensor<8x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x16xf32>
  %29 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [2, 4, 24, 16] : tensor<8x24x16xf32> into tensor<2x4x24x16xf32>
  return %29 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @merged_gqa(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @merged_gqa(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<8x24x16xf32> {
  %1 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x24x16xf32> into tensor<8x24x16xf32>
  %2 = tensor.empty() : tensor<2x2x2x20x16xf32>
  %3 = linalg.broadcast ins(%arg1 : tensor<2x2x20x16xf32>) outs(%2 : tensor<2x2x2x20x16xf32>) dimensions = [2]
  %4 = tensor.collapse_shape %3 [[0], [1, 2], [3], [4]] : tensor<2x2x2x20x16xf32> into tensor<2x4x20x16xf32>
  %5 = tensor.collapse_shape %4 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %6 = tensor.empty() : tensor<2x2x2x20x16xf32>
  %7 = linalg.broadcast ins(%arg2 : tensor<2x2x20x16xf32>) outs(%6 : tensor<2x2x2x20x16xf32>) dimensions = [2]
  %8 = tensor.collapse_shape %7 [[0], [1, 2], [3], [4]] : tensor<2x2x2x20x16xf32> into tensor<2x4x20x16xf32>
  %9 = tensor.collapse_shape %8 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<8x24x20xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%1, %5 : tensor<8x24x16xf32>, tensor<8x20x16xf32>) outs(%12 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %14 = arith.constant 0.25 : f32
  %15 = tensor.empty() : tensor<8x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<8x24x20xf32>) outs(%15 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %14 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %17 = arith.constant 0xFF800000 : f32
  %18 = tensor.empty() : tensor<8x24xf32>
  %19 = linalg.fill ins(%17 : f32) outs(%18 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16 : tensor<8x24x20xf32>) outs(%19 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %21 = tensor.empty() : tensor<8x24x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %20 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%21 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %23 = tensor.empty() : tensor<8x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<8x24x20xf32>) outs(%23 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<8x24xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24 : tensor<8x24x20xf32>) outs(%27 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %29 = tensor.empty() : tensor<8x24x20xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %28 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%29 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %31 = arith.constant 0.0 : f32
  %32 = tensor.empty() : tensor<8x24x16xf32>
  %33 = linalg.fill ins(%31 : f32) outs(%32 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%30, %9 : tensor<8x24x20xf32>, tensor<8x20x16xf32>) outs(%33 : tensor<8x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x16xf32>
  return %34 : tensor<8x24x16xf32>
}

// CHECK-LABEL: func.func @bshd(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>, tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32>
func.func @bshd(%arg0: tensor<2x24x4x16xf32>, %arg1: tensor<2x20x4x16xf32>, %arg2: tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32> {
  %1 = tensor.empty() : tensor<2x4x24x16xf32>
  %2 = linalg.transpose ins(%arg0 : tensor<2x24x4x16xf32>) outs(%1 : tensor<2x4x24x16xf32>) permutation = [0, 2, 1, 3]
  %3 = tensor.empty() : tensor<2x4x20x16xf32>
  %4 = linalg.transpose ins(%arg1 : tensor<2x20x4x16xf32>) outs(%3 : tensor<2x4x20x16xf32>) permutation = [0, 2, 1, 3]
  %5 = tensor.empty() : tensor<2x4x20x16xf32>
  %6 = linalg.transpose ins(%arg2 : tensor<2x20x4x16xf32>) outs(%5 : tensor<2x4x20x16xf32>) permutation = [0, 2, 1, 3]
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%2, %4 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x4x24x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty() : tensor<2x4x24xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%16 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %18 = tensor.empty() : tensor<2x4x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%18 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x24xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%24 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %26 = tensor.empty() : tensor<2x4x24x20xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%26 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty() : tensor<2x4x24x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %6 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%30 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %32 = tensor.empty() : tensor<2x24x4x16xf32>
  %33 = linalg.transpose ins(%31 : tensor<2x4x24x16xf32>) outs(%32 : tensor<2x24x4x16xf32>) permutation = [0, 2, 1, 3]
  return %33 : tensor<2x24x4x16xf32>
}

// CHECK-LABEL: func.func @projections(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>, tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32>
func.func @projections(%arg0: tensor<2x24x64xf32>, %arg1: tensor<2x20x64xf32>, %arg2: tensor<2x20x64xf32>) -> tensor<2x24x64xf32> {
  %1 = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 24, 4, 16] : tensor<2x24x64xf32> into tensor<2x24x4x16xf32>
  %2 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [2, 20, 4, 16] : tensor<2x20x64xf32> into tensor<2x20x4x16xf32>
  %3 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [2, 20, 4, 16] : tensor<2x20x64xf32> into tensor<2x20x4x16xf32>
  %4 = tensor.empty() : tensor<2x4x24x16xf32>
  %5 = linalg.transpose ins(%1 : tensor<2x24x4x16xf32>) outs(%4 : tensor<2x4x24x16xf32>) permutation = [0, 2, 1, 3]
  %6 = tensor.empty() : tensor<2x4x20x16xf32>
  %7 = linalg.transpose ins(%2 : tensor<2x20x4x16xf32>) outs(%6 : tensor<2x4x20x16xf32>) permutation = [0, 2, 1, 3]
  %8 = tensor.empty() : tensor<2x4x20x16xf32>
  %9 = linalg.transpose ins(%3 : tensor<2x20x4x16xf32>) outs(%8 : tensor<2x4x20x16xf32>) permutation = [0, 2, 1, 3]
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%5, %7 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = arith.constant 0.25 : f32
  %15 = tensor.empty() : tensor<2x4x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%15 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %14 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %17 = arith.constant 0xFF800000 : f32
  %18 = tensor.empty() : tensor<2x4x24xf32>
  %19 = linalg.fill ins(%17 : f32) outs(%18 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x4x24x20xf32>) outs(%19 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %21 = tensor.empty() : tensor<2x4x24x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %20 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%21 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %23 = tensor.empty() : tensor<2x4x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x24x20xf32>) outs(%23 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x24xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<2x4x24x20xf32>) outs(%27 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %29 = tensor.empty() : tensor<2x4x24x20xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %28 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%29 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %31 = arith.constant 0.0 : f32
  %32 = tensor.empty() : tensor<2x4x24x16xf32>
  %33 = linalg.fill ins(%31 : f32) outs(%32 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%30, %9 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%33 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %35 = tensor.empty() : tensor<2x24x4x16xf32>
  %36 = linalg.transpose ins(%34 : tensor<2x4x24x16xf32>) outs(%35 : tensor<2x24x4x16xf32>) permutation = [0, 2, 1, 3]
  %37 = tensor.collapse_shape %36 [[0], [1], [2, 3]] : tensor<2x24x4x16xf32> into tensor<2x24x64xf32>
  return %37 : tensor<2x24x64xf32>
}

// CHECK-LABEL: func.func @projections_merged(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @projections_merged(%arg0: tensor<2x24x64xf32>, %arg1: tensor<2x20x64xf32>, %arg2: tensor<2x20x64xf32>) -> tensor<8x24x16xf32> {
  %1 = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 24, 4, 16] : tensor<2x24x64xf32> into tensor<2x24x4x16xf32>
  %2 = tensor.empty() : tensor<2x4x24x16xf32>
  %3 = linalg.transpose ins(%1 : tensor<2x24x4x16xf32>) outs(%2 : tensor<2x4x24x16xf32>) permutation = [0, 2, 1, 3]
  %4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x24x16xf32> into tensor<8x24x16xf32>
  %5 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [2, 20, 4, 16] : tensor<2x20x64xf32> into tensor<2x20x4x16xf32>
  %6 = tensor.empty() : tensor<2x4x16x20xf32>
  %7 = linalg.transpose ins(%5 : tensor<2x20x4x16xf32>) outs(%6 : tensor<2x4x16x20xf32>) permutation = [0, 2, 3, 1]
  %8 = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<2x4x16x20xf32> into tensor<8x16x20xf32>
  %9 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [2, 20, 4, 16] : tensor<2x20x64xf32> into tensor<2x20x4x16xf32>
  %10 = tensor.empty() : tensor<2x4x20x16xf32>
  %11 = linalg.transpose ins(%9 : tensor<2x20x4x16xf32>) outs(%10 : tensor<2x4x20x16xf32>) permutation = [0, 2, 1, 3]
  %12 = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %13 = arith.constant 0.0 : f32
  %14 = tensor.empty() : tensor<8x24x20xf32>
  %15 = linalg.fill ins(%13 : f32) outs(%14 : tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, d, j)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%4, %8 : tensor<8x24x16xf32>, tensor<8x16x20xf32>) outs(%15 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %17 = arith.constant 0.25 : f32
  %18 = tensor.empty() : tensor<8x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<8x24x20xf32>) outs(%18 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %17 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %20 = arith.constant 0xFF800000 : f32
  %21 = tensor.empty() : tensor<8x24xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%19 : tensor<8x24x20xf32>) outs(%22 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %24 = tensor.empty() : tensor<8x24x20xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%24 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %26 = tensor.empty() : tensor<8x24x20xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<8x24x20xf32>) outs(%26 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty() : tensor<8x24xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%27 : tensor<8x24x20xf32>) outs(%30 : tensor<8x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<8x24xf32>
  %32 = tensor.empty() : tensor<8x24x20xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %31 : tensor<8x24x20xf32>, tensor<8x24xf32>) outs(%32 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %34 = arith.constant 0.0 : f32
  %35 = tensor.empty() : tensor<8x24x16xf32>
  %36 = linalg.fill ins(%34 : f32) outs(%35 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32>
  %37 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%33, %12 : tensor<8x24x20xf32>, tensor<8x20x16xf32>) outs(%36 : tensor<8x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x16xf32>
  return %37 : tensor<8x24x16xf32>
}

// CHECK-LABEL: func.func @merged_causal(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @merged_causal(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<8x24x16xf32> {
  %1 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x24x16xf32> into tensor<8x24x16xf32>
  %2 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %3 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x20x16xf32> into tensor<8x20x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = tensor.empty() : tensor<8x24x20xf32>
  %6 = linalg.fill ins(%4 : f32) outs(%5 : tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%1, %2 : tensor<8x24x16xf32>, tensor<8x20x16xf32>) outs(%6 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %8 = arith.constant 0.25 : f32
  %9 = tensor.empty() : tensor<8x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<8x24x20xf32>) outs(%9 : tensor<8x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<8x24x20xf32>
  %11 = tensor.expand_shape %10 [[0, 1], [2], [3]] output_shape [2, 4, 24, 20] : tensor<8x24x20xf32> into tensor<2x4x24x20xf32>
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty() : tensor<2x4x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x4x24x20xf32>) outs(%13 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %12 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %15 = arith.constant 0xFF800000 : f32
  %16 = tensor.empty() : tensor<2x4x24xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x24x20xf32>) outs(%17 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %19 = tensor.empty() : tensor<2x4x24x20xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%19 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %21 = tensor.empty() : tensor<2x4x24x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x24x20xf32>) outs(%21 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x4x24xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x4x24x20xf32>) outs(%25 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %27 = tensor.empty() : tensor<2x4x24x20xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %26 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%27 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %29 = tensor.collapse_shape %28 [[0, 1], [2], [3]] : tensor<2x4x24x20xf32> into tensor<8x24x20xf32>
  %30 = arith.constant 0.0 : f32
  %31 = tensor.empty() : tensor<8x24x16xf32>
  %32 = linalg.fill ins(%30 : f32) outs(%31 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%29, %3 : tensor<8x24x20xf32>, tensor<8x20x16xf32>) outs(%32 : tensor<8x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x24x16xf32>
  return %33 : tensor<8x24x16xf32>
}

// CHECK-LABEL: func.func @shared_queries(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @shared_queries(%arg0: tensor<4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tensor.empty() : tensor<2x4x24x16xf32>
  %2 = linalg.broadcast ins(%arg0 : tensor<4x24x16xf32>) outs(%1 : tensor<2x4x24x16xf32>) dimensions = [0]
  %3 = arith.constant 0.0 : f32
  %4 = tensor.empty() : tensor<2x4x24x20xf32>
  %5 = linalg.fill ins(%3 : f32) outs(%4 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%2, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%5 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %7 = arith.constant 0.25 : f32
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %7 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %10 = arith.constant 0xFF800000 : f32
  %11 = tensor.empty() : tensor<2x4x24xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x4x24x20xf32>) outs(%12 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %14 = tensor.empty() : tensor<2x4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %13 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%14 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %16 = tensor.empty() : tensor<2x4x24x20xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%16 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %18 = arith.constant 0.0 : f32
  %19 = tensor.empty() : tensor<2x4x24xf32>
  %20 = linalg.fill ins(%18 : f32) outs(%19 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x4x24x20xf32>) outs(%20 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %22 = tensor.empty() : tensor<2x4x24x20xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %21 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%22 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %24 = arith.constant 0.0 : f32
  %25 = tensor.empty() : tensor<2x4x24x16xf32>
  %26 = linalg.fill ins(%24 : f32) outs(%25 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%23, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %27 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @units(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<1x1x24x16xf32>, tensor<1x1x20x16xf32>, tensor<1x1x20x16xf32>) -> tensor<1x1x24x16xf32>
func.func @units(%arg0: tensor<1x1x24x16xf32>, %arg1: tensor<1x1x20x16xf32>, %arg2: tensor<1x1x20x16xf32>) -> tensor<1x1x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<1x1x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<1x1x24x20xf32>) -> tensor<1x1x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<1x1x24x16xf32>, tensor<1x1x20x16xf32>) outs(%3 : tensor<1x1x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<1x1x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x1x24x20xf32>) outs(%6 : tensor<1x1x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<1x1x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<1x1x24x20xf32>) outs(%10 : tensor<1x1x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24xf32>
  %12 = tensor.empty() : tensor<1x1x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<1x1x24x20xf32>, tensor<1x1x24xf32>) outs(%12 : tensor<1x1x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x20xf32>
  %14 = tensor.empty() : tensor<1x1x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x1x24x20xf32>) outs(%14 : tensor<1x1x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<1x1x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<1x1x24x20xf32>) outs(%18 : tensor<1x1x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24xf32>
  %20 = tensor.empty() : tensor<1x1x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<1x1x24x20xf32>, tensor<1x1x24xf32>) outs(%20 : tensor<1x1x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<1x1x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<1x1x24x16xf32>) -> tensor<1x1x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<1x1x24x20xf32>, tensor<1x1x20x16xf32>) outs(%24 : tensor<1x1x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x1x24x16xf32>
  return %25 : tensor<1x1x24x16xf32>
}
