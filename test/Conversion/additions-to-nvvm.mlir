// Additions out of rings: eight warps fill a slot, one thread of a warp beside the producer gives it back, when the tensor memory
// accelerator, which adds panels of 32 columns, has read it. Lanes of odd rows write the pairs of a thread in another order than the others.
// RUN: attn-opt %S/../Dialect/Attn/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize delay-waits' --attn-lower-to-nvvm | FileCheck %s

// CHECK-NOT: red.global
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: nvvm.setmaxregister decrease
// CHECK: mbarrier.try_wait.parity
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.reduce %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] {redKind = #nvvm.tma_redux_kind<add>}
// CHECK-NOT: nvvm.cp.async.bulk.tensor.reduce
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.setmaxregister increase
// CHECK-NOT: red.global
// CHECK: llvm.select %[[ODD:[0-9]+]], %[[A:[0-9]+]], %[[B:[0-9]+]] : i1, f32
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: llvm.select %[[ODD]], %[[B]], %[[A]] : i1, f32
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.arrive
