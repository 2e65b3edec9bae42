// convert-attn-to-rocdl: masks by bounds of a row's columns take a register for 32 of them and no
// comparison of an element; other conditions are compared.
// RUN: attn-opt %s -split-input-file --pass-pipeline='builtin.module(convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// Both bounds, from either side of the comparison: 16 elements of one row, eight at a time.
// CHECK-LABEL: llvm.func @band(
// CHECK-DAG: %[[ONE:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[ALL:[^ ]+]] = arith.constant -1 : i64
// CHECK-NOT: arith.cmpi {{.*}} : vector
// CHECK: %[[ABOVE:[^ ]+]] = arith.shli %[[ALL]], %{{[^ ]+}} : i64
// CHECK: %[[BITS:[^ ]+]] = arith.andi
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.amdgcn.sbfe.i32"(%[[BITS]], %{{[^ ]+}}, %[[ONE]])
// CHECK-NOT: llvm.amdgcn.sbfe
// CHECK-NOT: arith.select

// A condition that is no bound.
// CHECK-LABEL: llvm.func @parity(
// CHECK-NOT: llvm.amdgcn.sbfe
// CHECK-COUNT-16: arith.select
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!c = tensor<32x32xf32, #acc>
!n = tensor<32x32xindex, #acc>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @band(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %score = arith.constant dense<1.0> : !c
  %none = arith.constant dense<0xFF800000> : !c
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %c0 : !n
    %cols = attn.iota 1 from %w : !n
    %shift = tensor.splat %n : !n
    %last = arith.addi %rows, %shift : !n
    %low = arith.cmpi slt, %rows, %cols : !n
    %high = arith.cmpi sle, %cols, %last : !n
    %keep = arith.andi %low, %high : tensor<32x32xi1, #acc>
    %s = arith.select %keep, %score, %none : tensor<32x32xi1, #acc>, !c
    attn.store %s, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}
attn.kernel @parity(%o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %score = arith.constant dense<1.0> : !c
  %none = arith.constant dense<0xFF800000> : !c
  attn.ctas %w in %c1 {
    %rows = attn.iota 0 from %c0 : !n
    %cols = attn.iota 1 from %w : !n
    %sum = arith.addi %rows, %cols : !n
    %keep = arith.cmpi slt, %cols, %sum : !n
    %s = arith.select %keep, %score, %none : tensor<32x32xi1, #acc>, !c
    attn.store %s, %o[%c0, %c0] : !c -> <?x32xf32>
  }
}
}
