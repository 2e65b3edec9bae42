// attn-assign-units{mx-products}: products of FP8 by instructions with scales of blocks, where that is asked for; a product of 16 bits
// beside them as ever.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-assign-units{mx-products}))' -o %t
// RUN: FileCheck %s --input-file=%t --check-prefixes=CHECK,MX
// Products that have them keep them.
// RUN: attn-opt %t --pass-pipeline='builtin.module(attn.kernel(attn-assign-units))' | diff %t -
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-assign-units))' | FileCheck %s --check-prefixes=CHECK,PLAIN

// CHECK-LABEL: attn.kernel @float8
// CHECK-SAME: threads = 128
// MX: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync_mx) : tensor<64x64xf8E4M3FN>
// PLAIN: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync_f8) : tensor<64x64xf8E4M3FN>
// MX: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync_mx) : tensor<64x64xf8E5M2>
// PLAIN: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync_f8) : tensor<64x64xf8E5M2>
attn.kernel @float8(%q: !attn.view<?x64xf8E4M3FN>, %k: !attn.view<?x64xf8E5M2>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = attn.load %q[%i, %i] : <?x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %b = attn.load %k[%i, %i] : <?x64xf8E5M2> -> tensor<64x64xf8E5M2>
  %s = attn.dot %a, %a, %zero transpose_rhs : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> into tensor<64x64xf32>
  %t = attn.dot %b, %b, %s transpose_rhs : tensor<64x64xf8E5M2>, tensor<64x64xf8E5M2> into tensor<64x64xf32>
  attn.store %t, %y[%i, %i] : tensor<64x64xf32> -> <?x?xf32>
}

// CHECK-LABEL: attn.kernel @wide
// CHECK: attn.dot {{.*}} transpose_rhs by(#attn.mma_sync) :
attn.kernel @wide(%q: !attn.view<?x64xbf16>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = attn.load %q[%i, %i] : <?x64xbf16> -> tensor<64x64xbf16>
  %s = attn.dot %a, %a, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
  attn.store %s, %y[%i, %i] : tensor<64x64xf32> -> <?x?xf32>
}
