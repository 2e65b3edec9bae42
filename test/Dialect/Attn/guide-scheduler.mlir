// attn-guide-scheduler: what a stream that issues copies to registers tells the scheduler.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-guide-scheduler))' --remarks-filter='attn-guide.*' -o %t.after 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.after
// The loop has it behind the copies, and machine code as what LLVM takes.
// RUN: attn-opt %t.after --convert-attn-stream-to-scf | FileCheck %s --check-prefix=LOOP
// RUN: attn-opt %t.after --attn-lower-to-rocdl | FileCheck %s --check-prefix=ROCDL
// ROCDL-LABEL: llvm.func @sum(
// ROCDL: rocdl.sched.barrier 1926
// ROCDL-LABEL: llvm.func @softmax(
// ROCDL: rocdl.iglp.opt 2

// REMARK: remark: [Passed] guided | Category:attn-guide-scheduler | Function=sum | Remark="the scheduler is told:", hint=hold_copies
// REMARK: remark: [Passed] guided | {{.*}}Function=softmax | {{.*}}hint=interleave_exponentials
// REMARK: remark: [Passed] guided | {{.*}}Function=branch | {{.*}}hint=hold_copies
// REMARK: remark: [Passed] guided | {{.*}}Function=fill | {{.*}}hint=hold_copies
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
// CHECK-LABEL: attn.kernel @sum
// CHECK: attn.stream
// CHECK: } {
// CHECK-NEXT: attn.scheduling_hint hold_copies
// CHECK-NEXT: = attn.ring.wait
// LOOP-LABEL: attn.kernel @sum
// LOOP: scf.for
// LOOP: attn.ring.issue
// LOOP: attn.ring.issue
// LOOP-NOT: attn.ring
// LOOP: attn.scheduling_hint hold_copies
// LOOP: attn.ring.wait
attn.kernel @sum(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create slots 1 : !attn.ring<2 x !t>
  %b = attn.ring.create slots 1 : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %d = attn.dot %ta, %tb, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// CHECK-LABEL: attn.kernel @softmax
// CHECK: attn.scheduling_hint interleave_exponentials
attn.kernel @softmax(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create slots 1 : !attn.ring<2 x !t>
  %b = attn.ring.create slots 1 : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %e = attn.dot %ta, %tb, %zero transpose_rhs : !t, !t into !c
      %f = math.exp2 %e : !c
      %g = arith.truncf %f : !c to tensor<32x32xf16, #acc>
      %d = attn.dot %g, %tb, %c transpose_rhs : tensor<32x32xf16, #acc>, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// A branch between the products ends the basic block.
// CHECK-LABEL: attn.kernel @branch
// CHECK: attn.scheduling_hint hold_copies
attn.kernel @branch(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create slots 1 : !attn.ring<2 x !t>
  %b = attn.ring.create slots 1 : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %e = attn.dot %ta, %tb, %zero transpose_rhs : !t, !t into !c
      %f = math.exp2 %e : !c
      scf.if %yes {
        attn.store %f, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
      }
      %g = arith.truncf %f : !c to tensor<32x32xf16, #acc>
      %d = attn.dot %g, %tb, %c transpose_rhs : tensor<32x32xf16, #acc>, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// So does that before the wait for a ring whose stages all have memory.
// CHECK-LABEL: attn.kernel @fill
// CHECK: attn.scheduling_hint hold_copies
attn.kernel @fill(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create slots 1 : !attn.ring<2 x !t>
  %b = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      %e = attn.dot %ta, %ta, %zero transpose_rhs : !t, !t into !c
      %f = math.exp2 %e : !c
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %g = arith.truncf %f : !c to tensor<32x32xf16, #acc>
      %d = attn.dot %g, %tb, %c transpose_rhs : tensor<32x32xf16, #acc>, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}
