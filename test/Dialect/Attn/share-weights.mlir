// attn-share-weights: of 512 columns of values the second role has half. It takes P out of a ring, and what rows are scaled by, in the stream
// and behind it, out of another. The kernel asks for two roles.
// RUN: sed 's/VALUES/512/g' %S/Inputs/wide-values.mlir > %t.mlir
// RUN: attn-opt %t.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights))' --remarks-filter='attn-share-weights' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// REMARK: remark: [Passed] shared-weights | Category:attn-share-weights | Function=k | Remark="accumulators exceed the registers of a warpgroup, so that a second role has some of their columns:", panels=1, registers=240, wanted=328

// CHECK: roles = 2 : i64
// CHECK-DAG: %[[P:.*]] = attn.ring.create : <1 x tensor<64x64xbf16, #shared>>
// CHECK-DAG: %[[ROWS:.*]] = attn.ring.create : <1 x tensor<64x8xf32, #shared1>>
// CHECK: attn.stream {{.*}} carry (%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}} :
// CHECK: %[[SCALE:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<64xf32>
// CHECK: %[[WIDE:.*]] = attn.broadcast %[[SCALE]] : tensor<64xf32> to tensor<64x8xf32>
// CHECK: %[[SLOT:.*]] = attn.ring.acquire %[[ROWS]]
// CHECK: attn.ring.put %[[WIDE]] into %[[SLOT]]
// CHECK: %[[WEIGHTS:.*]] = arith.truncf
// CHECK: %[[SLOT1:.*]] = attn.ring.acquire %[[P]]
// CHECK: attn.ring.put %[[WEIGHTS]] into %[[SLOT1]]
// CHECK: %[[TILE:.*]] = attn.ring.wait %[[ROWS]]
// CHECK: %[[READ:.*]] = attn.convert_layout %[[TILE]]
// CHECK: %[[SAME:.*]] = attn.reduce max %[[READ]]
// CHECK: attn.ring.release %[[ROWS]]
// CHECK: %[[FACTOR:.*]] = attn.broadcast %[[SAME]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[B]], %[[FACTOR]]
// CHECK: attn.dot %[[WEIGHTS]], %{{.*}}, %{{.*}} by(#attn.wgmma)
// CHECK: %[[SHARED:.*]] = attn.ring.wait %[[P]]
// CHECK: attn.dot %[[SHARED]], %{{.*}}, %[[SCALED]] by(#attn.wgmma)
// CHECK: attn.ring.release %[[P]]
// CHECK: attn.yield
// CHECK: attn.ring.put %{{.*}} into
// CHECK: attn.ring.wait %[[ROWS]]
// CHECK: attn.ring.release %[[ROWS]]

// In machine code by the pipeline, with a region for each role.
// RUN: attn-compile %t.mlir --target=h200 --lower='wgmma=all specialize' --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX: .reqntid 384
