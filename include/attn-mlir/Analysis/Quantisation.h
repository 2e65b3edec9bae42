//===- Quantisation.h - What bytes a value do to transfers ------*- C++ -*-===//
//
// "FlashAttention on a Napkin", section 4.3, of a kernel as level 2 has it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_ANALYSIS_QUANTISATION_H
#define ATTN_MLIR_ANALYSIS_QUANTISATION_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include <optional>

namespace attn {

/// Element types of a kernel's tiles, and how transfers grow with their bytes.
struct Quantisation {
  /// The widest of the tiles that streams load, and of those that stay.
  mlir::Type streamed, staying;
  /// The exponent of memory in the least transfers (Equation 1): 1 / n where
  /// what the streamed tiles lack of the axes that are tiled forms n disjoint
  /// classes; 0 where they lack none.
  double beta;

  int64_t streamedBytes() const { return bytesOf(streamed); }
  int64_t stayingBytes() const { return bytesOf(staying); }
  /// How many times more the least transfers of what is streamed take with
  /// `bytes` a value: (bytes / q)^(1 + beta), of which the first factor is of
  /// what moves and the second of what fills the memory.
  double factorOf(double bytes) const;

private:
  static int64_t bytesOf(mlir::Type type) {
    return type.getIntOrFloatBitWidth() / 8;
  }
};

/// Nothing where no stream loads tiles, or the grid is index arithmetic.
std::optional<Quantisation> quantisationOf(KernelOp kernel);

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_QUANTISATION_H
