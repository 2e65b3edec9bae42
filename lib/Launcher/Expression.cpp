//===- Expression.cpp - Expressions of a manifest -------------------------===//

#include "Expression.h"
#include "Failure.h"
#include "Manifest.h"
#include <algorithm>
#include <limits>

using namespace attn;

static const ExprSpelling operators[] = {
    {"add", ExprKind::Add, 2},         {"sub", ExprKind::Sub, 2},
    {"mul", ExprKind::Mul, 2},         {"floordiv", ExprKind::FloorDiv, 2},
    {"ceildiv", ExprKind::CeilDiv, 2}, {"rem", ExprKind::Rem, 2},
    {"min", ExprKind::Min, 2},         {"max", ExprKind::Max, 2},
    {"and", ExprKind::And, 2},         {"or", ExprKind::Or, 2},
    {"eq", ExprKind::Eq, 2},           {"ne", ExprKind::Ne, 2},
    {"lt", ExprKind::Lt, 2},           {"le", ExprKind::Le, 2},
    {"gt", ExprKind::Gt, 2},           {"ge", ExprKind::Ge, 2},
    {"select", ExprKind::Select, 3},
};

const ExprSpelling *attn::findOperator(const std::string &name) {
  for (const ExprSpelling &spelling : operators)
    if (name == spelling.name)
      return &spelling;
  return nullptr;
}

uint32_t Expression::append(const Node &node) {
  nodes.push_back(node);
  return nodes.size() - 1;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
/// Why an expression has no value.
struct NoValue {
  const char *why;
};
} // namespace

static int64_t divide(ExprKind kind, int64_t a, int64_t b) {
  if (b == 0)
    throw NoValue{"divides by 0"};
  if (a == std::numeric_limits<int64_t>::min() && b == -1) {
    if (kind == ExprKind::Rem)
      return 0;
    throw NoValue{"leaves 64 bits"};
  }
  int64_t quotient = a / b, rest = a % b;
  if (kind == ExprKind::Rem)
    return rest;
  if (kind == ExprKind::FloorDiv)
    return quotient - (rest != 0 && (rest < 0) != (b < 0));
  return quotient + (rest != 0 && (rest < 0) == (b < 0));
}

static int64_t combine(ExprKind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (kind) {
  case ExprKind::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case ExprKind::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case ExprKind::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case ExprKind::FloorDiv:
  case ExprKind::CeilDiv:
  case ExprKind::Rem:
    return divide(kind, a, b);
  case ExprKind::Min:
    return std::min(a, b);
  case ExprKind::Max:
    return std::max(a, b);
  case ExprKind::Eq:
    return a == b;
  case ExprKind::Ne:
    return a != b;
  case ExprKind::Lt:
    return a < b;
  case ExprKind::Le:
    return a <= b;
  case ExprKind::Gt:
    return a > b;
  case ExprKind::Ge:
    return a >= b;
  default:
    throw NoValue{"has an unknown operator"};
  }
  if (overflow)
    throw NoValue{"leaves 64 bits"};
  return result;
}

int64_t Expression::evaluateNode(uint32_t index, const BoundView *views) const {
  const Node &node = nodes[index];
  switch (node.kind) {
  case ExprKind::Number:
    return node.number;
  case ExprKind::Size:
    return views[node.operands[0]].sizes[node.operands[1]];
  case ExprKind::Stride:
    return views[node.operands[0]].strides[node.operands[1]];
  case ExprKind::Select:
    return evaluateNode(
        node.operands[evaluateNode(node.operands[0], views) ? 1 : 2], views);
  case ExprKind::And:
    return evaluateNode(node.operands[0], views) &&
           evaluateNode(node.operands[1], views);
  case ExprKind::Or:
    return evaluateNode(node.operands[0], views) ||
           evaluateNode(node.operands[1], views);
  default: {
    int64_t left = evaluateNode(node.operands[0], views);
    return combine(node.kind, left, evaluateNode(node.operands[1], views));
  }
  }
}

int64_t Expression::evaluate(const BoundView *views, const char *what,
                             unsigned variant, const StepSpec *step) const {
  try {
    return evaluateNode(nodes.size() - 1, views);
  } catch (const NoValue &failure) {
    fail(ATTN_ERROR_ARGUMENT,
         std::string(what) + " of variant " + std::to_string(variant) +
             (step ? ", kernel " + inQuotes(step->kernel) : "") + " " +
             failure.why + " for these sizes");
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static const char *spell(ExprKind kind) {
  if (kind == ExprKind::Size)
    return "size";
  if (kind == ExprKind::Stride)
    return "stride";
  for (const ExprSpelling &spelling : operators)
    if (spelling.kind == kind)
      return spelling.name;
  return "?";
}

std::string Expression::printNode(uint32_t index,
                                  const std::vector<ViewSpec> &views,
                                  const BoundView *bound) const {
  const Node &node = nodes[index];
  if (node.kind == ExprKind::Number)
    return std::to_string(node.number);
  std::string text = std::string(spell(node.kind)) + "(";
  if (node.kind == ExprKind::Size || node.kind == ExprKind::Stride) {
    text += views[node.operands[0]].name + ", " +
            std::to_string(node.operands[1]) + ")";
    if (bound)
      text += "=" + std::to_string(evaluateNode(index, bound));
    return text;
  }
  unsigned arity = node.kind == ExprKind::Select ? 3 : 2;
  for (unsigned i = 0; i < arity; ++i)
    text += (i ? ", " : "") + printNode(node.operands[i], views, bound);
  return text + ")";
}

std::string Expression::print(const std::vector<ViewSpec> &views,
                              const BoundView *bound) const {
  return empty() ? "" : printNode(nodes.size() - 1, views, bound);
}
