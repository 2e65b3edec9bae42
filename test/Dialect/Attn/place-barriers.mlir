// attn-place-barriers: where threads that copy through registers wait for each other, and nowhere else.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers))' --remarks-filter='attn-place-barriers' -o %t.after 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.after
// A second run finds them all there.
// RUN: attn-opt %t.after --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers))' | diff %t.after -

// REMARK: remark: [Passed] barriers | Category:attn-place-barriers | Function=once | Remark="threads wait for each other:", barriers=1
// REMARK: remark: [Passed] barriers | {{.*}}Function=loop | {{.*}}barriers=2
// REMARK: remark: [Passed] barriers | {{.*}}Function=hoisted | {{.*}}barriers=1
// REMARK: remark: [Passed] barriers | {{.*}}Function=put | {{.*}}barriers=2
// REMARK: remark: [Passed] barriers | {{.*}}Function=lds | {{.*}}barriers=1
// REMARK: remark: [Passed] barriers | {{.*}}Function=lds_at_once | {{.*}}barriers=2
// REMARK: remark: [Passed] barriers | {{.*}}Function=over | {{.*}}barriers=3
// REMARK: remark: [Passed] barriers | {{.*}}Function=over_across | {{.*}}barriers=4
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<32x32xf16, #attn.shared<64, folded>>
!c = tensor<32x32xf32, #acc>
!v = !attn.view<?x32xf16>
!w = tensor<64x32xf16, #attn.shared<64>>
!own = tensor<64x32xf16, #attn.fragment<threads [32:(1, 0), 2:(0, 8), 2:(32, 0)], registers [8:(0, 1), 2:(0, 16)]>>
!lines = tensor<64x32xf16, #attn.fragment<threads [4:(0, 8), 16:(1, 0), 2:(32, 0)], registers [8:(0, 1), 2:(16, 0)]>>
!across = tensor<64x32xf16, #attn.fragment<threads [4:(0, 8), 32:(1, 0)], registers [8:(0, 1), 2:(32, 0)]>>
module attributes {attn.target = #attn.target<"mi300x">} {
// A tile that was written is read.
// CHECK-LABEL: attn.kernel @once
// CHECK: attn.ring.land
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
// CHECK-NOT: attn.barrier
attn.kernel @once(%x: !v, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %w in %c1 {
      %sa = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%w, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %ta = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %tb = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %d = attn.dot %ta, %tb, %zero transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<1 x !t>
      attn.store %d, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}

// In a loop: before the read, and before the write of the next round.
// CHECK-LABEL: attn.kernel @loop
// CHECK: scf.for
// CHECK: attn.barrier
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
// CHECK-NOT: attn.barrier
attn.kernel @loop(%x: !v, %o: !attn.view<?x32xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %w in %c1 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> !c {
      %sa = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%i, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
      %ta = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %tb = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %d = attn.dot %ta, %tb, %c transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<1 x !t>
      scf.yield %d : !c
    }
    attn.store %sum, %o[%c0, %c0] : !c -> !attn.view<?x32xf32>
  }
}

// A tile that stays, and that only the first round of a loop would wait for: before the loop.
// CHECK-LABEL: attn.kernel @hoisted
// CHECK: attn.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: attn.barrier
attn.kernel @hoisted(%x: !v, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
      %sa = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
      %pa = attn.ring.issue %sa, %x[%w, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %pa : !attn.pending<!t>
    scf.for %i = %c0 to %n step %c1 {
      %ta = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
    }
  }
}

// What threads put into a slot is written, too.
// CHECK-LABEL: attn.kernel @put
// CHECK: scf.for
// CHECK: attn.ring.acquire
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: attn.ring.put
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
// CHECK-NOT: attn.barrier
attn.kernel @put(%x: !v, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %own = arith.constant dense<0.0> : tensor<32x32xf16, #acc>
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !c
  %a = attn.ring.create : !attn.ring<1 x !t>
  attn.ctas %w in %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %s = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      attn.ring.put %own into %s : tensor<32x32xf16, #acc> into !attn.slot<!t>
      %ta = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      %d = attn.dot %ta, %ta, %zero transpose_rhs : !t, !t into !c
      attn.ring.release %a : !attn.ring<1 x !t>
    }
  }
}

// Straight to LDS: one barrier a visit, where the slot of the visit before is free, and what was waited for at its end is full.
// CHECK-LABEL: attn.kernel @lds(
// CHECK: attn.ring.land
// CHECK: scf.for
// CHECK: attn.ring.acquire
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.issue
// CHECK-NEXT: = attn.ring.wait
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: attn.ring.land
// CHECK-NOT: attn.barrier
attn.kernel @lds(%x: !v, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s0 = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
    %p0 = attn.ring.issue %s0, %x[%w, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p0 : !attn.pending<!t>
    scf.for %i = %c0 to %n step %c1 {
      %s = attn.ring.acquire %a ahead 1 : !attn.ring<2 x !t> -> !attn.slot<!t>
      %p = attn.ring.issue %s, %x[%i, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
      %t = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      attn.ring.release %a : !attn.ring<2 x !t>
      attn.ring.land %p : !attn.pending<!t>
    }
  }
}

// What lands before the tile of the same visit is read needs one more.
// CHECK-LABEL: attn.kernel @lds_at_once(
// CHECK: scf.for
// CHECK: attn.barrier
// CHECK-NEXT: = attn.ring.issue
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
attn.kernel @lds_at_once(%x: !v, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s0 = attn.ring.acquire %a : !attn.ring<2 x !t> -> !attn.slot<!t>
    %p0 = attn.ring.issue %s0, %x[%w, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p0 : !attn.pending<!t>
    scf.for %i = %c0 to %n step %c1 {
      %s = attn.ring.acquire %a ahead 1 : !attn.ring<2 x !t> -> !attn.slot<!t>
      %p = attn.ring.issue %s, %x[%i, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %p : !attn.pending<!t>
      %t = attn.ring.wait %a : !attn.ring<2 x !t> -> !t
      attn.ring.release %a : !attn.ring<2 x !t>
    }
  }
}

// A ring that lies over another: before it is put when others may still read that one, and before that one is written again. What warps put and
// read themselves needs none.
// CHECK-LABEL: attn.kernel @over(
// CHECK: scf.for
// CHECK: attn.barrier
// CHECK-NEXT: attn.ring.land
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
// CHECK: attn.barrier
// CHECK-NEXT: attn.ring.put
// CHECK-NEXT: = attn.ring.wait
// CHECK-NOT: attn.barrier
// CHECK: attn.kernel @over_across(
// CHECK: attn.ring.put
// CHECK-NEXT: attn.barrier
// CHECK-NEXT: = attn.ring.wait
attn.kernel @over(%x: !v, %y: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<1 x !t>
  %o = attn.ring.create over(%a : !attn.ring<1 x !t>) : !attn.ring<1 x !w>
  attn.ctas %w in %c1 {
    %t = tensor.splat %y : !own
    scf.for %i = %c0 to %n step %c1 {
      %s = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      %p = attn.ring.issue %s, %x[%i, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %p : !attn.pending<!t>
      %r = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      attn.ring.release %a : !attn.ring<1 x !t>
      %so = attn.ring.acquire %o : !attn.ring<1 x !w> -> !attn.slot<!w>
      attn.ring.put %t into %so : !own into !attn.slot<!w>
      %full = attn.ring.wait %o : !attn.ring<1 x !w> -> !w
      %back = attn.convert_layout %full : !w to !lines
      attn.ring.release %o : !attn.ring<1 x !w>
    }
  }
}
attn.kernel @over_across(%x: !v, %y: f16, %n: index) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = attn.ring.create : !attn.ring<1 x !t>
  %o = attn.ring.create over(%a : !attn.ring<1 x !t>) : !attn.ring<1 x !w>
  attn.ctas %w in %c1 {
    %t = tensor.splat %y : !own
    scf.for %i = %c0 to %n step %c1 {
      %s = attn.ring.acquire %a : !attn.ring<1 x !t> -> !attn.slot<!t>
      %p = attn.ring.issue %s, %x[%i, %c0] by registers : !attn.slot<!t>, !v -> !attn.pending<!t>
      attn.ring.land %p : !attn.pending<!t>
      %r = attn.ring.wait %a : !attn.ring<1 x !t> -> !t
      attn.ring.release %a : !attn.ring<1 x !t>
      %so = attn.ring.acquire %o : !attn.ring<1 x !w> -> !attn.slot<!w>
      attn.ring.put %t into %so : !own into !attn.slot<!w>
      %full = attn.ring.wait %o : !attn.ring<1 x !w> -> !w
      %back = attn.convert_layout %full : !w to !across
      attn.ring.release %o : !attn.ring<1 x !w>
    }
  }
}
}
