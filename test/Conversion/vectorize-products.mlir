// attn-vectorize-products: a block of the result stays in vectors while the sum runs.
// RUN: attn-opt %s --attn-vectorize-products --canonicalize --split-input-file | FileCheck %s

// Sixteen columns and four rows at once.

// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:[^ ]+]]: memref<8x24xf32>, %[[B:[^ ]+]]: memref<24x32xf32>, %[[C:[^ ]+]]: memref<8x32xf32>)
// CHECK: scf.for %[[COLUMN:[^ ]+]] = %c0 to %c32 step %c16
// CHECK:   scf.for %[[ROW:[^ ]+]] = %c0 to %c8 step %c4
// CHECK:     %[[C0:.*]] = vector.load %[[C]][%[[ROW]], %[[COLUMN]]] : memref<8x32xf32>, vector<16xf32>
// CHECK:     %[[ROW1:.*]] = arith.addi %[[ROW]], %c1
// CHECK:     %[[C1:.*]] = vector.load %[[C]][%[[ROW1]], %[[COLUMN]]]
// CHECK:     %[[SUMS:.*]]:4 = scf.for %[[K:[^ ]+]] = %c0 to %c24 step %c1 iter_args(%[[S0:[^ ]+]] = %[[C0]], %[[S1:[^ ]+]] = %[[C1]],
// CHECK:       %[[RIGHT:.*]] = vector.load %[[B]][%[[K]], %[[COLUMN]]] : memref<24x32xf32>, vector<16xf32>
// CHECK:       %[[L0:.*]] = memref.load %[[A]][%[[ROW]], %[[K]]]
// CHECK:       %[[V0:.*]] = vector.broadcast %[[L0]] : f32 to vector<16xf32>
// CHECK:       vector.fma %[[V0]], %[[RIGHT]], %[[S0]]
// CHECK:       %[[L1:.*]] = memref.load %[[A]][%[[ROW1]], %[[K]]]
// CHECK:       scf.yield
// CHECK:     vector.store %[[SUMS]]#0, %[[C]][%[[ROW]], %[[COLUMN]]]
// CHECK:     vector.store %[[SUMS]]#1, %[[C]][%[[ROW1]], %[[COLUMN]]]
// CHECK-NOT: linalg.generic
func.func @product(%a: memref<8x24xf32>, %b: memref<24x32xf32>, %c: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (i, j)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x24xf32>, memref<24x32xf32>) outs(%c : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %sum, %p fastmath<contract> : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Of forty columns eight at once, and of six rows two.

// CHECK-LABEL: func.func @forty
// CHECK: scf.for %{{.*}} = %c0 to %c40 step %c8
// CHECK:   scf.for %{{.*}} = %c0 to %c6 step %c2
// CHECK:     %{{.*}}:2 = scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK:       vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-2: vector.fma
func.func @forty(%a: memref<6x16xf32>, %b: memref<16x40xf32>, %c: memref<6x40xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (i, j)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<6x16xf32>, memref<16x40xf32>) outs(%c : memref<6x40xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  return
}
