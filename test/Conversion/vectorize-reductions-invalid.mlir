// attn-vectorize-reductions: what is no such reduction stays as it is.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --attn-vectorize-reductions -o %t.after
// RUN: diff %t.before %t.after

// Terms of this sum are to be added in order.
func.func @in_order(%t: memref<8x32xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x32xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.addf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}

// No vector divides seven columns.
func.func @seven(%t: memref<8x7xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x7xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.maximumf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}

// Columns are reduced, not rows.
func.func @columns(%t: memref<8x32xf32>, %r: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%t : memref<8x32xf32>) outs(%r : memref<32xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.maximumf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}

// Rows do not lie one behind the other.
func.func @strided(%t: memref<8x32xf32, strided<[64, 1]>>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x32xf32, strided<[64, 1]>>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.maximumf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}

// What is reduced is not what is read.
func.func @squares(%t: memref<8x32xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x32xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %y = arith.mulf %x, %x : f32
    %m = arith.maximumf %y, %before : f32
    linalg.yield %m : f32
  }
  return
}

// A minimum.
func.func @minima(%t: memref<8x32xf32>, %r: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x32xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%x: f32, %before: f32):
    %m = arith.minimumf %x, %before : f32
    linalg.yield %m : f32
  }
  return
}
