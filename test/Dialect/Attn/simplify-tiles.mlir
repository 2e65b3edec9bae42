// attn-simplify-tiles: one division a row or column, where a reciprocal will do.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-simplify-tiles))' --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// A second run finds nothing to do.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-simplify-tiles))' -o %t.once
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-simplify-tiles))' | diff %t.once -

// The division is a product with the inverses. Scores stay as they are: a scale moved past
// a mask or a maximum would round differently from those that it was taken of.

// CHECK-LABEL: attn.kernel @softmax
// CHECK-DAG: %[[ONES:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<16xf32>
// CHECK-DAG: %[[TILE:[^ ]+]] = arith.constant dense<1.250000e-01> : tensor<16x32xf32>
// CHECK: attn.stream
// CHECK: %[[DOT:[^ ]+]] = attn.dot
// CHECK: %[[S:[^ ]+]] = arith.mulf %[[DOT]], %[[TILE]] : tensor<16x32xf32>
// CHECK-NEXT: %[[T:[^ ]+]] = attn.mask %[[S]] keep %{{[^ ]+}} : tensor<16x32xf32>
// CHECK-NEXT: %[[X:[^ ]+]] = attn.reduce max %[[T]] : tensor<16x32xf32>
// CHECK-NEXT: %[[M:[^ ]+]] = arith.maximumf %{{[^ ]+}}, %[[X]] : tensor<16xf32>
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[M]]
// CHECK-NEXT: arith.subf %[[T]], %[[B]] : tensor<16x32xf32>
// CHECK: attn.yield
// CHECK: %[[INV:[^ ]+]] = arith.divf %[[ONES]], %[[L:[^ ]+]] : tensor<16xf32>
// CHECK-NEXT: %[[INVS:[^ ]+]] = attn.broadcast %[[INV]] : tensor<16xf32> to tensor<16x32xf32>
// CHECK-NEXT: %[[R:[^ ]+]] = arith.mulf %{{[^ ]+}}, %[[INVS]] fastmath<arcp> : tensor<16x32xf32>
// CHECK-NEXT: attn.store %[[R]],
// CHECK-NOT: arith.divf
attn.kernel @softmax(%a: !attn.view<?x?xf16>, %k: !attn.view<?x?xf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %k, 0 : <?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<16xf32>
  %scale = arith.constant dense<0.125> : tensor<16x32xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %q = attn.load %a[%i, %c0] : <?x?xf16> -> tensor<16x64xf16>
    %r:2 = attn.stream %j step 32 over [%c0 to %i, masked %i to %n] carry (%m = %zeros, %acc = %zero : tensor<16xf32>, tensor<16x32xf32>) {
      %t = attn.load %k[%j, %c0] : <?x?xf16> -> tensor<32x64xf16>
      %d = attn.dot %q, %t, %zero transpose_rhs : tensor<16x64xf16>, tensor<32x64xf16> into tensor<16x32xf32>
      %cols = attn.iota 1 from %j : tensor<16x32xindex>
      %end = tensor.splat %n : tensor<16x32xindex>
      %keep = arith.cmpi slt, %cols, %end : tensor<16x32xindex>
      %s = arith.mulf %d, %scale : tensor<16x32xf32>
      %x = attn.mask %s keep %keep : tensor<16x32xf32>
      %y = attn.reduce max %x : tensor<16x32xf32>
      %mn = arith.maximumf %m, %y : tensor<16xf32>
      %b = attn.broadcast %mn : tensor<16xf32> to tensor<16x32xf32>
      %p = arith.subf %x, %b : tensor<16x32xf32>
      attn.yield %mn, %p : tensor<16xf32>, tensor<16x32xf32>
    }
    %b = attn.broadcast %r#0 : tensor<16xf32> to tensor<16x32xf32>
    %w = arith.divf %r#1, %b fastmath<arcp> : tensor<16x32xf32>
    attn.store %w, %o[%i, %c0] : tensor<16x32xf32> -> <?x?xf32>
  }
}

// -----

// The epilogue of a plain product: the division alone, of a stream that carries one
// accumulator.

// CHECK-LABEL: attn.kernel @matmul
// CHECK: %[[ACC:[^ ]+]] = attn.stream
// CHECK: %[[INV:[^ ]+]] = arith.divf %{{[^ ]+}}, %[[SUM:[^ ]+]] : tensor<32xf32>
// CHECK-NEXT: %[[B:[^ ]+]] = attn.broadcast %[[INV]] : tensor<32xf32> to tensor<32x48xf32>
// CHECK-NEXT: %[[R:[^ ]+]] = arith.mulf %[[ACC]], %[[B]] fastmath<arcp> : tensor<32x48xf32>
// CHECK-NEXT: attn.store %[[R]]
attn.kernel @matmul(%a: !attn.view<?x?xbf16>, %b: !attn.view<?x?xbf16>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x48xf32>
  %k = attn.dim %a, 1 : <?x?xbf16>
  attn.grid (%i, %j) visit %v in (i = %c1, j = %c1) {
    %r = attn.stream %p step 64 over [%c0 to %k] carry (%x = %zero : tensor<32x48xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x64xbf16>
      %t = attn.load %b[%p, %j] : <?x?xbf16> -> tensor<64x48xbf16>
      %d = attn.dot %s, %t, %x : tensor<32x64xbf16>, tensor<64x48xbf16> into tensor<32x48xf32>
      attn.yield %d : tensor<32x48xf32>
    }
    %sum = attn.reduce sum %r : tensor<32x48xf32>
    %norm = attn.broadcast %sum : tensor<32xf32> to tensor<32x48xf32>
    %q = arith.divf %r, %norm fastmath<arcp> : tensor<32x48xf32>
    attn.store %q, %c[%i, %j] : tensor<32x48xf32> -> <?x?xf32>
  }
}

// -----

// Divisors that are the same everywhere: by their reciprocal, computed once, where `arcp` allows; with `reassoc` one factor with a
// constant in front, such as the scale.

// CHECK-LABEL: attn.kernel @softcap
// CHECK-DAG: %[[BOTH:[^ ]+]] = arith.constant dense<6.250000e-02> : tensor<16x32xf32>
// CHECK-DAG: %[[INVERSE:[^ ]+]] = arith.divf %{{[^ ]+}}, %c : f32
// CHECK-DAG: arith.mulf %[[INVERSE]], %{{[^ ]+}} : f32
// CHECK: attn.grid
// CHECK: %[[X:[^ ]+]] = attn.load
// CHECK: arith.mulf %[[X]], %[[BOTH]] fastmath<reassoc,arcp,contract> : tensor<16x32xf32>
// CHECK: %[[FACTOR:[^ ]+]] = tensor.splat %{{[^ ]+}} : tensor<16x32xf32>
// CHECK: arith.mulf %[[X]], %[[FACTOR]] fastmath<reassoc,arcp> : tensor<16x32xf32>
// CHECK: %[[FACTOR:[^ ]+]] = tensor.splat %[[INVERSE]] : tensor<16x32xf32>
// CHECK: arith.mulf %{{[^ ]+}}, %[[FACTOR]] fastmath<arcp> : tensor<16x32xf32>
// CHECK-NOT: arith.divf
attn.kernel @softcap(%x: !attn.view<?x32xf32>, %o: !attn.view<?x32xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant dense<0.25> : tensor<16x32xf32>
  %cap = arith.constant dense<4.0> : tensor<16x32xf32>
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%i, %c0] : <?x32xf32> -> tensor<16x32xf32>
    %s = arith.mulf %t, %scale fastmath<contract> : tensor<16x32xf32>
    %a = arith.divf %s, %cap fastmath<arcp,contract,reassoc> : tensor<16x32xf32>
    attn.store %a, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    %s1 = arith.mulf %t, %scale fastmath<contract> : tensor<16x32xf32>
    %splat = tensor.splat %c : tensor<16x32xf32>
    %b = arith.divf %s1, %splat fastmath<arcp,reassoc> : tensor<16x32xf32>
    attn.store %b, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    %s2 = arith.mulf %t, %scale fastmath<contract> : tensor<16x32xf32>
    %d = arith.divf %s2, %splat fastmath<arcp> : tensor<16x32xf32>
    attn.store %d, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
  }
}

// -----

// One division a column, and in other types than f32. Without `arcp` quotients stay as they are.

// CHECK-LABEL: attn.kernel @columns
// CHECK-DAG: %[[ONES:[^ ]+]] = arith.constant dense<1.000000e+00> : tensor<1x32xf16>
// CHECK: %[[INV:[^ ]+]] = arith.divf %[[ONES]], %[[N:[^ ]+]] : tensor<1x32xf16>
// CHECK: %[[INVS:[^ ]+]] = attn.broadcast %[[INV]] : tensor<1x32xf16> to tensor<16x32xf16>
// CHECK: arith.mulf %[[T:[^ ]+]], %[[INVS]] fastmath<arcp,contract> : tensor<16x32xf16>
// CHECK: arith.divf %[[T]], %{{[^ ]+}} fastmath<contract> : tensor<16x32xf16>
// CHECK-NOT: arith.divf
attn.kernel @columns(%x: !attn.view<?x32xf16>, %n: !attn.view<1x32xf16>, %o: !attn.view<?x32xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%i, %c0] : <?x32xf16> -> tensor<16x32xf16>
    %row = attn.load %n[%c0, %c0] : <1x32xf16> -> tensor<1x32xf16>
    %d = attn.broadcast %row : tensor<1x32xf16> to tensor<16x32xf16>
    %q = arith.divf %t, %d fastmath<arcp,contract> : tensor<16x32xf16>
    attn.store %q, %o[%i, %c0] : tensor<16x32xf16> -> <?x32xf16>
    %r = arith.divf %t, %d fastmath<contract> : tensor<16x32xf16>
    attn.store %r, %o[%i, %c0] : tensor<16x32xf16> -> <?x32xf16>
  }
}
