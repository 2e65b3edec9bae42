// Contractions as linalg.generic, with dimensions in any order.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 15 functions, 15 raised, 30 passed, 0 failed

// CHECK-LABEL: func.func @generic(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @generic(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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

// CHECK-LABEL: func.func @scores_transposed(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @scores_transposed(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x20x24xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x20x24xf32>) -> tensor<2x4x20x24xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d, i) -> (b, h, j, d)>, affine_map<(b, h, j, d, i) -> (b, h, i, d)>, affine_map<(b, h, j, d, i) -> (b, h, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg1, %arg0 : tensor<2x4x20x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x20x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x24xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x20x24xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x20x24xf32>) outs(%6 : tensor<2x4x20x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x24xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%7 : tensor<2x4x20x24xf32>) outs(%10 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %12 = tensor.empty() : tensor<2x4x20x24xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, i)>, affine_map<(b, h, j, i) -> (b, h, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x20x24xf32>, tensor<2x4x24xf32>) outs(%12 : tensor<2x4x20x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x24xf32>
  %14 = tensor.empty() : tensor<2x4x20x24xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x20x24xf32>) outs(%14 : tensor<2x4x20x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x24xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%15 : tensor<2x4x20x24xf32>) outs(%18 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %20 = tensor.empty() : tensor<2x4x20x24xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i) -> (b, h, j, i)>, affine_map<(b, h, j, i) -> (b, h, i)>, affine_map<(b, h, j, i) -> (b, h, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x20x24xf32>, tensor<2x4x24xf32>) outs(%20 : tensor<2x4x20x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x24xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, j, i, e) -> (b, h, j, i)>, affine_map<(b, h, j, i, e) -> (b, h, j, e)>, affine_map<(b, h, j, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%21, %arg2 : tensor<2x4x20x24xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @head_outermost(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>, tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32>
func.func @head_outermost(%arg0: tensor<4x2x24x16xf32>, %arg1: tensor<2x20x4x16xf32>, %arg2: tensor<4x2x20x16xf32>) -> tensor<2x24x4x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(h, b, i, d, j) -> (h, b, i, d)>, affine_map<(h, b, i, d, j) -> (b, j, h, d)>, affine_map<(h, b, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<4x2x24x16xf32>, tensor<2x20x4x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
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
  %23 = tensor.empty() : tensor<2x24x4x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x24x4x16xf32>) -> tensor<2x24x4x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (h, b, j, e)>, affine_map<(b, h, i, j, e) -> (b, i, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<4x2x20x16xf32>) outs(%24 : tensor<2x24x4x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x24x4x16xf32>
  return %25 : tensor<2x24x4x16xf32>
}

// CHECK-LABEL: func.func @keys_transposed_in_memory(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @keys_transposed_in_memory(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x16x20xf32>, %arg2: tensor<2x4x16x20xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, d, j)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x16x20xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, e, j)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x16x20xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @no_batch(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<4x1x24x16xf32>, tensor<4x1x20x16xf32>, tensor<4x1x20x16xf32>) -> tensor<4x1x24x16xf32>
func.func @no_batch(%arg0: tensor<4x24x16xf32>, %arg1: tensor<4x20x16xf32>, %arg2: tensor<4x20x16xf32>) -> tensor<4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<4x24x20xf32>) -> tensor<4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, d)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<4x24x16xf32>, tensor<4x20x16xf32>) outs(%3 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<4x24x20xf32>) outs(%6 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<4x24xf32>) -> tensor<4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<4x24x20xf32>) outs(%10 : tensor<4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<4x24xf32>
  %12 = tensor.empty() : tensor<4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<4x24x20xf32>, tensor<4x24xf32>) outs(%12 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %14 = tensor.empty() : tensor<4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<4x24x20xf32>) outs(%14 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<4x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<4x24xf32>) -> tensor<4x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<4x24x20xf32>) outs(%18 : tensor<4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<4x24xf32>
  %20 = tensor.empty() : tensor<4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<4x24x20xf32>, tensor<4x24xf32>) outs(%20 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<4x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<4x24x16xf32>) -> tensor<4x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(h, i, j, e) -> (h, i, j)>, affine_map<(h, i, j, e) -> (h, j, e)>, affine_map<(h, i, j, e) -> (h, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<4x24x20xf32>, tensor<4x20x16xf32>) outs(%24 : tensor<4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x24x16xf32>
  return %25 : tensor<4x24x16xf32>
}

// CHECK-LABEL: func.func @no_heads(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<1x1x24x16xf32>, tensor<1x1x20x16xf32>, tensor<1x1x20x16xf32>) -> tensor<1x1x24x16xf32>
func.func @no_heads(%arg0: tensor<24x16xf32>, %arg1: tensor<20x16xf32>, %arg2: tensor<20x16xf32>) -> tensor<24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, d)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<24x16xf32>, tensor<20x16xf32>) outs(%3 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<24x20xf32>) outs(%6 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<24xf32>) -> tensor<24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<24x20xf32>) outs(%10 : tensor<24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %12 = tensor.empty() : tensor<24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%7, %11 : tensor<24x20xf32>, tensor<24xf32>) outs(%12 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %14 = tensor.empty() : tensor<24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<24x20xf32>) outs(%14 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<24xf32>) -> tensor<24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%15 : tensor<24x20xf32>) outs(%18 : tensor<24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %20 = tensor.empty() : tensor<24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%15, %19 : tensor<24x20xf32>, tensor<24xf32>) outs(%20 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<24x16xf32>) -> tensor<24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(i, j, e) -> (i, j)>, affine_map<(i, j, e) -> (j, e)>, affine_map<(i, j, e) -> (i, e)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<24x20xf32>, tensor<20x16xf32>) outs(%24 : tensor<24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<24x16xf32>
  return %25 : tensor<24x16xf32>
}

// CHECK-LABEL: func.func @heads_behind(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<1x24x4x16xf32>, tensor<1x20x4x16xf32>, tensor<1x20x4x16xf32>) -> tensor<1x24x4x16xf32>
func.func @heads_behind(%arg0: tensor<24x4x16xf32>, %arg1: tensor<20x4x16xf32>, %arg2: tensor<20x4x16xf32>) -> tensor<24x4x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<4x24x20xf32>) -> tensor<4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, h, d, j) -> (i, h, d)>, affine_map<(i, h, d, j) -> (j, h, d)>, affine_map<(i, h, d, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<24x4x16xf32>, tensor<20x4x16xf32>) outs(%3 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<4x24x20xf32>) outs(%6 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<4x24xf32>) -> tensor<4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<4x24x20xf32>) outs(%10 : tensor<4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<4x24xf32>
  %12 = tensor.empty() : tensor<4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<4x24x20xf32>, tensor<4x24xf32>) outs(%12 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %14 = tensor.empty() : tensor<4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<4x24x20xf32>) outs(%14 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<4x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<4x24xf32>) -> tensor<4x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<4x24x20xf32>) outs(%18 : tensor<4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<4x24xf32>
  %20 = tensor.empty() : tensor<4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<4x24x20xf32>, tensor<4x24xf32>) outs(%20 : tensor<4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<4x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<24x4x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<24x4x16xf32>) -> tensor<24x4x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(h, i, j, e) -> (h, i, j)>, affine_map<(h, i, j, e) -> (j, h, e)>, affine_map<(h, i, j, e) -> (i, h, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<4x24x20xf32>, tensor<20x4x16xf32>) outs(%24 : tensor<24x4x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<24x4x16xf32>
  return %25 : tensor<24x4x16xf32>
}

// CHECK-LABEL: func.func @one_query(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x1x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x1x16xf32>
func.func @one_query(%arg0: tensor<2x4x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x20xf32>) -> tensor<2x4x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, d, j) -> (b, h, d)>, affine_map<(b, h, d, j) -> (b, h, j, d)>, affine_map<(b, h, d, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x20xf32>) outs(%6 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x20xf32>) outs(%10 : tensor<2x4xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %12 = tensor.empty() : tensor<2x4x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h)>, affine_map<(b, h, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x20xf32>, tensor<2x4xf32>) outs(%12 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %14 = tensor.empty() : tensor<2x4x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x20xf32>) outs(%14 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x20xf32>) outs(%18 : tensor<2x4xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %20 = tensor.empty() : tensor<2x4x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, j) -> (b, h, j)>, affine_map<(b, h, j) -> (b, h)>, affine_map<(b, h, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x20xf32>, tensor<2x4xf32>) outs(%20 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e) -> (b, h, j)>, affine_map<(b, h, j, e) -> (b, h, j, e)>, affine_map<(b, h, j, e) -> (b, h, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16xf32>
  return %25 : tensor<2x4x16xf32>
}

// CHECK-LABEL: func.func @one_query_of_size_one(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x1x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x1x16xf32>
func.func @one_query_of_size_one(%arg0: tensor<2x4x1x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x1x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x1x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x1x20xf32>) -> tensor<2x4x1x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x1x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x1x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x1x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x1x20xf32>) outs(%6 : tensor<2x4x1x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x1xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x1x20xf32>) outs(%10 : tensor<2x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1xf32>
  %12 = tensor.empty() : tensor<2x4x1x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x1x20xf32>, tensor<2x4x1xf32>) outs(%12 : tensor<2x4x1x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x20xf32>
  %14 = tensor.empty() : tensor<2x4x1x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x1x20xf32>) outs(%14 : tensor<2x4x1x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4x1xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x1x20xf32>) outs(%18 : tensor<2x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1xf32>
  %20 = tensor.empty() : tensor<2x4x1x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x1x20xf32>, tensor<2x4x1xf32>) outs(%20 : tensor<2x4x1x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x4x1x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x1x16xf32>) -> tensor<2x4x1x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x1x20xf32>, tensor<2x4x20x16xf32>) outs(%24 : tensor<2x4x1x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x1x16xf32>
  return %25 : tensor<2x4x1x16xf32>
}

// CHECK-LABEL: func.func @five_dimensions(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<4x2x24x16xf32>, tensor<4x2x20x16xf32>, tensor<4x2x20x16xf32>) -> tensor<4x2x24x16xf32>
func.func @five_dimensions(%arg0: tensor<2x2x2x24x16xf32>, %arg1: tensor<2x2x2x20x16xf32>, %arg2: tensor<2x2x2x20x16xf32>) -> tensor<2x2x2x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x2x2x24x20xf32>) -> tensor<2x2x2x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, d, j) -> (b, g, k, i, d)>, affine_map<(b, g, k, i, d, j) -> (b, g, k, j, d)>, affine_map<(b, g, k, i, d, j) -> (b, g, k, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x2x2x24x16xf32>, tensor<2x2x2x20x16xf32>) outs(%3 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x2x2x24x20xf32>) outs(%6 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x2x2x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x2x2x24x20xf32>) outs(%10 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %12 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i)>, affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%12 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %14 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x2x2x24x20xf32>) outs(%14 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x2x2x24xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x2x2x24xf32>) -> tensor<2x2x2x24xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x2x24x20xf32>) outs(%18 : tensor<2x2x2x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24xf32>
  %20 = tensor.empty() : tensor<2x2x2x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j) -> (b, g, k, i)>, affine_map<(b, g, k, i, j) -> (b, g, k, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x24xf32>) outs(%20 : tensor<2x2x2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x20xf32>
  %22 = arith.constant 0.0 : f32
  %23 = tensor.empty() : tensor<2x2x2x24x16xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x2x2x24x16xf32>) -> tensor<2x2x2x24x16xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, g, k, i, j, e) -> (b, g, k, i, j)>, affine_map<(b, g, k, i, j, e) -> (b, g, k, j, e)>, affine_map<(b, g, k, i, j, e) -> (b, g, k, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x2x2x24x20xf32>, tensor<2x2x2x20x16xf32>) outs(%24 : tensor<2x2x2x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2x24x16xf32>
  return %25 : tensor<2x2x2x24x16xf32>
}

// CHECK-LABEL: func.func @values_of_another_size(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x40xf32>) -> tensor<2x4x24x40xf32>
func.func @values_of_another_size(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x40xf32>) -> tensor<2x4x24x40xf32> {
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
  %23 = tensor.empty() : tensor<2x4x24x40xf32>
  %24 = linalg.fill ins(%22 : f32) outs(%23 : tensor<2x4x24x40xf32>) -> tensor<2x4x24x40xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x40xf32>) outs(%24 : tensor<2x4x24x40xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x40xf32>
  return %25 : tensor<2x4x24x40xf32>
}

// CHECK-LABEL: func.func @operands_swapped(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @operands_swapped(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d, i) -> (b, h, j, d)>, affine_map<(b, h, j, d, i) -> (b, h, i, d)>, affine_map<(b, h, j, d, i) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg1, %arg0 : tensor<2x4x20x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
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
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e, i) -> (b, h, j, e)>, affine_map<(b, h, j, e, i) -> (b, h, i, j)>, affine_map<(b, h, j, e, i) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%arg2, %21 : tensor<2x4x20x16xf32>, tensor<2x4x24x20xf32>) outs(%24 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %25 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @fma(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @fma(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = math.fma %in0, %in1, %out : f32
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

// CHECK-LABEL: func.func @scale_in_the_product(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @scale_in_the_product(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = arith.constant 0.25 : f32
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %x = arith.mulf %in0, %4 : f32
    %p = arith.mulf %x, %in1 : f32
    %r = arith.addf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %6 = arith.constant 0xFF800000 : f32
  %7 = tensor.empty() : tensor<2x4x24xf32>
  %8 = linalg.fill ins(%6 : f32) outs(%7 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%5 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %10 = tensor.empty() : tensor<2x4x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %9 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%10 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x4x24x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %14 = arith.constant 0.0 : f32
  %15 = tensor.empty() : tensor<2x4x24xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x24x20xf32>) outs(%16 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %18 = tensor.empty() : tensor<2x4x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%18 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %20 = arith.constant 0.0 : f32
  %21 = tensor.empty() : tensor<2x4x24x16xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%19, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%22 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %23 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @arith_on_tensors(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @arith_on_tensors(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %6 = arith.mulf %4, %5 : tensor<2x4x24x20xf32>
  %7 = arith.constant 0xFF800000 : f32
  %8 = tensor.empty() : tensor<2x4x24xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.broadcast ins(%10 : tensor<2x4x24xf32>) outs(%11 : tensor<2x4x24x20xf32>) dimensions = [3]
  %13 = arith.subf %6, %12 : tensor<2x4x24x20xf32>
  %14 = math.exp %13 : tensor<2x4x24x20xf32>
  %15 = arith.constant 0.0 : f32
  %16 = tensor.empty() : tensor<2x4x24xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x24x20xf32>) outs(%17 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %19 = tensor.empty() : tensor<2x4x24x20xf32>
  %20 = linalg.broadcast ins(%18 : tensor<2x4x24xf32>) outs(%19 : tensor<2x4x24x20xf32>) dimensions = [3]
  %21 = arith.divf %14, %20 : tensor<2x4x24x20xf32>
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
