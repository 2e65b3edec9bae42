// attn-issue-dots: products that warpgroups compute, issued in one place and waited for
// in another.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots))' --remarks-filter='attn-issue.*' -o %t.all 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.all
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots{products=all}))' | diff %t.all -
// Only the scores.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots{products=scores}))' --remarks-filter='attn-issue.*' -o %t.scores 2>&1 | FileCheck %s --check-prefix=SREMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.scores --check-prefix=SCORES
// The scores first, the others then: one after the other is both.
// RUN: attn-opt %t.scores --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-issue-dots))' | diff %t.all -

// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=attention | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | {{.*}} | Function=attention | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | {{.*}} | Function=matmul | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | {{.*}} | Function=mixed | Remark="product is asynchronous"
// REMARK: remark: [Missed] issued | {{.*}} | Function=mixed | Remark="operands are not copied by tensor maps"
// SREMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=attention | Remark="product is asynchronous"
// SREMARK: issue-dots.mlir:[[# PV]]:{{[0-9]+}}: remark: [Missed] issued | Category:attn-issue-dots | Function=attention | Remark="only scores are asked for"
