// attn-assign-units: the fastest unit of the target for each product, one family of
// layouts for a kernel, and the warps that go with it.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units))' --remarks-filter='attn-assign.*' -o %t.h200 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.h200 --check-prefix=HOPPER
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=scores}))' | FileCheck %s --check-prefix=SCORES
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=none}))' | FileCheck %s --check-prefixes=WARPS4,WARP
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-assign-units))' | FileCheck %s --check-prefixes=WARPS4,WARP
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units))' | FileCheck %s --check-prefix=AMD
// Warps that are asked for: with other than 16 rows each a warpgroup multiplies nothing.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{warps=2}))' --remarks-filter='attn-assign.*' -o %t.two 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: FileCheck %s --input-file=%t.two --check-prefixes=WARPS2,WARP
// What has units keeps its warps.
// RUN: attn-opt %t.h200 --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=2}))' | diff %t.h200 -

// REMARK: remark: [Passed] unit | Category:attn-assign-units | Function=wide | Remark="products have a matrix unit:", products=2, unit=#attn.wgmma, warps=8, warps-from=default
// REMARK: remark: [Passed] unit | {{.*}} Function=narrow | {{.*}} products=1, unit=#attn.wgmma, warps=4
// REMARK: remark: [Passed] unit | {{.*}} Function=narrow | {{.*}} products=1, unit=#attn.mma_sync, warps=4
// ASKED: Function=wide | {{.*}} products=2, unit=#attn.mma_sync, warps=2, warps-from=option

// HOPPER-LABEL: attn.kernel @wide
// HOPPER-SAME: threads = 256
// HOPPER: attn.dot {{.*}} transpose_rhs by(#attn.wgmma) :
// HOPPER: attn.dot {{[^:]*}} by(#attn.wgmma) :
// SCORES-LABEL: attn.kernel @wide
// SCORES-SAME: threads = 256
// SCORES: attn.dot {{.*}} transpose_rhs by(#attn.wgmma) :
// SCORES: attn.dot {{[^:]*}} by(#attn.mma_sync) :
// WARPS4-LABEL: attn.kernel @wide
// WARPS4-SAME: threads = 128
// WARPS2: attn.kernel @wide
// WARPS2-SAME: threads = 64
// WARP: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync) :
// WARP: attn.dot {{[^:]*}} by(#attn.mma_sync) :
// AMD-LABEL: attn.kernel @wide
// AMD-SAME: threads = 256
// AMD: attn.dot {{.*}} transpose_rhs by(#attn.mfma<32x32x8>) :
// AMD: attn.dot {{[^:]*}} by(#attn.mfma<32x32x8>) :
attn.kernel @wide(%q: !attn.view<?x64xbf16>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = attn.load %q[%i, %i] : <?x64xbf16> -> tensor<128x64xbf16>
  %b = attn.load %q[%i, %i] : <?x64xbf16> -> tensor<64x64xbf16>
  %s = attn.dot %a, %b, %zero transpose_rhs : tensor<128x64xbf16>, tensor<64x64xbf16> into tensor<128x64xf32>
  %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
  %o = attn.dot %p, %b, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> into tensor<128x64xf32>
  attn.store %o, %y[%i, %i] : tensor<128x64xf32> -> <?x?xf32>
}

// A product that only the slower unit takes, of the same layouts on Hopper: more columns
// than wgmma has. On MI300X one product of 48 columns is enough for all to have small
// blocks.
// HOPPER-LABEL: attn.kernel @narrow
// HOPPER-SAME: threads = 128
// HOPPER: attn.dot {{.*}} transpose_rhs by(#attn.wgmma) :
// HOPPER: attn.dot {{[^:]*}} by(#attn.mma_sync) :
// AMD-LABEL: attn.kernel @narrow
// AMD: attn.dot {{.*}} transpose_rhs by(#attn.mfma<16x16x16>) :
// AMD: attn.dot {{[^:]*}} by(#attn.mfma<16x16x16>) :
attn.kernel @narrow(%q: !attn.view<?x64xbf16>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %wide = arith.constant dense<0.0> : tensor<64x272xf32>
  %a = attn.load %q[%i, %i] : <?x64xbf16> -> tensor<64x64xbf16>
  %b = attn.load %q[%i, %i] : <?x64xbf16> -> tensor<64x272xbf16>
  %s = attn.dot %a, %a, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  %o = attn.dot %p, %b, %wide : tensor<64x64xbf16>, tensor<64x272xbf16> into tensor<64x272xf32>
  attn.store %o, %y[%i, %i] : tensor<64x272xf32> -> <?x?xf32>
}
