// attn-stage-additions: additions that stay as they are, with a remark that says why.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-additions))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=a100},attn.kernel(attn-stage-additions))' -o /dev/null --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: remark: [Missed] additions | Category:attn-stage-additions | Function=roles | Remark="those who compute add, from registers: the target has no tensor maps"
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-additions{slots=0}))' 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: expected 1 to 64 slots, but got 0

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 64:(0, 8)]>
!t = tensor<64x32xf32, #acc>

// CHECK: remark: [Missed] additions | Category:attn-stage-additions | Function=alone | Remark="those who compute add, from registers: the kernel has no producer"
attn.kernel @alone(%sum: !attn.view<?x32xf32>) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : !t
    attn.accumulate %t, %sum[%i, %c0] atomic : !t -> <?x32xf32>
  }
}

// CHECK: Function=roles | Remark="those who compute add, from registers: several roles compute"
attn.kernel @roles(%sum: !attn.view<?x32xf32>) attributes {producer_warps = 4 : i64, roles = 2 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : !t
    attn.accumulate %t, %sum[%i, %c0] atomic : !t -> <?x32xf32>
  }
}

// CHECK: Function=plain | Remark="those who compute add, from registers: the tile is not in registers"
attn.kernel @plain(%sum: !attn.view<?x32xf32>) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : tensor<64x32xf32>
    attn.accumulate %t, %sum[%i, %c0] atomic : tensor<64x32xf32> -> <?x32xf32>
  }
}

// CHECK: Function=branch | Remark="those who compute add, from registers: it stands under a condition"
attn.kernel @branch(%sum: !attn.view<?x32xf32>, %b: i1) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : !t
    scf.if %b {
      attn.accumulate %t, %sum[%i, %c0] atomic : !t -> <?x32xf32>
    }
  }
}

// One of two cannot: both stay.
// CHECK: Function=rows | Remark="those who compute add, from registers: rows of the view are not known to be multiples of 16 bytes"
attn.kernel @rows(%sum: !attn.view<?x32xf32>, %odd: !attn.view<?x30xf32>) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : !t
    attn.accumulate %t, %sum[%i, %c0] atomic : !t -> <?x32xf32>
    attn.accumulate %t, %odd[%i, %c0] atomic : !t -> <?x30xf32>
  }
}

// CHECK: Function=rank | Remark="those who compute add, from registers: no tensor map has a box of its tile"
attn.kernel @rank(%sum: !attn.view<?x?x?x?x?x32xf32>) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : !t
    attn.accumulate %t, %sum[%c0, %c0, %c0, %c0, %i, %c0] atomic : !t -> <?x?x?x?x?x32xf32>
  }
}

// CHECK: Function=room | Remark="those who compute add, from registers: shared memory has no room for the tile"
attn.kernel @room(%sum: !attn.view<?x512xf32>) attributes {producer_warps = 4 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = attn.ring.create : !attn.ring<2 x tensor<64x512xbf16, #attn.shared<128>>>
  attn.grid (%i) visit %visit in (i = %c1) sharing [] {
    %t = arith.constant dense<1.0> : tensor<64x512xf32, #wide>
    attn.accumulate %t, %sum[%i, %c0] atomic : tensor<64x512xf32, #wide> -> <?x512xf32>
  }
}
