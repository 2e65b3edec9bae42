//===- ReadLinalg.cpp - Operations of linalg ------------------------------===//

#include "OperationReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace attn::raise;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static std::optional<IndexForm> apply(Comprehension &c, AffineExpr expr,
                                      ArrayRef<IndexForm> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    IndexForm form;
    form.constant = constant.getValue();
    return form;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<IndexForm> lhs = apply(c, binary.getLHS(), loops);
  if (!lhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<IndexForm> rhs = apply(c, binary.getRHS(), loops);
    return rhs ? std::optional(lhs->plus(*rhs)) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return lhs->times(factor.getValue());
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return std::nullopt;
  auto parts = c.divide(*lhs, factor.getValue());
  if (!parts)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::FloorDiv ? parts->first
                                                    : parts->second;
}

static std::optional<IndexForms> apply(Comprehension &c, AffineMap map,
                                       ArrayRef<IndexForm> loops) {
  IndexForms forms;
  for (AffineExpr expr : map.getResults()) {
    std::optional<IndexForm> form = apply(c, expr, loops);
    if (!form)
      return std::nullopt;
    forms.push_back(*form);
  }
  return forms;
}

std::optional<LoopExtent> attn::raise::loopExtent(linalg::LinalgOp op,
                                                  unsigned loop) {
  std::optional<LoopExtent> found;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position || position.getPosition() != loop)
        continue;
      LoopExtent extent{type.getDimSize(dim), operand.get(),
                        static_cast<unsigned>(dim)};
      if (!type.isDynamicDim(dim))
        return extent;
      if (!found)
        found = extent;
    }
  }
  return found;
}

std::optional<SmallVector<std::optional<IndexForm>>>
OperationReader::loopsOf(linalg::LinalgOp op, unsigned number, Forms forms) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  SmallVector<std::optional<IndexForm>> loops(map.getNumDims());
  for (auto [expr, form] : llvm::zip_equal(map.getResults(), forms)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (loops[dim.getPosition()])
        return std::nullopt;
      loops[dim.getPosition()] = form;
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0)
      return std::nullopt;
  }
  // Loops of one step are no reductions.
  for (auto [number, loop] : llvm::enumerate(loops)) {
    std::optional<LoopExtent> extent = loopExtent(op, number);
    if (!loop && extent && extent->extent == 1)
      loop = IndexForm();
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

const Expr *OperationReader::body(linalg::LinalgOp op, Forms loops, Value value,
                                  DenseMap<Value, const Expr *> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Block *block = op.getBlock();
  const Expr *result = nullptr;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == block) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType())) {
      result = readScalar(c, operand->get());
    } else if (std::optional<IndexForms> forms =
                   apply(c, op.getMatchingIndexingMap(operand), loops)) {
      result = element(operand->get(), *forms);
    }
  } else if (value.getParentBlock() != block) {
    result = readScalar(c, value);
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = c.makeIndex(loops[index.getDim()], index.getType());
  } else {
    Operation *inner = value.getDefiningOp();
    SmallVector<const Expr *> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(body(op, loops, operand, known));
    result = applyScalarOp(c, inner, operands);
  }
  known[value] = result;
  return result;
}

/// The other operand of a maximum that is written as a comparison.
static Value selectedMaximum(Operation *op, Value accumulated) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare)
    return {};
  using Predicate = arith::CmpFPredicate;
  bool greater = llvm::is_contained(
      {Predicate::OGT, Predicate::OGE, Predicate::UGT, Predicate::UGE},
      compare.getPredicate());
  bool straight = compare.getLhs() == select.getTrueValue() &&
                  compare.getRhs() == select.getFalseValue();
  if (!greater || !straight)
    return {};
  if (compare.getLhs() == accumulated)
    return compare.getRhs();
  return compare.getRhs() == accumulated ? compare.getLhs() : Value();
}

/// Whether a value of the body depends on what reductions have so far.
static bool readsAccumulator(linalg::LinalgOp op, Value value) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(next);
    if (argument && argument.getOwner() == op.getBlock()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (op.isDpsInit(operand) &&
          op.getMatchingIndexingMap(operand).getNumResults() < op.getNumLoops())
        return true;
      continue;
    }
    Operation *inner = next.getDefiningOp();
    if (inner && inner->getBlock() == op.getBlock() &&
        seen.insert(inner).second)
      llvm::append_range(worklist, inner->getOperands());
  }
  return false;
}

/// How `combiner` adds to `accumulated`, whatever it adds.
static std::optional<LinalgReduction> combination(Operation *combiner,
                                                  Value accumulated) {
  if (Value other = selectedMaximum(combiner, accumulated))
    return LinalgReduction{ExprKind::Maximum, {other}};
  if (auto fma = dyn_cast<math::FmaOp>(combiner)) {
    if (fma.getC() != accumulated)
      return std::nullopt;
    return LinalgReduction{ExprKind::Sum, {fma.getA(), fma.getB()}};
  }
  bool isSum = isa<arith::AddFOp>(combiner);
  if (!isSum && !isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return std::nullopt;
  unsigned own = combiner->getOperand(0) == accumulated ? 0 : 1;
  if (combiner->getOperand(own) != accumulated)
    return std::nullopt;
  return LinalgReduction{isSum ? ExprKind::Sum : ExprKind::Maximum,
                         {combiner->getOperand(1 - own)}};
}

std::optional<LinalgReduction> attn::raise::findReduction(linalg::LinalgOp op,
                                                          unsigned number) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner)
    return std::nullopt;
  // Other results may use the accumulated one, as that of an argmax does.
  std::optional<LinalgReduction> found = combination(
      combiner, op.getMatchingBlockArgument(op.getDpsInitOperand(number)));
  if (found && llvm::any_of(found->reduced, [&](Value value) {
        return readsAccumulator(op, value);
      }))
    return std::nullopt;
  return found;
}

const Expr *OperationReader::reducedLinalg(linalg::LinalgOp op, unsigned number,
                                           Forms loops) {
  std::optional<LinalgReduction> reduction = findReduction(op, number);
  if (!reduction)
    return nullptr;
  DenseMap<Value, const Expr *> known;
  const Expr *result = body(op, loops, reduction->reduced[0], known);
  for (Value factor : ArrayRef(reduction->reduced).drop_front())
    result = c.makeMul(result, body(op, loops, factor, known));
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

const Expr *OperationReader::linalgResult(linalg::LinalgOp op, unsigned number,
                                          Forms forms) {
  if (!op.hasPureTensorSemantics())
    return nullptr;
  auto loops = loopsOf(op, number, forms);
  if (!loops)
    return nullptr;
  if (!llvm::is_contained(*loops, std::nullopt)) {
    // One step of a reduction still combines with what it starts from.
    SmallVector<IndexForm> all;
    for (auto &loop : *loops)
      all.push_back(*loop);
    DenseMap<Value, const Expr *> known;
    return body(op, all, op.getBlock()->getTerminator()->getOperand(number),
                known);
  }
  std::optional<LinalgReduction> reduction = findReduction(op, number);
  if (!reduction)
    return nullptr;
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  Type element = exprType(type.getElementType());
  if (!element)
    return nullptr;
  return c.makeReduction(reduction->kind, op, number, forms, element);
}

const Expr *OperationReader::softmaxResult(linalg::SoftmaxOp op, Forms forms) {
  if (!op.hasPureTensorSemantics())
    return nullptr;
  Type type = exprType(op.getInput().getType().getElementType());
  if (!type)
    return nullptr;
  IndexForms row(forms);
  row[op.getDimension()] = IndexForm();
  const Expr *maximum = c.makeReduction(ExprKind::Maximum, op, 0, row, type);
  const Expr *weight =
      c.makeCall("math.exp", type,
                 {c.makeAdd(element(op.getInput(), forms), maximum, -1)});
  const Expr *sum = c.makeReduction(ExprKind::Sum, op, 0, row, type);
  return c.makeMul(weight, c.makeReciprocal(sum));
}
