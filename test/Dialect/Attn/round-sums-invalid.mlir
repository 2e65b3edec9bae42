// attn-round-sums: sums that it leaves as they are, with a remark.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-round-sums))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-round-sums{by=hand}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --by option: expected one of registers, products, but got 'hand'

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#rows = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
#parts = #attn.fragment<threads [4:(0, 1), 8:(1, 0), 4:(16, 0)], registers [2:(8, 0)]>
!v = tensor<32x32xbf16, #attn.shared<64>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!m = tensor<64xf32, #rows>
!l = tensor<64x4xf32, #parts>

// The sum itself is a result.
// CHECK: remark: [Missed] rounded-sums | Category:attn-round-sums | Function=stored | Remark="the sum of weights is stored, or used for more than a quotient and a logarithm"
attn.kernel @stored(%o: !attn.view<?x?xf32>, %ls: !attn.view<?xf32>, %x: f32, %n: index) {
  %rv = attn.ring.create : <2 x !v>
  %zeros = arith.constant dense<0.0> : !l
  %zero = arith.constant dense<0.0> : !s
  attn.grid (%i) visit %visit in (i = %n) {
    %r:2 = attn.stream %j step 32 over [%i to %n] carry (%l1 = %zeros, %o1 = %zero : !l, !s) {
      %s = tensor.splat %x : !s
      %e = math.exp2 %s : !s
      %sum = attn.reduce_registers sum %e : !s
      %l = arith.addf %l1, %sum : !l
      %p = arith.truncf %e : !s to !p
      %v = attn.ring.wait %rv : <2 x !v> -> !v
      %pv = attn.dot %p, %v, %o1 : !p, !v into !s
      attn.ring.release %rv : <2 x !v>
      attn.yield %l, %pv : !l, !s
    }
    %t = attn.reduce sum %r#0 : !l
    %tb = attn.broadcast %t : !m to !s
    %y = arith.divf %r#1, %tb : !s
    attn.store %y, %o[%i, %i] : !s -> !attn.view<?x?xf32>
    attn.store %t, %ls[%i] : !m -> !attn.view<?xf32>
  }
}

// No product takes what is summed.
// CHECK: remark: [Missed] rounded-sums | Category:attn-round-sums | Function=whole | Remark="products take weights that are not rounded"
attn.kernel @whole(%o: !attn.view<?xf32>, %x: f32, %n: index) {
  %zeros = arith.constant dense<0.0> : !l
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.stream %j step 32 over [%i to %n] carry (%l1 = %zeros : !l) {
      %s = tensor.splat %x : !s
      %e = math.exp2 %s : !s
      %sum = attn.reduce_registers sum %e : !s
      %l = arith.addf %l1, %sum : !l
      attn.yield %l : !l
    }
    %t = attn.reduce sum %r : !l
    attn.store %t, %o[%i] : !m -> !attn.view<?xf32>
  }
}

// CHECK: remark: [Missed] rounded-sums | Category:attn-round-sums | Function=none | Remark="no stream sums weights in registers"
attn.kernel @none(%o: !attn.view<?xf32>) {
  attn.return
}
