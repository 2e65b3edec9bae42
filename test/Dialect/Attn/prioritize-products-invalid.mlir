// attn-prioritize-products: kernels that stay as they are, with a remark.
// RUN: attn-opt %s --split-input-file -o %t.before
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-prioritize-products{products=scores}))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-prioritize-products{products=some}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --products option: expected one of all, scores, but got 'some'
// RUN: not attn-compile %examples/matmul.mlir --target=mi300x --lower=priority=3 --emit=target 2>&1 | FileCheck %s --check-prefix=LOWER
// LOWER: --lower expects options of the attn-to-target pipeline, but got 'priority=3'

// CHECK: remark: [Missed] priority | Category:attn-prioritize-products | Function=nvidia | Remark="the target has no priorities of waves (the capability 'wave-priority'):", target="h200"
module attributes {attn.target = #attn.target<"h200">} {
attn.kernel @nvidia(%n: index) {
  attn.grid (%i) visit %v in (i = %n) {
  }
}
}

// -----

// CHECK: remark: [Missed] priority | {{.*}}Function=none | Remark="no such product without priority"
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @none(%n: index) {
  attn.grid (%i) visit %v in (i = %n) {
    %a = arith.constant dense<0.0> : tensor<16x16xf32>
    // Scores are wanted: their right-hand side is transposed.
    %d = attn.dot %a, %a, %a : tensor<16x16xf32>, tensor<16x16xf32> into tensor<16x16xf32>
  }
}
}
