// What is nearly a softmax stays.

// RUN: attn-opt %s --attn-raise --remarks-filter='attn.*' -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 18 functions, 0 raised, 36 passed, 0 failed

// CHECK: [Missed] sum {{.*}}Function=epsilon {{.*}}found="a denominator that is more, or less, than the sum of the exponentials"
func.func @epsilon(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %20 = arith.constant 1.0e-06 : f32
  %21 = tensor.empty() : tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i) -> (b, h, i)>, affine_map<(b, h, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %20 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = tensor.empty() : tensor<2x4x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %22 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%23 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] weights {{.*}}Function=epsilon_on_weights {{.*}}found="weights that are more than an exponential over a sum"
func.func @epsilon_on_weights(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
  %1 = arith.constant 1.0e-06 : f32
  %2 = arith.constant 0.0 : f32
  %3 = tensor.empty() : tensor<2x4x24x20xf32>
  %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%4 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %6 = arith.constant 0.25 : f32
  %7 = tensor.empty() : tensor<2x4x24x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x4x24x20xf32>) outs(%7 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %6 : f32
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
  %23 = tensor.empty() : tensor<2x4x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x24x20xf32>) outs(%23 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %1 : f32
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

// CHECK: [Missed] no-sum {{.*}}Function=one_more_in_the_sum {{.*}}found="exponentials that no sum divides"
func.func @one_more_in_the_sum(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %20 = arith.constant 1.0 : f32
  %21 = tensor.empty() : tensor<2x4x24xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(b, h, i) -> (b, h, i)>, affine_map<(b, h, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24xf32>) outs(%21 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %20 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x4x24x16xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%15, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%25 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  %27 = tensor.empty() : tensor<2x4x24x16xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %22 : tensor<2x4x24x16xf32>, tensor<2x4x24xf32>) outs(%27 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %28 : tensor<2x4x24x16xf32>
}

// CHECK: [Missed] sum {{.*}}Function=guarded_sum {{.*}}found="a denominator that is more, or less, than the sum of the exponentials"
func.func @guarded_sum(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %20 = arith.constant 0.0 : f32
  %21 = arith.constant 1.0 : f32
  %22 = tensor.empty() : tensor<2x4x24xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i) -> (b, h, i)>, affine_map<(b, h, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x24xf32>) outs(%22 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %z = arith.cmpf oeq, %in0, %20 : f32
    %r = arith.select %z, %21, %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %24 = tensor.empty() : tensor<2x4x24x20xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %23 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%24 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] maximum {{.*}}Function=over_queries {{.*}}found="a maximum of something else than the scores of a query"
func.func @over_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %9 = tensor.empty() : tensor<2x4x20xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x20xf32>) -> tensor<2x4x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<2x4x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
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
  %17 = tensor.empty() : tensor<2x4x20xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x20xf32>) -> tensor<2x4x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf32>, tensor<2x4x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] maximum {{.*}}Function=over_heads {{.*}}found="a maximum of something else than the scores of a query"
func.func @over_heads(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %9 = tensor.empty() : tensor<2x24x20xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i, j)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x24x20xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<2x24x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
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
  %17 = tensor.empty() : tensor<2x24x20xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i, j)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x24x20xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf32>, tensor<2x24x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] sum {{.*}}Function=sum_over_queries {{.*}}found="a sum of something else than the exponentials of a query"
func.func @sum_over_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %17 = tensor.empty() : tensor<2x4x20xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x20xf32>) -> tensor<2x4x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%15 : tensor<2x4x24x20xf32>) outs(%18 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %20 = tensor.empty() : tensor<2x4x24x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x4x24x20xf32>, tensor<2x4x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] maximum {{.*}}Function=maximum_over_queries {{.*}}found="a maximum of something else than the scores of a query"
func.func @maximum_over_queries(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %9 = tensor.empty() : tensor<2x4x20xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x20xf32>) -> tensor<2x4x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.maximumf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x20xf32>
  %12 = tensor.empty() : tensor<2x4x24x20xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x4x24x20xf32>, tensor<2x4x20xf32>) outs(%12 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] maximum {{.*}}Function=maximum_of_unscaled {{.*}}found="a maximum of something else than the scores of a query"
func.func @maximum_of_unscaled(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %9 = tensor.empty() : tensor<2x4x24x20xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, d)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>) outs(%10 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
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
  %17 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %15 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%16 : tensor<2x4x24x20xf32>) {
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

// CHECK: [Missed] no-maximum {{.*}}Function=no_maximum {{.*}}found="exponentials of scores that no maximum was taken from"
func.func @no_maximum(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %9 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%8 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.exp %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %10 = arith.constant 0.0 : f32
  %11 = tensor.empty() : tensor<2x4x24xf32>
  %12 = linalg.fill ins(%10 : f32) outs(%11 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x4x24x20xf32>) outs(%12 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24xf32>
  %14 = tensor.empty() : tensor<2x4x24x20xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %13 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%14 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x20xf32>
  %16 = arith.constant 0.0 : f32
  %17 = tensor.empty() : tensor<2x4x24x16xf32>
  %18 = linalg.fill ins(%16 : f32) outs(%17 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%15, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%18 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %19 : tensor<2x4x24x16xf32>
}

// CHECK: [Missed] no-maximum {{.*}}Function=minimum {{.*}}found="exponentials of scores that no maximum was taken from"
func.func @minimum(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %8 = arith.constant 0x7F800000 : f32
  %9 = tensor.empty() : tensor<2x4x24xf32>
  %10 = linalg.fill ins(%8 : f32) outs(%9 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%10 : tensor<2x4x24xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.minimumf %in0, %out : f32
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

// CHECK: [Missed] init {{.*}}Function=maximum_from_zero {{.*}}found="a maximum that starts from a number that scores may be below"
func.func @maximum_from_zero(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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

// CHECK: [Missed] init {{.*}}Function=sum_from_one {{.*}}found="a sum that starts from something else than 0"
func.func @sum_from_one(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %16 = arith.constant 1.0 : f32
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

// CHECK: [Missed] no-sum {{.*}}Function=no_division {{.*}}found="exponentials that no sum divides"
func.func @no_division(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %20 = arith.constant 0.0 : f32
  %21 = tensor.empty() : tensor<2x4x24x16xf32>
  %22 = linalg.fill ins(%20 : f32) outs(%21 : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, e) -> (b, h, i, j)>, affine_map<(b, h, i, j, e) -> (b, h, j, e)>, affine_map<(b, h, i, j, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%15, %arg2 : tensor<2x4x24x20xf32>, tensor<2x4x20x16xf32>) outs(%22 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %p = arith.mulf %in0, %in1 : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %23 : tensor<2x4x24x16xf32>
}

// CHECK: [Missed] users {{.*}}Function=divided_twice {{.*}}found="scores or probabilities that something else uses"
func.func @divided_twice(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %26 = tensor.empty() : tensor<2x4x24x16xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, e) -> (b, h, i, e)>, affine_map<(b, h, i, e) -> (b, h, i)>, affine_map<(b, h, i, e) -> (b, h, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %19 : tensor<2x4x24x16xf32>, tensor<2x4x24xf32>) outs(%26 : tensor<2x4x24x16xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.divf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x4x24x16xf32>
  return %27 : tensor<2x4x24x16xf32>
}

// CHECK: [Missed] weights {{.*}}Function=scaled_weights {{.*}}found="weights that are more than an exponential over a sum"
func.func @scaled_weights(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %22 = arith.constant 1.25 : f32
  %23 = tensor.empty() : tensor<2x4x24x20xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x24x20xf32>) outs(%23 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.mulf %in0, %22 : f32
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

// CHECK: [Missed] weights {{.*}}Function=dropped_weights {{.*}}found="weights that are more than an exponential over a sum"
func.func @dropped_weights(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x4x24x20xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %22 = tensor.empty() : tensor<2x4x24x20xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %arg3 : tensor<2x4x24x20xf32>, tensor<2x4x24x20xf32>) outs(%22 : tensor<2x4x24x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
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

// CHECK: [Missed] sum {{.*}}Function=sum_of_other_exponentials {{.*}}found="a sum of something else than the exponentials of a query"
func.func @sum_of_other_exponentials(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> attributes {test.stays} {
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
  %21 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x4x24x20xf32>) outs(%20 : tensor<2x4x24x20xf32>) {
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
  %27 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %25 : tensor<2x4x24x20xf32>, tensor<2x4x24xf32>) outs(%26 : tensor<2x4x24x20xf32>) {
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
