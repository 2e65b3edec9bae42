// Logarithms of sums of exponentials are a result of attn.attention, where a program keeps them.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 7 functions, 7 raised, 14 passed, 0 failed

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#rows = affine_map<(h, i) -> (h, i)>

// CHECK-LABEL: func.func @returned(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} -> (tensor<6x1x9x16xf32>, tensor<6x1x9xf32>)
// CHECK-NEXT: tensor.collapse_shape %[[O]]
// CHECK-NEXT: tensor.collapse_shape %[[LSE]]
// CHECK-NEXT: return
func.func @returned(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %log = math.log %sum : tensor<6x9xf32>
  %lse = arith.addf %log, %most : tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK-LABEL: func.func @used_before_the_product(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} -> (tensor<6x1x9x16xf32>, tensor<6x1x9xf32>)
// CHECK: arith.addf {{.*}} : tensor<2x3x9xf32>
// CHECK-NEXT: return
func.func @used_before_the_product(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<2x3x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %log = math.log %sum : tensor<6x9xf32>
  %lse = arith.addf %log, %most : tensor<6x9xf32>
  %early = tensor.expand_shape %lse [[0, 1], [2]] output_shape [2, 3, 9] : tensor<6x9xf32> into tensor<2x3x9xf32>
  %twice = arith.addf %early, %early : tensor<2x3x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o, %twice : tensor<6x9x16xf32>, tensor<2x3x9xf32>
}

// CHECK-LABEL: func.func @in_powers_of_two(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} -> (tensor<6x1x9x16xf32>, tensor<6x1x9xf32>)
// CHECK: arith.constant 1.44269{{.*}} : f32
// CHECK-NEXT: arith.mulf
func.func @in_powers_of_two(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %f = arith.constant 1.44269504 : f32
    %d2 = arith.mulf %d, %f : f32
    %w = math.exp2 %d2 : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %lse = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%sum, %most : tensor<6x9xf32>, tensor<6x9xf32>) outs(%r : tensor<6x9xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %f = arith.constant 1.44269504 : f32
    %log = math.log2 %x : f32
    %scaled = arith.mulf %y, %f : f32
    %s = arith.addf %log, %scaled : f32
    linalg.yield %s : f32
  } -> tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK-LABEL: func.func @of_natural_exponentials_in_powers_of_two(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} -> (tensor<6x1x9x16xf32>, tensor<6x1x9xf32>)
// CHECK: arith.constant 1.44269{{.*}} : f32
// CHECK-NEXT: arith.mulf
func.func @of_natural_exponentials_in_powers_of_two(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %lse = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%sum, %most : tensor<6x9xf32>, tensor<6x9xf32>) outs(%r : tensor<6x9xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %f = arith.constant 1.44269504 : f32
    %log = math.log2 %x : f32
    %scaled = arith.mulf %y, %f : f32
    %s = arith.addf %log, %scaled : f32
    linalg.yield %s : f32
  } -> tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} -> (tensor<6x1x9x16xf32>, tensor<6x1x9xf32>)
// CHECK: arith.truncf {{.*}} : tensor<6x9xf32> to tensor<6x9xf16>
func.func @narrow(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf16>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product : tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %log = math.log %sum : tensor<6x9xf32>
  %wide = arith.addf %log, %most : tensor<6x9xf32>
  %lse = arith.truncf %wide : tensor<6x9xf32> to tensor<6x9xf16>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf16>
}

// CHECK-LABEL: func.func @of_rows_without_keys(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention
// CHECK-COUNT-2: arith.cmpf oeq, {{.*}} : f32
func.func @of_rows_without_keys(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>, %m: tensor<6x9x11xf32> {test.fill = "rows"}) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x9x11xf32>
  %r = tensor.empty() : tensor<6x9xf32>
  %kt0 = tensor.empty() : tensor<6x16x11xf32>
  %kt = linalg.transpose ins(%k : tensor<6x11x16xf32>) outs(%kt0 : tensor<6x16x11xf32>) permutation = [0, 2, 1]
  %p0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %product = linalg.batch_matmul ins(%q, %kt : tensor<6x9x16xf32>, tensor<6x16x11xf32>) outs(%p0 : tensor<6x9x11xf32>) -> tensor<6x9x11xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%product, %m : tensor<6x9x11xf32>, tensor<6x9x11xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %z = arith.mulf %x, %scale : f32
    %s = arith.addf %z, %y : f32
    linalg.yield %s : f32
  } -> tensor<6x9x11xf32>
  %most0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<6x9x11xf32>) outs(%most0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %most : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<6x9x11xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%r : tensor<6x9xf32>) -> tensor<6x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%weights : tensor<6x9x11xf32>) outs(%sum0 : tensor<6x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<6x9xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %log = math.log %sum : tensor<6x9xf32>
  %lse = arith.addf %log, %most : tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// In tosa, whose heads share keys by zeros that are added; all dimensions of the logarithms are merged before the second product.
// CHECK-LABEL: func.func @merged_before_the_product(
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention {{.*}} scale(1.000000e+00)
// CHECK: %[[MERGED:.*]] = tensor.collapse_shape {{.*}} into tensor<48xf32>
// CHECK: return %{{.*}}, %[[MERGED]]
func.func @merged_before_the_product(%q: tensor<12x4x8xf32>, %k: tensor<224xf32>, %v: tensor<448xf32>) -> (tensor<768xf32>, tensor<48xf32>) {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %k0 = "tosa.const"() <{values = dense<0.0> : tensor<2x2x3x7x8xf32>}> : () -> tensor<2x2x3x7x8xf32>
  %v0 = "tosa.const"() <{values = dense<0.0> : tensor<2x2x3x7x16xf32>}> : () -> tensor<2x2x3x7x16xf32>
  %k1 = tensor.expand_shape %k [[0, 1, 2, 3, 4]] output_shape [2, 2, 1, 7, 8] : tensor<224xf32> into tensor<2x2x1x7x8xf32>
  %k2 = tosa.add %k1, %k0 : (tensor<2x2x1x7x8xf32>, tensor<2x2x3x7x8xf32>) -> tensor<2x2x3x7x8xf32>
  %k3 = tensor.collapse_shape %k2 [[0, 1, 2], [3], [4]] : tensor<2x2x3x7x8xf32> into tensor<12x7x8xf32>
  %kt = tosa.transpose %k3 {perms = array<i32: 0, 2, 1>} : (tensor<12x7x8xf32>) -> tensor<12x8x7xf32>
  %v1 = tensor.expand_shape %v [[0, 1, 2, 3, 4]] output_shape [2, 2, 1, 7, 16] : tensor<448xf32> into tensor<2x2x1x7x16xf32>
  %v2 = tosa.add %v0, %v1 : (tensor<2x2x3x7x16xf32>, tensor<2x2x1x7x16xf32>) -> tensor<2x2x3x7x16xf32>
  %v3 = tensor.collapse_shape %v2 [[0, 1, 2], [3], [4]] : tensor<2x2x3x7x16xf32> into tensor<12x7x16xf32>
  %product = tosa.matmul %q, %kt, %zp, %zp : (tensor<12x4x8xf32>, tensor<12x8x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<12x4x7xf32>
  %scores = tensor.expand_shape %product [[0, 1], [2], [3]] output_shape [2, 6, 4, 7] : tensor<12x4x7xf32> into tensor<2x6x4x7xf32>
  %most = tosa.reduce_max %scores {axis = 3 : i32} : (tensor<2x6x4x7xf32>) -> tensor<2x6x4x1xf32>
  %less = tosa.sub %scores, %most : (tensor<2x6x4x7xf32>, tensor<2x6x4x1xf32>) -> tensor<2x6x4x7xf32>
  %weights = tosa.exp %less : (tensor<2x6x4x7xf32>) -> tensor<2x6x4x7xf32>
  %sum = tosa.reduce_sum %weights {axis = 3 : i32} : (tensor<2x6x4x7xf32>) -> tensor<2x6x4x1xf32>
  %log = tosa.log %sum : (tensor<2x6x4x1xf32>) -> tensor<2x6x4x1xf32>
  %lse = tosa.add %most, %log : (tensor<2x6x4x1xf32>, tensor<2x6x4x1xf32>) -> tensor<2x6x4x1xf32>
  %merged = tensor.collapse_shape %lse [[0, 1, 2, 3]] : tensor<2x6x4x1xf32> into tensor<48xf32>
  %one = tosa.reciprocal %sum : (tensor<2x6x4x1xf32>) -> tensor<2x6x4x1xf32>
  %shares = tosa.mul %weights, %one, %shift : (tensor<2x6x4x7xf32>, tensor<2x6x4x1xf32>, tensor<1xi8>) -> tensor<2x6x4x7xf32>
  %shares3 = tensor.collapse_shape %shares [[0, 1], [2], [3]] : tensor<2x6x4x7xf32> into tensor<12x4x7xf32>
  %o = tosa.matmul %shares3, %v3, %zp, %zp : (tensor<12x4x7xf32>, tensor<12x7x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<12x4x16xf32>
  %flat = tensor.collapse_shape %o [[0, 1, 2]] : tensor<12x4x16xf32> into tensor<768xf32>
  return %flat, %merged : tensor<768xf32>, tensor<48xf32>
}
