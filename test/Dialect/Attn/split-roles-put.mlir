// attn-split-roles: slots that those who compute fill are none of the producer's.
// RUN: attn-opt %S/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize additions=registers' -o %t.mlir
// RUN: attn-opt %t.mlir --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,attn.kernel(attn-split-roles))' | FileCheck %s

// CHECK: %[[RING:.*]] = attn.ring.create : <1 x tensor<128x64xbf16, #{{.*}}>>
// CHECK: attn.specialize producer
// CHECK-NOT: attn.ring.acquire %[[RING]] :
// CHECK: } consumers(
// CHECK: %[[SLOT:.*]] = attn.ring.acquire %[[RING]] :
// CHECK: attn.ring.put {{.*}} into %[[SLOT]]
// CHECK: attn.accumulate
