// Masks become attributes where that is the same, else regions.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 30 functions, 30 raised, 60 passed, 0 failed

// CHECK-LABEL: func.func @causal(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_by_less(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_by_less(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %d = arith.cmpi ugt, %j, %i : index
    %t = arith.constant true
    %c = arith.xori %d, %t : i1
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_i64_low(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_i64_low(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant -3.40282347e+38 : f32
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %x = arith.index_cast %i : index to i64
    %y = arith.index_cast %j : index to i64
    %c = arith.cmpi sle, %y, %x : i64
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_added(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_added(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant 0.0 : f32
  %9 = arith.constant 0xFF800000 : f32
  %10 = tensor.empty() : tensor<24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%10 : tensor<24x20xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sgt, %j, %i : index
    %r = arith.select %c, %9, %8 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<24x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%30 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %31 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @causal_booleans(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_booleans(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<24x20xi1>
  %10 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<24x20xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = arith.cmpi sge, %i, %j : index
    linalg.yield %r : i1
  } -> tensor<24x20xi1>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<2x4x24x20xf32>, tensor<24x20xi1>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_of_ranges(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_of_ranges(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<24xi32>
  %9 = tensor.empty() : tensor<20xi32>
  %10 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%8 : tensor<24xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  %11 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%9 : tensor<20xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i32
    linalg.yield %r : i32
  } -> tensor<20xi32>
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty() : tensor<2x4x24x20xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i)>, affine_map<(b, h, i, j) -> (j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10, %11 : tensor<2x4x24x20xf32>, tensor<24xi32>, tensor<20xi32>) outs(%13 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i32, %in2: i32, %out: f32):
    %c = arith.cmpi sge, %in1, %in2 : i32
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
  %29 = arith.constant 0.0 : f32
  %30 = tensor.empty() : tensor<2x4x24x16xf32>
  %31 = linalg.fill ins(%29 : f32) outs(%30 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%28, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%31 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %32 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @bottom_right(
// CHECK: attn.attention {{.*}} mask(#attn.causal<bottom_right>) scale(2.500000e-01) : (tensor<2x4x16x16xf32>, tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) -> tensor<2x4x16x16xf32>
func.func @bottom_right(%arg0: tensor<2x4x16x16xf32>, %arg1: tensor<2x4x24x16xf32>, %arg2: tensor<2x4x24x16xf32>) -> tensor<2x4x16x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x16x24xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x16x24xf32>) -> tensor<2x4x16x24xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x16x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x16x24xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x16x24xf32>) outs(%6 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x16x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x16x24xf32>) outs(%9 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %o = arith.constant 8 : index
    %x = arith.addi %i, %o : index
    %c = arith.cmpi sge, %x, %j : index
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x16xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x16x24xf32>) outs(%13 : tensor<2x4x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16xf32>
  %15 = tensor.empty() : tensor<2x4x16x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x4x16x24xf32>, tensor<2x4x16xf32>) outs(%15 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %17 = tensor.empty() : tensor<2x4x16x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x16x24xf32>) outs(%17 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x16xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x16x24xf32>) outs(%21 : tensor<2x4x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16xf32>
  %23 = tensor.empty() : tensor<2x4x16x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x4x16x24xf32>, tensor<2x4x16xf32>) outs(%23 : tensor<2x4x16x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x24xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x16x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x4x16x24xf32>, tensor<2x4x24x16xf32>) outs(%27 : tensor<2x4x16x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x16x16xf32>
  return %28 : tensor<2x4x16x16xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK: attn.attention {{.*}} mask(#attn.window<left = 5, right = 0, align = top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
func.func @window(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x24x16xf32>, %arg2: tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x24xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x24xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x24xf32>) outs(%6 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x24xf32>) outs(%9 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %n = arith.constant 5 : index
    %x = arith.addi %j, %n : index
    %a = arith.cmpi sge, %i, %j : index
    %b = arith.cmpi sge, %x, %i : index
    %c = arith.andi %a, %b : i1
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x24xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x24x24xf32>) outs(%13 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %15 = tensor.empty() : tensor<2x4x24x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%15 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %17 = tensor.empty() : tensor<2x4x24x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x24x24xf32>) outs(%17 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x24xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x24x24xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = tensor.empty() : tensor<2x4x24x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%23 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x4x24x24xf32>, tensor<2x4x24x16xf32>) outs(%27 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %28 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @window_both_sides(
// CHECK: attn.attention {{.*}} mask(#attn.window<left = 5, right = 5, align = top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
func.func @window_both_sides(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x24x16xf32>, %arg2: tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x24xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x24xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x24xf32>) outs(%6 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x24xf32>) outs(%9 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %n = arith.constant 5 : index
    %x = arith.addi %j, %n : index
    %y = arith.addi %i, %n : index
    %a = arith.cmpi sge, %y, %j : index
    %b = arith.cmpi sge, %x, %i : index
    %c = arith.andi %a, %b : i1
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x24xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x24x24xf32>) outs(%13 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %15 = tensor.empty() : tensor<2x4x24x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%15 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %17 = tensor.empty() : tensor<2x4x24x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x24x24xf32>) outs(%17 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x24xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x24x24xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = tensor.empty() : tensor<2x4x24x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%23 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x4x24x24xf32>, tensor<2x4x24x16xf32>) outs(%27 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %28 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @added(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x4x24x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @added(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x4x24x20xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @added_broadcast(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x1x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @added_broadcast(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x1x20xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, 0, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x1x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @added_hidden(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x24x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @added_hidden(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x24x20xf32> {test.fill = "hidden"}) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @added_rows_hidden(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x24x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @added_rows_hidden(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x24x20xf32> {test.fill = "rows"}) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @added_low(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<1x1x24x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @added_low(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<1x1x24x20xf32> {test.fill = "low"}) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (0, 0, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<1x1x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @added_f16(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x4x24x20xf16>) score(
// CHECK: attn.gather
// CHECK: arith.extf
// CHECK: arith.addf
func.func @added_f16(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x4x24x20xf16>) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xf16>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f16, %out: f32):
    %m = arith.extf %in1 : f16 to f32
    %r = arith.addf %in0, %m : f32
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

// CHECK-LABEL: func.func @selected(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x4x24x20xi8>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
func.func @selected(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x4x24x20xi1>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xi1>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %in0, %8 : f32
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

// CHECK-LABEL: func.func @selected_negated(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x24x20xi8>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
// CHECK: arith.xori
func.func @selected_negated(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x24x20xi1>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x24x20xi1>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %8, %in0 : f32
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

// CHECK-LABEL: func.func @selected_low(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x1x20xi8>) score(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
// CHECK: arith.select
func.func @selected_low(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x1x20xi1>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant -1000000000.0 : f32
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, 0, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x1x20xi1>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %in0, %8 : f32
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

// CHECK-LABEL: func.func @selected_padding(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x20xi8>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
func.func @selected_padding(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x20xi8>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x20xi8>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i8, %out: f32):
    %z = arith.constant 0 : i8
    %c = arith.cmpi ne, %in1, %z : i8
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @selected_i32(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x20xi32>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
func.func @selected_i32(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x20xi32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x20xi32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i32, %out: f32):
    %z = arith.constant 0 : i32
    %c = arith.cmpi ne, %in1, %z : i32
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_and_padding(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) captures({{.*}} : tensor<2x20xi8>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
func.func @causal_and_padding(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x20xi1>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %arg3 : tensor<2x4x24x20xf32>, tensor<2x20xi1>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %in0, %11 : f32
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
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%30 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %31 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @causal_low_and_added(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x1x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.cmpi sge,
// CHECK: arith.select
// CHECK: arith.addf
func.func @causal_low_and_added(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x1x20xf32> {test.fill = "low"}) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant -1000000000.0 : f32
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, 0, 0, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %arg3 : tensor<2x4x24x20xf32>, tensor<2x1x1x20xf32>) outs(%11 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
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

// CHECK-LABEL: func.func @weak_causal(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) score(
// CHECK: arith.cmpi sge,
// CHECK: arith.select
func.func @weak_causal(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant -10.0 : f32
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @slopes(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<4xf32>) score(
// CHECK: arith.index_cast
// CHECK: arith.index_cast
// CHECK: arith.subi
// CHECK: arith.sitofp
// CHECK: attn.gather
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @slopes(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<4xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<4xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %x = arith.index_cast %i : index to i32
    %y = arith.index_cast %j : index to i32
    %d = arith.subi %y, %x : i32
    %f = arith.sitofp %d : i32 to f32
    %g = arith.mulf %f, %in1 : f32
    %r = arith.addf %in0, %g : f32
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

// CHECK-LABEL: func.func @one_less_mask(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x20xi8>) score(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
// CHECK: arith.uitofp
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.addf
func.func @one_less_mask(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x20xi1>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant 1.0 : f32
  %9 = arith.constant -10000.0 : f32
  %10 = tensor.empty() : tensor<2x4x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3 : tensor<2x4x24x20xf32>, tensor<2x20xi1>) outs(%10 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %m = arith.uitofp %in1 : i1 to f32
    %n = arith.subf %8, %m : f32
    %w = arith.mulf %n, %9 : f32
    %r = arith.addf %in0, %w : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty() : tensor<2x4x24xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<2x4x24x20xf32>) outs(%14 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %16 = tensor.empty() : tensor<2x4x24x20xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %15 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%16 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %18 = tensor.empty() : tensor<2x4x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %20 = arith.constant 0.0 : f32
  %21 = tensor.empty() : tensor<2x4x24xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %24 = tensor.empty() : tensor<2x4x24x20xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%24 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %26 = arith.constant 0.0 : f32
  %27 = tensor.empty() : tensor<2x4x24x16xf32>
  %28 = linalg.fill ins(%26 : f32) outs(%27 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%25, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%28 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %29 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @causal_constant(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @causal_constant(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %8 = arith.constant dense<[[true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]]> : tensor<24x20xi1>
  %9 = arith.constant 0xFF800000 : f32
  %10 = tensor.empty() : tensor<2x4x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<2x4x24x20xf32>, tensor<24x20xi1>) outs(%10 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: i1, %out: f32):
    %r = arith.select %in1, %in0, %9 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %12 = arith.constant 0xFF800000 : f32
  %13 = tensor.empty() : tensor<2x4x24xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<2x4x24x20xf32>) outs(%14 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %16 = tensor.empty() : tensor<2x4x24x20xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %15 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%16 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %18 = tensor.empty() : tensor<2x4x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %20 = arith.constant 0.0 : f32
  %21 = tensor.empty() : tensor<2x4x24xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %24 = tensor.empty() : tensor<2x4x24x20xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%24 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %26 = arith.constant 0.0 : f32
  %27 = tensor.empty() : tensor<2x4x24x16xf32>
  %28 = linalg.fill ins(%26 : f32) outs(%27 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%25, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%28 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %29 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @documents(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x24xi32>) keep(
// CHECK: attn.gather
// CHECK: attn.gather
// CHECK: arith.cmpi eq,
func.func @documents(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x24x16xf32>, %arg2: tensor<2x4x24x16xf32>, %arg3: tensor<2x24xi32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x24xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x24x16xf32>) outs(%3 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x24xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x24xf32>) outs(%6 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %8 = arith.constant 0xFF800000 : f32
  %9 = tensor.empty() : tensor<2x4x24x24xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %arg3, %arg3 : tensor<2x4x24x24xf32>, tensor<2x24xi32>, tensor<2x24xi32>) outs(%9 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: i32, %in2: i32, %out: f32):
    %c = arith.cmpi eq, %in1, %in2 : i32
    %r = arith.select %c, %in0, %8 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %11 = arith.constant 0xFF800000 : f32
  %12 = tensor.empty() : tensor<2x4x24xf32>
  %13 = linalg.fill ins(%11 : f32) outs(%12 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x24x24xf32>) outs(%13 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %15 = tensor.empty() : tensor<2x4x24x24xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%15 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %17 = tensor.empty() : tensor<2x4x24x24xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x24x24xf32>) outs(%17 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %19 = arith.constant 0.0 : f32
  %20 = tensor.empty() : tensor<2x4x24xf32>
  %21 = linalg.fill ins(%19 : f32) outs(%20 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x24x24xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = tensor.empty() : tensor<2x4x24x24xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x4x24x24xf32>, tensor<2x4x24xf32>) outs(%23 : tensor<2x4x24x24xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x24xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x4x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x4x24x24xf32>, tensor<2x4x24x16xf32>) outs(%27 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %28 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @causal_in_i8(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) keep(
// CHECK: arith.index_cast
// CHECK: arith.index_cast
// CHECK: arith.cmpi sle,
func.func @causal_in_i8(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %x = arith.index_cast %i : index to i8
    %y = arith.index_cast %j : index to i8
    %c = arith.cmpi sle, %y, %x : i8
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @causal_unsigned_distance(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) keep(
// CHECK: arith.subi
// CHECK: arith.cmpi ult,
func.func @causal_unsigned_distance(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %d = arith.subi %i, %j : index
    %n = arith.constant 100 : index
    %c = arith.cmpi ult, %d, %n : index
    %r = arith.select %c, %in0, %8 : f32
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

// CHECK-LABEL: func.func @float_positions(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @float_positions(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%9 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %x = arith.index_cast %i : index to i32
    %y = arith.index_cast %j : index to i32
    %u = arith.sitofp %x : i32 to f32
    %v = arith.sitofp %y : i32 to f32
    %c = arith.cmpf oge, %u, %v : f32
    %r = arith.select %c, %in0, %8 : f32
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
