// attn-place-barriers: kernels that it leaves as they are, and what it refuses.
// RUN: split-file %s %t
// RUN: attn-opt %t/same.mlir -o %t/before
// RUN: attn-opt %t/same.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers))' --remarks-filter='attn-place-barriers' -o %t/after 2>&1 | count 0
// RUN: diff %t/before %t/after
// RUN: attn-opt %t/errors.mlir --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers))'

//--- same.mlir
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
// Copies signal themselves that they are there; streams or not.
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
attn.kernel @none(%n: index) {
  attn.ctas %w in %n {
  }
}
}

//--- errors.mlir
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%x: !v, %y: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<2 x !t>
  %b = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    // expected-error @below {{expected to be lowered by convert-attn-stream-to-scf first: barriers are placed in loops}}
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
}
