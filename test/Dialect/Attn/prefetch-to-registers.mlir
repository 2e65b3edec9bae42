// attn-prefetch-to-registers: rings that streams fill through registers have memory for one stage of two, and
// what the loop makes of that: no branch, a condition on the slot, and a copy that lands behind the release.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-prefetch-to-registers))' --remarks-filter='attn-prefetch.*' -o %t.after 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.after
// RUN: attn-opt %t.after --split-input-file --convert-attn-stream-to-scf --canonicalize --cse | FileCheck %s --check-prefix=LOOP

// In the pipeline, where one thread of the CPU finds no slot that is written or read out of turn.
// RUN: attn-compile %examples/matmul.mlir --target=mi300x --emit=target | FileCheck %s --check-prefix=MATMUL
// MATMUL-COUNT-2: attn.ring.create slots 1 : <2 x
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --schedule='tiles=query=32,key=32 persistent sms=3 resident=1' --run --sequential --size=batch=1,query=70,key=110 | FileCheck %s --check-prefix=CPU
// CPU: PASS
// Without the release of one of them the copy is found to land where a tile still is.
// RUN: attn-compile %examples/matmul.mlir --target=mi300x --schedule=tiles=m=32,n=32,k=32 --emit=target -o %t.target
// RUN: sed '/attn.ring.release %ring_0/d' %t.target > %t.kept
// RUN: not attn-opt %t.kept --attn-materialize-grid --convert-attn-stream-to-scf 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: expected one wait for a ring with a stage in registers, and one release behind it, but got 1 and 0

// REMARK: remark: [Passed] prefetched | Category:attn-prefetch-to-registers | Function=k | Remark="copies of the next visit are under way in registers:", rings=2
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
// CHECK-LABEL: attn.kernel @k
// CHECK-COUNT-2: attn.ring.create slots 1 : <2 x
// LOOP-LABEL: attn.kernel @k
// LOOP: %[[A:[^ ]+]] = attn.ring.create slots 1
// LOOP: %[[B:[^ ]+]] = attn.ring.create slots 1
// The first visit's copies land before the loop.
// LOOP: attn.ring.land
// LOOP: attn.ring.land
// LOOP: scf.for
// LOOP-NOT: scf.if
// LOOP: %[[EXISTS:[^ ]+]] = arith.cmpi slt
// LOOP: %[[SA:[^ ]+]] = attn.ring.acquire %[[A]] ahead 1 when %[[EXISTS]]
// LOOP: %[[PA:[^ ]+]] = attn.ring.issue %[[SA]]
// LOOP: %[[SB:[^ ]+]] = attn.ring.acquire %[[B]] ahead 1 when %[[EXISTS]]
// LOOP: %[[PB:[^ ]+]] = attn.ring.issue %[[SB]]
// LOOP: attn.ring.wait %[[A]]
// LOOP-NOT: attn.ring.land
// LOOP: attn.ring.wait %[[B]]
// LOOP: attn.dot
// LOOP: attn.ring.release %[[A]]
// LOOP-NOT: attn.ring.land
// LOOP: attn.ring.release %[[B]]
// LOOP: attn.ring.land %[[PB]]
// LOOP: attn.ring.land %[[PA]]
// LOOP: scf.yield
attn.kernel @k(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<2 x !t>
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
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %d = attn.dot %ta, %tb, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}

// A copy lands before the next wait, whose barrier then serves both.
// CHECK-LABEL: attn.kernel @early
// LOOP-LABEL: attn.kernel @early
// LOOP: scf.for
// LOOP: attn.ring.release
// LOOP-NEXT: attn.ring.land
// LOOP-NEXT: attn.ring.wait
// REMARK: {{.*}}Function=early | {{.*}}rings=2
attn.kernel @early(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<2 x !t>
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
      %e = attn.dot %ta, %ta, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<2 x !t>
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %d = attn.dot %tb, %tb, %e transpose_rhs : !t, !t into !c
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}
