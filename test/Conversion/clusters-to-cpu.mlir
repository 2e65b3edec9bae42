// convert-attn-to-cpu: a turn is a cluster. Its CTAs run up to what they exchange, one after the
// other, then from there on; index arithmetic that both halves need is in both.
// RUN: attn-opt %s --convert-attn-to-cpu --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @exchange_ctas
// CHECK: %[[CTAS:[^ ]+]] = arith.muli %{{[^ ]+}}, %c4
// CHECK: arith.divui %[[CTAS]], %c4
// CHECK-LABEL: func.func @exchange(
// CHECK: scf.for %[[CLUSTER:[^ ]+]] =
// CHECK: %[[SHOWN:[^ ]+]] = memref.alloc() : memref<4x3x8xf32>
// CHECK: scf.for %[[PART:[^ ]+]] = %c0 to %c4 step %c1 {
// CHECK: %[[FIRST:[^ ]+]] = arith.muli %[[CLUSTER]], %c4
// CHECK: arith.addi %[[FIRST]], %[[PART]]
// CHECK: memref.store %{{[^ ]+}}, %[[SHOWN]]
// CHECK-NOT: memref.load
// CHECK: scf.for %[[PART:[^ ]+]] = %c0 to %c4 step %c1 {
// CHECK: arith.muli %[[CLUSTER]], %c4
// CHECK: memref.load %[[SHOWN]][%c1,
// CHECK: memref.store %{{[^ ]+}}, %arg2
attn.kernel @exchange(%o: !attn.view<?x8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.muli %n, %c4 : index
  attn.ctas %cta in %count cluster %c4 {
    %part = arith.remui %cta, %c4 : index
    %row = arith.divui %cta, %c4 : index
    %first = arith.muli %row, %c4 : index
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    %v = attn.exchange %part gives %t : tensor<16x8xf32> -> !attn.view<?x3x8xf32>
    %u = attn.load %v[%c1, %c0, %c0] : !attn.view<?x3x8xf32> -> tensor<16x8xf32>
    attn.store %u, %o[%first, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
  }
}

// A length that both halves need is read in both.
// CHECK-LABEL: func.func @reads(
// CHECK: scf.for %{{[^ ]+}} = %c0 to %c4 step %c1 {
// CHECK: memref.load %arg2[
// CHECK: scf.for %{{[^ ]+}} = %c0 to %c4 step %c1 {
// CHECK: memref.load %arg2[
attn.kernel @reads(%lengths: !attn.view<?xi32>, %o: !attn.view<?x8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %count = arith.muli %n, %c4 : index
  attn.ctas %cta in %count cluster %c4 {
    %part = arith.remui %cta, %c4 : index
    %row = arith.divui %cta, %c4 : index
    %first = attn.read %lengths[%row] : !attn.view<?xi32>
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    attn.store %t, %o[%first, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
    %v = attn.exchange %part gives %t : tensor<16x8xf32> -> !attn.view<?x3x8xf32>
    %u = attn.load %v[%c0, %c0, %c0] : !attn.view<?x3x8xf32> -> tensor<16x8xf32>
    attn.store %u, %o[%first, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
  }
}
