// Units of FP8 of AMD GPUs: what they are written as, which products they are given, and what they refuse.
// RUN: split-file %s %t
// RUN: attn-opt %t/fnuz.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units))' | attn-opt | FileCheck %t/fnuz.mlir
// RUN: sed s/f8E4M3FNUZ/f8E5M2/g %t/fnuz.mlir | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn.kernel(attn-assign-units))' | FileCheck %t/fnuz.mlir --check-prefix=OCP

// FP8 of the other chip, weights in the order of NVIDIA's registers, and sizes that no instruction has.

// RUN: not attn-opt %t/fnuz.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn.kernel(attn-assign-units))' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'attn.dot' op expected operands that target "mi355x" multiplies, of f16, bf16, f8E4M3FN or f8E5M2, but got 'f8E4M3FNUZ'
// RUN: not attn-opt %t/interleaved.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units))' 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'attn.dot' op expected a product that #attn.mfma_f8<32x32x16, fnuz> can compute, but its left-hand sides are in the order of accumulators, not interleaved
// RUN: not attn-opt %t/columns.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units))' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: 'attn.dot' op expected a product that #attn.mfma_f8<32x32x16, fnuz> can compute, but columns are no multiple of 32
// RUN: not attn-opt %t/size.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: expected 32x32x16 or 16x16x32, but got 32x32x8
// RUN: not attn-opt %t/kind.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: expected 'fnuz'

//--- fnuz.mlir
// CHECK-LABEL: attn.kernel @wide
// CHECK: attn.dot {{.*}} transpose_rhs by(#attn.mfma_f8<32x32x16, fnuz>) :
// CHECK: attn.dot {{[^:]*}} by(#attn.mfma_f8<32x32x16, fnuz>) :
// OCP-LABEL: attn.kernel @wide
// OCP-COUNT-2: by(#attn.mfma_f8<32x32x16>) :
attn.kernel @wide(%q: !attn.view<?x64xf8E4M3FNUZ>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<128x64xf8E4M3FNUZ>
  %b = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<64x64xf8E4M3FNUZ>
  %s = attn.dot %a, %b, %zero transpose_rhs : tensor<128x64xf8E4M3FNUZ>, tensor<64x64xf8E4M3FNUZ> into tensor<128x64xf32>
  %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf8E4M3FNUZ>
  %o = attn.dot %p, %b, %zero : tensor<128x64xf8E4M3FNUZ>, tensor<64x64xf8E4M3FNUZ> into tensor<128x64xf32>
  attn.store %o, %y[%i, %i] : tensor<128x64xf32> -> <?x?xf32>
}
// Of 16 rows.
// CHECK-LABEL: attn.kernel @small
// CHECK: attn.dot {{.*}} transpose_rhs by(#attn.mfma_f8<16x16x32, fnuz>) :
attn.kernel @small(%q: !attn.view<?x64xf8E4M3FNUZ>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %a = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<16x64xf8E4M3FNUZ>
  %b = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<32x64xf8E4M3FNUZ>
  %s = attn.dot %a, %b, %zero transpose_rhs : tensor<16x64xf8E4M3FNUZ>, tensor<32x64xf8E4M3FNUZ> into tensor<16x32xf32>
  attn.store %s, %y[%i, %i] : tensor<16x32xf32> -> <?x?xf32>
}

//--- interleaved.mlir
attn.kernel @interleaved(%q: !attn.view<?x64xf8E4M3FNUZ>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %b = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<64x64xf8E4M3FNUZ>
  %x = attn.interleave %zero : tensor<128x64xf32> to tensor<128x64xf32>
  %p = arith.truncf %x : tensor<128x64xf32> to tensor<128x64xf8E4M3FNUZ>
  %o = attn.dot %p, %b, %zero transpose_rhs : tensor<128x64xf8E4M3FNUZ>, tensor<64x64xf8E4M3FNUZ> into tensor<128x64xf32>
  attn.store %o, %y[%i, %i] : tensor<128x64xf32> -> <?x?xf32>
}

//--- columns.mlir
attn.kernel @columns(%q: !attn.view<?x64xf8E4M3FNUZ>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<128x48xf32>
  %a = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<128x64xf8E4M3FNUZ>
  %b = attn.load %q[%i, %i] : <?x64xf8E4M3FNUZ> -> tensor<48x64xf8E4M3FNUZ>
  %s = attn.dot %a, %b, %zero transpose_rhs : tensor<128x64xf8E4M3FNUZ>, tensor<48x64xf8E4M3FNUZ> into tensor<128x48xf32>
  attn.store %s, %y[%i, %i] : tensor<128x48xf32> -> <?x?xf32>
}

//--- size.mlir
module attributes {unit = #attn.mfma_f8<32x32x8>} {}

//--- kind.mlir
module attributes {unit = #attn.mfma_f8<32x32x16, ocp>} {}
