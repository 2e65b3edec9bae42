// convert-attn-to-nvvm: tiles that wait for those in front of them. What a CTA added is behind a barrier, and then
// behind a fence of one thread, which stores the place; who sees it by an acquire, tells the others by a barrier.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-lower-to-nvvm)' | FileCheck %s

// CHECK-LABEL: llvm.func @progress(
// CHECK: nvvm.barrier
// CHECK: llvm.cond_br
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "fence.acq_rel.gpu;\0Ast.relaxed.gpu.global.u32 [$0], $1;", "l,r,~{memory}"
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "{{.*}}ld.acquire.gpu.global.s32 seen, [$0];{{.*}}@early bra LOOK;{{.*}}", "l,r,~{memory}"
// CHECK: nvvm.barrier
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(2147483647 : i32)
// CHECK-NOT: unrealized_conversion_cast
attn.kernel @progress(%p: !attn.view<?x?xi32>, %n: index, %m: index, %place: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  attn.grid (%a, %b) visit %i in (a = %n, b = %m) sharing [a] {
    attn.report_progress %p[%a, %b] at %place : <?x?xi32>
    attn.await_progress %p[%a] from %c0 to %b at %place : <?x?xi32>
    attn.report_progress %p[%a, %b] : <?x?xi32>
  }
  attn.return
}
