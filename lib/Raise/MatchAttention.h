//===- MatchAttention.h - Attention in an expression ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_MATCHATTENTION_H
#define ATTN_MLIR_LIB_RAISE_MATCHATTENTION_H

#include "Comprehension.h"
#include "Relayout.h"

namespace attn::raise {

/// Why something that looks like attention is not raised.
enum class Obstacle {
  None,
  /// It does not look like attention: no remark.
  NotAttention,
  Init,
  NoMaximum,
  Maximum,
  NoSum,
  Sum,
  Weights,
  Product,
  Operands,
  Users,
  HeadSizes,
  Types,
  EmptyRows,
  Scores,
};

struct Refusal {
  Obstacle obstacle = Obstacle::None;
  /// What was found, in words; and where.
  std::string found;
  mlir::Operation *at = nullptr;

  bool is(Obstacle other) const { return obstacle == other; }
  explicit operator bool() const { return obstacle != Obstacle::None; }
};

/// A tensor that an operand of a product is made from, by layouts, casts and
/// a factor.
struct Source {
  mlir::Value tensor;
  IndexForms forms;
  double scale = 1;

  bool contains(unsigned variable) const;
};
/// From the product's operand itself on.
using Path = llvm::SmallVector<Source>;

/// The softmax of a query's scores: exp(x - factor * maximum) / sum, or exp2.
struct Softmax {
  const Expr *maximum = nullptr, *sum = nullptr;
  double factor = 1;
  bool isBase2 = false;
};

/// A tensor of the program that is `scale` times the logarithm of the sum of
/// the exponentials of a query's scores.
struct LogSumExp {
  mlir::Value value;
  /// Variables of the attention that its dimensions hold.
  Groups groups;
  double scale = 1;
  /// What uses it between its operation and the attention's last one.
  llvm::SmallVector<mlir::Operation *> earlyUsers;
};

/// What was found. All expressions are of the comprehension.
struct AttentionMatch {
  mlir::Value root;
  IndexForms rootForms;
  /// The score of a query and a key, in natural units.
  const Expr *scores = nullptr;
  /// The product of queries and keys in it, and what its body multiplies with.
  const Expr *product = nullptr;
  double productScale = 1;
  Softmax softmax;
  std::optional<LogSumExp> lse;
  Path query, key, value;
  unsigned keyVariable = 0, qkVariable = 0, valueVariable = 0;
  /// Variables of queries and heads: of those, one is the query's.
  llvm::SmallVector<unsigned> batch, queryLike;
  /// Whether weights were narrower than f32 when they were multiplied.
  mlir::Type weightType;

  const Source &nearest(const Path &path) const { return path.front(); }
};

/// Finds that `root` is attention, or says why it is not.
Refusal matchAttention(Comprehension &c, mlir::Value root,
                       AttentionMatch &match);

/// Finds a LogSumExp from an operation on that uses what the softmax is made
/// of; may ask for a split. `root` is the attention's last operation.
std::optional<LogSumExp> matchLogSumExp(Comprehension &c,
                                        const Softmax &softmax,
                                        mlir::Operation *user,
                                        mlir::Operation *root);

/// Whether a tensor is made from exponentials, with no reduction between. Looks
/// at a bounded number of operations.
bool mayHoldExponentials(mlir::Value tensor);

/// Whether an operand of this contraction may hold exponentials. Looks at a
/// bounded number of operations.
bool mayHoldWeights(mlir::Operation *contraction);

/// The number itself, if it is one.
inline std::optional<double> asNumber(const Expr *expr) {
  if (expr && expr->kind == ExprKind::Number)
    return expr->number;
  return std::nullopt;
}

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_MATCHATTENTION_H
