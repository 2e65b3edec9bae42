// A layout without modes has a rank all the same: what is printed is read back.
// attn-defer-row-sums makes one of a row that a single thread holds.
//
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-defer-row-sums))' -o %t.first
// RUN: FileCheck %s --input-file=%t.first
// RUN: attn-opt %t.first | diff %t.first -
// RUN: attn-opt %t.first -emit-bytecode | attn-opt | diff %t.first -

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [], registers [5:(0, 1)]>
// CHECK-DAG: #[[PARTS:parts[0-9]*]] = #attn.fragment<threads [], registers [], rank 2>
// CHECK: attn.stream {{.*}} tensor<1x1xf32, #[[PARTS]]>
// CHECK: attn.reduce_registers sum %{{[^ ]+}} : tensor<1x5xf32, #[[ACC]]>
// CHECK: attn.reduce sum %{{[^ ]+}} : tensor<1x1xf32, #[[PARTS]]>
attn.kernel @row(%o: !attn.view<1xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<1xf32, #attn.fragment<threads [], registers []>>
  %p = arith.constant dense<1.0> : tensor<1x5xf32, #attn.fragment<threads [], registers [5:(0, 1)]>>
  %f = arith.constant dense<0.5> : tensor<1xf32, #attn.fragment<threads [], registers []>>
  %l = attn.stream %j step 1 over [%i to %i] carry (%c = %zero : tensor<1xf32, #attn.fragment<threads [], registers []>>) {
    %s = attn.reduce sum %p : tensor<1x5xf32, #attn.fragment<threads [], registers [5:(0, 1)]>>
    %x = arith.mulf %c, %f : tensor<1xf32, #attn.fragment<threads [], registers []>>
    %n = arith.addf %x, %s : tensor<1xf32, #attn.fragment<threads [], registers []>>
    attn.yield %n : tensor<1xf32, #attn.fragment<threads [], registers []>>
  }
  attn.store %l, %o[%i] : tensor<1xf32, #attn.fragment<threads [], registers []>> -> <1xf32>
}
