//===- StagesInRegisters.h - Copies under way in registers ------*- C++ -*-===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOSCF_STAGESINREGISTERS_H
#define ATTN_LIB_CONVERSION_ATTNTOSCF_STAGESINREGISTERS_H

#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"

namespace attn {

/// Whether copies into a ring for the next visit stay in registers until the
/// slot of this one is free.
bool hasStagesInRegisters(mlir::Value ring);

/// Whether copies into a ring that a stream fills are issued at the start of a
/// visit, for another, and land behind its body: those that stay in registers,
/// and those straight to LDS where the body reads one tile a visit and then
/// gives its slot back.
bool isIssuedEarly(mlir::Value ring, StreamOp stream);

/// Fails, after a diagnostic, unless the copies of one visit can stay in
/// registers, until the body has released the slot that they land in.
mlir::LogicalResult checkStagesInRegisters(StreamOp stream);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOSCF_STAGESINREGISTERS_H
