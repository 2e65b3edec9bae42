// Additions out of rings: eight warps fill a slot, one thread of a warp beside the producer gives it back, when the tensor memory
// accelerator, which adds panels of 32 columns, has read it. Lanes of odd rows write the pairs of a thread in another order than the others.
// RUN: attn-opt %S/../Dialect/Attn/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize delay-waits' --attn-lower-to-nvvm | FileCheck %s
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=ordered tiles=query=64,key=128' --lower='wgmma=all specialize delay-waits stage-columns' --emit=bundle --ptxas=none -o %t.bundle
// RUN: cat %t.bundle/*fused.0.ptx | FileCheck %s --check-prefix=PTX

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

// One after the other: what is told comes behind what copies have written, and copies behind what lanes have seen of other CTAs.
// PTX: setmaxnreg.dec
// PTX: bar.warp.sync
// PTX-NEXT: fence.proxy.async.global;
// PTX: cp.async.bulk.wait_group {{ *}}0;
// PTX: fence.acq_rel.gpu;
// PTX-NEXT: st.relaxed.gpu.global.u32
// PTX: cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group
// PTX: cp.async.bulk.commit_group;
// PTX-NEXT: cp.async.bulk.wait_group.read {{ *}}0;
// PTX: setmaxnreg.inc
// PTX-NOT: {{[[:space:]]}}red.global
