// A wait between two branches that one lane takes stays behind the first one and in front of the second: LLVM would give each side
// its own, and lanes of a warp that wait in two places have hung (gradients of grouped heads, 192 columns and more).

// RUN: attn-compile %s --emit=ptx | FileCheck %s

module attributes {attn.target = #attn.target<"h200", arch = "sm_90a">} {
gpu.module @m {
  llvm.func @kernel(%first: !llvm.ptr<1>, %second: !llvm.ptr<1>, %barrier: !llvm.ptr<3>) attributes {attn.manifest = {parameters = [], views = [], scalars = []}, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %is_first = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %is_first, ^store, ^wait
  ^store:
    llvm.store volatile %lane, %first : i32, !llvm.ptr<1>
    llvm.br ^wait
  ^wait:
    llvm.inline_asm has_side_effects "// wait for $0, $1", "r,r,~{memory}" %barrier, %zero : (!llvm.ptr<3>, i32) -> ()
    llvm.cond_br %is_first, ^again, ^end
  ^again:
    llvm.store volatile %lane, %second : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
}

// CHECK: bra
// CHECK: st.volatile.global
// CHECK: // wait
// CHECK: bra
// CHECK-NOT: // wait
// CHECK: st.volatile.global
// CHECK-NOT: // wait
