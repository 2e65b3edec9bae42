// convert-attn-to-nvvm: attn.in_step, CTAs that wait for each other for a while.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.in_step
// The same for the other target of this family.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=gb10},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.in_step
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="scf." --implicit-check-not="arith." --implicit-check-not="gpu.barrier"

// A counter in memory that the launch passes. One
// thread, where all CTAs make this visit, adds one to it, without an order to other
// accesses, and looks at it until it is the next multiple of the number of CTAs. (As a
// signed difference, which outlives an overflow.) It looks 2000 times at most, with
// pauses of 256 ns. The other threads wait for this one, whether it waits or not.

// CHECK-LABEL: gpu.module @in_step_device
// CHECK-NOT: llvm.mlir.global internal
// CHECK: llvm.func @in_step(%[[MEMORY:[^ ]+]]: !llvm.ptr, %[[ALL:[^ ]+]]: i1)
// CHECK-SAME: parameters = [{kind = "pointer", view = 0 : i64}, {index = 0 : i64, kind = "scalar"}]
// CHECK-SAME: shared_bytes = 0 : i64
// CHECK-DAG: %[[PAUSE:[^ ]+]] = arith.constant 256 : i32
// CHECK-DAG: %[[LOOKS:[^ ]+]] = arith.constant 2000 : i32
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : i32
// CHECK: %[[TID:[^ ]+]] = gpu.thread_id x
// CHECK: %[[T:[^ ]+]] = arith.index_cast %[[TID]] : index to i32
// CHECK-NEXT: %[[FIRST:[^ ]+]] = arith.cmpi eq, %[[T]], %[[C0]] : i32
// CHECK-NEXT: %[[WAITS:[^ ]+]] = arith.andi %[[ALL]], %[[FIRST]] : i1
// CHECK-NEXT: scf.if %[[WAITS]] {
// CHECK-NEXT: %[[COUNTER:[^ ]+]] = llvm.addrspacecast %[[MEMORY]] : !llvm.ptr to !llvm.ptr<1>
// CHECK-NEXT: %[[TICKET:[^ ]+]] = llvm.atomicrmw add %[[COUNTER]], %[[C1]] monotonic : !llvm.ptr<1>, i32
// CHECK-NEXT: %[[GRID:[^ ]+]] = gpu.grid_dim x
// CHECK-NEXT: %[[CTAS:[^ ]+]] = arith.index_cast %[[GRID]] : index to i32
// CHECK-NEXT: %[[ROUND:[^ ]+]] = arith.divui %[[TICKET]], %[[CTAS]] : i32
// CHECK-NEXT: %[[NEXT:[^ ]+]] = arith.addi %[[ROUND]], %[[C1]] : i32
// CHECK-NEXT: %[[GOAL:[^ ]+]] = arith.muli %[[NEXT]], %[[CTAS]] : i32
// CHECK-NEXT: scf.while (%[[I:[^ ]+]] = %[[C0]]) : (i32) -> i32 {
// CHECK-NEXT: %[[SEEN:[^ ]+]] = llvm.load volatile %[[COUNTER]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NEXT: %[[MISSING:[^ ]+]] = arith.subi %[[GOAL]], %[[SEEN]] : i32
// CHECK-NEXT: %[[SOME:[^ ]+]] = arith.cmpi sgt, %[[MISSING]], %[[C0]] : i32
// CHECK-NEXT: %[[PATIENT:[^ ]+]] = arith.cmpi slt, %[[I]], %[[LOOKS]] : i32
// CHECK-NEXT: %[[AGAIN:[^ ]+]] = arith.andi %[[SOME]], %[[PATIENT]] : i1
// CHECK-NEXT: scf.condition(%[[AGAIN]]) %[[I]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[J:[^ ]+]]: i32):
// CHECK-NEXT: nvvm.nanosleep %[[PAUSE]]
// CHECK-NEXT: %[[MORE:[^ ]+]] = arith.addi %[[J]], %[[C1]] {{.*}}: i32
// CHECK-NEXT: scf.yield %[[MORE]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: llvm.return

// LLVM-LABEL: llvm.func @in_step
// LLVM: %[[WAITS:[^ ]+]] = llvm.and %{{[^ ]+}}, %{{[^ ]+}} : i1
// LLVM-NEXT: llvm.cond_br %[[WAITS]], ^[[ARRIVE:bb[0-9]+]], ^[[DONE:bb[0-9]+]]
// LLVM-NEXT: ^[[ARRIVE]]:
// LLVM: llvm.atomicrmw add %{{[^ ]+}}, %{{[^ ]+}} monotonic : !llvm.ptr<1>, i32
// LLVM: nvvm.read.ptx.sreg.nctaid.x
// LLVM: llvm.br ^[[LOOK:bb[0-9]+]](
// LLVM-NEXT: ^[[LOOK]](
// LLVM-NEXT: llvm.load volatile
// LLVM: llvm.cond_br %{{[^ ]+}}, ^[[PAUSE:bb[0-9]+]](%{{[^ ]+}} : i32), ^[[OUT:bb[0-9]+]]
// LLVM: nvvm.nanosleep
// LLVM: llvm.br ^[[LOOK]](
// LLVM: ^[[OUT]]:
// LLVM-NEXT: llvm.br ^[[DONE]]
// LLVM: ^[[DONE]]:
// LLVM-NEXT: nvvm.barrier0
attn.kernel @in_step(%counter: !attn.view<1xi32>, %all: i1) attributes {threads = 64} {
  %n = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.in_step %all, %counter[%c0] : !attn.view<1xi32>
  }
}

// -----

// Several waits of a kernel may share a counter.

// CHECK-LABEL: gpu.module @several_device
// CHECK: llvm.func @several(%{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: i1, %{{[^ ]+}}: i1)
// CHECK: llvm.atomicrmw add
// CHECK: scf.while
// CHECK: gpu.barrier
// CHECK: llvm.atomicrmw add
// CHECK: scf.while
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @several
// LLVM-COUNT-2: nvvm.nanosleep
attn.kernel @several(%counter: !attn.view<1xi32>, %all: i1, %some: i1) attributes {threads = 64} {
  %n = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.in_step %all, %counter[%c0] : !attn.view<1xi32>
    attn.in_step %some, %counter[%c0] : !attn.view<1xi32>
  }
}

// -----

// Where the element is in no view nobody counts or waits, for which sizes are passed.

// CHECK-LABEL: gpu.module @checked_device
// CHECK: llvm.func @checked(%{{[^ ]+}}: !llvm.ptr, %[[SIZE:[^ ]+]]: i64, %[[ALL:[^ ]+]]: i1)
// CHECK: %[[INSIDE:[^ ]+]] = arith.cmpi ult, %{{[^ ]+}}, %[[SIZE]] : i64
// CHECK: %[[WAITS:[^ ]+]] = arith.andi %[[INSIDE]], %{{[^ ]+}} : i1
// CHECK: scf.if %[[WAITS]] {
// CHECK: llvm.atomicrmw add
attn.kernel @checked(%counter: !attn.view<?xi32>, %all: i1) attributes {threads = 32} {
  %n = arith.constant 7 : index
  attn.ctas %cta in %n {
    attn.in_step %all, %counter[%cta] : !attn.view<?xi32>
  }
}

// In the end, no memory is the module's, and the counter is read anew each time, which a load that is
// not volatile would not have to be. A kernel that waits for nobody has no counter. The kernel waits for
// what clears it.
// RUN: attn-compile %examples/matmul.mlir --target=h200 --schedule='persistent sms=6 resident=2 in-step' --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx --implicit-check-not='.global .align'
// RUN: attn-compile %examples/matmul.mlir --target=h200 --schedule='persistent sms=6 resident=2' --emit=ptx | FileCheck %s --check-prefix=NOPTX --implicit-check-not=atom. --implicit-check-not=nanosleep --implicit-check-not=griddepcontrol
// PTX: .visible .entry matmul_matmul(
// PTX: ld.param.b64 %[[GENERIC:[^ ]+]], [matmul_matmul_param_9];
// PTX: cvta.to.global.u64 %[[COUNTER:[^ ]+]], %[[GENERIC]];
// PTX: griddepcontrol.wait;
// PTX: mov.u32 %[[CTAS:[^ ]+]], %nctaid.x;
// PTX: atom.global.add.u32 %[[TICKET:[^ ]+]], [%[[COUNTER]]], 1;
// PTX: div.u32 %{{[^ ]+}}, %[[TICKET]], %[[CTAS]];
// PTX: ld.volatile.global.b32 %{{[^ ]+}}, [%[[COUNTER]]];
// PTX: [[LOOP:.L[^:]+]]:
// PTX-NEXT: nanosleep.u32 256;
// PTX-NEXT: ld.volatile.global.b32 %{{[^ ]+}}, [%[[COUNTER]]];
// PTX: 2000;
// PTX: bra [[LOOP]];
// PTX: bar.sync 0;
// NOPTX: .visible .entry matmul_matmul(
