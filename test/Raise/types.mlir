// f16, bf16, and casts.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 12 functions, 12 raised, 24 passed, 0 failed

// CHECK-LABEL: func.func @f16_all(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @f16_all(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16> {
  %1 = arith.constant 0.0 : f16
  %2 = tensor.empty() : tensor<2x4x24x20xf16>
  %3 = linalg.fill ins(%1 : f16) outs(%2 : tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %5 = arith.constant 0.25 : f16
  %6 = tensor.empty() : tensor<2x4x24x20xf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf16>) outs(%6 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.mulf %in0, %5 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %8 = arith.constant 0xFC00 : f16
  %9 = tensor.empty() : tensor<2x4x24xf16>
  %10 = linalg.fill ins(%8 : f16) outs(%9 : tensor<2x4x24xf16>) -> tensor<2x4x24xf16>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x24x20xf16>) outs(%10 : tensor<2x4x24xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.maximumf %in0, %out : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24xf16>
  %12 = tensor.empty() : tensor<2x4x24x20xf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf16>, tensor<2x4x24xf16>) outs(%12 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %r = arith.subf %in0, %in1 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %14 = tensor.empty() : tensor<2x4x24x20xf16>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x24x20xf16>) outs(%14 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = math.exp %in0 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %16 = arith.constant 0.0 : f16
  %17 = tensor.empty() : tensor<2x4x24xf16>
  %18 = linalg.fill ins(%16 : f16) outs(%17 : tensor<2x4x24xf16>) -> tensor<2x4x24xf16>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x24x20xf16>) outs(%18 : tensor<2x4x24xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.addf %in0, %out : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24xf16>
  %20 = tensor.empty() : tensor<2x4x24x20xf16>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf16>, tensor<2x4x24xf16>) outs(%20 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %r = arith.divf %in0, %in1 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %22 = arith.constant 0.0 : f16
  %23 = tensor.empty() : tensor<2x4x24x16xf16>
  %24 = linalg.fill ins(%22 : f16) outs(%23 : tensor<2x4x24x16xf16>) -> tensor<2x4x24x16xf16>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xf16>, tensor<2x4x20x16xf16>) outs(%24 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %25 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @f16_f32_softmax(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @f16_f32_softmax(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f16, %in1: f16, %out: f32):
    %a = arith.extf %in0 : f16 to f32
    %b = arith.extf %in1 : f16 to f32
    %p = arith.mulf %a, %b : f32
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
  %22 = tensor.empty() : tensor<2x4x24x20xf16>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %24 = arith.constant 0.0 : f32
  %25 = tensor.empty() : tensor<2x4x24x16xf32>
  %26 = linalg.fill ins(%24 : f32) outs(%25 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%23, %arg2 : tensor<2x4x24x20xf16>, tensor<2x4x20x16xf16>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f16, %in1: f16, %out: f32):
    %a = arith.extf %in0 : f16 to f32
    %b = arith.extf %in1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %28 = tensor.empty() : tensor<2x4x24x16xf16>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x24x16xf32>) outs(%28 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %29 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @f16_f32_result(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf32>
func.func @f16_f32_result(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f16, %in1: f16, %out: f32):
    %a = arith.extf %in0 : f16 to f32
    %b = arith.extf %in1 : f16 to f32
    %p = arith.mulf %a, %b : f32
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
  %22 = tensor.empty() : tensor<2x4x24x20xf16>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %24 = arith.constant 0.0 : f32
  %25 = tensor.empty() : tensor<2x4x24x16xf32>
  %26 = linalg.fill ins(%24 : f32) outs(%25 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%23, %arg2 : tensor<2x4x24x20xf16>, tensor<2x4x20x16xf16>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f16, %in1: f16, %out: f32):
    %a = arith.extf %in0 : f16 to f32
    %b = arith.extf %in1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %27 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @bf16_all(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>, tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xbf16>
func.func @bf16_all(%arg0: tensor<2x4x24x16xbf16>, %arg1: tensor<2x4x20x16xbf16>, %arg2: tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xbf16> {
  %1 = arith.constant 0.0 : bf16
  %2 = tensor.empty() : tensor<2x4x24x20xbf16>
  %3 = linalg.fill ins(%1 : bf16) outs(%2 : tensor<2x4x24x20xbf16>) -> tensor<2x4x24x20xbf16>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>) outs(%3 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
    %p = arith.mulf %in0, %in1 : bf16
    %r = arith.addf %out, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %5 = arith.constant 0.25 : bf16
  %6 = tensor.empty() : tensor<2x4x24x20xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xbf16>) outs(%6 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: bf16, %out: bf16):
    %r = arith.mulf %in0, %5 : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %8 = arith.constant 0xFF80 : bf16
  %9 = tensor.empty() : tensor<2x4x24xbf16>
  %10 = linalg.fill ins(%8 : bf16) outs(%9 : tensor<2x4x24xbf16>) -> tensor<2x4x24xbf16>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x24x20xbf16>) outs(%10 : tensor<2x4x24xbf16>) {
  ^bb0(%in0: bf16, %out: bf16):
    %r = arith.maximumf %in0, %out : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24xbf16>
  %12 = tensor.empty() : tensor<2x4x24x20xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xbf16>, tensor<2x4x24xbf16>) outs(%12 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
    %r = arith.subf %in0, %in1 : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %14 = tensor.empty() : tensor<2x4x24x20xbf16>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x24x20xbf16>) outs(%14 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: bf16, %out: bf16):
    %r = math.exp %in0 : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %16 = arith.constant 0.0 : bf16
  %17 = tensor.empty() : tensor<2x4x24xbf16>
  %18 = linalg.fill ins(%16 : bf16) outs(%17 : tensor<2x4x24xbf16>) -> tensor<2x4x24xbf16>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x24x20xbf16>) outs(%18 : tensor<2x4x24xbf16>) {
  ^bb0(%in0: bf16, %out: bf16):
    %r = arith.addf %in0, %out : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24xbf16>
  %20 = tensor.empty() : tensor<2x4x24x20xbf16>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xbf16>, tensor<2x4x24xbf16>) outs(%20 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
    %r = arith.divf %in0, %in1 : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %22 = arith.constant 0.0 : bf16
  %23 = tensor.empty() : tensor<2x4x24x16xbf16>
  %24 = linalg.fill ins(%22 : bf16) outs(%23 : tensor<2x4x24x16xbf16>) -> tensor<2x4x24x16xbf16>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%21, %arg2 : tensor<2x4x24x20xbf16>, tensor<2x4x20x16xbf16>) outs(%24 : tensor<2x4x24x16xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
    %p = arith.mulf %in0, %in1 : bf16
    %r = arith.addf %out, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x16xbf16>
  return %25 : tensor<2x4x24x16xbf16>
}

// CHECK-LABEL: func.func @bf16_f32_softmax(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>, tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xbf16>
func.func @bf16_f32_softmax(%arg0: tensor<2x4x24x16xbf16>, %arg1: tensor<2x4x20x16xbf16>, %arg2: tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xbf16> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
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
  %22 = tensor.empty() : tensor<2x4x24x20xbf16>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %24 = arith.constant 0.0 : f32
  %25 = tensor.empty() : tensor<2x4x24x16xf32>
  %26 = linalg.fill ins(%24 : f32) outs(%25 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%23, %arg2 : tensor<2x4x24x20xbf16>, tensor<2x4x20x16xbf16>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %28 = tensor.empty() : tensor<2x4x24x16xbf16>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x24x16xf32>) outs(%28 : tensor<2x4x24x16xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x16xbf16>
  return %29 : tensor<2x4x24x16xbf16>
}

// CHECK-LABEL: func.func @bf16_f32_result(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>, tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xf32>
func.func @bf16_f32_result(%arg0: tensor<2x4x24x16xbf16>, %arg1: tensor<2x4x20x16xbf16>, %arg2: tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>) outs(%3 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
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
  %22 = tensor.empty() : tensor<2x4x24x20xbf16>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %24 = arith.constant 0.0 : f32
  %25 = tensor.empty() : tensor<2x4x24x16xf32>
  %26 = linalg.fill ins(%24 : f32) outs(%25 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%23, %arg2 : tensor<2x4x24x20xbf16>, tensor<2x4x20x16xbf16>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %27 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @f16_scores_cast(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @f16_scores_cast(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16> {
  %1 = arith.constant 0.0 : f16
  %2 = tensor.empty() : tensor<2x4x24x20xf16>
  %3 = linalg.fill ins(%1 : f16) outs(%2 : tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %5 = arith.constant 0.25 : f16
  %6 = tensor.empty() : tensor<2x4x24x20xf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf16>) outs(%6 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.mulf %in0, %5 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf16>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
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
  %24 = tensor.empty() : tensor<2x4x24x20xf16>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x4x24x20xf32>) outs(%24 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %26 = arith.constant 0.0 : f16
  %27 = tensor.empty() : tensor<2x4x24x16xf16>
  %28 = linalg.fill ins(%26 : f16) outs(%27 : tensor<2x4x24x16xf16>) -> tensor<2x4x24x16xf16>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%25, %arg2 : tensor<2x4x24x20xf16>, tensor<2x4x20x16xf16>) outs(%28 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %29 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @operands_cast(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @operands_cast(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16> {
  %1 = tensor.empty() : tensor<2x4x24x16xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf16>) outs(%1 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %3 = tensor.empty() : tensor<2x4x20x16xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %5 = tensor.empty() : tensor<2x4x20x16xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e) -> (b, h, j, e)>, affine_map<(b, h, j, e) -> (b, h, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x20x16xf16>) outs(%5 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
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
  %32 = tensor.empty() : tensor<2x4x24x16xf16>
  %33 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x24x16xf32>) outs(%32 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %33 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @operands_cast_result_wide(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @operands_cast_result_wide(%arg0: tensor<2x4x24x16xbf16>, %arg1: tensor<2x4x20x16xbf16>, %arg2: tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xf32> {
  %1 = tensor.empty() : tensor<2x4x24x16xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xbf16>) outs(%1 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: bf16, %out: f32):
    %r = arith.extf %in0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %3 = tensor.empty() : tensor<2x4x20x16xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xbf16>) outs(%3 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: bf16, %out: f32):
    %r = arith.extf %in0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %5 = tensor.empty() : tensor<2x4x20x16xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e) -> (b, h, j, e)>, affine_map<(b, h, j, e) -> (b, h, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x20x16xbf16>) outs(%5 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: bf16, %out: f32):
    %r = arith.extf %in0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
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
  return %31 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @values_cast_in_the_product(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @values_cast_in_the_product(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2x4x20x16xf16>, %arg2: tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16> {
  %1 = tensor.empty() : tensor<2x4x24x16xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf16>) outs(%1 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %3 = tensor.empty() : tensor<2x4x20x16xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf16>) outs(%3 : tensor<2x4x20x16xf32>) {
  ^bb0(%in0: f16, %out: f32):
    %r = arith.extf %in0 : f16 to f32
    linalg.yield %r : f32
  } -> tensor<2x4x20x16xf32>
  %5 = arith.constant 0.0 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.fill ins(%5 : f32) outs(%6 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%2, %4 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%7 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %9 = arith.constant 0.25 : f32
  %10 = tensor.empty() : tensor<2x4x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %9 : f32
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
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%25, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf16>) outs(%28 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f16, %out: f32):
    %b = arith.extf %in1 : f16 to f32
    %p = arith.mulf %in0, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %30 = tensor.empty() : tensor<2x4x24x16xf16>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x4x24x16xf32>) outs(%30 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %31 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @narrowed(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @narrowed(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf16> {
  %1 = tensor.empty() : tensor<2x4x24x16xf16>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf32>) outs(%1 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  %3 = tensor.empty() : tensor<2x4x20x16xf16>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x20x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x20x16xf16>
  %5 = tensor.empty() : tensor<2x4x20x16xf16>
  %6 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e) -> (b, h, j, e)>, affine_map<(b, h, j, e) -> (b, h, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x20x16xf32>) outs(%5 : tensor<2x4x20x16xf16>) {
  ^bb0(%in0: f32, %out: f16):
    %r = arith.truncf %in0 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x4x20x16xf16>
  %7 = arith.constant 0.0 : f16
  %8 = tensor.empty() : tensor<2x4x24x20xf16>
  %9 = linalg.fill ins(%7 : f16) outs(%8 : tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%2, %4 : tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>) outs(%9 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %11 = arith.constant 0.25 : f16
  %12 = tensor.empty() : tensor<2x4x24x20xf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x4x24x20xf16>) outs(%12 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.mulf %in0, %11 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %14 = arith.constant 0xFC00 : f16
  %15 = tensor.empty() : tensor<2x4x24xf16>
  %16 = linalg.fill ins(%14 : f16) outs(%15 : tensor<2x4x24xf16>) -> tensor<2x4x24xf16>
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x24x20xf16>) outs(%16 : tensor<2x4x24xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.maximumf %in0, %out : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24xf16>
  %18 = tensor.empty() : tensor<2x4x24x20xf16>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<2x4x24x20xf16>, tensor<2x4x24xf16>) outs(%18 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %r = arith.subf %in0, %in1 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %20 = tensor.empty() : tensor<2x4x24x20xf16>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24x20xf16>) outs(%20 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = math.exp %in0 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %22 = arith.constant 0.0 : f16
  %23 = tensor.empty() : tensor<2x4x24xf16>
  %24 = linalg.fill ins(%22 : f16) outs(%23 : tensor<2x4x24xf16>) -> tensor<2x4x24xf16>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x24x20xf16>) outs(%24 : tensor<2x4x24xf16>) {
  ^bb0(%in0: f16, %out: f16):
    %r = arith.addf %in0, %out : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24xf16>
  %26 = tensor.empty() : tensor<2x4x24x20xf16>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<2x4x24x20xf16>, tensor<2x4x24xf16>) outs(%26 : tensor<2x4x24x20xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %r = arith.divf %in0, %in1 : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x20xf16>
  %28 = arith.constant 0.0 : f16
  %29 = tensor.empty() : tensor<2x4x24x16xf16>
  %30 = linalg.fill ins(%28 : f16) outs(%29 : tensor<2x4x24x16xf16>) -> tensor<2x4x24x16xf16>
  %31 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%27, %6 : tensor<2x4x24x20xf16>, tensor<2x4x20x16xf16>) outs(%30 : tensor<2x4x24x16xf16>) {
  ^bb0(%in0: f16, %in1: f16, %out: f16):
    %p = arith.mulf %in0, %in1 : f16
    %r = arith.addf %out, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x24x16xf16>
  return %31 : tensor<2x4x24x16xf16>
}

// CHECK-LABEL: func.func @scaled_then_narrowed(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>, tensor<2x4x20x16xbf16>) -> tensor<2x4x24x16xf32>
func.func @scaled_then_narrowed(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.25 : f32
  %2 = tensor.empty() : tensor<2x4x24x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x24x16xf32>) outs(%2 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %4 = tensor.empty() : tensor<2x4x24x16xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x4x24x16xf32>) outs(%4 : tensor<2x4x24x16xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x16xbf16>
  %6 = tensor.empty() : tensor<2x4x20x16xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x20x16xf32>) outs(%6 : tensor<2x4x20x16xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x20x16xbf16>
  %8 = tensor.empty() : tensor<2x4x20x16xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, j, e) -> (b, h, j, e)>, affine_map<(b, h, j, e) -> (b, h, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x20x16xf32>) outs(%8 : tensor<2x4x20x16xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x20x16xbf16>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<2x4x24x20xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%5, %7 : tensor<2x4x24x16xbf16>, tensor<2x4x20x16xbf16>) outs(%12 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
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
  %28 = tensor.empty() : tensor<2x4x24x20xbf16>
  %29 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x24x20xf32>) outs(%28 : tensor<2x4x24x20xbf16>) {
  ^bb0(%in0: f32, %out: bf16):
    %r = arith.truncf %in0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x24x20xbf16>
  %30 = arith.constant 0.0 : f32
  %31 = tensor.empty() : tensor<2x4x24x16xf32>
  %32 = linalg.fill ins(%30 : f32) outs(%31 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%29, %9 : tensor<2x4x24x20xbf16>, tensor<2x4x20x16xbf16>) outs(%32 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %a = arith.extf %in0 : bf16 to f32
    %b = arith.extf %in1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %33 : tensor<2x4x24x16xf32>
}
