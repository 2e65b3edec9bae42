// attn-split-roles: a CTA that adds behind others. One warp of the producer tells them how far it has got, one looks at them;
// those who compute take the turn that both give in front of the product that is added, and pass it behind the addition.
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=ordered tiles=query=64,key=128' --lower='wgmma=all specialize delay-waits stage-columns additions=registers' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s

// Loops without a mask and with one, and the end.
// CHECK-LABEL: attn.kernel @training_step_attention_backward_fused(
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: attn.beside 1 {
// CHECK-NOT: attn.{{ring|dot|await_progress|accumulate}}
// CHECK: attn.report_progress %progress[{{.*}}] at
// CHECK: attn.report_progress %progress[{{.*}}] at
// CHECK: attn.report_progress %progress[{{.*}}] : <
// CHECK: attn.beside 2 {
// CHECK-NOT: attn.{{ring|dot|report_progress|accumulate}}
// CHECK: attn.await_progress
// CHECK-NOT: attn.{{ring|dot|report_progress|accumulate}}
// CHECK: attn.await_progress
// CHECK: attn.ring.acquire
// CHECK-NOT: _progress
// CHECK: consumers(232) {
// CHECK-NOT: _progress
// CHECK: attn.dot.issue {{.*}} transpose_lhs
// CHECK-NOT: attn.dot.issue
// CHECK: attn.add_turn take
// CHECK: attn.dot.wait
// CHECK: attn.accumulate {{.*}} ordered
// CHECK-NEXT: attn.add_turn pass
// CHECK-NOT: _progress
