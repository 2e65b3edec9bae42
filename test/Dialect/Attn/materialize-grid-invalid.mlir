// attn-materialize-grid: kernels without a grid are left as they are, with a remark.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid{order=x}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option order

// CHECK: remark: [Missed] no-grid | Category:attn-materialize-grid | Function=done | Remark="the grid is materialised already, or there is none"
attn.kernel @done(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  %unused = arith.constant 7 : index
  attn.ctas %w in %n {
    %t = attn.load %x[%w] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%w] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// CHECK: remark: [Missed] no-grid | Category:attn-materialize-grid | Function=none
attn.kernel @none(%x: !attn.view<?xf32>) {
}
