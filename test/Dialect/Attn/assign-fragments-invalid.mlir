// attn-assign-fragments: kernels without tiles are left as they are, with a remark;
// bad options; tiles that no warps can hold.
// RUN: split-file %s %t

// RUN: attn-opt %t/none.mlir -o %t/none.before
// RUN: attn-opt %t/none.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-assign-fragments))' -o %t/none.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: diff %t/none.before %t/none.after
// NONE: none.mlir:1:1: remark: [Missed] warps | Category:attn-assign-fragments | Function=empty | Remark="no tiles without a layout"
// NONE: none.mlir:3:1: remark: [Missed] warps | Category:attn-assign-fragments | Function=assigned | Remark="no tiles without a layout"

// RUN: not attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=-1},attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=33},attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=3},attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=8},attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=4},attn-assign-fragments))' | FileCheck %s --check-prefix=MOST
// RUN: not attn-opt %t/tile.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{threads=128},attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=OPTION
// NEGATIVE: tile.mlir:1:1: error: expected 1 to 32 warps, or 0 for the default, but got -1
// MANY: tile.mlir:1:1: error: expected 1 to 32 warps, or 0 for the default, but got 33
// UNEVEN: tile.mlir:1:1: error: expected 1 to 32 warps of a multiple of 16 rows each, but got 3 warps for 64 rows
// FEW: tile.mlir:1:1: error: expected 1 to 32 warps of a multiple of 16 rows each, but got 8 warps for 64 rows
// MOST: threads = 128
// OPTION: error: {{.*}}no such option threads

// RUN: attn-opt %t/tiles.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-assign-fragments))'

// RUN: not attn-opt %t/scalar.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-fragments))' 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:2:8: error: 'arith.constant' op expected tiles of rank 1 or 2, but got 'tensor<f32>'

//--- none.mlir
attn.kernel @empty() {
}
attn.kernel @assigned(%o: !attn.view<?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>>
  attn.store %t, %o[%i] : tensor<32xf32, #attn.fragment<threads [32:(1)], registers []>> -> <?xf32>
}

//--- tile.mlir
attn.kernel @tile(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<64x8xf32>
  attn.store %t, %o[%i, %i] : tensor<64x8xf32> -> <?x?xf32>
}

//--- scalar.mlir
attn.kernel @scalar(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<f32>
  %u = arith.constant dense<1.0> : tensor<16x8xf32>
  attn.store %u, %o[%i, %i] : tensor<16x8xf32> -> <?x?xf32>
}

//--- tiles.mlir
attn.kernel @rows(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<64x8xf32>
  // expected-error @below {{'arith.constant' op expected tiles of 64 rows, as the others of the kernel, but got 'tensor<32x8xf32>'}}
  %u = arith.constant dense<1.0> : tensor<32x8xf32>
  attn.store %u, %o[%i, %i] : tensor<32x8xf32> -> <?x?xf32>
}

// -----

// Also of one value a row.
attn.kernel @values(%o: !attn.view<?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<64x8xf32>
  // expected-error @below {{'arith.constant' op expected tiles of 64 rows, as the others of the kernel, but got 'tensor<16xf32>'}}
  %u = arith.constant dense<1.0> : tensor<16xf32>
  attn.store %u, %o[%i] : tensor<16xf32> -> <?xf32>
}

// -----

attn.kernel @columns(%o: !attn.view<?x?xf32>, %i: index) {
  // expected-error @below {{'arith.constant' op expected tiles with a multiple of 8 columns, but got 'tensor<16x12xf32>'}}
  %t = arith.constant dense<1.0> : tensor<16x12xf32>
  attn.store %t, %o[%i, %i] : tensor<16x12xf32> -> <?x?xf32>
}

// -----

attn.kernel @rank(%o: !attn.view<?x?x?xf32>, %i: index) {
  // expected-error @below {{'arith.constant' op expected tiles of rank 1 or 2, but got 'tensor<16x16x16xf32>'}}
  %t = arith.constant dense<1.0> : tensor<16x16x16xf32>
  attn.store %t, %o[%i, %i, %i] : tensor<16x16x16xf32> -> <?x?x?xf32>
}

// -----

// expected-error @below {{expected 1 to 32 warps of a multiple of 16 rows each, but got 1 warps for 24 rows}}
attn.kernel @uneven(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<24x8xf32>
  attn.store %t, %o[%i, %i] : tensor<24x8xf32> -> <?x?xf32>
}

// -----

// expected-error @below {{expected 1 to 32 warps of a multiple of 16 rows each, but got 1 warps for 8 rows}}
attn.kernel @few(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<8x8xf32>
  attn.store %t, %o[%i, %i] : tensor<8x8xf32> -> <?x?xf32>
}

// -----

// Threads would hold other elements of it: one value is all that a constant has.
attn.kernel @varies(%o: !attn.view<?xf32>, %i: index) {
  // expected-error-re @below {{'arith.constant' op expected {{.*}}}}
  %t = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
  attn.store %t, %o[%i] : tensor<16xf32> -> <?xf32>
}
