// attn-vectorize-reductions: vectors of a row are reduced to one, and that to a number.
// RUN: attn-opt %s --attn-vectorize-reductions --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @maxima
// CHECK-SAME: (%[[T:[^ ]+]]: memref<8x32xf32>, %[[R:[^ ]+]]: memref<8xf32>)
// CHECK-DAG: %[[UNIT:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: scf.for %[[ROW:[^ ]+]] = %c0 to %c8 step %c1
// CHECK:   %[[ALL:.*]] = scf.for %[[COLUMN:[^ ]+]] = %c0 to %c32 step %c16 iter_args(%[[BEFORE:[^ ]+]] = %[[UNIT]])
// CHECK:     %[[PART:.*]] = vector.load %[[T]][%[[ROW]], %[[COLUMN]]] : memref<8x32xf32>, vector<16xf32>
// CHECK:     arith.maximumf %[[PART]], %[[BEFORE]] : vector<16xf32>
// CHECK:   %[[FIRST:.*]] = memref.load %[[R]][%[[ROW]]]
// CHECK:   %[[MOST:.*]] = vector.reduction <maximumf>, %[[ALL]], %[[FIRST]] : vector<16xf32> into f32
// CHECK:   memref.store %[[MOST]], %[[R]][%[[ROW]]]
// CHECK-NOT: linalg.generic
// A row of NaN keeps it: the maximum is IEEE 754's.
func.func @maxima(%t: memref<8x32xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x32xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.maximumf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @sums
// CHECK-DAG: arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : vector<4xf32>
// CHECK: vector.reduction <add>, %{{.*}}, %{{.*}} fastmath<reassoc> : vector<4xf32> into f32
// Twenty columns are five vectors of four.
func.func @sums(%t: memref<8x20xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x20xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.addf %x, %before fastmath<reassoc> : f32
    linalg.yield %m : f32
  }
  return
}
