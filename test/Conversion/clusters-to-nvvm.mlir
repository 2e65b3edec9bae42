// convert-attn-to-nvvm: CTAs of a cluster write what they show to their own shared memory, and read
// that of the others behind a barrier.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.exchange
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not=unrealized_conversion_cast
// LLVM: llvm.load {{.*}} : !llvm.ptr<7> -> vector<2xf32>
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: 'attn.exchange' op expected a target with the capability 'cluster', but got "gb10"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>

// CHECK-LABEL: llvm.func @exchange
// The launcher is told how many CTAs a cluster has.
// CHECK-SAME: cluster = ["min", ["size", 0, 0], 4]
// CHECK-SAME: shared_bytes = 96 : i64
// CHECK: %[[CTAS:[^ ]+]] = nvvm.read.ptx.sreg.cluster.nctaid.x
// Rows that are not shown are not written: the first three of 16, pairs of columns.
// CHECK: arith.cmpi slt, %{{[^ ]+}}, %c3_i32 : i32
// CHECK: scf.if %{{[^ ]+}} {
// CHECK: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// Nothing but shared memory is released: a fence for all would wait for memory.
// CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
// CHECK-NEXT: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// Of a CTA that there is not, this one's memory is read, and the result dropped.
// CHECK: %[[IS:[^ ]+]] = arith.cmpi ugt, %[[CTAS]], %c1_i32 : i32
// CHECK: %[[SELF:[^ ]+]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[RANK:[^ ]+]] = arith.select %[[IS]], %c1_i32, %[[SELF]] : i32
// CHECK: %[[PEER:[^ ]+]] = nvvm.mapa %{{[^ ]+}}, %[[RANK]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: %[[AT:[^ ]+]] = arith.select %[[IN:[^ ]+]], %{{[^ ]+}}, %[[PEER]] : !llvm.ptr<7>
// CHECK: %[[PAIR:[^ ]+]] = llvm.load volatile %[[AT]] {alignment = 8 : i64} : !llvm.ptr<7> -> vector<2xf32>
// CHECK: arith.select %[[IN]], %[[PAIR]], %{{[^ ]+}} : vector<2xf32>
// Memory lasts until all have read it.
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
attn.kernel @exchange(%o: !attn.view<?x8xf32>) attributes {threads = 32} {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = attn.dim %o, 0 : !attn.view<?x8xf32>
  %parts = arith.minui %n, %c4 : index
  %count = arith.muli %n, %parts : index
  attn.ctas %cta in %count cluster %parts {
    %part = arith.remui %cta, %parts : index
    %first = arith.divui %cta, %parts : index
    %t = arith.constant dense<1.0> : tensor<16x8xf32, #acc>
    %v = attn.exchange %part gives %t : tensor<16x8xf32, #acc> -> !attn.view<?x3x8xf32>
    %u = attn.load %v[%c1, %c0, %c0] : !attn.view<?x3x8xf32> -> tensor<16x8xf32, #acc>
    attn.store %u, %o[%first, %c0] : tensor<16x8xf32, #acc> -> !attn.view<?x8xf32>
  }
}
