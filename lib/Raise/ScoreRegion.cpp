//===- ScoreRegion.cpp - Expressions as regions ---------------------------===//

#include "ScoreRegion.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::raise;

/// Functions that all lowerings have.
static bool isKnownCall(StringRef name) {
  static constexpr StringRef kFunctions[] = {
      "math.exp",  "math.exp2", "math.tanh", "math.log",
      "math.log2", "math.absf", "math.sqrt", "math.rsqrt"};
  return name.starts_with("arith.") || llvm::is_contained(kFunctions, name);
}

Value RegionEmitter::capturable(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return element.isIntOrIndexOrFloat() ? value : Value();
  if (tensor.getRank() == 0)
    return tensor::ExtractOp::create(b, loc, value, ValueRange());
  if (element.isInteger(1))
    return mapElements(
        b, loc, value, b.getI8Type(), [&](OpBuilder &b, Value x) -> Value {
          return arith::ExtUIOp::create(b, loc, b.getI8Type(), x);
        });
  bool isRead = element.isInteger(8) || element.isInteger(32) ||
                element.isInteger(64) || element.isF16() || element.isBF16() ||
                element.isF32();
  return isRead ? value : Value();
}

const Expr *RegionEmitter::asEmitted(const Expr *expr, const Expr *score) {
  constexpr unsigned kMostNodes = 12;
  if (expr->kind == ExprKind::Read || c.depends(expr, score))
    return expr;
  const Expr *origin = c.origins.lookup(expr);
  if (!origin || origin->value.getDefiningOp() == nullptr)
    return expr;
  unsigned numNodes = 0;
  bool isEmittable = true;
  c.walk(expr, [&](const Expr *inner) {
    ++numNodes;
    isEmittable &= !inner->isReduction() && !inner->type.isF64() &&
                   (inner->kind != ExprKind::Call || isKnownCall(inner->name));
  });
  return isEmittable && numNodes <= kMostNodes ? expr : origin;
}

bool RegionEmitter::collect(const Expr *expr, const Expr *score) {
  SmallVector<const Expr *> stack{expr};
  llvm::SmallPtrSet<const Expr *, 16> seen;
  while (!stack.empty()) {
    const Expr *top = stack.pop_back_val();
    if (top == score || !seen.insert(top).second)
      continue;
    top = asEmitted(top, score);
    if (top->type.isF64() || top->isReduction())
      return false;
    if (top->kind == ExprKind::Call && !isKnownCall(top->name))
      return false;
    if (top->kind == ExprKind::Read || top->kind == ExprKind::Scalar)
      values.insert(top->value);
    // Each variable of an index is one of the region's.
    for (const IndexForm &form : top->forms)
      for (auto [variable, stride] : form.terms)
        if (llvm::none_of(groups, [v = variable](const auto &group) {
              return llvm::is_contained(group, v);
            }))
          return false;
    stack.append(top->operands.begin(), top->operands.end());
  }
  return true;
}

/// A sum, a number and a row of terms, each with its coefficient.
static Value addUp(OpBuilder &b, Location loc, Value sum, double number,
                   ArrayRef<std::pair<Value, double>> terms) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  };
  if (number != 0)
    sum = constant(number);
  for (auto [term, coefficient] : terms) {
    bool isNegative = coefficient == -1 && sum;
    if (coefficient != 1 && !isNegative)
      term = arith::MulFOp::create(b, loc, term, constant(coefficient));
    if (!sum)
      sum = term;
    else if (isNegative)
      sum = arith::SubFOp::create(b, loc, sum, term);
    else
      sum = arith::AddFOp::create(b, loc, sum, term);
  }
  return sum;
}

/// A number and terms. What large numbers multiply is added up first: (x - 1) *
/// 3e38, as programs write it, is finite where x * 3e38 - 3e38 is not.
static Value emitSum(OpBuilder &b, Location loc, double number,
                     ArrayRef<std::pair<Value, double>> terms) {
  constexpr double kLarge = 1 << 30;
  SmallVector<std::pair<Value, double>> large, others;
  double factor = 0;
  for (auto [term, coefficient] : terms) {
    bool isLarge = std::abs(coefficient) >= kLarge;
    (isLarge ? large : others).push_back({term, coefficient});
    if (isLarge && std::abs(coefficient) > std::abs(factor))
      factor = coefficient;
  }
  if (large.empty() || std::abs(number) < kLarge)
    return addUp(b, loc, {}, number, terms);
  for (auto &term : large)
    term.second /= factor;
  Value inner = addUp(b, loc, {}, number / factor, large);
  Value outer = addUp(b, loc, {}, 0, {{inner, factor}});
  return addUp(b, loc, outer, 0, others);
}

Value RegionEmitter::emitIndex(OpBuilder &b, Location loc,
                               const IndexForm &form, ValueRange indices) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto strideOf = [&](unsigned variable) -> int64_t {
    for (auto [own, stride] : form.terms)
      if (own == variable)
        return stride;
    return 0;
  };
  Value sum;
  auto add = [&](Value term, int64_t stride) {
    if (stride != 1)
      term = arith::MulIOp::create(b, loc, term, constant(stride));
    sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
  };
  for (auto [group, index] : llvm::zip_equal(groups, indices)) {
    // Inner sizes are known: only the outermost may be dynamic.
    SmallVector<int64_t> inner(group.size(), 1);
    for (size_t i = group.size(); i-- > 1;)
      inner[i - 1] = inner[i] * c.variable(group[i]).extent;
    if (group.empty())
      continue;
    int64_t unit = strideOf(group.back());
    bool isWhole = unit != 0;
    for (auto [variable, size] : llvm::zip_equal(group, inner))
      isWhole &= strideOf(variable) == unit * size;
    if (isWhole) {
      add(index, unit);
      continue;
    }
    for (auto [number, variable] : llvm::enumerate(group)) {
      if (strideOf(variable) == 0)
        continue;
      Value part = index;
      if (inner[number] != 1)
        part = arith::DivUIOp::create(b, loc, part, constant(inner[number]));
      if (number != 0)
        part = arith::RemUIOp::create(b, loc, part,
                                      constant(c.variable(variable).extent));
      add(part, strideOf(variable));
    }
  }
  if (!sum)
    return constant(form.constant);
  if (form.constant != 0)
    sum = arith::AddIOp::create(b, loc, sum, constant(form.constant));
  return sum;
}

/// A float of a capture as the f32 that scores are.
static Value asScore(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isF16() || value.getType().isBF16())
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  return value;
}

Value RegionEmitter::emitNode(OpBuilder &b, Location loc, const Expr *expr,
                              const Expr *score, ArrayRef<Value> operands,
                              ValueRange indices, ValueRange arguments) {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  auto capture = [&]() {
    return arguments[llvm::find(values, expr->value) - values.begin()];
  };
  switch (expr->kind) {
  case ExprKind::Number:
    return number(expr->number);
  case ExprKind::Integer:
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getIntegerAttr(expr->type, expr->integer)));
  case ExprKind::Index:
    return emitIndex(b, loc, expr->forms[0], indices);
  case ExprKind::Scalar:
    return asScore(b, loc, capture());
  case ExprKind::Read: {
    if (!isa<RankedTensorType>(capture().getType()))
      return asScore(b, loc, capture());
    SmallVector<Value> at;
    for (const IndexForm &form : expr->forms)
      at.push_back(emitIndex(b, loc, form, indices));
    Value source = capture();
    Type element = getElementTypeOrSelf(source.getType());
    Value read = GatherOp::create(b, loc, element, source, at);
    if (!expr->type.isInteger(1))
      return asScore(b, loc, read);
    Value zero =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, read, zero);
  }
  case ExprKind::Linear: {
    // The score last: what cancels among the others does not cost its digits.
    SmallVector<std::pair<Value, double>> terms;
    for (bool withScore : {false, true})
      for (auto [part, operand, coefficient] :
           llvm::zip_equal(expr->operands, operands, expr->coefficients))
        if (c.depends(part, score) == withScore)
          terms.push_back({operand, coefficient});
    return emitSum(b, loc, expr->number, terms);
  }
  case ExprKind::Product: {
    Value product;
    // Factors before divisors, so that no reciprocal is needed for the first.
    for (double power : {1.0, -1.0})
      for (auto [operand, own] :
           llvm::zip_equal(operands, expr->coefficients)) {
        if (own != power)
          continue;
        if (!product && power < 0)
          product = number(1);
        if (!product)
          product = operand;
        else if (power > 0)
          product = arith::MulFOp::create(b, loc, product, operand);
        else
          product = arith::DivFOp::create(b, loc, product, operand);
      }
    return product;
  }
  case ExprKind::Select:
    return arith::SelectOp::create(b, loc, operands[0], operands[1],
                                   operands[2]);
  case ExprKind::Call: {
    OperationState state(loc, expr->name);
    state.addOperands(operands);
    state.addTypes(expr->type);
    if (expr->attributes)
      state.addAttributes(expr->attributes.getValue());
    return b.create(state)->getResult(0);
  }
  default:
    return {};
  }
}

Value RegionEmitter::emit(OpBuilder &b, Location loc, const Expr *expr,
                          const Expr *score, Value scoreValue,
                          ValueRange indices, ValueRange arguments) {
  DenseMap<const Expr *, Value> done;
  auto run = [&](auto &&self, const Expr *inner) -> Value {
    if (inner == score)
      return scoreValue;
    inner = asEmitted(inner, score);
    if (Value known = done.lookup(inner))
      return known;
    SmallVector<Value> operands;
    for (const Expr *operand : inner->operands)
      operands.push_back(self(self, operand));
    Value result = emitNode(b, loc, inner, score, operands, indices, arguments);
    done[inner] = result;
    return result;
  };
  return run(run, expr);
}
