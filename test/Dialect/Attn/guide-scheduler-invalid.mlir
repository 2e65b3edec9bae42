// attn-guide-scheduler: streams that stay as they are: without copies to registers, without products, or with a hint.
// RUN: split-file %s %t
// RUN: attn-opt %t/same.mlir -o %t/before
// RUN: attn-opt %t/same.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-guide-scheduler))' --remarks-filter='attn-guide.*' -o %t/after 2>&1 | FileCheck %t/same.mlir --implicit-check-not=remark:
// RUN: diff %t/before %t/after
// RUN: not attn-opt %t/word.mlir 2>&1 | FileCheck %t/word.mlir

//--- same.mlir
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @memory(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
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
      %e = attn.convert_layout %ta : !t to tensor<32x32xf16, #acc>
      %f = arith.extf %e : tensor<32x32xf16, #acc> to !c
      %d = arith.addf %c, %f : !c
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// CHECK: remark: [Missed] guided | {{.*}}Function=again | Remark="the stream has a hint already"
attn.kernel @again(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
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
      attn.scheduling_hint hold_copies
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
}

//--- word.mlir
attn.kernel @k() {
  // CHECK: expected string or keyword containing one of the following enum values for attribute 'hint' [hold_copies, interleave_exponentials]
  attn.scheduling_hint hurry
}
