// The tuning files of the library are verified.
//
// RUN: for f in %source/tuning/*.mlir; do attn-opt $f | attn-opt -o /dev/null || exit 1; done
// RUN: attn-opt %source/tuning/h200.mlir | FileCheck %s
// RUN: attn-opt %source/tuning/h100.mlir | FileCheck %s --check-prefix=H100
// RUN: attn-opt %source/tuning/rtx4090.mlir | FileCheck %s --check-prefix=ADA
// H100-COUNT-4: rows 1 to 63
// ADA-COUNT-2: optimistic_max> variants [#attn.variant<"key>=246784", {{.*}}sawtooth = auto, optimistic_max>>]
// CHECK-COUNT-8: attn.tuned "attn.attention" of [f16, bf16]
