// RUN: attn-opt %s --attn-expand-copies --verify-diagnostics

func.func @unranked(%a: memref<*xf32>, %b: memref<4xf32>) {
  // expected-error@+1 {{'memref.copy' op expected buffers whose rank is known, but got 'memref<*xf32>', 'memref<4xf32>'}}
  memref.copy %a, %b : memref<*xf32> to memref<4xf32>
  return
}
