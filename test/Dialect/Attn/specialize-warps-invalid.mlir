// attn-specialize-warps: kernels that it leaves as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{overlap=true ping-pong=true}))' -o %t.after --remarks-filter='attn-specialize.*' 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: diff %t.before %t.after

// There is a producer already: the pass twice is the pass once.
// CHECK: specialize-warps-invalid.mlir:[[# @LINE + 2]]:1: remark: [Missed] specialized | Category:attn-specialize-warps | Function=twice | Remark="there is a producer already"
!k = tensor<32x64xbf16, #attn.shared<128>>
attn.kernel @twice(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}
// RUN: attn-opt %S/specialize-warps.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps))' -o %t.once
// RUN: attn-opt %t.once --pass-pipeline='builtin.module(attn.kernel(attn-specialize-warps{overlap=true}))' | diff %t.once -

// Threads that are no groups of four warps, or unknown.
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=warps | Remark="consumers are not in groups of 4 warps"
attn.kernel @warps(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 192 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=unknown | Remark="consumers are not in groups of 4 warps"
attn.kernel @unknown(%x: !attn.view<?x64xbf16>, %n: index) {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}

// Rings that nobody fills.
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=nothing | Remark="nothing is copied"
attn.kernel @nothing(%n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %t = attn.ring.wait %r : <2 x !k> -> !k
  }
}

// One copy by all threads is one too many.
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=threads | Remark="tiles are copied by all threads"
attn.kernel @threads(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  %ra = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %sa = attn.ring.acquire %ra : <2 x !k> -> <!k>
    %pa = attn.ring.issue %sa, %x[%i, %i] by async : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %pa : <!k>
  }
}

// So is the first.
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=threads_first | Remark="tiles are copied by all threads"
attn.kernel @threads_first(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  %ra = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %sa = attn.ring.acquire %ra : <2 x !k> -> <!k>
    %pa = attn.ring.issue %sa, %x[%i, %i] by async : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %pa : <!k>
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}

// All threads of a CTA wait for the others, with whatever they do.
// CHECK: remark: [Missed] specialized | Category:attn-specialize-warps | Function=step | Remark="CTAs keep in step, all threads of each"
attn.kernel @step(%x: !attn.view<?x64xbf16>, %n: index, %all: i1) attributes {threads = 256 : i64} {
  %counter = attn.counter : <1xi32>
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) persistent 5 {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    attn.in_step %all, %counter[%i] : <1xi32>
  }
}

// No target that moves registers: another one, of which all kernels stay.
// RUN: attn-opt %S/specialize-warps.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10})' -o %t.gb10
// RUN: attn-opt %t.gb10 --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-specialize-warps))' --remarks-filter='attn-specialize.*' -o %t.gb10.after 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=remark:
// RUN: diff %t.gb10 %t.gb10.after
// TARGET: remark: [Missed] specialized | Category:attn-specialize-warps | Function=two | Remark="the target cannot move registers between warps"
// TARGET: remark: [Missed] specialized | Category:attn-specialize-warps | Function=one | Remark="the target cannot move registers between warps"

// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-specialize-warps{warps=8}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: {{.*}}no such option warps
// It is a pass on kernels.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-specialize-warps)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnSpecializeWarps' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'

// Registers that a role cannot have.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{producer-registers=20}))' 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{producer-registers=28}))' 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-specialize-warps{producer-registers=72}))' 2>&1 | FileCheck %s --check-prefix=MANY
// FEW: error: expected a multiple of 8 from 24 to 64 registers of a thread that copies, or 0 for the default, but got 20
// STEP: but got 28
// MANY: but got 72
