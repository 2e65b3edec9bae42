// Rows that a mask tensor may hide whole are NaN in the program, and made NaN again, or stay zero.

// RUN: attn-opt %s --attn-raise --remarks-filter='attn.*' 2>&1 | FileCheck %s
// RUN: attn-opt %s --attn-raise=masked-rows=zero | FileCheck %s --check-prefix=ZERO

// CHECK: [Passed] raised {{.*}} Remark="is attention:", element=f32, layout=bhsd, masked-rows=nan, regions=score, scale=1.000000e+00
// CHECK: %[[O:.*]], %[[LSE:.*]] = attn.attention
// CHECK: linalg.generic {{.*}} ins(%[[LSE]] : tensor<2x1x8xf32>) outs(%[[O]] : tensor<2x1x8x16xf32>)
// CHECK: arith.cmpf oeq, %{{.*}}, %[[NONE:.*]] : f32
// CHECK: arith.select

// ZERO: attn.attention
// ZERO-NOT: linalg.generic
func.func @padded(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %m: tensor<2x8x8xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul
      indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%f : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %a = linalg.add ins(%s, %m : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%a : tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%fo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %o : tensor<2x8x16xf32>
}
