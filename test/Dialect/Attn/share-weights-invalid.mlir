// attn-share-weights: accumulators that fit, units that complete by themselves, memory that does not suffice, registers that do not.
// RUN: sed 's/VALUES/256/g' %S/Inputs/wide-values.mlir > %t.256.mlir
// RUN: sed 's/VALUES/512/g' %S/Inputs/wide-values.mlir > %t.512.mlir
// RUN: sed 's/VALUES/1024/g' %S/Inputs/wide-values.mlir > %t.1024.mlir
// RUN: attn-opt %t.256.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights))' | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring
// RUN: attn-opt %t.512.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units{products=none},attn-share-weights))' | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring
// RUN: attn-opt %t.512.mlir --pass-pipeline='builtin.module(attn-set-target{target=gb10},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights))' | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring
// NONE: attn.kernel @k

// RUN: attn-opt %t.512.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights{stages=4}))' --remarks-filter='attn-share-weights' -o %t 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring --input-file=%t
// MEMORY: remark: [Missed] shared-weights | Category:attn-share-weights | Function=k | Remark="shared memory has no room for what a second role would read:", available=232448, bytes={{[0-9]+}}

// RUN: attn-opt %t.1024.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights))' --remarks-filter='attn-share-weights' -o %t 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring --input-file=%t
// REGISTERS: remark: [Missed] shared-weights | Category:attn-share-weights | Function=k | Remark="accumulators exceed the registers of two roles, too:", registers=240, wanted=584

// Rows that are not scaled by one factor: what the second role would scale its columns by does not go through a ring.
// RUN: sed 's/VALUES/512/g; s/%%scaled = arith.mulf %%acc, %%b/%%w = arith.extf %%z : tensor<64x512xbf16> to tensor<64x512xf32> %%scaled = arith.mulf %%acc, %%w/' %S/Inputs/wide-values.mlir > %t.tile.mlir
// RUN: attn-opt %t.tile.mlir --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-columns,attn-assign-units,attn-share-weights))' --remarks-filter='attn-share-weights' -o %t 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=attn.ring --input-file=%t
// TILE: remark: [Missed] shared-weights | Category:attn-share-weights | Function=k | Remark="a second role would need what the first one computes:", operation=arith.mulf

// RUN: not attn-opt %t.512.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-share-weights{stages=65}))' 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected 1 to 64 stages, or 0 for the default, but got 65
