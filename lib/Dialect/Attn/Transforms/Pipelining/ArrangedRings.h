//===- ArrangedRings.h - Rings filled out of others -------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_ARRANGEDRINGS_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_ARRANGEDRINGS_H

#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// What arranges a tile for products, which take nothing else of it, or null.
ArrangeOp arrangementOf(LoadOp load);

/// The type of a ring of what is arranged.
RingType ringOf(ArrangeOp op, int64_t stages);

/// Fills a ring out of `rows` from the insertion point on, which is in the
/// producer of a stream, clearing rows from number `end` on (null: none), and
/// has products read it. It is made, of `stages` stages, where none is filled
/// out of `rows` yet.
void stageArrangement(mlir::RewriterBase &rewriter, ArrangeOp op,
                      mlir::Value rows, mlir::Value end, int64_t stages);

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_ARRANGEDRINGS_H
