// attn-stage-loads: a left-hand side that is computed and transposed goes through a ring of one slot, which those who
// compute it fill as soon as it is there. attn-assign-fragments: more warps than the product has blocks of rows share
// its columns.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=all},attn-stage-loads,attn-assign-fragments))' | FileCheck %s
// A unit that takes no transposed left-hand side (NONE), and warps that cannot share the columns (WARPS).
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units))' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'attn.dot' op expected a product that #attn.mfma<16x16x16> can compute, but it takes no transposed left-hand side
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{warps=24}))' 2>&1 | FileCheck %s --check-prefix=WARPS
// Halves of 96 columns begin in the middle of a panel of the keys, from which wgmma cannot read (PANELS); of 64 they lie in one (HALVES).
// RUN: sed 's/128x128/128x96/g; s/64x128/64x96/g; s/?x128/?x96/g' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=all}))' | FileCheck %s --check-prefix=PANELS
// PANELS-COUNT-2: by(#attn.wgmma)
// PANELS: transpose_lhs by(#attn.mma_sync)
// RUN: sed 's/128x128/128x64/g; s/64x128/64x64/g; s/?x128/?x64/g' %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=all}))' | FileCheck %s --check-prefix=HALVES
// HALVES: transpose_lhs by(#attn.wgmma)
// WARPS: error: 'attn.dot' op expected a product that #attn.mma_sync can compute, but

// CHECK-DAG: #[[SHARED:.*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0), 2:(0, 64)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// CHECK-LABEL: attn.kernel @k
// CHECK: %[[RING:.*]] = attn.ring.create : <1 x tensor<128x64xbf16, #{{.*}}>>
// CHECK: attn.stream
// CHECK: %[[DX:.*]] = arith.truncf
// CHECK-NEXT: %[[SLOT:.*]] = attn.ring.acquire %[[RING]]
// CHECK-NEXT: attn.ring.put %[[DX]] into %[[SLOT]]
// CHECK: attn.dot %[[DX]], {{.*}} by(#attn.wgmma)
// CHECK: %[[ALL:.*]] = attn.ring.wait %[[RING]]
// CHECK-NEXT: %[[SUM:.*]] = attn.dot %[[ALL]], %{{.*}}, %{{.*}} transpose_lhs by(#attn.wgmma) : {{.*}} into tensor<64x128xf32, #[[SHARED]]>
// CHECK-NEXT: attn.ring.release %[[RING]]
// CHECK-NEXT: attn.accumulate %[[SUM]]
// The memory of the keys, which all warps read, is lent to the store when all are done with it.
// CHECK: attn.barrier
// CHECK-NEXT: attn.store {{.*}}, %dk{{.*}} through
attn.kernel @k(%q: !attn.view<?x128xbf16>, %k: !attn.view<?x128xbf16>, %dk: !attn.view<?x128xbf16>, %sum: !attn.view<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = attn.dim %q, 0 : <?x128xbf16>
  attn.grid (%i) visit %v in (i = %c1) sharing [] {
    %keys = attn.load %k[%i, %c0] : <?x128xbf16> -> tensor<128x128xbf16>
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %dks = attn.stream %pos step 64 over [%c0 to %n] carry (%c = %none : tensor<128x128xf32>) {
      %queries = attn.load %q[%pos, %c0] : <?x128xbf16> -> tensor<64x128xbf16>
      %zero = arith.constant dense<0.0> : tensor<128x64xf32>
      %s = attn.dot %keys, %queries, %zero transpose_rhs : tensor<128x128xbf16>, tensor<64x128xbf16> into tensor<128x64xf32>
      %x = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %next = attn.dot %x, %queries, %c : tensor<128x64xbf16>, tensor<64x128xbf16> into tensor<128x128xf32>
      %start = arith.constant dense<0.0> : tensor<64x128xf32>
      %dq = attn.dot %x, %keys, %start transpose_lhs : tensor<128x64xbf16>, tensor<128x128xbf16> into tensor<64x128xf32>
      attn.accumulate %dq, %sum[%pos, %c0] atomic : tensor<64x128xf32> -> <?x128xf32>
      attn.yield %next : tensor<128x128xf32>
    }
    %rounded = arith.truncf %dks : tensor<128x128xf32> to tensor<128x128xbf16>
    attn.store %rounded, %dk[%i, %c0] : tensor<128x128xbf16> -> <?x128xbf16>
  }
}
