// attn.take of a producer that is a warp, as it is where rows of one value a column are copied: its first lane takes, writes
// the number and arrives, and tells the others. Each lane by itself would take a tile of its own, and 32 would arrive at a
// barrier that expects one: the device stops with "unspecified launch failure".
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.take

// CHECK-LABEL: llvm.func @rows(
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
// CHECK: nvvm.setmaxregister decrease
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NEXT: %[[ONE:.*]] = scf.if %[[FIRST]] -> (i32) {
// CHECK: nvvm.mbarrier.try_wait.parity {{.*}} {attn.barrier = "empty"}
// CHECK: %[[NUMBER:.*]] = llvm.atomicrmw add
// CHECK: llvm.store %[[NUMBER]]
// CHECK: nvvm.mbarrier.arrive
// CHECK: scf.yield %[[NUMBER]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %c0_i32
// CHECK: gpu.shuffle idx %[[ONE]], %c0_i32, %c32_i32 : i32
// CHECK: scf.while
// CHECK: scf.if %[[FIRST]] -> (i32) {
// CHECK: llvm.atomicrmw add
// CHECK: gpu.shuffle idx
// CHECK: nvvm.setmaxregister increase
// CHECK-NOT: llvm.atomicrmw
!row = tensor<1x64xf32, #attn.shared<128>>
attn.kernel @rows(%x: !attn.view<?x64xf32>, %counter: !attn.view<1xi32>) attributes {threads = 128 : i64} {
  %n = attn.dim %x, 0 : !attn.view<?x64xf32>
  %c0 = arith.constant 0 : index
  %r = attn.ring.create : !attn.ring<1 x !row>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps(40) {
      %first = attn.take %counter[%c0] hand_on : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %s = attn.ring.acquire %r : !attn.ring<1 x !row> -> !attn.slot<!row>
        %p = attn.ring.issue %s, %x[%i, %c0] by async : !attn.slot<!row>, !attn.view<?x64xf32> -> !attn.pending<!row>
        attn.ring.land %p : !attn.pending<!row>
        %next = attn.take %counter[%c0] hand_on : <1xi32>
        scf.yield %next : index
      }
    } consumers(232) {
      %first = attn.take %counter[%c0] from_producer : <1xi32>
      scf.while (%i = %first) : (index) -> index {
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %t = attn.ring.wait %r : !attn.ring<1 x !row> -> !row
        attn.ring.release %r : !attn.ring<1 x !row>
        %next = attn.take %counter[%c0] from_producer : <1xi32>
        scf.yield %next : index
      }
    }
  }
}

// The whole way: gradients in a dynamic grid, whose LSE and delta a warp copies.
// RUN: attn-compile %examples/backward.mlir --target=h200 --schedule='form=ordered tiles=query=64,key=128 persistent dynamic' --lower='wgmma=all specialize delay-waits stage-columns' --emit=bundle --ptxas=none -o %t.bundle
// RUN: cat %t.bundle/*fused.0.ptx | FileCheck %s --check-prefix=PTX
// PTX: .entry training_step_attention_backward_fused(
// PTX: atom.global.add.u32 {{[[:space:]]*}}%[[TILE:r[0-9]+]],
// PTX: shfl.sync.idx.b32 {{[[:space:]]*}}%r{{[0-9]+}}, %[[TILE]], 0, 31, -1;
// PTX: cp.async.ca.shared.global
