// Grids and CTAs of clusters, and attn.exchange: round trip, materialised, passed by, and traced.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s --attn-materialize-grid | attn-opt | FileCheck %s --check-prefix=CTAS
// RUN: attn-opt %s --attn-materialize-grid --attn-trace | FileCheck %s --check-prefix=TRACE --implicit-check-not=attn.exchange --implicit-check-not='touch load'
// RUN: attn-opt %s --attn-grid-order=order=naive-head-first --attn-persistent --attn-sawtooth --remarks-filter='.*' 2>&1 | FileCheck %s --check-prefixes=CHECK,PASSED

// PASSED: remark: [Missed] grid-of-clusters | Category:attn-grid-order | Function=exchange | Remark="clusters are dispatched in the order of the axes"
// PASSED: remark: [Missed] persistent-clusters | Category:attn-persistent | Function=exchange | Remark="CTAs of a cluster take one tile together"
// PASSED: remark: [Missed] one-visit | Category:attn-sawtooth | Function=exchange | Remark="each CTA of a cluster visits one tile"

// CHECK-LABEL: attn.kernel @exchange
// CHECK: attn.grid (%[[ROW:[^ ]+]], %[[PART:[^ ]+]]) visit %{{[^ ]+}} in (row = %{{[^ ]+}}, part = %c4) cluster {
// CHECK: %[[V:[^ ]+]]:2 = attn.exchange %[[PART]] gives %{{[^ ]+}}, %{{[^ ]+}} : tensor<16x8xf32>, tensor<16xf32> -> !attn.view<?x3x8xf32>, !attn.view<4x16xf32>
// CHECK: attn.load %[[V]]#0[

// CTAs in a row are a cluster.
// CTAS-LABEL: attn.kernel @exchange
// CTAS: %[[ALL:[^ ]+]] = arith.muli %{{[^ ]+}}, %c4
// CTAS: attn.ctas %[[CTA:[^ ]+]] in %[[ALL]] cluster %c4 {
// CTAS: %[[PART:[^ ]+]] = arith.remui %[[CTA]], %c4
// CTAS: arith.divui %[[CTA]], %c4
// CTAS: attn.exchange %[[PART]]

// What CTAs show each other is no access to memory.
// TRACE: attn.ctas %{{[^ ]+}} in %{{[^ ]+}} cluster %c4 {
// TRACE: attn.touch store %o[
attn.kernel @exchange(%o: !attn.view<?x8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i, %part) visit %visit in (row = %n, part = %c4) cluster {
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    %s = arith.constant dense<2.0> : tensor<16xf32>
    %r = arith.muli %i, %c4 : index
    %v, %w = attn.exchange %part gives %t, %s : tensor<16x8xf32>, tensor<16xf32> -> !attn.view<?x3x8xf32>, !attn.view<4x16xf32>
    %u = attn.load %v[%c1, %c0, %c0] : !attn.view<?x3x8xf32> -> tensor<16x8xf32>
    attn.store %u, %o[%r, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
  }
}

// CHECK-LABEL: attn.kernel @scattered
// CHECK: attn.exchange %{{[^ ]+}} gives %{{[^ ]+}} scatter 2 : tensor<16x8xf32> -> !attn.view<4x3x8xf32>
attn.kernel @scattered(%o: !attn.view<?x8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i, %part) visit %visit in (row = %n, part = %c4) cluster {
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    %v = attn.exchange %part gives %t scatter 2 : tensor<16x8xf32> -> !attn.view<4x3x8xf32>
    %u = attn.load %v[%c0, %c0, %c0] : !attn.view<4x3x8xf32> -> tensor<2x8xf32>
    attn.store %u, %o[%i, %c0] : tensor<2x8xf32> -> !attn.view<?x8xf32>
  }
}
