// attn-trace: loops, index arithmetic and accesses stay, tiles go.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-trace))' | FileCheck %s --implicit-check-not=tensor

// CHECK-LABEL: attn.kernel @attention
// CHECK-SAME: (%[[Q:[^ ]+]]: !attn.view<?x?x64xf16>, %[[K:[^ ]+]]: !attn.view<?x?x64xf16>, %[[V:[^ ]+]]: !attn.view<?x?x64xf16>, %[[O:[^ ]+]]: !attn.view<?x?x64xf32>, %[[N:[^ ]+]]: index) {
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : index
// CHECK-DAG: %[[KEYS:[^ ]+]] = attn.dim %[[K]], 1
// CHECK: attn.ctas %[[CTA:[^ ]+]] in %[[N]] {
// CHECK-NEXT: scf.for %[[T:[^ ]+]] = %[[CTA]] to %[[N]] step %[[C1]] {
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[T]], %[[C64]] : index
// CHECK-NEXT: attn.touch load %[[Q]][%[[C0]], %[[ROW]], %[[C0]]] tile [32, 64] by %[[CTA]] :
// CHECK-NEXT: %[[BIT:[^ ]+]] = arith.andi %[[T]], %[[C1]] : index
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[BIT]], %[[C1]] : index
// Bounds, flags, step and direction of a stream stay, what it carries goes.
// CHECK-NEXT: attn.stream %[[POS:[^ ]+]] step 16 traversal #attn.reversed(%[[ODD]] : i1) over [%[[C0]] to %[[ROW]], masked %[[ROW]] to %[[KEYS]]] {
// CHECK-NEXT: attn.touch load %[[K]][%[[C0]], %[[POS]], %[[C0]]] tile [16, 64] by %[[CTA]] :
// CHECK-NEXT: attn.touch load %[[V]][%[[C0]], %[[POS]], %[[C0]]] tile [16, 64] by %[[CTA]] :
// CHECK-NEXT: }
// CHECK-NEXT: attn.touch store %[[O]][%[[C0]], %[[ROW]], %[[C0]]] tile [32, 64] by %[[CTA]] :
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: attn.return
attn.kernel @attention(%q: !attn.view<?x?x64xf16>, %k: !attn.view<?x?x64xf16>, %v: !attn.view<?x?x64xf16>, %o: !attn.view<?x?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %dead = arith.constant dense<0.0> : tensor<32x16xf32>
  %keys = attn.dim %k, 1 : !attn.view<?x?x64xf16>
  attn.ctas %w in %n {
    scf.for %t = %w to %n step %c1 {
      %row = arith.muli %t, %c64 : index
      %qt = attn.load %q[%c0, %row, %c0] : !attn.view<?x?x64xf16> -> tensor<32x64xf16>
      %bit = arith.andi %t, %c1 : index
      %odd = arith.cmpi eq, %bit, %c1 : index
      %a = attn.stream %j step 16 traversal #attn.reversed(%odd : i1) over [%c0 to %row, masked %row to %keys] carry (%ac = %zero : tensor<32x64xf32>) {
        %kt = attn.load %k[%c0, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<16x64xf16>
        %vt = attn.load %v[%c0, %j, %c0] : !attn.view<?x?x64xf16> -> tensor<16x64xf16>
        %s = attn.dot %qt, %kt, %dead transpose_rhs : tensor<32x64xf16>, tensor<16x64xf16> into tensor<32x16xf32>
        %rows = attn.iota 0 from %row : tensor<32x16xindex>
        %cols = attn.iota 1 from %j : tensor<32x16xindex>
        %keep = arith.cmpi sle, %cols, %rows : tensor<32x16xindex>
        %m = attn.mask %s keep %keep : tensor<32x16xf32>
        %p = arith.truncf %m : tensor<32x16xf32> to tensor<32x16xf16>
        %n0 = attn.dot %p, %vt, %ac : tensor<32x16xf16>, tensor<16x64xf16> into tensor<32x64xf32>
        attn.yield %n0 : tensor<32x64xf32>
      }
      attn.store %a, %o[%c0, %row, %c0] : tensor<32x64xf32> -> !attn.view<?x?x64xf32>
    }
  }
}

// -----

// The order of accesses stays, also where it is not that of a schedule, and a trace
// of a trace is itself. An ordered stream stays one.

// CHECK-LABEL: attn.kernel @order
// CHECK: attn.ctas %[[CTA:[^ ]+]] in
// CHECK-NEXT: attn.stream %[[POS:[^ ]+]] step 4 ordered over
// CHECK-NEXT: attn.touch load %{{[^ ]+}}[%[[POS]]] tile [4] by %[[CTA]] :
// CHECK-NEXT: attn.touch store %{{[^ ]+}}[%[[POS]]] tile [4] by %[[CTA]] :
// CHECK-NEXT: attn.touch load %{{[^ ]+}}[%[[CTA]]] tile [2] by %[[CTA]] :
// CHECK-NEXT: attn.touch load %{{[^ ]+}}[%[[POS]]] tile [4] by %[[CTA]] :
// CHECK-NEXT: }
attn.kernel @order(%x: !attn.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  attn.ctas %w in %n {
    attn.stream %j step 4 ordered over [%c0 to %n] {
      %a = attn.load %x[%j] : !attn.view<?xf32> -> tensor<4xf32>
      attn.store %a, %x[%j] : tensor<4xf32> -> !attn.view<?xf32>
      attn.touch load %x[%w] tile [2] by %w : !attn.view<?xf32>
      %b = attn.load %x[%j] : !attn.view<?xf32> -> tensor<4xf32>
    }
  }
}
