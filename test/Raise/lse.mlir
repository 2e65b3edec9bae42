// Logarithms of sums of exponentials are a result of attn.attention, where a program keeps them.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 6 functions, 6 raised, 12 passed, 0 failed

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
