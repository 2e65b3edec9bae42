// attn-stage-loads, wide-panels: tiles in panels of 128 bytes, of which the last is in part empty. Where
// rows are whole panels of that width, or what fills rings are threads, nothing changes.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{wide-panels}))' | FileCheck %s --check-prefixes=CHECK,WIDE
// 16 KB have room for two stages of narrow panels alone.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200 overrides=smem_per_block=16384},attn.kernel(attn-stage-loads{wide-panels}))' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads))' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{wide-panels copy=async}))' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-stage-loads{wide-panels}))' | FileCheck %s --check-prefix=AMD

// Panels of 64 bytes become wide where rows are no multiple of 32 bytes, as those of 88 elements.
// NARROW-DAG: #[[PANELS:shared[0-9]*]] = #attn.shared<32>
// NARROW-DAG: #[[SECTORS:shared[0-9]*]] = #attn.shared<64>
// WIDE-DAG: #[[PANELS:shared[0-9]*]] = #attn.shared<128>
// WIDE-DAG: #[[SECTORS:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @odd
// CHECK: attn.ring.create : <2 x tensor<32x80xbf16, #[[PANELS]]>>
// AMD-NOT: #attn.shared<128>
// AMD: attn.ring.create
attn.kernel @odd(%v: !attn.view<?x72xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %v, 0 : !attn.view<?x72xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x80xf32>
  %p = arith.constant dense<1.0> : tensor<64x32xbf16>
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.stream %j step 32 over [%c0 to %n] carry (%a = %zero : tensor<64x80xf32>) {
      %t = attn.load %v[%j, %c0] : !attn.view<?x72xbf16> -> tensor<32x80xbf16>
      %d = attn.dot %p, %t, %a : tensor<64x32xbf16>, tensor<32x80xbf16> into tensor<64x80xf32>
      attn.yield %d : tensor<64x80xf32>
    }
    attn.store %r, %o[%i, %c0] : tensor<64x80xf32> -> !attn.view<?x?xf32>
  }
}

// CHECK-LABEL: attn.kernel @half_sectors
// WIDE: attn.ring.create : <2 x tensor<32x96xbf16, #[[PANELS]]>>
// NARROW: attn.ring.create : <2 x tensor<32x96xbf16, #[[SECTORS]]>>
attn.kernel @half_sectors(%v: !attn.view<?x88xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %v, 0 : !attn.view<?x88xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %p = arith.constant dense<1.0> : tensor<64x32xbf16>
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.stream %j step 32 over [%c0 to %n] carry (%a = %zero : tensor<64x96xf32>) {
      %t = attn.load %v[%j, %c0] : !attn.view<?x88xbf16> -> tensor<32x96xbf16>
      %d = attn.dot %p, %t, %a : tensor<64x32xbf16>, tensor<32x96xbf16> into tensor<64x96xf32>
      attn.yield %d : tensor<64x96xf32>
    }
    attn.store %r, %o[%i, %c0] : tensor<64x96xf32> -> !attn.view<?x?xf32>
  }
}

// CHECK-LABEL: attn.kernel @sectors
// CHECK: attn.ring.create : <2 x tensor<32x96xbf16, #[[SECTORS]]>>
attn.kernel @sectors(%v: !attn.view<?x96xbf16>, %o: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = attn.dim %v, 0 : !attn.view<?x96xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %p = arith.constant dense<1.0> : tensor<64x32xbf16>
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.stream %j step 32 over [%c0 to %n] carry (%a = %zero : tensor<64x96xf32>) {
      %t = attn.load %v[%j, %c0] : !attn.view<?x96xbf16> -> tensor<32x96xbf16>
      %d = attn.dot %p, %t, %a : tensor<64x32xbf16>, tensor<32x96xbf16> into tensor<64x96xf32>
      attn.yield %d : tensor<64x96xf32>
    }
    attn.store %r, %o[%i, %c0] : tensor<64x96xf32> -> !attn.view<?x?xf32>
  }
}
