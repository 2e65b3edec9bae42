//===- Passes.h - Conversions out of the dialect ----------------*- C++ -*-===//

#ifndef ATTN_MLIR_CONVERSION_PASSES_H
#define ATTN_MLIR_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

/// The function `attn_ring_error(ring, error)` that kernels lowered by
/// attn-sequentialize-rings call where they breach the protocol of a ring, the
/// number of which in its kernel they give.
constexpr llvm::StringLiteral kRingError = "attn_ring_error";

/// What is wrong with the use of a ring.
enum class RingError {
  /// A slot is acquired, but `ahead` is not the number of slots that were
  /// acquired and not released.
  AcquiredOutOfTurn,
  /// Copies land in another order than their slots were acquired in.
  LandedOutOfTurn,
  /// A slot is waited for that no copy landed in.
  WaitedEmpty,
  /// A slot is released that was not waited for.
  ReleasedUnread,
  /// A tile is used after its slot was released.
  UsedReleased,
  /// A copy lands from registers while all slots in memory are in use.
  LandedOccupied,
  /// A slot is acquired where a ring in the same memory (`over`) has one.
  AcquiredShared,
};

#define GEN_PASS_DECL
#include "attn-mlir/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Conversion/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_PASSES_H
