// Named operations of linalg, and contractions.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 7 functions, 7 raised, 14 passed, 0 failed

// CHECK-LABEL: func.func @matmul(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<1x1x24x16xf32>, tensor<1x1x20x16xf32>, tensor<1x1x20x16xf32>) -> tensor<1x1x24x16xf32>
func.func @matmul(%arg0: tensor<24x16xf32>, %arg1: tensor<20x16xf32>, %arg2: tensor<20x16xf32>) -> tensor<24x16xf32> {
  %1 = tensor.empty() : tensor<16x20xf32>
  %2 = linalg.transpose ins(%arg1 : tensor<20x16xf32>) outs(%1 : tensor<16x20xf32>) permutation = [1, 0]
  %3 = arith.constant 0.0 : f32
  %4 = tensor.empty() : tensor<24x20xf32>
  %5 = linalg.fill ins(%3 : f32) outs(%4 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %6 = linalg.matmul ins(%arg0, %2 : tensor<24x16xf32>, tensor<16x20xf32>) outs(%5 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %7 = arith.constant 0.25 : f32
  %8 = tensor.empty() : tensor<24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<24x20xf32>) outs(%8 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %7 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %10 = tensor.empty() : tensor<24x20xf32>
  %11 = linalg.softmax dimension(1) ins(%9 : tensor<24x20xf32>) outs(%10 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %12 = arith.constant 0.0 : f32
  %13 = tensor.empty() : tensor<24x16xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<24x16xf32>) -> tensor<24x16xf32>
  %15 = linalg.matmul ins(%11, %arg2 : tensor<24x20xf32>, tensor<20x16xf32>) outs(%14 : tensor<24x16xf32>) -> tensor<24x16xf32>
  return %15 : tensor<24x16xf32>
}

// CHECK-LABEL: func.func @batch_matmul(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @batch_matmul(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = tensor.empty() : tensor<2x16x20xf32>
  %2 = linalg.transpose ins(%arg1 : tensor<2x20x16xf32>) outs(%1 : tensor<2x16x20xf32>) permutation = [0, 2, 1]
  %3 = arith.constant 0.0 : f32
  %4 = tensor.empty() : tensor<2x24x20xf32>
  %5 = linalg.fill ins(%3 : f32) outs(%4 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %6 = linalg.batch_matmul ins(%arg0, %2 : tensor<2x24x16xf32>, tensor<2x16x20xf32>) outs(%5 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %7 = arith.constant 0.25 : f32
  %8 = tensor.empty() : tensor<2x24x20xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x24x20xf32>) outs(%8 : tensor<2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %7 : f32
    linalg.yield %r : f32
  } -> tensor<2x24x20xf32>
  %10 = tensor.empty() : tensor<2x24x20xf32>
  %11 = linalg.softmax dimension(2) ins(%9 : tensor<2x24x20xf32>) outs(%10 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %12 = arith.constant 0.0 : f32
  %13 = tensor.empty() : tensor<2x24x16xf32>
  %14 = linalg.fill ins(%12 : f32) outs(%13 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %15 = linalg.batch_matmul ins(%11, %arg2 : tensor<2x24x20xf32>, tensor<2x20x16xf32>) outs(%14 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  return %15 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @transposed_batch_matmul(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @transposed_batch_matmul(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %4 = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>] ins(%arg0, %arg1 : tensor<2x24x16xf32>, tensor<2x20x16xf32>) outs(%3 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %5 = tensor.empty() : tensor<2x24x20xf32>
  %6 = linalg.softmax dimension(2) ins(%4 : tensor<2x24x20xf32>) outs(%5 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty() : tensor<2x24x16xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %10 = linalg.batch_matmul ins(%6, %arg2 : tensor<2x24x20xf32>, tensor<2x20x16xf32>) outs(%9 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  return %10 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @transposed_matmul(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<1x1x24x16xf32>, tensor<1x1x20x16xf32>, tensor<1x1x20x16xf32>) -> tensor<1x1x24x16xf32>
func.func @transposed_matmul(%arg0: tensor<24x16xf32>, %arg1: tensor<20x16xf32>, %arg2: tensor<20x16xf32>) -> tensor<24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %4 = linalg.matmul indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>] ins(%arg0, %arg1 : tensor<24x16xf32>, tensor<20x16xf32>) outs(%3 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<24x20xf32>) outs(%6 : tensor<24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<24x20xf32>
  %8 = tensor.empty() : tensor<24x20xf32>
  %9 = linalg.softmax dimension(1) ins(%7 : tensor<24x20xf32>) outs(%8 : tensor<24x20xf32>) -> tensor<24x20xf32>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<24x16xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<24x16xf32>) -> tensor<24x16xf32>
  %13 = linalg.matmul ins(%9, %arg2 : tensor<24x20xf32>, tensor<20x16xf32>) outs(%12 : tensor<24x16xf32>) -> tensor<24x16xf32>
  return %13 : tensor<24x16xf32>
}

// CHECK-LABEL: func.func @contract(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @contract(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>] ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.softmax dimension(3) ins(%7 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<2x4x24x16xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %13 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>] ins(%9, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%12 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  return %13 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @contract_bshd(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>, tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32>
func.func @contract_bshd(%arg0: tensor<2x24x4x16xf32>, %arg1: tensor<2x20x4x16xf32>, %arg2: tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x4x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %4 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>] ins(%arg0, %arg1 : tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>) outs(%3 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x4x24x20xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x24x20xf32>) outs(%6 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %5 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %8 = tensor.empty() : tensor<2x4x24x20xf32>
  %9 = linalg.softmax dimension(3) ins(%7 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<2x24x4x16xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x24x4x16xf32>) -> tensor<2x24x4x16xf32>
  %13 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, j, h, e)>, affine_map<(b, h, i, j, e) -> (b, i, h, e)>] ins(%9, %arg2 : tensor<2x4x24x20xf32>, tensor<2x20x4x16xf32>) outs(%12 : tensor<2x24x4x16xf32>) -> tensor<2x24x4x16xf32>
  return %13 : tensor<2x24x4x16xf32>
}

// CHECK-LABEL: func.func @named_elementwise(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @named_elementwise(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x24x20xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, d)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x24x16xf32>, tensor<2x20x16xf32>) outs(%3 : tensor<2x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x24x20xf32>
  %5 = arith.constant 0.25 : f32
  %6 = tensor.empty() : tensor<2x24x20xf32>
  %7 = linalg.fill ins(%5 : f32) outs(%6 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %8 = tensor.empty() : tensor<2x24x20xf32>
  %9 = linalg.mul ins(%4, %7 : tensor<2x24x20xf32>, tensor<2x24x20xf32>) outs(%8 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %10 = arith.constant 0xFF800000 : f32
  %11 = tensor.empty() : tensor<2x24xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x24xf32>) -> tensor<2x24xf32>
  %13 = linalg.reduce ins(%9 : tensor<2x24x20xf32>) outs(%12 : tensor<2x24xf32>) dimensions = [2]
    (%in: f32, %init: f32) {
      %r = arith.maximumf %in, %init : f32
      linalg.yield %r : f32
    }
  %14 = tensor.empty() : tensor<2x24x20xf32>
  %15 = linalg.broadcast ins(%13 : tensor<2x24xf32>) outs(%14 : tensor<2x24x20xf32>) dimensions = [2]
  %16 = linalg.sub ins(%9, %15 : tensor<2x24x20xf32>, tensor<2x24x20xf32>) outs(%8 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %17 = linalg.exp ins(%16 : tensor<2x24x20xf32>) outs(%8 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %18 = arith.constant 0.0 : f32
  %19 = tensor.empty() : tensor<2x24xf32>
  %20 = linalg.fill ins(%18 : f32) outs(%19 : tensor<2x24xf32>) -> tensor<2x24xf32>
  %21 = linalg.reduce { arith.addf } ins(%17 : tensor<2x24x20xf32>) outs(%20 : tensor<2x24xf32>) dimensions = [2]
  %22 = tensor.empty() : tensor<2x24x20xf32>
  %23 = linalg.broadcast ins(%21 : tensor<2x24xf32>) outs(%22 : tensor<2x24x20xf32>) dimensions = [2]
  %24 = linalg.div ins(%17, %23 : tensor<2x24x20xf32>, tensor<2x24x20xf32>) outs(%8 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %25 = arith.constant 0.0 : f32
  %26 = tensor.empty() : tensor<2x24x16xf32>
  %27 = linalg.fill ins(%25 : f32) outs(%26 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, i, j, e) -> (b, i, j)>, affine_map<(b, i, j, e) -> (b, j, e)>, affine_map<(b, i, j, e) -> (b, i, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%24, %arg2 : tensor<2x24x20xf32>, tensor<2x20x16xf32>) outs(%27 : tensor<2x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x24x16xf32>
  return %28 : tensor<2x24x16xf32>
}
