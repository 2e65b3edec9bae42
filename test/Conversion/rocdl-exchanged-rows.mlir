// Rings over others, whose memory warps exchange their own rows in: where they lie, and what keeps accesses in order.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers),convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// In the 8 KiB of the rings before it, behind no barrier, in the wave's own order.
// CHECK: llvm.mlir.global internal @attn_shared() {{.*}} : !llvm.array<8192 x i8>
// CHECK-LABEL: llvm.func @over(
// CHECK-NOT: rocdl.s.barrier
// CHECK: llvm.fence syncscope("wavefront") acq_rel
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: llvm.fence syncscope("wavefront") acq_rel
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT: rocdl.s.barrier
// CHECK: llvm.return
!k = tensor<32x64xbf16, #attn.shared<128>>
!t = tensor<64x32xbf16, #attn.shared<64>>
!own = tensor<64x32xbf16, #attn.fragment<threads [32:(1, 0), 2:(0, 8), 2:(32, 0)], registers [8:(0, 1), 2:(0, 16)]>>
!lines = tensor<64x32xbf16, #attn.fragment<threads [4:(0, 8), 16:(1, 0), 2:(32, 0)], registers [8:(0, 1), 2:(16, 0)]>>
!v = !attn.view<?x32xbf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @over(%x: !v) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<1 x !k>
  %b = attn.ring.create : !attn.ring<1 x !k>
  %o = attn.ring.create over(%a, %b : !attn.ring<1 x !k>, !attn.ring<1 x !k>) : !attn.ring<1 x !t>
  attn.ctas %cta in %c1 {
    %own = attn.load %x[%cta, %c0] : !v -> !own
    %slot = attn.ring.acquire %o : !attn.ring<1 x !t> -> !attn.slot<!t>
    attn.ring.put %own into %slot : !own into !attn.slot<!t>
    %full = attn.ring.wait %o : !attn.ring<1 x !t> -> !t
    %back = attn.convert_layout %full : !t to !lines
    attn.store %back, %x[%cta, %c0] : !lines -> !v
    attn.ring.release %o : !attn.ring<1 x !t>
  }
}
}

// -----

// Not where another ring would be in the way.
// CHECK: llvm.mlir.global internal @attn_shared() {{.*}} : !llvm.array<12288 x i8>
// CHECK-LABEL: llvm.func @apart(
!k = tensor<32x64xbf16, #attn.shared<128>>
!t = tensor<64x32xbf16, #attn.shared<64>>
!own = tensor<64x32xbf16, #attn.fragment<threads [32:(1, 0), 2:(0, 8), 2:(32, 0)], registers [8:(0, 1), 2:(0, 16)]>>
!lines = tensor<64x32xbf16, #attn.fragment<threads [4:(0, 8), 16:(1, 0), 2:(32, 0)], registers [8:(0, 1), 2:(16, 0)]>>
!v = !attn.view<?x32xbf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @apart(%x: !v) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<1 x !k>
  %b = attn.ring.create : !attn.ring<1 x !k>
  %o = attn.ring.create over(%a : !attn.ring<1 x !k>) : !attn.ring<1 x !t>
  attn.ctas %cta in %c1 {
    %own = attn.load %x[%cta, %c0] : !v -> !own
    %slot = attn.ring.acquire %o : !attn.ring<1 x !t> -> !attn.slot<!t>
    attn.ring.put %own into %slot : !own into !attn.slot<!t>
    %full = attn.ring.wait %o : !attn.ring<1 x !t> -> !t
    %back = attn.convert_layout %full : !t to !lines
    attn.store %back, %x[%cta, %c0] : !lines -> !v
    attn.ring.release %o : !attn.ring<1 x !t>
  }
}
}
