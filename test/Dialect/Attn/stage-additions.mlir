// attn-stage-additions: a tile that is added to a view goes through a ring, which those who compute fill. It is there in front of
// the wait for the last other product, which is issued behind it: that one is under way meanwhile. In delay-waits' order both come last.
// RUN: attn-opt %S/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize delay-waits' --mlir-disable-threading --remarks-filter='attn-stage-additions' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// REMARK: remark: [Passed] additions | Category:attn-stage-additions | Function=k | Remark="a warp of the producer adds, out of a ring:", slots=2
// RUN: attn-opt %S/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize delay-waits additions=registers' | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: attn.kernel @k
// CHECK: %[[RING:.*]] = attn.ring.create : <2 x tensor<64x128xf32, #[[SHARED:.*]]>>
// CHECK: attn.stream
// CHECK: %[[SUM:.*]] = attn.dot.issue {{.*}} transpose_lhs
// CHECK-NEXT: %[[OTHER:.*]] = attn.dot.issue
// CHECK-NOT: attn.dot.issue
// CHECK: %[[TILE:.*]] = attn.dot.wait %[[SUM]] outstanding 1
// CHECK: %[[SLOT:.*]] = attn.ring.acquire %[[RING]]
// CHECK-NEXT: attn.ring.put %[[TILE]] into %[[SLOT]]
// CHECK-NEXT: %[[FULL:.*]] = attn.ring.wait %[[RING]]
// CHECK-NEXT: attn.accumulate %[[FULL]], %sum[%{{.*}}, %c0] atomic : tensor<64x128xf32, #[[SHARED]]> -> <?x128xf32>
// CHECK-NEXT: attn.ring.release %[[RING]]
// CHECK-NEXT: attn.dot.wait %[[OTHER]] :
// CHECK: attn.yield

// OFF: attn.dot.issue {{.*}} transpose_lhs
// OFF-NOT: attn.dot.issue
// OFF: attn.accumulate %{{.*}} : tensor<64x128xf32, #acc{{.*}}> -> <?x128xf32>
