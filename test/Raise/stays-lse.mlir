// What is no logarithm of a sum of exponentials, or has to stay where it is.

// RUN: attn-opt %s --attn-raise --remarks-filter='attn.*' -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 6 functions, 0 raised, 12 passed, 0 failed

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#rows = affine_map<(h, i) -> (h, i)>

// CHECK: [Missed] users {{.*}}Function=sum_returned {{.*}}found="scores or probabilities that something else uses"
func.func @sum_returned(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  return %o, %sum : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK: [Missed] users {{.*}}Function=maximum_returned {{.*}}found="scores or probabilities that something else uses"
func.func @maximum_returned(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  return %o, %most : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK: [Missed] users {{.*}}Function=logarithm_without_maximum {{.*}}found="scores or probabilities that something else uses"
func.func @logarithm_without_maximum(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  %lse = math.log %sum : tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK: [Missed] users {{.*}}Function=maximum_twice {{.*}}found="scores or probabilities that something else uses"
func.func @maximum_twice(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  %l0 = arith.addf %log, %most : tensor<6x9xf32>
  %lse = arith.addf %l0, %most : tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK: [Missed] users {{.*}}Function=weights_too {{.*}}found="scores or probabilities that something else uses"
func.func @weights_too(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  %l0 = arith.addf %log, %most : tensor<6x9xf32>
  %w0 = tensor.extract_slice %weights[0, 0, 0] [6, 9, 1] [1, 1, 1] : tensor<6x9x11xf32> to tensor<6x9xf32>
  %lse = arith.addf %l0, %w0 : tensor<6x9xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}

// CHECK: [Missed] users {{.*}}Function=values_from_it {{.*}}found="scores or probabilities that something else uses"
func.func @values_from_it(%q: tensor<6x9x16xf32>, %k: tensor<6x11x16xf32>, %v: tensor<6x11x16xf32>) -> (tensor<6x9x16xf32>, tensor<6x9xf32>) attributes {test.stays} {
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
  %v2 = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>, affine_map<(h, j, d) -> (h, 0)>, affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v, %lse : tensor<6x11x16xf32>, tensor<6x9xf32>) outs(%v : tensor<6x11x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<6x11x16xf32>
  %shares = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%weights, %sum : tensor<6x9x11xf32>, tensor<6x9xf32>) outs(%e : tensor<6x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x9x11xf32>
  %o0 = tensor.empty() : tensor<6x9x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  %o = linalg.batch_matmul ins(%shares, %v2 : tensor<6x9x11xf32>, tensor<6x11x16xf32>) outs(%o1 : tensor<6x9x16xf32>) -> tensor<6x9x16xf32>
  return %o, %lse : tensor<6x9x16xf32>, tensor<6x9xf32>
}
