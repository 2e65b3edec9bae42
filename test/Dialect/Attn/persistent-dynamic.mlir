// attn-persistent{dynamic}: CTAs take their next tile from a counter when they are done with one; what attn-materialize-grid
// makes of it.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=5 resident=1 dynamic}))' --remarks-filter='attn-persistent' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: attn-opt %t.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid))' | FileCheck %s --check-prefix=GRID
// In the trace, and for the model, they take tiles in turn, as without the option.
// RUN: attn-opt %t.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid{in-turn}))' -o %t.turn
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-persistent{sms=5 resident=1},attn-materialize-grid))' -o %t.static
// RUN: diff <(grep -v 'attn.counter\|arith.constant' %t.turn) <(grep -v arith.constant %t.static)
// RUN: attn-opt %t.mlir --split-input-file --attn-place-counters --attn-lower-to-trace | FileCheck %s --check-prefix=TRACE --implicit-check-not=attn.take
// RUN: not attn-opt %t.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid,attn-trace))' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'attn.take' op cannot be traced: expected tiles that CTAs take in turn (attn-materialize-grid{in-turn})

// REMARK: remark: [Passed] persistent | Category:attn-persistent | Function=tiles | {{.*}}ctas=5
// REMARK: remark: [Passed] dynamic | Category:attn-persistent | Function=tiles | Remark="CTAs take their next tile when they are done with one"
// REMARK: remark: [Missed] few-tiles | Category:attn-persistent | Function=few
// REMARK: remark: [Passed] persistent | Category:attn-persistent | Function=runs
// REMARK: remark: [Passed] dynamic | Category:attn-persistent | Function=runs
// REMARK: remark: [Missed] already-persistent | Category:attn-persistent | Function=already

// CHECK-LABEL: attn.kernel @tiles
// CHECK: %[[COUNTER:.*]] = attn.counter : <1xi32>
// CHECK-NEXT: attn.grid (%{{.*}}, %{{.*}}) visit %{{.*}} in (i = %{{.*}}, j = %{{.*}}) order <[j, i]> persistent 5 dynamic %[[COUNTER]] : <1xi32> {

// Numbers up to the count of tiles; coordinates are of the number, the visit counts what the CTA has done.
// GRID-LABEL: attn.kernel @tiles
// GRID: %[[M:.*]] = attn.dim %{{.*}}, 0
// GRID: %[[N:.*]] = attn.dim %{{.*}}, 1
// GRID: %[[COUNTER:.*]] = attn.counter : <1xi32>
// GRID: %[[TILES:.*]] = arith.muli %[[M]], %[[N]]
// GRID: %[[CTAS:.*]] = arith.minui %[[TILES]], %c5
// GRID: attn.ctas %{{.*}} in %[[CTAS]] {
// GRID-NEXT: %[[FIRST:.*]] = attn.take %[[COUNTER]][%c0] : <1xi32>
// GRID-NEXT: scf.while (%[[A:.*]] = %[[FIRST]], %[[B:.*]] = %c0) : (index, index) -> (index, index) {
// GRID-NEXT: %[[EXISTS:.*]] = arith.cmpi ult, %[[A]], %[[TILES]] : index
// GRID-NEXT: scf.condition(%[[EXISTS]]) %[[A]], %[[B]] : index, index
// GRID-NEXT: } do {
// GRID-NEXT: ^bb0(%[[NUMBER:.*]]: index, %[[VISIT:.*]]: index):
// GRID-NEXT: %[[I:.*]] = arith.remui %[[NUMBER]], %[[M]]
// GRID-NEXT: %[[J:.*]] = arith.divui %[[NUMBER]], %[[M]]
// GRID-NEXT: attn.load %{{.*}}[%[[I]], %[[J]], %[[VISIT]]]
// GRID-NEXT: attn.store
// GRID-NEXT: %[[NEXT:.*]] = attn.take %[[COUNTER]][%c0] : <1xi32>
// GRID-NEXT: %[[MORE:.*]] = arith.addi %[[VISIT]], %c1
// GRID-NEXT: scf.yield %[[NEXT]], %[[MORE]]
// TRACE-LABEL: attn.kernel @tiles
// TRACE: scf.for
// TRACE: attn.touch load
attn.kernel @tiles(%x: !attn.view<?x?x?xf32>) {
  %m = attn.dim %x, 0 : !attn.view<?x?x?xf32>
  %n = attn.dim %x, 1 : !attn.view<?x?x?xf32>
  attn.grid (%i, %j) visit %v in (i = %m, j = %n) order #attn.order<[j, i]> {
    %t = attn.load %x[%i, %j, %v] : !attn.view<?x?x?xf32> -> tensor<1xf32>
    attn.store %t, %x[%j, %i, %v] : tensor<1xf32> -> !attn.view<?x?x?xf32>
  }
}

// -----

// With no more tiles than CTAs nothing is to be taken.
// CHECK-LABEL: attn.kernel @few
// CHECK-NOT: attn.counter
// CHECK: attn.grid (%{{.*}}) visit %{{.*}} in (i = %{{.*}}) {
attn.kernel @few(%x: !attn.view<5xf32>) {
  %c5 = arith.constant 5 : index
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %c5) {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<5xf32>
  }
}

// -----

// A run is taken at once.
// CHECK-LABEL: attn.kernel @runs
// CHECK: attn.grid (%{{.*}}) visit %{{.*}} in (i = %{{.*}}) run 2 persistent 5 dynamic
// GRID-LABEL: attn.kernel @runs
// GRID: scf.while
// GRID: ^bb0(%[[NUMBER:.*]]: index, %[[VISIT:.*]]: index):
// GRID-NEXT: %[[START:.*]] = arith.muli %[[NUMBER]], %c2
// GRID: scf.for
// GRID: attn.store
// GRID: }
// GRID-NEXT: attn.take
attn.kernel @runs(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) run 2 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// CHECK-LABEL: attn.kernel @already
// CHECK-NOT: attn.counter
attn.kernel @already(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) persistent 7 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// Words of the schedule, in an attribute and as options of the pipeline.
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200 persistent sms=6 resident=2 dynamic sawtooth=force' -o %t.options
// RUN: sed 's/%%a, %%b :/%%a, %%b {attn.schedule = #attn.schedule<persistent, sms = 6, resident = 2, dynamic, sawtooth = force>} :/' %examples/matmul.mlir | attn-opt --attn-schedule=target=h200 -o %t.attribute
// RUN: diff %t.options %t.attribute
// RUN: FileCheck %s --check-prefix=SCHEDULE --input-file=%t.options
// SCHEDULE: attn.grid (%m, %n) visit %{{.*}} in {{.*}} persistent 12 dynamic %counter : <1xi32> {
// SCHEDULE: attn.stream {{.*}} traversal #attn.reversed
// Without persistent CTAs it does nothing.
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200 dynamic' | FileCheck %s --check-prefix=ALONE --implicit-check-not=counter
// ALONE: attn.grid

// RUN: attn-compile %examples/matmul.mlir --run --size=m=150,n=140,k=70 --schedule='tiles=m=32,n=32,k=32 persistent sms=3 resident=2 dynamic' | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-compile %examples/matmul.mlir --run --sequential --target=h200 --size=m=150,n=140,k=70 --schedule='tiles=m=32,n=32,k=32 persistent sms=3 resident=2 dynamic pair-tiles' | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: function @matmul: {{.*}}: PASS
// RUN: attn-compile %examples/matmul.mlir --target=h200 --schedule='persistent dynamic' --describe | FileCheck %s --check-prefix=DESCRIBE
// DESCRIBE: CTAs: at most {{.*}}, persistent, each taking its next tile when it is done with one
