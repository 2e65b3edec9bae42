// attn-grid-order: bad options, and kernels that it leaves as they are.
// RUN: split-file %s %t

// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{order=swizled-head-first}))' 2>&1 | FileCheck %s --check-prefix=SLIP
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{order=zigzag}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{domains=-1}))' 2>&1 | FileCheck %s --check-prefix=DOMAINS
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{chunk=-4}))' 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{domains=16777217}))' 2>&1 | FileCheck %s --check-prefix=MOSTDOMAINS
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{chunk=16777217}))' 2>&1 | FileCheck %s --check-prefix=MOSTCHUNK
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{longest}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// SLIP: grid.mlir:1:1: error: unknown grid order 'swizled-head-first'; did you mean 'swizzled-head-first'?
// UNKNOWN: grid.mlir:1:1: error: unknown grid order 'zigzag'
// DOMAINS: grid.mlir:1:1: error: expected domains and chunk of 1 to 16777216, or 0 for the target's, but got -1 and 0
// CHUNK: grid.mlir:1:1: error: expected domains and chunk of 1 to 16777216, or 0 for the target's, but got 0 and -4
// MOSTDOMAINS: grid.mlir:1:1: error: expected domains and chunk of 1 to 16777216, or 0 for the target's, but got 16777217 and 0
// MOSTCHUNK: grid.mlir:1:1: error: expected domains and chunk of 1 to 16777216, or 0 for the target's, but got 0 and 16777217
// OPTION: error: {{.*}}no such option longest

// The order that the grid has already, by default or by word.
// RUN: attn-opt %t/grid.mlir -o %t/grid.before
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{order=naive-head-first}))' -o %t/grid.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: diff %t/grid.before %t/grid.after
// RUN: attn-opt %t/ordered.mlir -o %t/ordered.before
// RUN: attn-opt %t/ordered.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{domains=8 longest-first}))' -o %t/ordered.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: diff %t/ordered.before %t/ordered.after
// SAME: :3:3: remark: [Missed] same-order | Category:attn-grid-order | Function=k | Remark="the grid has this order already"

// With one domain the swizzled order is the naive one.
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-grid-order))' -o %t/one.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t/one.before
// RUN: diff %t/one.before %t/one.after
// ONE: remark: [Missed] one-domain | Category:attn-grid-order | Function=k | Remark="one L2 domain: the swizzled order is the naive one"

// No grid.
// RUN: attn-opt %t/ctas.mlir -o %t/ctas.before
// RUN: attn-opt %t/ctas.mlir --pass-pipeline='builtin.module(attn.kernel(attn-grid-order{domains=8}))' -o %t/ctas.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NOGRID
// RUN: diff %t/ctas.before %t/ctas.after
// NOGRID: remark: [Missed] no-grid | Category:attn-grid-order | Function=k | Remark="the grid is materialised already, or there is none"

//--- grid.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%h, %i) visit %v in (h = %n, i = %n) sharing [h] {
  }
}

//--- ordered.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%h, %i) visit %v in (h = %n, i = %n) sharing [h] order #attn.order<[sharing, i], domains = 8, reversed = [i]> {
  }
}

//--- ctas.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.ctas %w in %n {
  }
}
