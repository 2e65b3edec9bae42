//===- Expression.h - Expressions of a manifest ----------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_EXPRESSION_H
#define ATTN_LIB_LAUNCHER_EXPRESSION_H

#include <cstdint>
#include <string>
#include <vector>

namespace attn {

struct BoundView;
struct StepSpec;
struct ViewSpec;

enum class ExprKind : uint8_t {
  Number,
  Size,
  Stride,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Rem,
  Min,
  Max,
  And,
  Or,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Select
};

/// Name in a manifest and number of operands.
struct ExprSpelling {
  const char *name;
  ExprKind kind;
  unsigned arity;
};

/// The operators; null where `name` is none.
const ExprSpelling *findOperator(const std::string &name);

/// A tree in an array, operands before their operator and the root last.
class Expression {
public:
  struct Node {
    ExprKind kind;
    /// Indices of operands; of a leaf, view and dimension.
    uint32_t operands[3];
    int64_t number;
  };

  bool empty() const { return nodes.empty(); }
  size_t size() const { return nodes.size(); }
  uint32_t append(const Node &node);

  /// Throws where a number leaves 64 bits or a divisor is 0; the
  /// message starts with `what` and `variant`, and the step if there is one.
  /// `select`, `and` and `or` evaluate only what they need.
  int64_t evaluate(const BoundView *views, const char *what, unsigned variant,
                   const StepSpec *step = nullptr) const;

  /// For people: le(size(q, 2), 300). With `bound`, the sizes' values too.
  std::string print(const std::vector<ViewSpec> &views,
                    const BoundView *bound = nullptr) const;

private:
  int64_t evaluateNode(uint32_t index, const BoundView *views) const;
  std::string printNode(uint32_t index, const std::vector<ViewSpec> &views,
                        const BoundView *bound) const;

  std::vector<Node> nodes;
};

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_EXPRESSION_H
