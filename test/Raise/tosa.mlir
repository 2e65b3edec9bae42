// Attention in tosa.

// RUN: attn-opt %s --attn-raise | FileCheck %s
// RUN: attn-raise-test --quiet %s | FileCheck %s --check-prefix=EXECUTED
// EXECUTED: 16 functions, 16 raised, 32 passed, 0 failed

// CHECK-LABEL: func.func @tosa_basic(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @tosa_basic(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = tosa.mul %4, %5, %6 : (tensor<2x24x20xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %8 = tosa.reduce_max %7 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %9 = tosa.sub %7, %8 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.exp %9 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %12 = tosa.reciprocal %11 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.mul %10, %12, %13 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %16 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %17 = tosa.matmul %14, %arg2, %15, %16 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %17 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_heads(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @tosa_heads(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tosa.const_shape {values = dense<[8, 24, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %2 = tosa.reshape %arg0, %1 : (tensor<2x4x24x16xf32>, !tosa.shape<3>) -> tensor<8x24x16xf32>
  %3 = tosa.transpose %arg1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x4x20x16xf32>) -> tensor<2x4x16x20xf32>
  %4 = tosa.const_shape {values = dense<[8, 16, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %5 = tosa.reshape %3, %4 : (tensor<2x4x16x20xf32>, !tosa.shape<3>) -> tensor<8x16x20xf32>
  %6 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %7 = tosa.reshape %arg2, %6 : (tensor<2x4x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %8 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %9 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %10 = tosa.matmul %2, %5, %8, %9 : (tensor<8x24x16xf32>, tensor<8x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x20xf32>
  %11 = tosa.const_shape {values = dense<[2, 4, 24, 20]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %12 = tosa.reshape %10, %11 : (tensor<8x24x20xf32>, !tosa.shape<4>) -> tensor<2x4x24x20xf32>
  %13 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %15 = tosa.mul %12, %13, %14 : (tensor<2x4x24x20xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %16 = tosa.reduce_max %15 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %17 = tosa.sub %15, %16 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>) -> tensor<2x4x24x20xf32>
  %18 = tosa.exp %17 : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %19 = tosa.reduce_sum %18 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %20 = tosa.reciprocal %19 : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x1xf32>
  %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %22 = tosa.mul %18, %20, %21 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %23 = tosa.const_shape {values = dense<[8, 24, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %24 = tosa.reshape %22, %23 : (tensor<2x4x24x20xf32>, !tosa.shape<3>) -> tensor<8x24x20xf32>
  %25 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %26 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %27 = tosa.matmul %24, %7, %25, %26 : (tensor<8x24x20xf32>, tensor<8x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x16xf32>
  %28 = tosa.const_shape {values = dense<[2, 4, 24, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %29 = tosa.reshape %27, %28 : (tensor<8x24x16xf32>, !tosa.shape<4>) -> tensor<2x4x24x16xf32>
  return %29 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_projections(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) layout(bshd) : (tensor<2x24x4x16xf32>, tensor<2x20x4x16xf32>, tensor<2x20x4x16xf32>) -> tensor<2x24x4x16xf32>
func.func @tosa_projections(%arg0: tensor<2x24x64xf32>, %arg1: tensor<2x20x64xf32>, %arg2: tensor<2x20x64xf32>) -> tensor<2x24x64xf32> {
  %1 = tosa.const_shape {values = dense<[2, 24, 4, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %2 = tosa.reshape %arg0, %1 : (tensor<2x24x64xf32>, !tosa.shape<4>) -> tensor<2x24x4x16xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x24x4x16xf32>) -> tensor<2x4x24x16xf32>
  %4 = tosa.const_shape {values = dense<[2, 20, 4, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %5 = tosa.reshape %arg1, %4 : (tensor<2x20x64xf32>, !tosa.shape<4>) -> tensor<2x20x4x16xf32>
  %6 = tosa.transpose %5 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x20x4x16xf32>) -> tensor<2x4x16x20xf32>
  %7 = tosa.const_shape {values = dense<[2, 20, 4, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %8 = tosa.reshape %arg2, %7 : (tensor<2x20x64xf32>, !tosa.shape<4>) -> tensor<2x20x4x16xf32>
  %9 = tosa.transpose %8 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x20x4x16xf32>) -> tensor<2x4x20x16xf32>
  %10 = tosa.const_shape {values = dense<[8, 24, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %11 = tosa.reshape %3, %10 : (tensor<2x4x24x16xf32>, !tosa.shape<3>) -> tensor<8x24x16xf32>
  %12 = tosa.const_shape {values = dense<[8, 16, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %13 = tosa.reshape %6, %12 : (tensor<2x4x16x20xf32>, !tosa.shape<3>) -> tensor<8x16x20xf32>
  %14 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %16 = tosa.matmul %11, %13, %14, %15 : (tensor<8x24x16xf32>, tensor<8x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x20xf32>
  %17 = tosa.const_shape {values = dense<[2, 4, 24, 20]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %18 = tosa.reshape %16, %17 : (tensor<8x24x20xf32>, !tosa.shape<4>) -> tensor<2x4x24x20xf32>
  %19 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %20 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %21 = tosa.mul %18, %19, %20 : (tensor<2x4x24x20xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %22 = tosa.reduce_max %21 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %23 = tosa.sub %21, %22 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>) -> tensor<2x4x24x20xf32>
  %24 = tosa.exp %23 : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %25 = tosa.reduce_sum %24 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %26 = tosa.reciprocal %25 : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x1xf32>
  %27 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %28 = tosa.mul %24, %26, %27 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %29 = tosa.const_shape {values = dense<[8, 24, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %30 = tosa.reshape %28, %29 : (tensor<2x4x24x20xf32>, !tosa.shape<3>) -> tensor<8x24x20xf32>
  %31 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %32 = tosa.reshape %9, %31 : (tensor<2x4x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %33 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %34 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %35 = tosa.matmul %30, %32, %33, %34 : (tensor<8x24x20xf32>, tensor<8x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x16xf32>
  %36 = tosa.const_shape {values = dense<[2, 4, 24, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %37 = tosa.reshape %35, %36 : (tensor<8x24x16xf32>, !tosa.shape<4>) -> tensor<2x4x24x16xf32>
  %38 = tosa.transpose %37 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x4x24x16xf32>) -> tensor<2x24x4x16xf32>
  %39 = tosa.const_shape {values = dense<[2, 24, 64]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %40 = tosa.reshape %38, %39 : (tensor<2x24x4x16xf32>, !tosa.shape<3>) -> tensor<2x24x64xf32>
  return %40 : tensor<2x24x64xf32>
}

// CHECK-LABEL: func.func @tosa_added_mask(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) captures({{.*}} : tensor<2x1x1x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.addf
func.func @tosa_added_mask(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x4x20x16xf32>, %arg2: tensor<2x4x20x16xf32>, %arg3: tensor<2x1x1x20xf32> {test.fill = "hidden"}) -> tensor<2x4x24x16xf32> {
  %1 = tosa.const_shape {values = dense<[8, 24, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %2 = tosa.reshape %arg0, %1 : (tensor<2x4x24x16xf32>, !tosa.shape<3>) -> tensor<8x24x16xf32>
  %3 = tosa.transpose %arg1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x4x20x16xf32>) -> tensor<2x4x16x20xf32>
  %4 = tosa.const_shape {values = dense<[8, 16, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %5 = tosa.reshape %3, %4 : (tensor<2x4x16x20xf32>, !tosa.shape<3>) -> tensor<8x16x20xf32>
  %6 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %7 = tosa.reshape %arg2, %6 : (tensor<2x4x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %8 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %9 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %10 = tosa.matmul %2, %5, %8, %9 : (tensor<8x24x16xf32>, tensor<8x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x20xf32>
  %11 = tosa.const_shape {values = dense<[2, 4, 24, 20]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %12 = tosa.reshape %10, %11 : (tensor<8x24x20xf32>, !tosa.shape<4>) -> tensor<2x4x24x20xf32>
  %13 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %15 = tosa.mul %12, %13, %14 : (tensor<2x4x24x20xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %16 = tosa.add %15, %arg3 : (tensor<2x4x24x20xf32>, tensor<2x1x1x20xf32>) -> tensor<2x4x24x20xf32>
  %17 = tosa.reduce_max %16 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %18 = tosa.sub %16, %17 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>) -> tensor<2x4x24x20xf32>
  %19 = tosa.exp %18 : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x20xf32>
  %20 = tosa.reduce_sum %19 {axis = 3 : i32} : (tensor<2x4x24x20xf32>) -> tensor<2x4x24x1xf32>
  %21 = tosa.reciprocal %20 : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x1xf32>
  %22 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %23 = tosa.mul %19, %21, %22 : (tensor<2x4x24x20xf32>, tensor<2x4x24x1xf32>, tensor<1xi8>) -> tensor<2x4x24x20xf32>
  %24 = tosa.const_shape {values = dense<[8, 24, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %25 = tosa.reshape %23, %24 : (tensor<2x4x24x20xf32>, !tosa.shape<3>) -> tensor<8x24x20xf32>
  %26 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %27 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %28 = tosa.matmul %25, %7, %26, %27 : (tensor<8x24x20xf32>, tensor<8x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x16xf32>
  %29 = tosa.const_shape {values = dense<[2, 4, 24, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %30 = tosa.reshape %28, %29 : (tensor<8x24x16xf32>, !tosa.shape<4>) -> tensor<2x4x24x16xf32>
  return %30 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_selected(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : tensor<2x24x20xi8>) keep(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
func.func @tosa_selected(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>, %arg3: tensor<2x24x20xi1>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<0xFF800000> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = tosa.select %arg3, %4, %5 : (tensor<2x24x20xi1>, tensor<2x24x20xf32>, tensor<1x1x1xf32>) -> tensor<2x24x20xf32>
  %7 = tosa.reduce_max %6 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %8 = tosa.sub %6, %7 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %9 = tosa.exp %8 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.reduce_sum %9 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %11 = tosa.reciprocal %10 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = tosa.mul %9, %11, %12 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %14 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %16 = tosa.matmul %13, %arg2, %14, %15 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %16 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_causal_constant(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @tosa_causal_constant(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = "tosa.const"() <{values = dense<[[[0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]> : tensor<1x24x20xf32>}> : () -> tensor<1x24x20xf32>
  %2 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %5 = tosa.matmul %arg0, %2, %3, %4 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %6 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = tosa.mul %5, %6, %7 : (tensor<2x24x20xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %9 = tosa.add %8, %1 : (tensor<2x24x20xf32>, tensor<1x24x20xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.reduce_max %9 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %11 = tosa.sub %9, %10 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %12 = tosa.exp %11 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %13 = tosa.reduce_sum %12 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %14 = tosa.reciprocal %13 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = tosa.mul %12, %14, %15 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %17 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %18 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %19 = tosa.matmul %16, %arg2, %17, %18 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %19 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_scores_transposed(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @tosa_scores_transposed(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 1>} : (tensor<2x24x16xf32>) -> tensor<2x16x24xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg1, %1, %2, %3 : (tensor<2x20x16xf32>, tensor<2x16x24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x20x24xf32>
  %5 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = tosa.mul %4, %5, %6 : (tensor<2x20x24xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x20x24xf32>
  %8 = tosa.reduce_max %7 {axis = 1 : i32} : (tensor<2x20x24xf32>) -> tensor<2x1x24xf32>
  %9 = tosa.sub %7, %8 : (tensor<2x20x24xf32>, tensor<2x1x24xf32>) -> tensor<2x20x24xf32>
  %10 = tosa.exp %9 : (tensor<2x20x24xf32>) -> tensor<2x20x24xf32>
  %11 = tosa.reduce_sum %10 {axis = 1 : i32} : (tensor<2x20x24xf32>) -> tensor<2x1x24xf32>
  %12 = tosa.reciprocal %11 : (tensor<2x1x24xf32>) -> tensor<2x1x24xf32>
  %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.mul %10, %12, %13 : (tensor<2x20x24xf32>, tensor<2x1x24xf32>, tensor<1xi8>) -> tensor<2x20x24xf32>
  %15 = tosa.transpose %14 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x24xf32>) -> tensor<2x24x20xf32>
  %16 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %17 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %18 = tosa.matmul %15, %arg2, %16, %17 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %18 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_f16(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf16>, tensor<2x1x20x16xf16>, tensor<2x1x20x16xf16>) -> tensor<2x1x24x16xf16>
func.func @tosa_f16(%arg0: tensor<2x24x16xf16>, %arg1: tensor<2x20x16xf16>, %arg2: tensor<2x20x16xf16>) -> tensor<2x24x16xf16> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf16>) -> tensor<2x16x20xf16>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf16>, tensor<2x16x20xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = tosa.mul %4, %5, %6 : (tensor<2x24x20xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %8 = tosa.reduce_max %7 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %9 = tosa.sub %7, %8 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.exp %9 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %12 = tosa.reciprocal %11 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.mul %10, %12, %13 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %15 = tosa.cast %14 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf16>
  %16 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %17 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %18 = tosa.matmul %15, %arg2, %16, %17 : (tensor<2x24x20xf16>, tensor<2x20x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x24x16xf32>
  %19 = tosa.cast %18 : (tensor<2x24x16xf32>) -> tensor<2x24x16xf16>
  return %19 : tensor<2x24x16xf16>
}

// CHECK-LABEL: func.func @tosa_division_behind(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @tosa_division_behind(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = tosa.mul %4, %5, %6 : (tensor<2x24x20xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %8 = tosa.reduce_max %7 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %9 = tosa.sub %7, %8 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.exp %9 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %12 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %13 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %14 = tosa.matmul %10, %arg2, %12, %13 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  %15 = tosa.reciprocal %11 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %16 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %17 = tosa.mul %14, %15, %16 : (tensor<2x24x16xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x16xf32>
  return %17 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_gqa_tile(
// CHECK: attn.attention {{.*}} scale(2.500000e-01) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @tosa_gqa_tile(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = tosa.const_shape {values = dense<[8, 24, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %2 = tosa.reshape %arg0, %1 : (tensor<2x4x24x16xf32>, !tosa.shape<3>) -> tensor<8x24x16xf32>
  %3 = tosa.const_shape {values = dense<[1, 1, 2, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %4 = tosa.const_shape {values = dense<[2, 2, 1, 20, 16]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %5 = tosa.reshape %arg1, %4 : (tensor<2x2x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x1x20x16xf32>
  %6 = tosa.tile %5, %3 : (tensor<2x2x1x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x2x20x16xf32>
  %7 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %8 = tosa.reshape %6, %7 : (tensor<2x2x2x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %9 = tosa.transpose %8 {perms = array<i32: 0, 2, 1>} : (tensor<8x20x16xf32>) -> tensor<8x16x20xf32>
  %10 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %11 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %12 = tosa.matmul %2, %9, %10, %11 : (tensor<8x24x16xf32>, tensor<8x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x20xf32>
  %13 = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %15 = tosa.mul %12, %13, %14 : (tensor<8x24x20xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<8x24x20xf32>
  %16 = tosa.reduce_max %15 {axis = 2 : i32} : (tensor<8x24x20xf32>) -> tensor<8x24x1xf32>
  %17 = tosa.sub %15, %16 : (tensor<8x24x20xf32>, tensor<8x24x1xf32>) -> tensor<8x24x20xf32>
  %18 = tosa.exp %17 : (tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %19 = tosa.reduce_sum %18 {axis = 2 : i32} : (tensor<8x24x20xf32>) -> tensor<8x24x1xf32>
  %20 = tosa.reciprocal %19 : (tensor<8x24x1xf32>) -> tensor<8x24x1xf32>
  %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %22 = tosa.mul %18, %20, %21 : (tensor<8x24x20xf32>, tensor<8x24x1xf32>, tensor<1xi8>) -> tensor<8x24x20xf32>
  %23 = tosa.const_shape {values = dense<[1, 1, 2, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %24 = tosa.const_shape {values = dense<[2, 2, 1, 20, 16]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %25 = tosa.reshape %arg2, %24 : (tensor<2x2x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x1x20x16xf32>
  %26 = tosa.tile %25, %23 : (tensor<2x2x1x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x2x20x16xf32>
  %27 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %28 = tosa.reshape %26, %27 : (tensor<2x2x2x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %29 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %30 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %31 = tosa.matmul %22, %28, %29, %30 : (tensor<8x24x20xf32>, tensor<8x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x16xf32>
  %32 = tosa.const_shape {values = dense<[2, 4, 24, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %33 = tosa.reshape %31, %32 : (tensor<8x24x16xf32>, !tosa.shape<4>) -> tensor<2x4x24x16xf32>
  return %33 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_counted_causal(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) : (tensor<2x4x24x16xf16>, tensor<2x4x20x16xf16>, tensor<2x4x20x16xf16>) -> tensor<2x4x24x16xf16>
func.func @tosa_counted_causal(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2560xf16>, %arg2: tensor<2560xf16>) -> tensor<3072xf16> {
  %1 = tensor.expand_shape %arg1 [[0, 1, 2, 3]] output_shape [2, 4, 20, 16] : tensor<2560xf16> into tensor<2x4x20x16xf16>
  %2 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x24x16xf16> into tensor<8x24x16xf16>
  %3 = tosa.transpose %1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x4x20x16xf16>) -> tensor<2x4x16x20xf16>
  %4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x16x20xf16> into tensor<8x16x20xf16>
  %5 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %6 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %7 = tosa.matmul %2, %4, %5, %6 : (tensor<8x24x16xf16>, tensor<8x16x20xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<8x24x20xf16>
  %8 = tensor.expand_shape %7 [[0, 1], [2], [3]] output_shape [2, 4, 24, 20] : tensor<8x24x20xf16> into tensor<2x4x24x20xf16>
  %9 = "tosa.const"() <{values = dense<0.25> : tensor<2x4x24x20xf16>}> : () -> tensor<2x4x24x20xf16>
  %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = tosa.mul %8, %9, %10 : (tensor<2x4x24x20xf16>, tensor<2x4x24x20xf16>, tensor<1xi8>) -> tensor<2x4x24x20xf16>
  %12 = "tosa.const"() <{values = dense<1> : tensor<2x4x24x20xi32>}> : () -> tensor<2x4x24x20xi32>
  %13 = "tosa.const"() <{values = dense<[[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]]]]> : tensor<1x1x1x20xi32>}> : () -> tensor<1x1x1x20xi32>
  %14 = "tosa.const"() <{values = dense<[[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23]]]]> : tensor<1x1x24x1xi32>}> : () -> tensor<1x1x24x1xi32>
  %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = tosa.mul %13, %12, %15 : (tensor<1x1x1x20xi32>, tensor<2x4x24x20xi32>, tensor<1xi8>) -> tensor<2x4x24x20xi32>
  %17 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %18 = tosa.mul %14, %12, %17 : (tensor<1x1x24x1xi32>, tensor<2x4x24x20xi32>, tensor<1xi8>) -> tensor<2x4x24x20xi32>
  %19 = tosa.greater %16, %18 : (tensor<2x4x24x20xi32>, tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi1>
  %20 = tosa.cast %19 : (tensor<2x4x24x20xi1>) -> tensor<2x4x24x20xi32>
  %21 = tosa.cast %20 : (tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi8>
  %22 = tosa.cast %21 : (tensor<2x4x24x20xi8>) -> tensor<2x4x24x20xi1>
  %23 = "tosa.const"() <{values = dense<0xFC00> : tensor<2x4x24x20xf16>}> : () -> tensor<2x4x24x20xf16>
  %24 = tosa.select %22, %23, %11 : (tensor<2x4x24x20xi1>, tensor<2x4x24x20xf16>, tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %25 = tosa.reduce_max %24 {axis = 3 : i32} : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x1xf16>
  %26 = tosa.sub %24, %25 : (tensor<2x4x24x20xf16>, tensor<2x4x24x1xf16>) -> tensor<2x4x24x20xf16>
  %27 = tosa.exp %26 : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %28 = tosa.reduce_sum %27 {axis = 3 : i32} : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x1xf16>
  %29 = tosa.reciprocal %28 : (tensor<2x4x24x1xf16>) -> tensor<2x4x24x1xf16>
  %30 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %31 = tosa.mul %27, %29, %30 : (tensor<2x4x24x20xf16>, tensor<2x4x24x1xf16>, tensor<1xi8>) -> tensor<2x4x24x20xf16>
  %32 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<2x4x24x20xf16> into tensor<8x24x20xf16>
  %33 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 20, 16] : tensor<2560xf16> into tensor<8x20x16xf16>
  %34 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %35 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %36 = tosa.matmul %32, %33, %34, %35 : (tensor<8x24x20xf16>, tensor<8x20x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<8x24x16xf16>
  %37 = tensor.expand_shape %36 [[0, 1], [2], [3]] output_shape [2, 4, 24, 16] : tensor<8x24x16xf16> into tensor<2x4x24x16xf16>
  %38 = tosa.transpose %37 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16>
  %39 = tensor.collapse_shape %38 [[0, 1, 2, 3]] : tensor<2x24x4x16xf16> into tensor<3072xf16>
  return %39 : tensor<3072xf16>
}

// CHECK-LABEL: func.func @tosa_counted_lengths(
// CHECK: attn.attention {{.*}} mask(#attn.causal<top_left>) scale(2.500000e-01) captures({{.*}} : tensor<2x4xi32>) keep(
// CHECK: arith.index_cast
// CHECK: attn.gather
// CHECK: arith.cmpi sgt,
// CHECK: arith.xori
func.func @tosa_counted_lengths(%arg0: tensor<2x4x24x16xf16>, %arg1: tensor<2560xf16>, %arg2: tensor<2560xf16>, %arg3: tensor<2x4xi32>) -> tensor<3072xf16> {
  %1 = tensor.expand_shape %arg1 [[0, 1, 2, 3]] output_shape [2, 4, 20, 16] : tensor<2560xf16> into tensor<2x4x20x16xf16>
  %2 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x24x16xf16> into tensor<8x24x16xf16>
  %3 = tosa.transpose %1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x4x20x16xf16>) -> tensor<2x4x16x20xf16>
  %4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x16x20xf16> into tensor<8x16x20xf16>
  %5 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %6 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %7 = tosa.matmul %2, %4, %5, %6 : (tensor<8x24x16xf16>, tensor<8x16x20xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<8x24x20xf16>
  %8 = tensor.expand_shape %7 [[0, 1], [2], [3]] output_shape [2, 4, 24, 20] : tensor<8x24x20xf16> into tensor<2x4x24x20xf16>
  %9 = "tosa.const"() <{values = dense<0.25> : tensor<2x4x24x20xf16>}> : () -> tensor<2x4x24x20xf16>
  %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = tosa.mul %8, %9, %10 : (tensor<2x4x24x20xf16>, tensor<2x4x24x20xf16>, tensor<1xi8>) -> tensor<2x4x24x20xf16>
  %12 = "tosa.const"() <{values = dense<1> : tensor<2x4x24x20xi32>}> : () -> tensor<2x4x24x20xi32>
  %13 = "tosa.const"() <{values = dense<[[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]]]]> : tensor<1x1x1x20xi32>}> : () -> tensor<1x1x1x20xi32>
  %14 = "tosa.const"() <{values = dense<[[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23]]]]> : tensor<1x1x24x1xi32>}> : () -> tensor<1x1x24x1xi32>
  %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = tosa.mul %13, %12, %15 : (tensor<1x1x1x20xi32>, tensor<2x4x24x20xi32>, tensor<1xi8>) -> tensor<2x4x24x20xi32>
  %17 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %18 = tosa.mul %14, %12, %17 : (tensor<1x1x24x1xi32>, tensor<2x4x24x20xi32>, tensor<1xi8>) -> tensor<2x4x24x20xi32>
  %19 = tensor.expand_shape %arg3 [[0], [1, 2, 3]] output_shape [2, 4, 1, 1] : tensor<2x4xi32> into tensor<2x4x1x1xi32>
  %20 = tosa.greater %16, %18 : (tensor<2x4x24x20xi32>, tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi1>
  %21 = tosa.cast %20 : (tensor<2x4x24x20xi1>) -> tensor<2x4x24x20xi32>
  %22 = tosa.cast %21 : (tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi8>
  %23 = tosa.cast %22 : (tensor<2x4x24x20xi8>) -> tensor<2x4x24x20xi1>
  %24 = "tosa.const"() <{values = dense<0xFC00> : tensor<2x4x24x20xf16>}> : () -> tensor<2x4x24x20xf16>
  %25 = tosa.select %23, %24, %11 : (tensor<2x4x24x20xi1>, tensor<2x4x24x20xf16>, tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %26 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %27 = tosa.mul %19, %12, %26 : (tensor<2x4x1x1xi32>, tensor<2x4x24x20xi32>, tensor<1xi8>) -> tensor<2x4x24x20xi32>
  %28 = tosa.greater %16, %27 : (tensor<2x4x24x20xi32>, tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi1>
  %29 = tosa.cast %28 : (tensor<2x4x24x20xi1>) -> tensor<2x4x24x20xi32>
  %30 = tosa.cast %29 : (tensor<2x4x24x20xi32>) -> tensor<2x4x24x20xi8>
  %31 = tosa.cast %30 : (tensor<2x4x24x20xi8>) -> tensor<2x4x24x20xi1>
  %32 = "tosa.const"() <{values = dense<0xFC00> : tensor<2x4x24x20xf16>}> : () -> tensor<2x4x24x20xf16>
  %33 = tosa.select %31, %32, %25 : (tensor<2x4x24x20xi1>, tensor<2x4x24x20xf16>, tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %34 = tosa.reduce_max %33 {axis = 3 : i32} : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x1xf16>
  %35 = tosa.sub %33, %34 : (tensor<2x4x24x20xf16>, tensor<2x4x24x1xf16>) -> tensor<2x4x24x20xf16>
  %36 = tosa.exp %35 : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x20xf16>
  %37 = tosa.reduce_sum %36 {axis = 3 : i32} : (tensor<2x4x24x20xf16>) -> tensor<2x4x24x1xf16>
  %38 = tosa.reciprocal %37 : (tensor<2x4x24x1xf16>) -> tensor<2x4x24x1xf16>
  %39 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %40 = tosa.mul %36, %38, %39 : (tensor<2x4x24x20xf16>, tensor<2x4x24x1xf16>, tensor<1xi8>) -> tensor<2x4x24x20xf16>
  %41 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<2x4x24x20xf16> into tensor<8x24x20xf16>
  %42 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 20, 16] : tensor<2560xf16> into tensor<8x20x16xf16>
  %43 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %44 = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %45 = tosa.matmul %41, %42, %43, %44 : (tensor<8x24x20xf16>, tensor<8x20x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<8x24x16xf16>
  %46 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [2, 4, 24, 16] : tensor<8x24x16xf16> into tensor<2x4x24x16xf16>
  %47 = tosa.transpose %46 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16>
  %48 = tensor.collapse_shape %47 [[0, 1, 2, 3]] : tensor<2x24x4x16xf16> into tensor<3072xf16>
  return %48 : tensor<3072xf16>
}

// CHECK-LABEL: func.func @tosa_gqa_by_adding_zero(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) : (tensor<2x4x24x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32>
func.func @tosa_gqa_by_adding_zero(%arg0: tensor<2x4x24x16xf32>, %arg1: tensor<2x2x20x16xf32>, %arg2: tensor<2x2x20x16xf32>) -> tensor<2x4x24x16xf32> {
  %1 = "tosa.const"() <{values = dense<0.0> : tensor<2x2x2x20x16xf32>}> : () -> tensor<2x2x2x20x16xf32>
  %2 = tosa.const_shape {values = dense<[8, 24, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %3 = tosa.reshape %arg0, %2 : (tensor<2x4x24x16xf32>, !tosa.shape<3>) -> tensor<8x24x16xf32>
  %4 = tosa.const_shape {values = dense<[2, 2, 1, 20, 16]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %5 = tosa.reshape %arg1, %4 : (tensor<2x2x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x1x20x16xf32>
  %6 = tosa.add %5, %1 : (tensor<2x2x1x20x16xf32>, tensor<2x2x2x20x16xf32>) -> tensor<2x2x2x20x16xf32>
  %7 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %8 = tosa.reshape %6, %7 : (tensor<2x2x2x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %9 = tosa.transpose %8 {perms = array<i32: 0, 2, 1>} : (tensor<8x20x16xf32>) -> tensor<8x16x20xf32>
  %10 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %11 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %12 = tosa.matmul %3, %9, %10, %11 : (tensor<8x24x16xf32>, tensor<8x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x20xf32>
  %13 = tosa.reduce_max %12 {axis = 2 : i32} : (tensor<8x24x20xf32>) -> tensor<8x24x1xf32>
  %14 = tosa.sub %12, %13 : (tensor<8x24x20xf32>, tensor<8x24x1xf32>) -> tensor<8x24x20xf32>
  %15 = tosa.exp %14 : (tensor<8x24x20xf32>) -> tensor<8x24x20xf32>
  %16 = tosa.reduce_sum %15 {axis = 2 : i32} : (tensor<8x24x20xf32>) -> tensor<8x24x1xf32>
  %17 = tosa.reciprocal %16 : (tensor<8x24x1xf32>) -> tensor<8x24x1xf32>
  %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %19 = tosa.mul %15, %17, %18 : (tensor<8x24x20xf32>, tensor<8x24x1xf32>, tensor<1xi8>) -> tensor<8x24x20xf32>
  %20 = tosa.const_shape {values = dense<[2, 2, 1, 20, 16]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %21 = tosa.reshape %arg2, %20 : (tensor<2x2x20x16xf32>, !tosa.shape<5>) -> tensor<2x2x1x20x16xf32>
  %22 = tosa.add %21, %1 : (tensor<2x2x1x20x16xf32>, tensor<2x2x2x20x16xf32>) -> tensor<2x2x2x20x16xf32>
  %23 = tosa.const_shape {values = dense<[8, 20, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %24 = tosa.reshape %22, %23 : (tensor<2x2x2x20x16xf32>, !tosa.shape<3>) -> tensor<8x20x16xf32>
  %25 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %26 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %27 = tosa.matmul %19, %24, %25, %26 : (tensor<8x24x20xf32>, tensor<8x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x24x16xf32>
  %28 = tosa.const_shape {values = dense<[2, 4, 24, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %29 = tosa.reshape %27, %28 : (tensor<8x24x16xf32>, !tosa.shape<4>) -> tensor<2x4x24x16xf32>
  return %29 : tensor<2x4x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_scaled_by_a_tensor(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : tensor<2x24x20xf32>) score(
// CHECK: attn.gather
// CHECK: arith.mulf
func.func @tosa_scaled_by_a_tensor(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>, %arg3: tensor<2x24x20xf32>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = tosa.mul %4, %arg3, %5 : (tensor<2x24x20xf32>, tensor<2x24x20xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %7 = tosa.reduce_max %6 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %8 = tosa.sub %6, %7 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %9 = tosa.exp %8 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.reduce_sum %9 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %11 = tosa.reciprocal %10 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = tosa.mul %9, %11, %12 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %14 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %16 = tosa.matmul %13, %arg2, %14, %15 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %16 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_ones_times_maximum(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) : (tensor<2x1x24x16xf32>, tensor<2x1x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x1x24x16xf32>
func.func @tosa_ones_times_maximum(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = "tosa.const"() <{values = dense<1.0> : tensor<2x24x20xf32>}> : () -> tensor<2x24x20xf32>
  %6 = tosa.reduce_max %4 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = tosa.mul %6, %5, %7 : (tensor<2x24x1xf32>, tensor<2x24x20xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %9 = tosa.sub %4, %8 : (tensor<2x24x20xf32>, tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.exp %9 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = tosa.mul %11, %5, %12 : (tensor<2x24x1xf32>, tensor<2x24x20xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %14 = tosa.reciprocal %13 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = tosa.mul %10, %14, %15 : (tensor<2x24x20xf32>, tensor<2x24x20xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %17 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %18 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %19 = tosa.matmul %16, %arg2, %17, %18 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %19 : tensor<2x24x16xf32>
}

// CHECK-LABEL: func.func @tosa_cast_mask(
// CHECK: attn.attention {{.*}} scale(1.000000e+00) captures({{.*}} : tensor<2x24x20xi8>) score(
// CHECK: attn.gather
// CHECK: arith.cmpi ne,
// CHECK: arith.select
func.func @tosa_cast_mask(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x20x16xf32>, %arg2: tensor<2x20x16xf32>, %arg3: tensor<2x24x20xi8>) -> tensor<2x24x16xf32> {
  %1 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<2x20x16xf32>) -> tensor<2x16x20xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.matmul %arg0, %1, %2, %3 : (tensor<2x24x16xf32>, tensor<2x16x20xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x20xf32>
  %5 = tosa.cast %arg3 : (tensor<2x24x20xi8>) -> tensor<2x24x20xi1>
  %6 = "tosa.const"() <{values = dense<10.0> : tensor<2x24x20xf32>}> : () -> tensor<2x24x20xf32>
  %7 = tosa.select %5, %4, %6 : (tensor<2x24x20xi1>, tensor<2x24x20xf32>, tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %8 = tosa.reduce_max %7 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %9 = tosa.sub %7, %8 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>) -> tensor<2x24x20xf32>
  %10 = tosa.exp %9 : (tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x24x20xf32>) -> tensor<2x24x1xf32>
  %12 = tosa.reciprocal %11 : (tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
  %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.mul %10, %12, %13 : (tensor<2x24x20xf32>, tensor<2x24x1xf32>, tensor<1xi8>) -> tensor<2x24x20xf32>
  %15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %16 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %17 = tosa.matmul %14, %arg2, %15, %16 : (tensor<2x24x20xf32>, tensor<2x20x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x24x16xf32>
  return %17 : tensor<2x24x16xf32>
}
