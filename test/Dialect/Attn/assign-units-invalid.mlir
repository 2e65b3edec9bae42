// attn-assign-units: products that no unit takes, kernels without products, bad options;
// units that there are not.
// RUN: split-file %s %t
// RUN: attn-opt %t/product.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units))' --remarks-filter='attn-assign.*' -o %t/h200.mlir 2>&1 | FileCheck %s --check-prefix=F32
// RUN: FileCheck %s --input-file=%t/h200.mlir --check-prefix=NONE --implicit-check-not='by('
// F32: product.mlir:{{.*}}: remark: [Missed] unit | Category:attn-assign-units | Function=f32 | Remark="operands are not of f16 or bf16"
// NONE: attn.dot
// The CPU has no matrix units.
// RUN: attn-opt %t/product.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-assign-units))' --remarks-filter='attn-assign.*' -o %t/cpu.mlir 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: FileCheck %s --input-file=%t/cpu.mlir --check-prefix=NONE --implicit-check-not='by('
// CPU: Remark="the target has no matrix units"
// RUN: attn-opt %t/empty.mlir -o %t/empty.before
// RUN: attn-opt %t/empty.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-assign-units))' --remarks-filter='attn-assign.*' -o %t/empty.after 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: diff %t/empty.before %t/empty.after
// EMPTY: remark: [Missed] unit | Category:attn-assign-units | Function=empty | Remark="no products"

// RUN: not attn-opt %t/product.mlir --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=-1}))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: product.mlir:1:1: error: expected 1 to 32 warps, or 0 for the default, but got -1
// RUN: not attn-opt %t/product.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn.kernel(attn-assign-units{warps=17}))' 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: product.mlir:1:1: error: expected 1 to 16 warps, or 0 for the default, but got 17

// RUN: not attn-opt %t/float8.mlir --pass-pipeline='builtin.module(attn-set-target{target=rtx4090},attn.kernel(attn-assign-units{mx-products}))' 2>&1 | FileCheck %s --check-prefix=MX
// MX: float8.mlir:1:1: error: 'attn.kernel' op expected a target with the capability 'mma.sync.mx' for #attn.mma_sync_mx, but got "rtx4090" with ["nvvm", "mma.sync", "mma.sync.f8", "ldmatrix", "cp.async"]
// RUN: attn-opt %t/product.mlir --pass-pipeline='builtin.module(attn-set-target{target=rtx4090},attn.kernel(attn-assign-units{mx-products}))' | FileCheck %s --check-prefix=NONE --implicit-check-not='by('

// RUN: not attn-opt %t/size.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: size.mlir:1:{{.*}}: error: expected 32x32x8, 32x32x16, 16x16x16 or 16x16x32, but got 32x32x4
// RUN: not attn-opt %t/shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: shape.mlir:1:{{.*}}: error: expected rows x columns x depth with as many rows as columns
// RUN: not attn-opt %t/unit.mlir 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: unit.mlir:2:{{.*}}: error: custom op 'attn.dot' expected a matrix unit, as #attn.mma_sync is, but got #attn.causal<top_left>

//--- product.mlir
attn.kernel @f32(%y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = attn.dot %zero, %zero, %zero transpose_rhs : tensor<64x64xf32>, tensor<64x64xf32> into tensor<64x64xf32>
  attn.store %d, %y[%i, %i] : tensor<64x64xf32> -> <?x?xf32>
}

//--- float8.mlir
attn.kernel @float8(%q: !attn.view<?x64xf8E4M3FN>, %y: !attn.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = attn.load %q[%i, %i] : <?x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %s = attn.dot %a, %a, %zero transpose_rhs : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> into tensor<64x64xf32>
  attn.store %s, %y[%i, %i] : tensor<64x64xf32> -> <?x?xf32>
}

//--- empty.mlir
attn.kernel @empty() {
}

//--- size.mlir
module attributes {unit = #attn.mfma<32x32x4>} {}

//--- shape.mlir
module attributes {unit = #attn.mfma<32x16x8>} {}

//--- unit.mlir
func.func @unit(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = attn.dot %a, %a, %a by(#attn.causal<top_left>) : tensor<64x64xf32>, tensor<64x64xf32> into tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
