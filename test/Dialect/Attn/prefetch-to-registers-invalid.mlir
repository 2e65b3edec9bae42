// attn-prefetch-to-registers: rings that stay as they are, with a remark or, where they are not its concern, without; and what
// convert-attn-stream-to-scf refuses of a ring with stages in registers.
// RUN: split-file %s %t
// RUN: attn-opt %t/same.mlir --split-input-file -o %t/before
// RUN: attn-opt %t/same.mlir --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-prefetch-to-registers))' --remarks-filter='attn-prefetch.*' -o %t/after 2>&1 | FileCheck %t/same.mlir --implicit-check-not=remark:
// RUN: diff %t/before %t/after
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics --convert-attn-stream-to-scf

//--- same.mlir
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
// CHECK: remark: [Missed] prefetched | {{.*}}Function=stages | Remark="the ring does not have two stages:", stages=1
// CHECK: remark: [Missed] prefetched | {{.*}}Function=stages | Remark="the ring does not have two stages:", stages=3
attn.kernel @stages(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<1 x !t>
  %b = attn.ring.create : !attn.ring<3 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<3 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %tb = attn.ring.wait %b : !attn.ring<3 x !t> -> !t
      %d = attn.dot %ta, %tb, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<1 x !t>
      attn.ring.release %b : !attn.ring<3 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// CHECK: remark: [Missed] prefetched | {{.*}}Function=turn | Remark="a stream does not wait for one tile of the ring a visit and then release it"
// CHECK: remark: [Missed] prefetched | {{.*}}Function=turn | Remark="the ring says already how many slots it has"
attn.kernel @turn(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<2 x !t>
  %b = attn.ring.create slots 2 : !attn.ring<2 x !t>
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
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
// The accelerator copies to memory.
attn.kernel @tensor(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<2 x !t>
  %b = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by tensor : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by tensor : !attn.slot<!t>, !v -> !attn.pending<!t>
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
}

//--- errors.mlir
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @unreleased(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  // expected-note @below {{the ring is created here}}
  %a = attn.ring.create slots 1 : !attn.ring<2 x !t>
  %b = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    // expected-error @below {{expected one wait for a ring with a stage in registers, and one release behind it, but got 1 and 0}}
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
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}

// -----

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @deep(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  // expected-note @below {{the ring is created here}}
  %a = attn.ring.create slots 1 : !attn.ring<3 x !t>
  %b = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    // expected-error @below {{expected one stage in registers of a ring that it fills, but got 2}}
    %sum = attn.stream %j step 32 over [%c0 to %n] carry (%c = %zero : !c) produce (%ahead) {
      %sa = attn.ring.acquire %a : !attn.ring<3 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %sb = attn.ring.acquire %b : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pb = attn.ring.issue %sb, %y[%ahead, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pb : !attn.pending<!t>
    } {
      %ta = attn.ring.wait %a : !attn.ring<3 x !t> -> !t
      %tb = attn.ring.wait %b : !attn.ring<2 x !t> -> !t
      %d = attn.dot %ta, %tb, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<3 x !t>
      attn.ring.release %b : !attn.ring<2 x !t>
      attn.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}
}
