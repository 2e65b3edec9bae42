//===- Passes.h - Passes that schedule --------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PASSES_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PASSES_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "mlir/Pass/Pass.h"

ATTN_LIST_VALUES(attn::Additions);
ATTN_LIST_VALUES(attn::CopyKind);
ATTN_LIST_VALUES(attn::Products);
ATTN_LIST_VALUES(attn::RoundedSums);
ATTN_LIST_VALUES(attn::TraversalOrder);
ATTN_LIST_VALUES(attn::WholeLines);

namespace attn {
/// The largest `lead` of attn-optimistic-max, in binades: what is left of f32's
/// range below is that of weights of 2^-46.
constexpr int64_t kMostLead = 80;

#define GEN_PASS_DECL
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PASSES_H
