// Dynamic sizes.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 11 functions, 11 raised, 22 passed, 0 failed

// CHECK-LABEL: func.func @all(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
func.func @all(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x4x?x?xf32>) outs(%12 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<?x4x?x?xf32>) outs(%16 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%18 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x4x?x?xf32>) outs(%20 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x4x?x?xf32>) outs(%24 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%26 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%30 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  return %31 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @three_dimensions(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<?x1x?x16xf32>, tensor<?x1x?x16xf32>, tensor<?x1x?x16xf32>) -> tensor<?x1x?x16xf32>
func.func @three_dimensions(%arg0: tensor<?x?x16xf32> {test.shape = [2, 19, 16]}, %arg1: tensor<?x?x16xf32> {test.shape = [2, 21, 16]}, %arg2: tensor<?x?x16xf32> {test.shape = [2, 21, 16]}) -> tensor<?x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x?x16xf32>
  %3 = arith.constant 1 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x?x16xf32>
  %5 = arith.constant 1 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%9 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<?x?x?xf32>) outs(%12 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<?x?x?xf32>) outs(%16 : tensor<?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%18 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<?x?x?xf32>) outs(%20 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<?x?x?xf32>) outs(%24 : tensor<?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%26 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x?x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%30 : tensor<?x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  return %31 : tensor<?x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_bshd(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>) -> tensor<?x?x4x16xf32>
func.func @dynamic_bshd(%arg0: tensor<?x?x4x16xf32> {test.shape = [2, 19, 4, 16]}, %arg1: tensor<?x?x4x16xf32> {test.shape = [2, 21, 4, 16]}, %arg2: tensor<?x?x4x16xf32> {test.shape = [2, 21, 4, 16]}) -> tensor<?x?x4x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x?x4x16xf32>
  %3 = arith.constant 1 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x?x4x16xf32>
  %5 = arith.constant 1 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x?x4x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, i, h, d, j) -> (b, i, h, d)>, affine_map<(b, i, h, d, j) -> (b, j, h, d)>, affine_map<(b, i, h, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x4x?x?xf32>) outs(%12 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<?x4x?x?xf32>) outs(%16 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%18 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x4x?x?xf32>) outs(%20 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x4x?x?xf32>) outs(%24 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%26 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x?x4x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x?x4x16xf32>) -> tensor<?x?x4x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, j, h, e)>, affine_map<(b, h, i, j, e) -> (b, i, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x4x?x?xf32>, tensor<?x?x4x16xf32>) outs(%30 : tensor<?x?x4x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x4x16xf32>
  return %31 : tensor<?x?x4x16xf32>
}

// CHECK-LABEL: func.func @merged(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
func.func @merged(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<?x4x?x16xf32> into tensor<?x?x16xf32>
  %8 = arith.constant 0 : index
  %9 = tensor.dim %7, %8 : tensor<?x?x16xf32>
  %10 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<?x4x?x16xf32> into tensor<?x?x16xf32>
  %11 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<?x4x?x16xf32> into tensor<?x?x16xf32>
  %12 = arith.constant 0.0 : f32
  %13 = tensor.empty(%9, %4, %6) : tensor<?x?x?xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%7, %10 : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%14 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %16 = arith.constant 0.25 : f32
  %17 = tensor.empty(%9, %4, %6) : tensor<?x?x?xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<?x?x?xf32>) outs(%17 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %16 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %19 = arith.constant 0xFF800000 : f32
  %20 = tensor.empty(%9, %4) : tensor<?x?xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18 : tensor<?x?x?xf32>) outs(%21 : tensor<?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %23 = tensor.empty(%9, %4, %6) : tensor<?x?x?xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%23 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %25 = tensor.empty(%9, %4, %6) : tensor<?x?x?xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<?x?x?xf32>) outs(%25 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %27 = arith.constant 0.0 : f32
  %28 = tensor.empty(%9, %4) : tensor<?x?xf32>
  %29 = linalg.fill ins(%27 : f32) outs(%28 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%26 : tensor<?x?x?xf32>) outs(%29 : tensor<?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %31 = tensor.empty(%9, %4, %6) : tensor<?x?x?xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %30 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%31 : tensor<?x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %33 = arith.constant 0.0 : f32
  %34 = tensor.empty(%9, %4) : tensor<?x?x16xf32>
  %35 = linalg.fill ins(%33 : f32) outs(%34 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %36 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%32, %11 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%35 : tensor<?x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  %37 = tensor.expand_shape %36 [[0, 1], [2], [3]] output_shape [%2, 4, %4, 16] : tensor<?x?x16xf32> into tensor<?x4x?x16xf32>
  return %37 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_gqa(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x4x?x16xf32>
func.func @dynamic_gqa(%arg0: tensor<?x2x2x?x16xf32> {test.shape = [2, 2, 2, 19, 16]}, %arg1: tensor<?x2x?x16xf32> {test.shape = [2, 2, 21, 16]}, %arg2: tensor<?x2x?x16xf32> {test.shape = [2, 2, 21, 16]}) -> tensor<?x2x2x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x2x2x?x16xf32>
  %3 = arith.constant 3 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x2x2x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x2x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x2x2x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x2x2x?x?xf32>) -> tensor<?x2x2x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, d, j) -> (b, k, g, i, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, j, d)>, affine_map<(b, k, g, i, d, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x2x2x?x16xf32>, tensor<?x2x?x16xf32>) outs(%9 : tensor<?x2x2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x?xf32>
  %11 = arith.constant 0.25 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x2x2x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x2x2x?x?xf32>) outs(%12 : tensor<?x2x2x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x2x2x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x2x2x?xf32>) -> tensor<?x2x2x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<?x2x2x?x?xf32>) outs(%16 : tensor<?x2x2x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x2x2x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x2x2x?x?xf32>, tensor<?x2x2x?xf32>) outs(%18 : tensor<?x2x2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x2x2x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x2x2x?x?xf32>) outs(%20 : tensor<?x2x2x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x2x2x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x2x2x?xf32>) -> tensor<?x2x2x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x2x2x?x?xf32>) outs(%24 : tensor<?x2x2x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x2x2x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j) -> (b, k, g, i)>, affine_map<(b, k, g, i, j) -> (b, k, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x2x2x?x?xf32>, tensor<?x2x2x?xf32>) outs(%26 : tensor<?x2x2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x2x2x?x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x2x2x?x16xf32>) -> tensor<?x2x2x?x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, k, g, i, j, e) -> (b, k, g, i, j)>, affine_map<(b, k, g, i, j, e) -> (b, k, j, e)>, affine_map<(b, k, g, i, j, e) -> (b, k, g, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x2x2x?x?xf32>, tensor<?x2x?x16xf32>) outs(%30 : tensor<?x2x2x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x2x2x?x16xf32>
  return %31 : tensor<?x2x2x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_causal(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(1.000000e+00) : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
func.func @dynamic_causal(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x4x?x?xf32>) outs(%12 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<?x4x?x?xf32>) outs(%16 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%18 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x4x?x?xf32>) outs(%20 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x4x?x?xf32>) outs(%24 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%26 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%30 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  return %31 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_bottom_right(
// CHECK: attn.attention {{.*}} mask(#attn.causal<bottom_right>) scale(1.000000e+00) : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> (tensor<?x4x?x16xf32>, tensor<?x4x?xf32>)
func.func @dynamic_bottom_right(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = arith.subi %6, %4 : index
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x4x?x?xf32>) outs(%13 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %x = arith.addi %i, %11 : index
    %c = arith.cmpi sge, %x, %j : index
    %r = arith.select %c, %in0, %12 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %15 = arith.constant 0xFF800000 : f32
  %16 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<?x4x?x?xf32>) outs(%17 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %19 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%19 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %21 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<?x4x?x?xf32>) outs(%21 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<?x4x?x?xf32>) outs(%25 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %27 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %26 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%27 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %29 = arith.constant 0.0 : f32
  %30 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %31 = linalg.fill ins(%29 : f32) outs(%30 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%28, %arg2 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%31 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  return %32 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_window(
// CHECK: attn.attention {{.*}} mask(#attn.window<left = 7, right = 0, align = top_left>) scale(1.000000e+00) : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> (tensor<?x4x?x16xf32>, tensor<?x4x?xf32>)
func.func @dynamic_window(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x4x?x?xf32>) outs(%12 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %n = arith.constant 7 : index
    %x = arith.addi %j, %n : index
    %a = arith.cmpi sge, %i, %j : index
    %b = arith.cmpi sge, %x, %i : index
    %c = arith.andi %a, %b : i1
    %r = arith.select %c, %in0, %11 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<?x4x?x?xf32>) outs(%16 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %18 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%18 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %20 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x4x?x?xf32>) outs(%20 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x4x?x?xf32>) outs(%24 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %26 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%26 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %28 = arith.constant 0.0 : f32
  %29 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %30 = linalg.fill ins(%28 : f32) outs(%29 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%30 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  return %31 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_added(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : tensor<?x1x?x?xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @dynamic_added(%arg0: tensor<?x4x?x16xf32> {test.shape = [2, 4, 19, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg3: tensor<?x1x?x?xf32> {test.shape = [2, 1, 19, 21], test.fill = "hidden"}) -> tensor<?x4x?x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x?x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x4x?x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%9 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %11 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %arg3 : tensor<?x4x?x?xf32>, tensor<?x1x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %13 = arith.constant 0xFF800000 : f32
  %14 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %15 = linalg.fill ins(%13 : f32) outs(%14 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<?x4x?x?xf32>) outs(%15 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %17 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%17 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %19 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<?x4x?x?xf32>) outs(%19 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<?x4x?x?xf32>) outs(%23 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %25 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %24 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%25 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %27 = arith.constant 0.0 : f32
  %28 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %29 = linalg.fill ins(%27 : f32) outs(%28 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%26, %arg2 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%29 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  return %30 : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: func.func @dynamic_projections(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>) -> tensor<?x?x4x16xf32>
func.func @dynamic_projections(%arg0: tensor<?x?x64xf32> {test.shape = [2, 19, 64]}, %arg1: tensor<?x?x64xf32> {test.shape = [2, 21, 64]}, %arg2: tensor<?x?x64xf32> {test.shape = [2, 21, 64]}) -> tensor<?x?x64xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x?x64xf32>
  %3 = arith.constant 1 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x?x64xf32>
  %5 = arith.constant 1 : index
  %6 = tensor.dim %arg1, %5 : tensor<?x?x64xf32>
  %7 = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [%2, %4, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
  %8 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [%2, %6, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
  %9 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [%2, %6, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
  %10 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %11 = linalg.transpose ins(%7 : tensor<?x?x4x16xf32>) outs(%10 : tensor<?x4x?x16xf32>) permutation = [0, 2, 1, 3]
  %12 = tensor.empty(%2, %6) : tensor<?x4x?x16xf32>
  %13 = linalg.transpose ins(%8 : tensor<?x?x4x16xf32>) outs(%12 : tensor<?x4x?x16xf32>) permutation = [0, 2, 1, 3]
  %14 = tensor.empty(%2, %6) : tensor<?x4x?x16xf32>
  %15 = linalg.transpose ins(%9 : tensor<?x?x4x16xf32>) outs(%14 : tensor<?x4x?x16xf32>) permutation = [0, 2, 1, 3]
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%11, %13 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) outs(%18 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %20 = arith.constant 0.25 : f32
  %21 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x4x?x?xf32>) outs(%21 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %20 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %23 = arith.constant 0xFF800000 : f32
  %24 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<?x4x?x?xf32>) outs(%25 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %27 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %26 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%27 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %29 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<?x4x?x?xf32>) outs(%29 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %31 = arith.constant 0.0 : f32
  %32 = tensor.empty(%2, %4) : tensor<?x4x?xf32>
  %33 = linalg.fill ins(%31 : f32) outs(%32 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<?x4x?x?xf32>) outs(%33 : tensor<?x4x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?xf32>
  %35 = tensor.empty(%2, %4, %6) : tensor<?x4x?x?xf32>
  %36 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %34 : tensor<?x4x?x?xf32>, tensor<?x4x?xf32>) outs(%35 : tensor<?x4x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x?xf32>
  %37 = arith.constant 0.0 : f32
  %38 = tensor.empty(%2, %4) : tensor<?x4x?x16xf32>
  %39 = linalg.fill ins(%37 : f32) outs(%38 : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %40 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%36, %15 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%39 : tensor<?x4x?x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x?x16xf32>
  %41 = tensor.empty(%2, %4) : tensor<?x?x4x16xf32>
  %42 = linalg.transpose ins(%40 : tensor<?x4x?x16xf32>) outs(%41 : tensor<?x?x4x16xf32>) permutation = [0, 2, 1, 3]
  %43 = tensor.collapse_shape %42 [[0], [1], [2, 3]] : tensor<?x?x4x16xf32> into tensor<?x?x64xf32>
  return %43 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @cached_keys(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<?x4x1x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) -> tensor<?x4x1x16xf32>
func.func @cached_keys(%arg0: tensor<?x4x1x16xf32> {test.shape = [2, 4, 1, 16]}, %arg1: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}, %arg2: tensor<?x4x?x16xf32> {test.shape = [2, 4, 21, 16]}) -> tensor<?x4x1x16xf32> {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x4x1x16xf32>
  %3 = arith.constant 2 : index
  %4 = tensor.dim %arg1, %3 : tensor<?x4x?x16xf32>
  %5 = arith.constant 0.0 : f32
  %6 = tensor.empty(%2, %4) : tensor<?x4x1x?xf32>
  %7 = linalg.fill ins(%5 : f32) outs(%6 : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?x4x1x16xf32>, tensor<?x4x?x16xf32>) outs(%7 : tensor<?x4x1x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x?xf32>
  %9 = arith.constant 0.25 : f32
  %10 = tensor.empty(%2, %4) : tensor<?x4x1x?xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<?x4x1x?xf32>) outs(%10 : tensor<?x4x1x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %9 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x?xf32>
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty(%2) : tensor<?x4x1xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<?x4x1xf32>) -> tensor<?x4x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<?x4x1x?xf32>) outs(%14 : tensor<?x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1xf32>
  %16 = tensor.empty(%2, %4) : tensor<?x4x1x?xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %15 : tensor<?x4x1x?xf32>, tensor<?x4x1xf32>) outs(%16 : tensor<?x4x1x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x?xf32>
  %18 = tensor.empty(%2, %4) : tensor<?x4x1x?xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<?x4x1x?xf32>) outs(%18 : tensor<?x4x1x?xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x?xf32>
  %20 = arith.constant 0.0 : f32
  %21 = tensor.empty(%2) : tensor<?x4x1xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<?x4x1xf32>) -> tensor<?x4x1xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<?x4x1x?xf32>) outs(%22 : tensor<?x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1xf32>
  %24 = tensor.empty(%2, %4) : tensor<?x4x1x?xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<?x4x1x?xf32>, tensor<?x4x1xf32>) outs(%24 : tensor<?x4x1x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x?xf32>
  %26 = arith.constant 0.0 : f32
  %27 = tensor.empty(%2) : tensor<?x4x1x16xf32>
  %28 = linalg.fill ins(%26 : f32) outs(%27 : tensor<?x4x1x16xf32>) -> tensor<?x4x1x16xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%25, %arg2 : tensor<?x4x1x?xf32>, tensor<?x4x?x16xf32>) outs(%28 : tensor<?x4x1x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4x1x16xf32>
  return %29 : tensor<?x4x1x16xf32>
}
