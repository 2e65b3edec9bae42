//===- SizeExpression.cpp - Index arithmetic that the host evaluates ------===//

#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

namespace {

StringRef comparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "eq";
  case arith::CmpIPredicate::ne:
    return "ne";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "lt";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "le";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return "gt";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return "ge";
  }
  return "";
}

/// Name of an operation. Sizes are not negative, so signs do not matter.
StringRef operatorOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "sub"; })
      .Case([](arith::MulIOp) { return "mul"; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](Operation *) { return "floordiv"; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](Operation *) { return "ceildiv"; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](Operation *) { return "rem"; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](Operation *) { return "min"; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](Operation *) { return "max"; })
      .Case<arith::AndIOp, arith::OrIOp>([](Operation *logical) {
        // Of truth values, not of bits.
        if (!logical->getResult(0).getType().isInteger(1))
          return "";
        return isa<arith::AndIOp>(logical) ? "and" : "or";
      })
      .Case([](arith::SelectOp) { return "select"; })
      .Case([](arith::CmpIOp cmp) { return comparison(cmp.getPredicate()); })
      .Default([](Operation *) { return ""; });
}

} // namespace

int64_t attn::viewNumber(BlockArgument view) {
  return llvm::count_if(
      view.getOwner()->getArguments().take_front(view.getArgNumber()),
      [](BlockArgument other) { return isa<ViewType>(other.getType()); });
}

Attribute attn::sizeExpression(Builder &b, int64_t view, int64_t dim) {
  return b.getArrayAttr({b.getStringAttr("size"), b.getI64IntegerAttr(view),
                         b.getI64IntegerAttr(dim)});
}

/// The size of an argument of a kernel.
static Attribute sizeOfArgument(Operation *op) {
  auto dim = dyn_cast<DimOp>(op);
  auto view = dim ? dyn_cast<BlockArgument>(dim.getView()) : BlockArgument();
  if (!view)
    return {};
  Builder b(op->getContext());
  return sizeExpression(b, viewNumber(view),
                        static_cast<int64_t>(dim.getDim()));
}

SizeExpressions::SizeExpressions() : SizeExpressions(sizeOfArgument) {}

Attribute SizeExpressions::find(Value value) {
  auto known = expressions.find(value);
  if (known != expressions.end())
    return known->second;
  Attribute result = build(value);
  expressions[value] = result;
  return result;
}

Attribute SizeExpressions::build(Value value) {
  Builder b(value.getContext());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    // A true i1 is 1, not -1.
    int64_t number = value.getType().isInteger(1)
                         ? static_cast<int64_t>(constant.getZExtValue())
                         : constant.getSExtValue();
    return b.getI64IntegerAttr(number);
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  StringRef name = operatorOf(op);
  if (name.empty())
    return leaf(op);
  SmallVector<Attribute> parts{b.getStringAttr(name)};
  for (Value operand : op->getOperands()) {
    parts.push_back(find(operand));
    if (!parts.back())
      return {};
  }
  return b.getArrayAttr(parts);
}

Value SizeExpressions::findCause(Value value) {
  auto isElse = [&](Value operand) { return !find(operand); };
  while (Operation *op = value.getDefiningOp()) {
    auto operand = llvm::find_if(op->getOperands(), isElse);
    if (operatorOf(op).empty() || operand == op->operand_end())
      break;
    value = *operand;
  }
  return value;
}

FailureOr<Attribute> attn::buildSizeExpression(Value value) {
  SizeExpressions expressions;
  if (Attribute expression = expressions.find(value))
    return expression;
  emitError(expressions.findCause(value).getLoc())
      << "expected a number of CTAs that is integer "
         "arithmetic over sizes of views";
  return failure();
}
