// attn.ring.put: what a thread holds of a tile goes to where it lies in the slot, several neighbours at once.
// RUN: sed 's/TARGET/gb10/; s/LAYOUT/#attn.shared<32>/; s/OWN/#attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>/; s/THREADS/32/' %s > %t.gb10
// RUN: attn-opt %t.gb10 --pass-pipeline='builtin.module(convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefixes=NVVM,MATRIX,SYNC --implicit-check-not=fence.proxy
// RUN: sed 's/gb10/h200/' %t.gb10 | attn-opt --pass-pipeline='builtin.module(convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefixes=NVVM,MATRIX,PROXY
// RUN: sed 's/gb10/a100/' %t.gb10 | attn-opt --pass-pipeline='builtin.module(convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefixes=NVVM,PAIRS,SYNC
// RUN: sed 's/TARGET/mi300x/; s/LAYOUT/#attn.shared<32, folded>/; s/OWN/#attn.fragment<threads [16:(1, 0), 2:(0, 8), 2:(0, 0)], registers [8:(0, 1)]>/; s/THREADS/64/' %s > %t.mi300x
// RUN: attn-opt %t.mi300x --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers),convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --check-prefix=ROCDL

// Threads all arrive where the slot is full; pairs of columns are 4 bytes, or four matrices of 8 x 8 go at once.
// NVVM-LABEL: llvm.func @k(
// NVVM: nvvm.mbarrier.init {{.*}}, %[[ALL:[^ ,]+]]
// NVVM: nvvm.mbarrier.init {{.*}}, %[[ALL]]
// MATRIX: nvvm.stmatrix
// MATRIX-NOT: llvm.store {{.*}} vector<2xbf16>
// PAIRS-COUNT-4: llvm.store {{.*}} {alignment = 4 : i64} : vector<2xbf16>, !llvm.ptr<3>
// PROXY: nvvm.fence.proxy
// NVVM: nvvm.mbarrier.arrive
// An attn.barrier of the kernel's own.
// NVVM: {{nvvm.barrier|gpu.barrier}}
// SYNC: llvm.return

// Eight columns are 16 bytes, which halves of 8 may change places in; barriers say that the slot is full.
// ROCDL-LABEL: llvm.func @k(
// ROCDL: llvm.store {{.*}} : vector<{{4|8}}xbf16>, !llvm.ptr<3>
// ROCDL: rocdl.s.barrier
// ROCDL: llvm.load {{.*}} !llvm.ptr<3> -> vector<{{4|8}}xbf16>
!t = tensor<16x16xbf16, LAYOUT>
!own = tensor<16x16xbf16, OWN>
module attributes {attn.target = #attn.target<"TARGET">} {
attn.kernel @k(%x: !attn.view<?x16xbf16>) attributes {threads = THREADS : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %cta in %c1 {
    %own = attn.load %x[%cta, %c0] : !attn.view<?x16xbf16> -> !own
    %slot = attn.ring.acquire %ring : !attn.ring<1 x !t> -> !attn.slot<!t>
    attn.ring.put %own into %slot : !own into !attn.slot<!t>
    attn.barrier
    %tile = attn.ring.wait %ring : !attn.ring<1 x !t> -> !t
    %back = attn.convert_layout %tile : !t to !own
    attn.ring.release %ring : !attn.ring<1 x !t>
    attn.store %back, %x[%cta, %c0] : !own -> !attn.view<?x16xbf16>
  }
}
}
