//===- ReadScalars.cpp - Constants and scalar operations ------------------===//

#include "Comprehension.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace attn::raise;

Type attn::raise::exprType(Type element) {
  if (isa<Float16Type, BFloat16Type, Float32Type>(element))
    return Float32Type::get(element.getContext());
  // Constants are often of f64 and rounded where they are used.
  if (isa<Float64Type, IntegerType, IndexType>(element))
    return element;
  return {};
}

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

const Expr *attn::raise::readConstant(Comprehension &c, Attribute attribute,
                                      Type element) {
  Type type = exprType(element);
  if (!type)
    return nullptr;
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
    if (!elements.isSplat())
      return nullptr;
    attribute = elements.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return c.makeNumber(toDouble(number.getValue()), type);
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return c.makeInteger(number.getValue(), type);
  return nullptr;
}

/// A cast between floats is none, but of numbers, which it rounds.
static const Expr *applyFloatCast(Comprehension &c, Operation *op,
                                  const Expr *operand, Type to) {
  auto target = dyn_cast<FloatType>(to);
  Type type = exprType(to);
  if (!target || !type)
    return nullptr;
  if (operand->kind == ExprKind::Number) {
    APFloat value(operand->number);
    bool losesInfo;
    value.convert(target.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return c.makeNumber(toDouble(value), type);
  }
  // What is computed in f64 is not what it is in f32.
  return operand->type == type
             ? operand
             : c.makeCall(op->getName().getStringRef(), type, {operand});
}

static const Expr *applyFloatFunction(Comprehension &c, Operation *op,
                                      const Expr *operand, Type type) {
  if (operand->kind == ExprKind::Number) {
    if (isa<math::SqrtOp>(op))
      return c.makeNumber(std::sqrt(operand->number), type);
    if (isa<math::RsqrtOp>(op))
      return c.makeNumber(1 / std::sqrt(operand->number), type);
  }
  return c.makeCall(op->getName().getStringRef(), type, {operand});
}

/// Whether regions refuse an operation: of amounts and divisors that are not
/// constants, which may have no value, of indices cast to few bits and back,
/// and of what is not the same on all targets.
static bool isRefused(Operation *op, ArrayRef<const Expr *> operands,
                      Type element) {
  if (!attn::AttentionOp::whatVaries(op).empty())
    return true;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    const Expr *before = operands[0];
    while (before->kind == ExprKind::Call &&
           before->name.starts_with("arith.ext"))
      before = before->operands[0];
    return element.isIndex() && before->kind == ExprKind::Call &&
           before->name.starts_with("arith.index_cast") &&
           before->type.getIntOrFloatBitWidth() < 32;
  }
  bool shifts = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  if (!shifts && !isa<arith::RemUIOp, arith::RemSIOp, arith::FloorDivSIOp>(op))
    return false;
  const Expr *right = operands[1];
  if (right->kind != ExprKind::Integer)
    return true;
  if (!shifts)
    return right->integer.isZero() || right->integer.isAllOnes();
  return right->integer.uge(
      element.isIndex() ? 32 : element.getIntOrFloatBitWidth());
}

const Expr *attn::raise::applyScalarOp(Comprehension &c, Operation *op,
                                       ArrayRef<const Expr *> operands) {
  if (op->getNumResults() != 1 || llvm::is_contained(operands, nullptr))
    return nullptr;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type type = exprType(element);
  if (!type || !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                   op->getDialect()))
    return nullptr;
  return llvm::TypeSwitch<Operation *, const Expr *>(op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        return readConstant(c, constant.getValue(), element);
      })
      .Case<arith::AddFOp>(
          [&](auto) { return c.makeAdd(operands[0], operands[1]); })
      .Case<arith::SubFOp>(
          [&](auto) { return c.makeAdd(operands[0], operands[1], -1); })
      .Case<arith::MulFOp>(
          [&](auto) { return c.makeMul(operands[0], operands[1]); })
      .Case<arith::DivFOp>([&](auto) {
        return c.makeMul(operands[0], c.makeReciprocal(operands[1]));
      })
      .Case<arith::NegFOp>([&](auto) { return c.makeScaled(operands[0], -1); })
      .Case<math::FmaOp>([&](auto) {
        return c.makeAdd(c.makeMul(operands[0], operands[1]), operands[2]);
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) {
        return isRefused(op, operands, element)
                   ? nullptr
                   : applyFloatCast(c, op, operands[0], element);
      })
      .Case<arith::SelectOp>([&](auto) {
        return c.makeSelect(operands[0], operands[1], operands[2]);
      })
      .Default([&](Operation *other) -> const Expr * {
        if (!isPure(other) || other->getNumRegions() != 0 ||
            isRefused(other, operands, element))
          return nullptr;
        if (operands.size() == 1 && isa<FloatType>(type))
          if (isa<FloatType>(operands[0]->type))
            return applyFloatFunction(c, other, operands[0], type);
        // Of attributes only predicates change what is computed.
        DictionaryAttr attributes;
        if (Attribute predicate = other->getAttr("predicate"))
          attributes = DictionaryAttr::get(
              other->getContext(),
              NamedAttribute(StringAttr::get(other->getContext(), "predicate"),
                             predicate));
        return c.makeCall(other->getName().getStringRef(), type, operands,
                          attributes);
      });
}

const Expr *attn::raise::readScalar(Comprehension &c, Value scalar,
                                    unsigned depth) {
  Operation *op = scalar.getDefiningOp();
  if (!op || depth > 16)
    return c.makeScalar(scalar);
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    if (const Expr *number = readConstant(c, constant, scalar.getType()))
      return number;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    if (matchPattern(extract.getTensor(), m_Constant(&constant)))
      if (const Expr *number = readConstant(c, constant, scalar.getType()))
        return number;
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return c.makeScalar(scalar);
  SmallVector<const Expr *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(readScalar(c, operand, depth + 1));
  if (const Expr *result = applyScalarOp(c, op, operands))
    return result;
  return c.makeScalar(scalar);
}
