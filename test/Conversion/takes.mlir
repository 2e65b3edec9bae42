// attn.take: a number from a counter, one for a CTA, on NVIDIA and AMD GPUs and on the CPU. (Results are compared in
// Dialect/Attn/persistent-dynamic.mlir and Launcher/dynamic.test.)
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,NVVM --implicit-check-not=attn.take
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,NVVM --implicit-check-not=attn.take
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,ROCDL --implicit-check-not=attn.take
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(convert-attn-to-cpu,canonicalize,cse)' | FileCheck %s --check-prefix=CPU --implicit-check-not=attn.take

// One thread adds, with no order to other accesses; a barrier before the others read what it was, and one before the
// next number takes its place. Both takes have one place.
// CHECK-LABEL: llvm.func @take
// NVVM: shared_bytes = 16 : i64
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[NUMBER:.*]] = llvm.atomicrmw add %{{.*}}, %c1_i32 monotonic : !llvm.ptr<1>, i32
// CHECK: llvm.store %[[NUMBER]], %[[SLOT:.*]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NEXT: }
// NVVM-NEXT: gpu.barrier
// NVVM-NEXT: %[[TAKEN:.*]] = llvm.load %[[SLOT]]
// NVVM-NEXT: gpu.barrier
// ROCDL: rocdl.s.barrier
// ROCDL: %[[TAKEN:.*]] = llvm.load %[[SLOT]]
// ROCDL: rocdl.s.barrier
// ROCDL: rocdl.readfirstlane %[[TAKEN]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: llvm.atomicrmw add
// CHECK: llvm.store %{{.*}}, %[[SLOT]] {alignment = 4 : i64}
// NVVM-COUNT-2: gpu.barrier
// ROCDL-COUNT-2: rocdl.s.barrier

// On the CPU other threads may take at the same time.
// CPU-LABEL: func.func @take(
// CPU-COUNT-2: memref.atomic_rmw addi %{{.*}}, %{{.*}}[%{{.*}}] : (i32, memref<1xi32
attn.kernel @take(%counter: !attn.view<1xi32>, %o: !attn.view<?xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 7 : index
  attn.ctas %cta in %n {
    %a = attn.take %counter[%c0] : !attn.view<1xi32>
    attn.write %cta, %o[%a] : !attn.view<?xi32>
    %b = attn.take %counter[%c0] : !attn.view<1xi32>
    attn.write %cta, %o[%b] : !attn.view<?xi32>
  }
}

// -----

// Outside of the view there is no number but the largest, and nothing is written.
// CHECK-LABEL: llvm.func @outside
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]] -> (i32) {
// CHECK: llvm.atomicrmw add
// CHECK: } else {
// CHECK-NEXT: scf.yield %c2147483647_i32
// CPU-LABEL: func.func @outside(
// CPU: scf.if
// CPU: memref.atomic_rmw
// CPU: } else {
// CPU-NEXT: scf.yield %c2147483647
attn.kernel @outside(%counters: !attn.view<?xi32>, %o: !attn.view<?xi32>) attributes {threads = 64 : i64} {
  %n = arith.constant 7 : index
  attn.ctas %cta in %n {
    %a = attn.take %counters[%cta] : !attn.view<?xi32>
    attn.write %cta, %o[%a] : !attn.view<?xi32>
  }
}
