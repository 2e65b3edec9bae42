// convert-attn-to-nvvm: CTAs of a cluster send rows to the CTA that they belong to, whose barrier counts their bytes.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' \
// RUN:   | FileCheck %s --implicit-check-not=attn.exchange --implicit-check-not=nvvm.cluster --implicit-check-not=nvvm.fence
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: 'attn.exchange' op expected a target with the capability 'cluster', but got "gb10"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// CHECK-LABEL: llvm.func @scattered
// Room for two groups of two rows of each of four CTAs, 32 bytes a row, and a barrier.
// CHECK-SAME: shared_bytes = 520 : i64
// Whose rows are expected: groups rank and rank + 4 of six, the last of which has one row.
// CHECK: nvvm.mbarrier.init %[[BARRIER:[^ ]+]], %c1_i32
// CHECK: %[[RANK:[^ ]+]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[REST:[^ ]+]] = arith.subi %c9_i32, %[[RANK]]
// CHECK: %[[GROUPS:[^ ]+]] = arith.divui %[[REST]], %c4_i32
// CHECK: %[[ROWS:[^ ]+]] = arith.muli %[[GROUPS]], %c2_i32
// CHECK: %[[LAST:[^ ]+]] = arith.cmpi eq, %[[RANK]], %c1_i32
// CHECK: %[[LACKING:[^ ]+]] = arith.extui %[[LAST]]
// CHECK: %[[OWNED:[^ ]+]] = arith.subi %[[ROWS]], %[[LACKING]]
// Four CTAs send them, 32 bytes each.
// CHECK: %[[BYTES:[^ ]+]] = arith.muli %[[OWNED]], %c128_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
// Others know that the barrier is ready before they send.
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: vector.to_elements
// CHECK: %[[GROUP:[^ ]+]] = arith.divui %{{[^ ]+}}, %c2_i32
// CHECK: %[[OWNER:[^ ]+]] = arith.remui %[[GROUP]], %c4_i32
// CHECK: nvvm.mapa %{{[^ ]+}}, %[[OWNER]]
// CHECK: nvvm.mapa %{{[^ ]+}}, %[[OWNER]]
// CHECK: llvm.inline_asm has_side_effects {{.*}} "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [$0], {$2, $3}, [$1];"
// All that is for this CTA has arrived; nobody waits for others at the end.
// CHECK: llvm.inline_asm has_side_effects {{.*}} {attn.barrier = "scattered"} {{.*}}mbarrier.try_wait.parity.acquire.cluster
// CHECK: llvm.load volatile %{{[^ ]+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.return
attn.kernel @scattered(%o: !attn.view<?x8xf32>) attributes {threads = 32} {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = attn.dim %o, 0 : !attn.view<?x8xf32>
  %count = arith.muli %n, %c4 : index
  attn.ctas %cta in %count cluster %c4 {
    %part = arith.remui %cta, %c4 : index
    %first = arith.divui %cta, %c4 : index
    %t = arith.constant dense<1.0> : tensor<16x8xf32, #acc>
    %v = attn.exchange %part gives %t scatter 2 : tensor<16x8xf32, #acc> -> !attn.view<4x11x8xf32>
    %row = arith.addi %part, %part : index
    %u = attn.load %v[%c1, %row, %c0] : !attn.view<4x11x8xf32> -> tensor<16x8xf32, #acc>
    attn.store %u, %o[%first, %c0] : tensor<16x8xf32, #acc> -> !attn.view<?x8xf32>
  }
}
