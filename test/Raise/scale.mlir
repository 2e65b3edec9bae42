// Scales: of scores, of queries, of keys; functions of scores.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 16 functions, 16 raised, 32 passed, 0 failed

// CHECK-LABEL: func.func @none(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @none(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0xFF800000 : f32
  %6 = tensor.empty() : tensor<2x4x24xf32>
  %7 = linalg.fill ins(%5 : f32) outs(%6 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%7 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x4x24x20xf32>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %13 = arith.constant 0.0 : f32
  %14 = tensor.empty() : tensor<2x4x24xf32>
  %15 = linalg.fill ins(%13 : f32) outs(%14 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<2x4x24x20xf32>) outs(%15 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %17 = tensor.empty() : tensor<2x4x24x20xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%17 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x24x16xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%18, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%21 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %22 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @divided(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @divided(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 4.0 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %5 : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @of_queries(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @of_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.25 : f32
  %2 = tensor.empty() : tensor<2x4x24x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf32>) outs(%2 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = tensor.empty() : tensor<2x4x24x20xf32>
  %6 = linalg.fill ins(%4 : f32) outs(%5 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%3, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @of_keys(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @of_keys(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.25 : f32
  %2 = tensor.empty() : tensor<2x4x20x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf32>) outs(%2 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = tensor.empty() : tensor<2x4x24x20xf32>
  %6 = linalg.fill ins(%4 : f32) outs(%5 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %3 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @of_both(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @of_both(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.5 : f32
  %2 = tensor.empty() : tensor<2x4x24x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf32>) outs(%2 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %4 = arith.constant 2.0 : f32
  %5 = tensor.empty() : tensor<2x4x20x16xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf32>) outs(%5 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %4 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%3, %6 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x24xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x24x20xf32>) outs(%13 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %15 = tensor.empty() : tensor<2x4x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%15 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %17 = tensor.empty() : tensor<2x4x24x20xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x24x20xf32>) outs(%17 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x24xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x24x20xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = tensor.empty() : tensor<2x4x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%23 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%27 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %28 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @before_a_transpose(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @before_a_transpose(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.25 : f32
  %2 = tensor.empty() : tensor<2x4x20x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf32>) outs(%2 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %4 = tensor.empty() : tensor<2x4x16x20xf32>
  %5 = linalg.transpose ins(%3 : tensor<2x4x20x16xf32>) outs(%4 : tensor<2x4x16x20xf32>) permutation = [0, 1, 3, 2]
  %6 = arith.constant 0.0 : f32
  %7 = tensor.empty() : tensor<2x4x24x20xf32>
  %8 = linalg.fill ins(%6 : f32) outs(%7 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, d, j)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %5 : tensor<2x4x24x16xf32>, tensor<2x4x16x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
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

// CHECK-LABEL: func.func @splat(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @splat(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant dense<0.25> : tensor<2x4x24x20xf32>
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @fill(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @fill(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.fill ins(%5 : f32) outs(%6 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @rank_zero(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @rank_zero(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant dense<0.25> : tensor<f32>
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> ()>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<2x4x24x20xf32>, tensor<f32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @rounded_from_f64(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @rounded_from_f64(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.25 : f64
  %2 = arith.constant 0.0 : f32
  %3 = tensor.empty() : tensor<2x4x24x20xf32>
  %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%4 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %c = arith.truncf %1 : f64 to f32
    %r = arith.mulf %in0, %c : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @square_root(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @square_root(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 16.0 : f32
  %2 = math.sqrt %1 : f32
  %3 = arith.constant 0.0 : f32
  %4 = tensor.empty() : tensor<2x4x24x20xf32>
  %5 = linalg.fill ins(%3 : f32) outs(%4 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%5 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %7 = tensor.empty() : tensor<2x4x24x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4x24x20xf32>) outs(%7 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %2 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %9 = arith.constant 0xFF800000 : f32
  %10 = tensor.empty() : tensor<2x4x24xf32>
  %11 = linalg.fill ins(%9 : f32) outs(%10 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x4x24x20xf32>) outs(%11 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %13 = tensor.empty() : tensor<2x4x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %12 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%13 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %15 = tensor.empty() : tensor<2x4x24x20xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x4x24x20xf32>) outs(%15 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %17 = arith.constant 0.0 : f32
  %18 = tensor.empty() : tensor<2x4x24xf32>
  %19 = linalg.fill ins(%17 : f32) outs(%18 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x4x24x20xf32>) outs(%19 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %21 = tensor.empty() : tensor<2x4x24x20xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %20 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%21 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x4x24x16xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%22, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%25 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %26 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @of_run_time(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : f32) score(
// CHECK: arith.mulf
func.func @of_run_time(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: f32 {test.value = 0.3 : f32}) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = tensor.empty() : tensor<2x4x24x20xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%5 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %arg3 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %7 = arith.constant 0xFF800000 : f32
  %8 = tensor.empty() : tensor<2x4x24xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %13 = tensor.empty() : tensor<2x4x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x4x24x20xf32>) outs(%13 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %15 = arith.constant 0.0 : f32
  %16 = tensor.empty() : tensor<2x4x24xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x24x20xf32>) outs(%17 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %19 = tensor.empty() : tensor<2x4x24x20xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%19 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty() : tensor<2x4x24x16xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%20, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%23 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %24 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @softcap(
// CHECK: attn.attention {{.*}} scale(5.000000e-02) score(
// CHECK: math.tanh
// CHECK: arith.mulf
func.func @softcap(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.05 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.tanh %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %10 = arith.constant 5.0 : f32
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x24x20xf32>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %10 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %13 = arith.constant 0xFF800000 : f32
  %14 = tensor.empty() : tensor<2x4x24xf32>
  %15 = linalg.fill ins(%13 : f32) outs(%14 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<2x4x24x20xf32>) outs(%15 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %17 = tensor.empty() : tensor<2x4x24x20xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%17 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %19 = tensor.empty() : tensor<2x4x24x20xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x4x24x20xf32>) outs(%19 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty() : tensor<2x4x24xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<2x4x24x20xf32>) outs(%23 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %25 = tensor.empty() : tensor<2x4x24x20xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %24 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%25 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %27 = arith.constant 0.0 : f32
  %28 = tensor.empty() : tensor<2x4x24x16xf32>
  %29 = linalg.fill ins(%27 : f32) outs(%28 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%26, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%29 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %30 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @negative(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) score(
// CHECK: arith.mulf
func.func @negative(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = arith.constant -0.25 : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @negative_of_queries(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) score(
// CHECK: arith.mulf
func.func @negative_of_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant -0.25 : f32
  %2 = tensor.empty() : tensor<2x4x24x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf32>) outs(%2 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = tensor.empty() : tensor<2x4x24x20xf32>
  %6 = linalg.fill ins(%4 : f32) outs(%5 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%3, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @of_run_time_rank_zero(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : f32) score(
// CHECK: arith.mulf
func.func @of_run_time_rank_zero(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<f32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %5 = tensor.empty() : tensor<2x4x24x20xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> ()>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %arg3 : tensor<2x4x24x20xf32>, tensor<f32>) outs(%5 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %7 = arith.constant 0xFF800000 : f32
  %8 = tensor.empty() : tensor<2x4x24xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %13 = tensor.empty() : tensor<2x4x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x4x24x20xf32>) outs(%13 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %15 = arith.constant 0.0 : f32
  %16 = tensor.empty() : tensor<2x4x24xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x24x20xf32>) outs(%17 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %19 = tensor.empty() : tensor<2x4x24x20xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%19 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty() : tensor<2x4x24x16xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%20, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%23 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %24 : tensor<2x4x24x16xf32>
}
