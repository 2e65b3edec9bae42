// What the fused form of gradients has of its own, in LLVM: left-hand sides that are read transposed, of which warps
// share the columns of a product, vectors that are added where memory is, and a slot that consumers alone fill.
// RUN: attn-opt %S/../Dialect/Attn/stage-loads-computed.mlir --attn-set-target=target=h200 --attn-to-target='wgmma=all specialize delay-waits additions=registers' --attn-lower-to-nvvm | FileCheck %s
// RUN: attn-opt %S/../Dialect/Attn/stage-loads-computed.mlir --attn-set-target=target=gb10 --attn-to-target --attn-lower-to-nvvm | FileCheck %s --check-prefix=SYNC

// Barriers of the ring that is put: 256 threads fill it, and give it back.
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: nvvm.mbarrier.init {{.*}}, %[[ALL]]
// CHECK: nvvm.stmatrix
// The left-hand side with the summed dimension down its columns: both operands are transposed (1, 1).
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, a, b, no, 1, 1, 1, 1;
// CHECK: red.global.add.v2.f32 [$0], {$1, $2};
// CHECK-NOT: unrealized_conversion_cast
// SYNC: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// SYNC: red.global.add.v2.f32
