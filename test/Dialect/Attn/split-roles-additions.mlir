// attn-split-roles: what is added out of a ring, a warp of the producer adds: beside those who compute, who only put.
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=ordered tiles=query=64,key=128' --lower='wgmma=all specialize delay-waits stage-columns' --emit=target -o %t.target
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s

// It waits for CTAs in front and tells those behind, too.
// CHECK-LABEL: attn.kernel @training_step_attention_backward_fused(
// CHECK: %[[RING:.*]] = attn.ring.create : <2 x tensor<64x128xf32, #{{.*}}>>
// CHECK: attn.specialize producer 4 warps(40) {
// CHECK-NEXT: attn.beside 1 {
// CHECK-NOT: attn.{{dot|ring.(put|acquire)}}
// CHECK: attn.report_progress %progress[{{.*}}] at %{{.*}} :
// CHECK-NEXT: attn.await_progress %progress
// CHECK-NEXT: %[[TILE:.*]] = attn.ring.wait %[[RING]]
// CHECK-NEXT: attn.accumulate %[[TILE]], {{.*}} ordered
// CHECK-NEXT: attn.ring.release %[[RING]]
// CHECK-NOT: attn.{{dot|ring.(put|acquire)}}
// CHECK: attn.report_progress %progress[{{.*}}] : <
// CHECK-NOT: attn.beside

// So does a second one, for every other tile.
// CHECK: attn.beside 2 {
// CHECK-NOT: attn.{{dot|ring.(put|acquire)}}
// CHECK: attn.report_progress %progress[{{.*}}] at %{{.*}} :
// CHECK-NEXT: attn.await_progress %progress
// CHECK-NEXT: %[[OTHER:.*]] = attn.ring.wait %[[RING]]
// CHECK-NEXT: attn.accumulate %[[OTHER]], {{.*}} ordered
// CHECK-NEXT: attn.ring.release %[[RING]]
// CHECK-NOT: attn.beside
// CHECK: attn.ring.acquire
// CHECK-NOT: %[[RING]]
// CHECK: consumers(232) {
// CHECK-NOT: attn.{{beside|accumulate|add_turn|await_progress|report_progress}}
// CHECK: %[[SLOT:.*]] = attn.ring.acquire %[[RING]]
// CHECK-NEXT: attn.ring.put %{{.*}} into %[[SLOT]]
// CHECK-NOT: attn.{{beside|accumulate|add_turn|await_progress|report_progress}}
// CHECK-NOT: attn.ring.{{wait|release}} %[[RING]]

// Who waits for nobody adds by one warp.
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=fused tiles=query=64,key=128' --lower='wgmma=all specialize delay-waits stage-columns' --emit=target -o %t.fused
// RUN: attn-opt %t.fused --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=FUSED
// FUSED-LABEL: attn.kernel @training_step_attention_backward_fused(
// FUSED: attn.beside 1 {
// FUSED-NOT: attn.beside
// FUSED: consumers(232) {

// So does who has one slot.
// RUN: attn-opt %t.target --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf)' | sed 's/<2 x tensor<64x128xf32/<1 x tensor<64x128xf32/g' | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-split-roles))' | FileCheck %s --check-prefix=FUSED
