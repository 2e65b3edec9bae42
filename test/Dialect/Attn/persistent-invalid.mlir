// attn-persistent: bad options, and kernels that it leaves as they are.
// RUN: split-file %s %t

// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=-1}))' 2>&1 | FileCheck %s --check-prefix=SMS
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{resident=-2}))' 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=16777217}))' 2>&1 | FileCheck %s --check-prefix=MOSTSMS
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{resident=9223372036854775807}))' 2>&1 | FileCheck %s --check-prefix=MOSTRESIDENT
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=many}))' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{ctas=4}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// SMS: grid.mlir:1:1: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got -1 and 0
// RESIDENT: grid.mlir:1:1: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got 0 and -2
// MOSTSMS: grid.mlir:1:1: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got 16777217 and 0
// MOSTRESIDENT: grid.mlir:1:1: error: expected sms and resident of 1 to 16777216, or 0 for the target's, but got 0 and 9223372036854775807
// WORD: 'many' value invalid
// OPTION: error: {{.*}}no such option ctas

// A grid that is persistent keeps its number, whatever is asked.
// RUN: attn-opt %t/persistent.mlir -o %t/persistent.before
// RUN: attn-opt %t/persistent.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=9}))' -o %t/persistent.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=ALREADY
// RUN: diff %t/persistent.before %t/persistent.after
// ALREADY: persistent.mlir:3:3: remark: [Missed] already-persistent | Category:attn-persistent | Function=k | Remark="the grid is persistent already"

// Few tiles.
// RUN: attn-opt %t/grid.mlir -o %t/grid.before
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=3 resident=2}))' -o %t/grid.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: diff %t/grid.before %t/grid.after
// FEW: grid.mlir:3:3: remark: [Missed] few-tiles | Category:attn-persistent | Function=k | Remark="each CTA would take one tile at most:", ctas=6, tiles=4

// In pairs the same tiles are fewer. Then there are no pairs either.
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=2 resident=1 pair-tiles}))' -o %t/grid.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=FEWPAIRS
// RUN: diff %t/grid.before %t/grid.after
// FEWPAIRS: grid.mlir:3:3: remark: [Missed] few-tiles | Category:attn-persistent | Function=k | Remark="each CTA would take one tile at most:", ctas=2, tiles=2
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=2 resident=1}))' | FileCheck %s --check-prefix=TWO
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=1 resident=1 pair-tiles}))' | FileCheck %s --check-prefix=ONE
// TWO: in (i = %{{[^ ]+}}) persistent 2 {
// ONE: in (i = %{{[^ ]+}}) run 2 folded persistent 1 {

// A CTA that takes several tiles at a time takes no pairs; without them it is as good as any. Pairs
// are no pairs of pairs. A grid that is persistent keeps what it is.
// RUN: attn-opt %t/run.mlir -o %t/run.before
// RUN: attn-opt %t/run.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=5 resident=1 pair-tiles}))' -o %t/run.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: diff %t/run.before %t/run.after
// RUNS: run.mlir:3:3: remark: [Missed] has-run | Category:attn-persistent | Function=three | Remark="a CTA takes several tiles at a time already:", run=3
// RUNS: run.mlir:10:3: remark: [Missed] has-run | Category:attn-persistent | Function=folded | Remark="a CTA takes several tiles at a time already:", run=2
// RUN: attn-opt %t/run.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=5 resident=1}))' | FileCheck %s --check-prefix=RUNS5
// RUNS5: in (i = %{{[^ ]+}}) run 3 persistent 5 {
// RUNS5: in (i = %{{[^ ]+}}) run 2 folded persistent 5 {
// RUN: attn-opt %t/persistent.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{pair-tiles}))' -o %t/persistent.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=ALREADY
// RUN: diff %t/persistent.before %t/persistent.after

// RUN: not attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{pair-tiles=2}))' 2>&1 | FileCheck %s --check-prefix=BOOL
// BOOL: '2' is invalid value for boolean argument! Try 0 or 1

// Whoever takes tiles from a counter takes none in turn.
// RUN: attn-opt %t/grid.mlir --pass-pipeline='builtin.module(attn.kernel(attn-persistent{sms=2 resident=1 dynamic snake}))' | FileCheck %s --check-prefix=COUNTER
// COUNTER: persistent 2 dynamic

// No grid: materialised already, or none at all.
// RUN: attn-opt %t/ctas.mlir -o %t/ctas.before
// RUN: attn-opt %t/ctas.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-persistent))' -o %t/ctas.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NOGRID
// RUN: diff %t/ctas.before %t/ctas.after
// NOGRID: remark: [Missed] no-grid | Category:attn-persistent | Function=k | Remark="the grid is materialised already, or there is none"
// NOGRID: remark: [Missed] no-grid | Category:attn-persistent | Function=empty

//--- grid.mlir
attn.kernel @k(%x: !attn.view<4xf32>) {
  %c4 = arith.constant 4 : index
  attn.grid (%i) visit %n in (i = %c4) {
    %t = attn.load %x[%i] : !attn.view<4xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<4xf32>
  }
}

//--- run.mlir
attn.kernel @three(%x: !attn.view<?xf32>) {
  %size = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%i) visit %n in (i = %size) run 3 {
    %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}
attn.kernel @folded(%x: !attn.view<?xf32>) {
  %size = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%i) visit %n in (i = %size) run 2 folded {
    %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

//--- persistent.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %size = attn.dim %x, 0 : !attn.view<?xf32>
  attn.grid (%i) visit %n in (i = %size) persistent 17 {
    %t = attn.load %x[%i] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

//--- ctas.mlir
attn.kernel @k(%x: !attn.view<?xf32>) {
  %size = attn.dim %x, 0 : !attn.view<?xf32>
  attn.ctas %cta in %size {
    %t = attn.load %x[%cta] : !attn.view<?xf32> -> tensor<1xf32>
    attn.store %t, %x[%cta] : tensor<1xf32> -> !attn.view<?xf32>
  }
}
attn.kernel @empty() {
  attn.return
}
