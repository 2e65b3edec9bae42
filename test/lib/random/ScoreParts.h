//===- ScoreParts.h - Score modifications by a small grammar ----*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_SCOREPARTS_H
#define ATTN_MLIR_TEST_LIB_SCOREPARTS_H

#include "Random.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace attn_random {

/// Where a part of a modification acts: a condition on indices.
struct Condition {
  enum Kind {
    KeyBelow,
    KeyFrom,
    DistanceBelow,
    QueryBelow,
    EveryNth,
    OddHead,
    NumKinds
  } kind = KeyBelow;
  int64_t number = 1;
};

/// One step from a score to a score. All are continuous in the score, so that
/// its rounding is not made larger than it is.
struct ScorePart {
  enum Kind {
    /// s + number * (key - query)
    Bias,
    /// The same, with a slope of its own for each head.
    HeadBias,
    /// number where the condition holds
    Select,
    /// s + number where the condition holds
    Add,
    /// number * tanh(s / number)
    SoftCap,
    /// min(max(s, -number), number)
    Clamp,
    /// number * s
    Multiply,
    /// exp(min(s, 2))
    Exponential,
    /// log1p(|s|)
    Logarithm,
    /// -sqrt(s * s + 1)
    SquareRoot,
    NumKinds
  } kind = Bias;
  Condition condition;
  float number = 1;
  /// Whether `number` is a scalar argument, not a constant.
  bool captured = false;

  bool hasCondition() const { return kind == Select || kind == Add; }
  bool hasNumber() const { return kind < Exponential; }
  /// Whether a score that is exact stays so.
  bool keepsExact() const { return kind == Select; }
  /// A bound on |s| from one on |s| before.
  double reach(double before, double longest) const;
  /// Prints operations from the score `in` to the value that is returned;
  /// `prefix` makes names unique. `capture` names the scalar argument.
  std::string print(llvm::raw_ostream &os, const std::string &prefix,
                    const std::string &in, const std::string &capture) const;
};

/// `limit` bounds the magnitude; `extent` is about as long as the sequences.
ScorePart makeScorePart(Random &random, double limit, int64_t extent);

/// A float as MLIR reads it, every bit of it.
std::string exact(float number);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_SCOREPARTS_H
