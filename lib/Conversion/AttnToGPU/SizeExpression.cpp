//===- SizeExpression.cpp - Index arithmetic that the host evaluates ------===//

#include "attn-mlir/Conversion/Manifest.h"
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
      .Case([](arith::AndIOp) { return "and"; })
      .Case([](arith::OrIOp) { return "or"; })
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

FailureOr<Attribute> attn::buildSizeExpression(Value value) {
  Builder b(value.getContext());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    // A true i1 is 1, not -1.
    int64_t number = value.getType().isInteger(1)
                         ? static_cast<int64_t>(constant.getZExtValue())
                         : constant.getSExtValue();
    return Attribute(b.getI64IntegerAttr(number));
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<DimOp>(op))
    if (auto view = dyn_cast<BlockArgument>(dim.getView()))
      return Attribute(b.getArrayAttr(
          {b.getStringAttr("size"), b.getI64IntegerAttr(viewNumber(view)),
           b.getI64IntegerAttr(static_cast<int64_t>(dim.getDim()))}));
  StringRef name = op ? operatorOf(op) : "";
  if (name.empty()) {
    emitError(value.getLoc()) << "wants a number of CTAs that is integer "
                                 "arithmetic over sizes of views";
    return failure();
  }
  SmallVector<Attribute> parts{b.getStringAttr(name)};
  for (Value operand : op->getOperands()) {
    FailureOr<Attribute> part = buildSizeExpression(operand);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return Attribute(b.getArrayAttr(parts));
}
