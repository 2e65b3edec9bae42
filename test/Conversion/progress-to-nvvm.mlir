// convert-attn-to-nvvm: tiles that wait for those in front of them. What a CTA added is behind a barrier, and then
// behind a fence of one thread, which stores the place. Each thread looks at every 128th of the others, by an acquire;
// a barrier tells all. A tile that is done is beyond all places.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn-lower-to-nvvm)' | FileCheck %s

// CHECK-LABEL: llvm.func @progress(
// CHECK: %[[PLACE:.*]] = llvm.trunc %{{.*}} : i64 to i32
// CHECK: %[[LAST:.*]] = llvm.urem
// CHECK: %[[READ:.*]] = llvm.inline_asm {{.*}}"mov.u32 $0, %tid.x;"
// CHECK-NEXT: nvvm.barrier0
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[READ]], %{{.*}} : i32
// CHECK-NEXT: llvm.cond_br %[[FIRST]]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "{\0A.reg .b64 element;\0Amad.wide.s32 element, $1, 4, $0;\0Afence.acq_rel.gpu;\0Ast.relaxed.gpu.global.u32 [element], $2;\0A}", "l,r,r,~{memory}" %{{.*}}, %{{.*}}, %[[PLACE]]
// CHECK: %[[THREAD:.*]] = llvm.inline_asm {{.*}}"mov.u32 $0, %tid.x;"
// CHECK: llvm.add %{{.*}}, %[[THREAD]]
// CHECK: %[[THREADS:.*]] = llvm.mlir.constant(128 : index) : i32
// CHECK: ^bb{{[0-9]+}}(%[[TILE:.*]]: i32):
// CHECK-NEXT: llvm.icmp "slt" %[[TILE]], %[[LAST]]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "{{.*}}LOOK:{{.*}}ld.acquire.gpu.global.s32 $0, [element];{{.*}}setp.lt.s32 early, $0, $3;{{.*}}@early bra LOOK;{{.*}}", "=&r,l,r,r,~{memory}" %{{.*}}, %{{.*}}, %[[PLACE]]
// CHECK-NEXT: llvm.add %[[TILE]], %[[THREADS]]
// CHECK: nvvm.barrier0
// CHECK: nvvm.barrier0
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(2147483647 : i32) : i32
// CHECK: llvm.inline_asm {{.*}}fence.acq_rel.gpu{{.*}} %{{.*}}, %[[DONE]]
attn.kernel @progress(%p: !attn.view<?x?xi32>, %place: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %p, 0 : <?x?xi32>
  %m = attn.dim %p, 1 : <?x?xi32>
  attn.grid (%a, %b) visit %i in (a = %n, b = %m) sharing [a] {
    attn.report_progress %p[%a, %b] at %place : <?x?xi32>
    attn.await_progress %p[%a] from %c0 to %b at %place : <?x?xi32>
    attn.report_progress %p[%a, %b] : <?x?xi32>
  }
  attn.return
}
