//===- MatchMask.h - Masks in a score ---------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_MATCHMASK_H
#define ATTN_MLIR_LIB_RAISE_MATCHMASK_H

#include "MatchAttention.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"

namespace attn::raise {

/// Keys j that a query i sees: lower <= j - i - offset <= upper, where offset
/// is 0, or the number of keys less that of queries.
struct Band {
  std::optional<int64_t> lower, upper;
  bool bottomRight = false;

  bool isEverything() const { return !lower && !upper; }
};

/// A score, taken apart.
struct MaskedScore {
  /// Null where there is none.
  MaskInterface mask;
  /// Further conditions that all have to hold.
  llvm::SmallVector<const Expr *> keep;
  /// What is left of the score.
  const Expr *score = nullptr;
  /// Whether rows may have no key, and the program then has NaN.
  bool mayBeEmpty = false;
};

/// Takes off of a score what hides keys. `query` is the variable of queries, if
/// there is one.
Refusal matchMask(Comprehension &c, const AttentionMatch &match,
                  std::optional<unsigned> query, MaskedScore &result);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_MATCHMASK_H
