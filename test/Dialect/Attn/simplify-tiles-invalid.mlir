// attn-simplify-tiles: what it must not rewrite, with a remark.
// RUN: attn-opt %s --canonicalize -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(canonicalize,attn.kernel(attn-simplify-tiles))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-simplify-tiles{fast}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option fast

// A scale stays in front of a maximum, whatever it is: moved, it rounds differently from the
// scores, and overflows elsewhere.
// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=scales | Remark="no division to share"
attn.kernel @scales(%x: !attn.view<?x?xf32>, %o: !attn.view<?xf32>, %f: f32) {
  %size = attn.dim %o, 0 : <?xf32>
  %half = arith.constant dense<0.5> : tensor<16x2xf32>
  %negative = arith.constant dense<-2.0> : tensor<16x2xf32>
  %zero = arith.constant dense<0.0> : tensor<16x2xf32>
  %minuszero = arith.constant dense<-0.0> : tensor<16x2xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<16x2xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<16x2xf32>
  %varies = arith.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<16x2xf32>
  attn.grid (%i) visit %v in (i = %size) {
    %t = attn.load %x[%i, %i] : <?x?xf32> -> tensor<16x2xf32>
    %splat = tensor.splat %f : tensor<16x2xf32>
    %14 = arith.mulf %t, %half : tensor<16x2xf32>
    %15 = attn.reduce max %14 : tensor<16x2xf32>
    attn.store %15, %o[%i] : tensor<16xf32> -> <?xf32>
    %0 = arith.mulf %t, %negative : tensor<16x2xf32>
    %1 = attn.reduce max %0 : tensor<16x2xf32>
    attn.store %1, %o[%i] : tensor<16xf32> -> <?xf32>
    %2 = arith.mulf %t, %zero : tensor<16x2xf32>
    %3 = attn.reduce max %2 : tensor<16x2xf32>
    attn.store %3, %o[%i] : tensor<16xf32> -> <?xf32>
    %4 = arith.mulf %t, %minuszero : tensor<16x2xf32>
    %5 = attn.reduce max %4 : tensor<16x2xf32>
    attn.store %5, %o[%i] : tensor<16xf32> -> <?xf32>
    %6 = arith.mulf %t, %inf : tensor<16x2xf32>
    %7 = attn.reduce max %6 : tensor<16x2xf32>
    attn.store %7, %o[%i] : tensor<16xf32> -> <?xf32>
    %8 = arith.mulf %t, %nan : tensor<16x2xf32>
    %9 = attn.reduce max %8 : tensor<16x2xf32>
    attn.store %9, %o[%i] : tensor<16xf32> -> <?xf32>
    %10 = arith.mulf %t, %varies : tensor<16x2xf32>
    %11 = attn.reduce max %10 : tensor<16x2xf32>
    attn.store %11, %o[%i] : tensor<16xf32> -> <?xf32>
    %12 = arith.mulf %t, %splat : tensor<16x2xf32>
    %13 = attn.reduce max %12 : tensor<16x2xf32>
    attn.store %13, %o[%i] : tensor<16xf32> -> <?xf32>
  }
}

// It stays in front of a sum and of a mask, too.
// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=others
attn.kernel @others(%x: !attn.view<?x?xf32>, %o: !attn.view<?xf32>) {
  %size = attn.dim %o, 0 : <?xf32>
  %half = arith.constant dense<5.000000e-01> : tensor<16x2xf32>
  attn.grid (%i) visit %v in (i = %size) {
    %t = attn.load %x[%i, %i] : <?x?xf32> -> tensor<16x2xf32>
    %0 = arith.mulf %t, %half : tensor<16x2xf32>
    %1 = attn.reduce sum %0 : tensor<16x2xf32>
    attn.store %1, %o[%i] : tensor<16xf32> -> <?xf32>
    attn.stream %j step 2 over [masked %i to %size] {
      %cols = attn.iota 1 from %j : tensor<16x2xindex>
      %end = attn.iota 1 from %i : tensor<16x2xindex>
      %2 = arith.cmpi slt, %cols, %end : tensor<16x2xindex>
      %3 = arith.mulf %t, %half : tensor<16x2xf32>
      %4 = attn.mask %3 keep %2 : tensor<16x2xf32>
      attn.store %4, %x[%i, %j] : tensor<16x2xf32> -> <?x?xf32>
    }
  }
}

// A quotient whose divisor is no broadcast of rows, or whose dividend alone is one.
// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=divisions
attn.kernel @divisions(%x: !attn.view<?x?xf32>, %o: !attn.view<?xf32>) {
  %size = attn.dim %o, 0 : <?xf32>
  attn.grid (%i) visit %v in (i = %size) {
    %t = attn.load %x[%i, %i] : <?x?xf32> -> tensor<16x2xf32>
    %max = attn.reduce max %t : tensor<16x2xf32>
    %0 = attn.broadcast %max : tensor<16xf32> to tensor<16x2xf32>
    %1 = arith.divf %0, %t : tensor<16x2xf32>
    attn.store %1, %x[%i, %i] : tensor<16x2xf32> -> <?x?xf32>
    %2 = arith.divf %max, %max : tensor<16xf32>
    attn.store %2, %o[%i] : tensor<16xf32> -> <?xf32>
  }
}

// A plain product has nothing of the kind.
// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=matmul
attn.kernel @matmul(%a: !attn.view<?x?xbf16>, %b: !attn.view<?x?xbf16>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x48xf32>
  %size = attn.dim %a, 1 : <?x?xbf16>
  attn.grid (%i, %j) visit %v in (i = %c1, j = %c1) {
    %r = attn.stream %p step 64 over [%c0 to %size] carry (%x = %zero : tensor<32x48xf32>) {
      %s = attn.load %a[%i, %p] : <?x?xbf16> -> tensor<32x64xbf16>
      %t = attn.load %b[%p, %j] : <?x?xbf16> -> tensor<64x48xbf16>
      %d = attn.dot %s, %t, %x : tensor<32x64xbf16>, tensor<64x48xbf16> into tensor<32x48xf32>
      attn.yield %d : tensor<32x48xf32>
    }
    attn.store %r, %c[%i, %j] : tensor<32x48xf32> -> <?x?xf32>
  }
}

// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=empty
attn.kernel @empty() {
}

// Divisions that are to be rounded as they are written, and products that are not to be reassociated; a product that others read, too.
// CHECK: remark: [Missed] nothing-to-do | Category:attn-simplify-tiles | Function=as_written | Remark="no division to share"
attn.kernel @as_written(%x: !attn.view<?x32xf32>, %o: !attn.view<?x32xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant dense<0.25> : tensor<16x32xf32>
  %cap = arith.constant dense<3.0> : tensor<16x32xf32>
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%i, %c0] : <?x32xf32> -> tensor<16x32xf32>
    %s = arith.mulf %t, %scale fastmath<contract> : tensor<16x32xf32>
    %a = arith.divf %s, %cap fastmath<contract> : tensor<16x32xf32>
    attn.store %a, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    %splat = tensor.splat %c : tensor<16x32xf32>
    %b = arith.divf %t, %splat : tensor<16x32xf32>
    attn.store %b, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    %u = arith.mulf %t, %cap fastmath<contract> : tensor<16x32xf32>
    %d = arith.mulf %u, %scale fastmath<contract> : tensor<16x32xf32>
    attn.store %d, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    %w = arith.mulf %t, %cap fastmath<contract> : tensor<16x32xf32>
    %e = arith.mulf %w, %splat fastmath<reassoc> : tensor<16x32xf32>
    attn.store %w, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
    attn.store %e, %o[%i, %c0] : tensor<16x32xf32> -> <?x32xf32>
  }
}
