// attn-specialize-warps: four warps beyond those that hold tiles, which fill the rings.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps))' --remarks-filter='attn-specialize.*' -o %t.plain 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.plain --implicit-check-not=overlap --implicit-check-not=ping_pong
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{overlap=false ping-pong=false}))' | diff %t.plain -
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{overlap=true}))' | FileCheck %s --check-prefix=OVERLAP --implicit-check-not=ping_pong
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{ping-pong=true}))' | FileCheck %s --check-prefix=PINGPONG --implicit-check-not=overlap
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{overlap=true ping-pong=true}))' | FileCheck %s --check-prefix=BOTH
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{producer-registers=24}))' | FileCheck %s --check-prefix=REGISTERS

// REMARK: remark: [Passed] specialized | Category:attn-specialize-warps | Function=two | Remark="a producer fills the rings:", warps=4
// REMARK: remark: [Passed] specialized | Category:attn-specialize-warps | Function=one | Remark="a producer fills the rings:", warps=4

// The number of threads stays that of those that hold tiles. It is a decision: the body is
// split when its streams are loops.

// CHECK-LABEL: attn.kernel @two
// CHECK-SAME: producer_warps = 4 : i64
// CHECK-SAME: threads = 256 : i64
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{overlap=true first-rows=true}))' | FileCheck %s --check-prefix=FIRST
// FIRST-LABEL: attn.kernel @two
// FIRST-SAME: attributes {first_rows, overlap, producer_warps = 4 : i64, threads = 256 : i64}
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{ping-pong=true late-turns=true}))' | FileCheck %s --check-prefix=LATE
// LATE-LABEL: attn.kernel @two
// LATE-SAME: attributes {late_turns, ping_pong, producer_warps = 4 : i64, threads = 256 : i64}
// Nobody passes what nobody takes.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{late-turns=true}))' | FileCheck %s --implicit-check-not=late_turns
// OVERLAP-LABEL: attn.kernel @two
// OVERLAP-SAME: attributes {overlap, producer_warps = 4 : i64, threads = 256 : i64}
// PINGPONG-LABEL: attn.kernel @two
// PINGPONG-SAME: attributes {ping_pong, producer_warps = 4 : i64, threads = 256 : i64}
// BOTH-LABEL: attn.kernel @two
// BOTH-SAME: attributes {overlap, ping_pong, producer_warps = 4 : i64, threads = 256 : i64}
// REGISTERS-LABEL: attn.kernel @two
// REGISTERS-SAME: attributes {producer_registers = 24 : i64, producer_warps = 4 : i64, threads = 256 : i64}
// CHECK: attn.grid
// CHECK-NEXT: attn.ring.acquire
// CHECK-NEXT: attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: attn.ring.wait
// CHECK-NEXT: attn.ring.release
!k = tensor<32x64xbf16, #attn.shared<128>>
attn.kernel @two(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}

// One group of consumers is enough.

// CHECK-LABEL: attn.kernel @one
// CHECK-SAME: producer_warps = 4 : i64
// CHECK-SAME: threads = 128 : i64
attn.kernel @one(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 128 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}

// In the pipeline. Without `specialize` nothing of this.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap ping-pong' --emit=target | FileCheck %s --check-prefix=PIPE
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower=wgmma=all --emit=target | FileCheck %s --check-prefix=NOPIPE --implicit-check-not=producer_warps
// PIPE: attn.kernel @prefill_attention
// PIPE-SAME: overlap
// PIPE-SAME: ping_pong, producer_warps = 4 : i64, threads = 256 : i64
// NOPIPE: attn.kernel @prefill_attention

// Two groups of consumers get what is left of 504 registers for a thread of each group.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize producer-registers=24' --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize' --emit=ptx -o - | FileCheck %s --check-prefix=DEFAULT
// PTX: setmaxnreg.dec.sync.aligned.u32 24;
// PTX: setmaxnreg.inc.sync.aligned.u32 240;
// DEFAULT: setmaxnreg.dec.sync.aligned.u32 40;
// DEFAULT: setmaxnreg.inc.sync.aligned.u32 232;
