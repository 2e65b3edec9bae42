// attn-stage-loads: a tile that all visits of a persistent CTA read is copied in front of them, once, into one slot that is never given
// back; what depends on the visit has as many slots as are asked for. Level 3 is copied and computed by CTAs: what stands in front of the
// grid becomes theirs, ahead of the loop.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{resident-stages=3}))' -o %t.tensor
// RUN: FileCheck %s --input-file=%t.tensor
// RUN: attn-opt %t.tensor --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-materialize-grid))' | FileCheck %s --check-prefix=CTAS
// Where threads copy, they do so in each visit, as without the attribute.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-stage-loads{copy=async}))' | FileCheck %s --check-prefix=ASYNC

// CHECK-LABEL: attn.kernel @kept
// CHECK-DAG: %[[M:[^ ]+]] = attn.ring.create : <1 x tensor<64x64xbf16,
// CHECK-DAG: %[[X:[^ ]+]] = attn.ring.create : <3 x tensor<32x64xbf16,
// CHECK: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK: %[[S:[^ ]+]] = attn.ring.acquire %[[M]] :
// CHECK-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]], %{{[^[]+}}[%[[C0]], %[[C0]]]
// CHECK-NEXT: attn.ring.land %[[P]]
// CHECK-NEXT: %[[T:[^ ]+]] = attn.ring.wait %[[M]]
// CHECK: attn.grid
// CHECK: attn.ring.acquire %[[X]]
// CHECK: attn.dot %{{[^ ]+}}, %[[T]],
// CHECK-NOT: attn.ring.release %[[M]]
// CHECK: attn.ring.release %[[X]]
// CHECK-NOT: attn.ring.release %[[M]]
// CHECK: attn.return

// CTAS-LABEL: attn.kernel @kept
// CTAS-NOT: attn.ring.acquire
// CTAS: attn.ctas
// CTAS-NEXT: %[[S:[^ ]+]] = attn.ring.acquire
// CTAS-NEXT: %[[P:[^ ]+]] = attn.ring.issue %[[S]],
// CTAS-NEXT: attn.ring.land %[[P]]
// CTAS-NEXT: attn.ring.wait
// CTAS: scf.for
// CTAS: attn.ring.acquire

// ASYNC-LABEL: attn.kernel @kept
// ASYNC: attn.grid
// ASYNC-COUNT-2: attn.ring.acquire
// ASYNC-COUNT-2: attn.ring.release
attn.kernel @kept(%x: !attn.view<?x64xbf16>, %m: !attn.view<64x64xbf16>, %o: !attn.view<?x64xf32>) {
  %n = attn.dim %x, 0 : <?x64xbf16>
  %none = arith.constant dense<0.0> : tensor<32x64xf32>
  attn.grid (%i) visit %v in (i = %n) persistent 8 {
    %c0 = arith.constant 0 : index
    %t = attn.load %m[%c0, %c0] : <64x64xbf16> -> tensor<64x64xbf16>
    %s = attn.load %x[%i, %c0] : <?x64xbf16> -> tensor<32x64xbf16>
    %r = attn.dot %s, %t, %none : tensor<32x64xbf16>, tensor<64x64xbf16> into tensor<32x64xf32>
    attn.store %r, %o[%i, %c0] : tensor<32x64xf32> -> <?x64xf32>
  }
}

// -----

// With one CTA a tile, and where the tile depends on the visit, copies stay where they were.

// CHECK-LABEL: attn.kernel @single
// CHECK: attn.grid
// CHECK-COUNT-2: attn.ring.acquire
// CHECK-COUNT-2: attn.ring.release
attn.kernel @single(%x: !attn.view<?x64xbf16>, %m: !attn.view<64x64xbf16>, %o: !attn.view<?x64xf32>) {
  %n = attn.dim %x, 0 : <?x64xbf16>
  %none = arith.constant dense<0.0> : tensor<32x64xf32>
  attn.grid (%i) visit %v in (i = %n) {
    %c0 = arith.constant 0 : index
    %t = attn.load %m[%c0, %c0] : <64x64xbf16> -> tensor<64x64xbf16>
    %s = attn.load %x[%i, %c0] : <?x64xbf16> -> tensor<32x64xbf16>
    %r = attn.dot %s, %t, %none : tensor<32x64xbf16>, tensor<64x64xbf16> into tensor<32x64xf32>
    attn.store %r, %o[%i, %c0] : tensor<32x64xf32> -> <?x64xf32>
  }
}

// -----

// CHECK-LABEL: attn.kernel @depends
// CHECK-NOT: attn.ring.acquire
// CHECK: attn.grid
// CHECK-COUNT-2: attn.ring.acquire
// CHECK-COUNT-2: attn.ring.release
attn.kernel @depends(%x: !attn.view<?x64xbf16>, %m: !attn.view<?x64x64xbf16>, %o: !attn.view<?x64xf32>) {
  %n = attn.dim %x, 0 : <?x64xbf16>
  %none = arith.constant dense<0.0> : tensor<32x64xf32>
  attn.grid (%i) visit %v in (i = %n) persistent 8 {
    %c0 = arith.constant 0 : index
    %t = attn.load %m[%i, %c0, %c0] : <?x64x64xbf16> -> tensor<64x64xbf16>
    %s = attn.load %x[%i, %c0] : <?x64xbf16> -> tensor<32x64xbf16>
    %r = attn.dot %s, %t, %none : tensor<32x64xbf16>, tensor<64x64xbf16> into tensor<32x64xf32>
    attn.store %r, %o[%i, %c0] : tensor<32x64xf32> -> <?x64xf32>
  }
}
