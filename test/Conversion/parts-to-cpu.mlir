// convert-attn-to-cpu: CTAs of parts may run on several threads, by the same protocol.
// RUN: attn-opt %s --convert-attn-to-cpu --canonicalize | FileCheck %s --implicit-check-not='attn.{{[a-z]+}}_part'

// CHECK-LABEL: func.func @parts(
// CHECK: %[[LOW:[^ ]+]] = arith.shli %c1_i64, %{{[^ ]+}} : i64
// CHECK: %[[HELD:[^ ]+]] = memref.atomic_rmw ori %[[LOW]], %[[WORDS:[^ ]+]][%[[ROW:[^ ]+]]]
// CHECK: %[[BEGUN:[^ ]+]] = arith.ori %{{[^ ]+}}, %[[LOW]] : i64
// CHECK: scf.while (%[[BEFORE:[^ ]+]] = %[[BEGUN]]) : (i64) -> i64 {
// CHECK: %[[SEEN:[^ ]+]] = scf.if
// CHECK: memref.atomic_rmw xori %{{[^ ]+}}, %[[WORDS]][%[[ROW]]]
// CHECK: scf.condition(%{{[^ ]+}}) %[[SEEN]] : i64
// CHECK: } do {
// CHECK: memref.store %{{[^ ]+}}, %{{[^ ]+}}[%[[ROW]]]
attn.kernel @parts(%o: !attn.view<?xi32>, %words: !attn.view<?xi64>, %n: index) {
  %c4 = arith.constant 4 : index
  %count = arith.muli %n, %c4 : index
  attn.ctas %cta in %count {
    %part = arith.remui %cta, %c4 : index
    %row = arith.divui %cta, %c4 : index
    %begun = attn.begin_part %part of 4 at %words[%row] : !attn.view<?xi64>
    attn.last_part %begun {
      attn.write %row, %o[%row] : !attn.view<?xi32>
    }
  }
}
