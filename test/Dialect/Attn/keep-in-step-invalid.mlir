// attn-keep-in-step: kernels that it leaves as they are, with a remark that says why.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-keep-in-step))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-keep-in-step{ctas=4}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option ctas
// It is a pass on kernels.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-keep-in-step)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnKeepInStep' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

// One CTA a tile, which has one visit.
// CHECK: keep-in-step-invalid.mlir:[[# @LINE + 1]]:1: remark: [Missed] in-step | Category:attn-keep-in-step | Function=visit | Remark="the grid is not persistent: each CTA has one visit"
attn.kernel @visit(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// The last run of a CTA may end early, with visits that others make. So does each run
// of a grid that is not persistent.
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=runs | Remark="CTAs take runs of tiles, which may be cut short"
attn.kernel @runs(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) run 2 persistent 5 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=pairs | Remark="the grid is not persistent: each CTA has one visit"
attn.kernel @pairs(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) run 2 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// A CTA that takes tiles from a counter may make more visits than another.
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=dynamic | Remark="CTAs take tiles from a counter, and not all make as many visits"
attn.kernel @dynamic(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %counter = attn.counter : <1xi32>
  attn.grid (%i) visit %v in (i = %n) persistent 5 dynamic %counter : <1xi32> {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// Whatever its condition, and wherever it stands in the grid.
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=twice | Remark="CTAs keep in step already"
attn.kernel @twice(%x: !attn.view<?xf32>, %n: index, %all: i1) {
  %counter = attn.counter : <1xi32>
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) persistent 5 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
    attn.in_step %all, %counter[%i] : <1xi32>
  }
}

// No grid: materialised already, or none at all.
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=ctas | Remark="the grid is materialised already, or there is none"
attn.kernel @ctas(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.ctas %cta in %n {
    attn.store %t, %x[%cta] : tensor<1xf32> -> !attn.view<?xf32>
  }
}
// CHECK: remark: [Missed] in-step | Category:attn-keep-in-step | Function=empty | Remark="the grid is materialised already, or there is none"
attn.kernel @empty() {
}

// Its own result among them: the pass twice is the pass once.
// RUN: attn-opt %S/keep-in-step.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-keep-in-step))' -o %t.once
// RUN: attn-opt %t.once --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-keep-in-step))' -o %t.again --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: diff %t.once %t.again
// AGAIN-COUNT-5: remark: [Missed] in-step | {{.*}} | Remark="CTAs keep in step already"

// The schedule without attn-persistent.
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200' -o %t.alone
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200 in-step' -o %t.instep --remarks-filter='attn-keep.*' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: diff %t.alone %t.instep
// ALONE: remark: [Missed] in-step | Category:attn-keep-in-step | Function=matmul_matmul | Remark="the grid is not persistent: each CTA has one visit"
