// attn-split-columns: kernels whose tiles are narrow stay as they are; operations that columns do not go through one by one are errors.
// RUN: sed -n '/^\/\/ NARROW$/,$p' %s > %t.narrow
// RUN: attn-opt %t.narrow -o %t.before
// RUN: attn-opt %t.narrow --pass-pipeline='builtin.module(attn.kernel(attn-split-columns))' | diff %t.before -

// RUN: sed 's/WIDTH/320/g' %S/Inputs/wide-sum.mlir | not attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-split-columns))' -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'attn.reduce' op expected tiles of at most 256 columns, or an operation on wider ones that takes panels of columns one by one
// RUN: sed 's/WIDTH/256/g' %S/Inputs/wide-sum.mlir | attn-opt --pass-pipeline='builtin.module(attn.kernel(attn-split-columns))' -o /dev/null

// NARROW
attn.kernel @narrow(%n: index, %a: !attn.view<?x256xbf16>, %c: !attn.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %x = attn.load %a[%i, %c0] : <?x256xbf16> -> tensor<64x256xbf16>
    %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x256xbf16>, tensor<64x256xbf16> into tensor<64x64xf32>
    attn.store %dot, %c[%i, %c0] : tensor<64x64xf32> -> <?x64xf32>
  }
}
