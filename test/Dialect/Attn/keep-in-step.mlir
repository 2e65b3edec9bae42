// attn-keep-in-step: each visit that every CTA makes begins with a wait for the others.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-keep-in-step))' --remarks-filter='attn.*' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.mlir

// REMARK: keep-in-step.mlir:{{[0-9]+}}:3: remark: [Passed] in-step | Category:attn-keep-in-step | Function=tiles | Remark="CTAs start their visits together:", ctas=264
// REMARK-NEXT: attn.grid (%i, %j) visit %v in
// REMARK: remark: [Passed] in-step | Category:attn-keep-in-step | Function=one | {{.*}}, ctas=3
// REMARK: remark: [Passed] in-step | Category:attn-keep-in-step | Function=static | {{.*}}, ctas=4
// REMARK: remark: [Passed] in-step | Category:attn-keep-in-step | Function=whole | {{.*}}, ctas=5
// REMARK: remark: [Passed] in-step | Category:attn-keep-in-step | Function=few | {{.*}}, ctas=16777216

// CTAs make tiles / 264 visits, rounded down, all of them; of the last, which only some
// make, nobody is told to wait. It comes first in the grid, of which all else stays.

// CHECK-LABEL: attn.kernel @tiles
// CHECK-SAME: (%[[X:[^ ]+]]: !attn.view<?x?x?xf32>) {
// CHECK-NEXT: %[[M:[^ ]+]] = attn.dim %[[X]], 0
// CHECK-NEXT: %[[N:[^ ]+]] = attn.dim %[[X]], 1
// CHECK-NEXT: %[[TILES:[^ ]+]] = arith.muli %[[M]], %[[N]] : index
// CHECK-NEXT: %[[CTAS:[^ ]+]] = arith.constant 264 : index
// CHECK-NEXT: %[[ROUNDS:[^ ]+]] = arith.divui %[[TILES]], %[[CTAS]] : index
// CHECK-NEXT: %[[COUNTER:[^ ]+]] = attn.counter : <1xi32>
// CHECK-NEXT: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-NEXT: attn.grid (%[[I:[^ ]+]], %[[J:[^ ]+]]) visit %[[V:[^ ]+]] in (i = %[[M]], j = %[[N]]) sharing [i] order {{.*}}<[j, i], reversed = [j]> persistent 264 attributes {note} {
// CHECK-NEXT: %[[ALL:[^ ]+]] = arith.cmpi ult, %[[V]], %[[ROUNDS]] : index
// CHECK-NEXT: attn.in_step %[[ALL]], %[[COUNTER]][%[[C0]]] : <1xi32>{{$}}
// CHECK-NEXT: %[[T:[^ ]+]] = attn.load %[[X]][%[[I]], %[[J]], %[[V]]] : <?x?x?xf32> -> tensor<1xf32>
// CHECK-NEXT: attn.store %[[T]], %[[X]][%[[J]], %[[I]], %[[V]]] : tensor<1xf32> -> <?x?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: attn.return
attn.kernel @tiles(%x: !attn.view<?x?x?xf32>) {
  %m = attn.dim %x, 0 : !attn.view<?x?x?xf32>
  %n = attn.dim %x, 1 : !attn.view<?x?x?xf32>
  attn.grid (%i, %j) visit %v in (i = %m, j = %n) sharing [i] order #attn.order<[j, i], reversed = [j]> persistent 264 attributes {note} {
    %t = attn.load %x[%i, %j, %v] : !attn.view<?x?x?xf32> -> tensor<1xf32>
    attn.store %t, %x[%j, %i, %v] : tensor<1xf32> -> !attn.view<?x?x?xf32>
  }
}

// -----

// The size of one axis is the number of tiles.

// CHECK-LABEL: attn.kernel @one
// CHECK-SAME: (%{{[^ ]+}}: !attn.view<?xf32>, %[[N:[^ ]+]]: index) {
// CHECK-NOT: arith.muli
// CHECK: %[[CTAS:[^ ]+]] = arith.constant 3 : index
// CHECK-NEXT: %[[ROUNDS:[^ ]+]] = arith.divui %[[N]], %[[CTAS]] : index
// CHECK: attn.grid (%{{[^ ]+}}) visit %[[V:[^ ]+]] in (i = %[[N]]) persistent 3 {
// CHECK-NEXT: %[[ALL:[^ ]+]] = arith.cmpi ult, %[[V]], %[[ROUNDS]] : index
// CHECK-NEXT: attn.in_step %[[ALL]], %{{[^ ]+}}[%{{[^ ]+}}] : <1xi32>{{$}}
attn.kernel @one(%x: !attn.view<?xf32>, %n: index) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %n) persistent 3 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<?xf32>
  }
}

// -----

// 2 x 3 x 5 tiles on 4 CTAs: each makes 7 visits, two of them an eighth.

// CHECK-LABEL: attn.kernel @static
// CHECK-DAG: %[[C7:[^ ]+]] = arith.constant 7 : index
// CHECK-NOT: arith.muli
// CHECK-NOT: arith.divui
// CHECK: attn.grid ({{.*}}) visit %[[V:[^ ]+]] in
// CHECK-NEXT: %[[ALL:[^ ]+]] = arith.cmpi ult, %[[V]], %[[C7]] : index
// CHECK-NEXT: attn.in_step %[[ALL]], %{{[^ ]+}}[%{{[^ ]+}}] : <1xi32>{{$}}
attn.kernel @static(%x: !attn.view<2x3x5xf32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i, %j, %k) visit %v in (i = %c2, j = %c3, k = %c5) persistent 4 {
    attn.store %t, %x[%i, %j, %k] : tensor<1xf32> -> !attn.view<2x3x5xf32>
  }
}

// -----

// 30 tiles on 5 CTAs: all 6 visits are of all CTAs.

// CHECK-LABEL: attn.kernel @whole
// CHECK-DAG: %[[C6:[^ ]+]] = arith.constant 6 : index
// CHECK: attn.grid ({{.*}}) visit %[[V:[^ ]+]] in
// CHECK-NEXT: arith.cmpi ult, %[[V]], %[[C6]] : index
attn.kernel @whole(%x: !attn.view<30xf32>) {
  %c30 = arith.constant 30 : index
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %c30) persistent 5 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<30xf32>
  }
}

// -----

// Fewer tiles than CTAs: no visit is one of all CTAs.

// CHECK-LABEL: attn.kernel @few
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: attn.grid ({{.*}}) visit %[[V:[^ ]+]] in
// CHECK-NEXT: arith.cmpi ult, %[[V]], %[[C0]] : index
attn.kernel @few(%x: !attn.view<30xf32>) {
  %c30 = arith.constant 30 : index
  %t = arith.constant dense<0.0> : tensor<1xf32>
  attn.grid (%i) visit %v in (i = %c30) persistent 16777216 {
    attn.store %t, %x[%i] : tensor<1xf32> -> !attn.view<30xf32>
  }
}

// In the schedule it stands behind attn-persistent, whose CTAs it counts, and before
// attn-sawtooth: the walk of a visit begins after the wait.
// RUN: attn-opt %examples/matmul.mlir --attn-schedule='target=h200 persistent sms=6 resident=2 in-step sawtooth=force' | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: %[[CTAS:[^ ]+]] = arith.constant 12 : index
// SCHEDULE: %[[ROUNDS:[^ ]+]] = arith.divui %{{[^ ]+}}, %[[CTAS]] : index
// SCHEDULE: attn.grid ({{.*}}) visit %[[V:[^ ]+]] in {{.*}} persistent 12 {
// SCHEDULE-NOT: attn.stream
// SCHEDULE: %[[ALL:[^ ]+]] = arith.cmpi ult, %[[V]], %[[ROUNDS]] : index
// SCHEDULE: attn.in_step %[[ALL]], %{{[^ ]+}}[%{{[^ ]+}}] : <1xi32>{{$}}
// SCHEDULE: attn.stream {{.*}} traversal #attn.reversed

// In a materialised grid the wait is in the loop over the tiles of a CTA, once each,
// and the visit counts these.
// RUN: attn-opt %t.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),attn-place-counters)' | FileCheck %s --check-prefix=GRID
// GRID-LABEL: attn.kernel @one(
// GRID-SAME: %{{[^ ]+}}: !attn.view<?xf32>, %[[COUNTER:[^ ]+]]: !attn.view<1xi32>, %[[N:[^ ]+]]: index)
// GRID: %[[ROUNDS:[^ ]+]] = arith.divui %[[N]], %[[C3:[^ ]+]] : index
// GRID: %[[CTAS:[^ ]+]] = arith.minui %[[N]], %[[C3]] : index
// GRID-NEXT: attn.ctas %[[CTA:[^ ]+]] in %[[CTAS]] {
// GRID-NEXT: scf.for %[[T:[^ ]+]] = %[[CTA]] to %[[N]] step %[[CTAS]] {
// GRID-NEXT: %[[BEYOND:[^ ]+]] = arith.subi %[[T]], %[[CTA]] : index
// GRID-NEXT: %[[VISIT:[^ ]+]] = arith.divui %[[BEYOND]], %[[CTAS]] : index
// GRID-NEXT: %[[ALL:[^ ]+]] = arith.cmpi ult, %[[VISIT]], %[[ROUNDS]] : index
// GRID-NEXT: attn.in_step %[[ALL]], %{{[^ ]+}}[%{{[^ ]+}}] : <1xi32>{{$}}
// GRID-NEXT: attn.store

// In traces and on the CPU, where CTAs run one after the other, it is nothing.
// RUN: attn-opt %t.mlir --split-input-file --attn-lower-to-trace | FileCheck %s --check-prefix=TRACE --implicit-check-not=in_step
// RUN: attn-opt %t.mlir --split-input-file --attn-place-counters --attn-lower-to-loops | FileCheck %s --check-prefix=CPU --implicit-check-not=in_step
// TRACE-LABEL: attn.kernel @tiles
// TRACE: attn.touch load
// TRACE-NEXT: attn.touch store
// CPU-LABEL: func.func @tiles(
// RUN: attn-compile %examples/matmul.mlir --run --size=m=150,n=140,k=70 --schedule='tiles=m=32,n=32,k=32 persistent sms=3 resident=2 in-step' | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-compile %examples/matmul.mlir --run --sequential --target=h200 --size=m=150,n=140,k=70 --schedule='tiles=m=32,n=32,k=32 persistent sms=3 resident=2 in-step' | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: function @matmul: {{.*}}: PASS
