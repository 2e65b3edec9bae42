// Parts of a stream, and what the last of them does: round trip, and traced.
// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt | FileCheck %s
// RUN: attn-opt %s --attn-materialize-grid --attn-trace | FileCheck %s --check-prefix=TRACE

// CHECK-LABEL: attn.kernel @parts
// CHECK: %[[BEGUN:[^ ]+]] = attn.begin_part %{{[^ ]+}} of 4 at %words[%{{[^ ]+}}] : <?xi64>
// CHECK: attn.last_part %[[BEGUN]] {
// CHECK-NEXT: attn.load
// CHECK-NEXT: attn.store
// CHECK-NEXT: }
// CHECK: attn.end_part %{{[^ ]+}}, %{{[^ ]+}} of 31 at %words[%{{[^ ]+}}] : <?xi64>

// Which CTA is done last is not known: that of the last part loads and stores for it.
// TRACE-LABEL: attn.kernel @parts
// TRACE-NOT: _part
// TRACE: attn.touch store %state[
// TRACE: %[[LAST:[^ ]+]] = arith.cmpi eq, %[[PART:[^ ]+]], %c3
// TRACE: scf.if %[[LAST]] {
// TRACE-NEXT: attn.touch load %state[
// TRACE-NEXT: attn.touch store %o[
// TRACE-NEXT: }
// TRACE-NOT: _part
// TRACE: attn.kernel @end
attn.kernel @parts(%state: !attn.view<4x?x8xf32>, %o: !attn.view<?x8xf32>, %words: !attn.view<?xi64>, %n: index) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  attn.grid (%row, %part) visit %visit in (row = %n, part = %c4) {
    %begun = attn.begin_part %part of 4 at %words[%row] : !attn.view<?xi64>
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    attn.store %t, %state[%part, %row, %c0] : tensor<16x8xf32> -> !attn.view<4x?x8xf32>
    attn.last_part %begun {
      %u = attn.load %state[%c0, %row, %c0] : !attn.view<4x?x8xf32> -> tensor<16x8xf32>
      attn.store %u, %o[%row, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
    }
  }
}

attn.kernel @end(%words: !attn.view<?xi64>, %n: index, %before: i64) {
  attn.grid (%part) visit %visit in (part = %n) {
    %again, %seen = attn.end_part %before, %part of 31 at %words[%n] : !attn.view<?xi64>
  }
}
