//===- ReadTosa.cpp - Operations of tosa ----------------------------------===//

#include "OperationReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn::raise;

/// Zero points of floats are zero.
static bool isZero(Value tensor) {
  return matchPattern(tensor, m_AnyZeroFloat()) ||
         matchPattern(tensor, m_Zero());
}

/// The elements of operands, which broadcast along dimensions of size 1. Empty
/// where it is not known whether they do.
static SmallVector<const Expr *> broadcastOperands(OperationReader &reader,
                                                   ValueRange operands,
                                                   ArrayRef<IndexForm> forms) {
  SmallVector<const Expr *> elements;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() != int64_t(forms.size()))
      return {};
    IndexForms own(forms);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t size = type.getDimSize(dim);
      if (size == 1)
        own[dim] = IndexForm();
      // Any other that is not 1 either may turn out to be.
      bool isUnsure = ShapedType::isDynamic(size) &&
                      llvm::any_of(operands, [&](Value other) {
                        auto shape =
                            dyn_cast<RankedTensorType>(other.getType());
                        return !shape || shape.getRank() != type.getRank() ||
                               (other != operand && shape.getDimSize(dim) != 1);
                      });
      if (isUnsure)
        return {};
    }
    elements.push_back(reader.element(operand, own));
  }
  if (llvm::is_contained(elements, nullptr))
    return {};
  return elements;
}

static DictionaryAttr predicate(MLIRContext *context, Attribute value) {
  return DictionaryAttr::get(
      context, NamedAttribute(StringAttr::get(context, "predicate"), value));
}

static const Expr *compare(Comprehension &c, Operation *op,
                           ArrayRef<const Expr *> x) {
  MLIRContext *context = op->getContext();
  Type i1 = IntegerType::get(context, 1);
  bool isFloat = isa<FloatType>(x[0]->type);
  if (isFloat) {
    arith::CmpFPredicate which =
        isa<tosa::EqualOp>(op)     ? arith::CmpFPredicate::OEQ
        : isa<tosa::GreaterOp>(op) ? arith::CmpFPredicate::OGT
                                   : arith::CmpFPredicate::OGE;
    return c.makeCall(
        "arith.cmpf", i1, x,
        predicate(context, arith::CmpFPredicateAttr::get(context, which)));
  }
  arith::CmpIPredicate which = isa<tosa::EqualOp>(op) ? arith::CmpIPredicate::eq
                               : isa<tosa::GreaterOp>(op)
                                   ? arith::CmpIPredicate::sgt
                                   : arith::CmpIPredicate::sge;
  return c.makeCall(
      "arith.cmpi", i1, x,
      predicate(context, arith::CmpIPredicateAttr::get(context, which)));
}

static const Expr *castInteger(Comprehension &c, const Expr *x, Type to) {
  MLIRContext *context = to.getContext();
  unsigned from = x->type.getIntOrFloatBitWidth(),
           width = to.getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (width == 1) {
    DictionaryAttr notEqual = predicate(
        context,
        arith::CmpIPredicateAttr::get(context, arith::CmpIPredicate::ne));
    return c.makeCall("arith.cmpi", to,
                      {x, c.makeInteger(APInt(from, 0), x->type)}, notEqual);
  }
  StringRef name = width < from ? "arith.trunci"
                   : from == 1  ? "arith.extui"
                                : "arith.extsi";
  return c.makeCall(name, to, {x});
}

static const Expr *castElement(Comprehension &c, tosa::CastOp op,
                               const Expr *x) {
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getType());
  Type type = exprType(to);
  if (!type)
    return nullptr;
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return x->type == type ? x : nullptr;
  if (from.isInteger(1) && isa<FloatType>(to))
    return c.makeCall("arith.uitofp", type, {x});
  if (isa<IntegerType>(from) && isa<FloatType>(to))
    return c.makeCall("arith.sitofp", type, {x});
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return castInteger(c, x, to);
  return nullptr;
}

static const Expr *applyTosa(Comprehension &c, Operation *op,
                             ArrayRef<const Expr *> x) {
  Type type = exprType(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!type || x.empty())
    return nullptr;
  bool isFloat = isa<FloatType>(x[0]->type);
  Type i1 = IntegerType::get(op->getContext(), 1);
  auto call = [&](StringRef name) { return c.makeCall(name, type, x); };
  return llvm::TypeSwitch<Operation *, const Expr *>(op)
      .Case<tosa::AddOp>([&](auto) {
        return isFloat ? c.makeAdd(x[0], x[1]) : call("arith.addi");
      })
      .Case<tosa::SubOp>([&](auto) {
        return isFloat ? c.makeAdd(x[0], x[1], -1) : call("arith.subi");
      })
      .Case<tosa::MulOp>([&](auto) -> const Expr * {
        if (isFloat)
          return c.makeMul(x[0], x[1]);
        // A shift is of fixed-point numbers.
        return isZero(op->getOperand(2)) ? call("arith.muli") : nullptr;
      })
      .Case<tosa::NegateOp>([&](tosa::NegateOp negate) -> const Expr * {
        bool plain = isFloat && isZero(negate.getInput1Zp()) &&
                     isZero(negate.getOutputZp());
        return plain ? c.makeScaled(x[0], -1) : nullptr;
      })
      .Case<tosa::ReciprocalOp>([&](auto) { return c.makeReciprocal(x[0]); })
      .Case<tosa::ExpOp>([&](auto) { return call("math.exp"); })
      .Case<tosa::TanhOp>([&](auto) { return call("math.tanh"); })
      .Case<tosa::AbsOp>([&](auto) -> const Expr * {
        return isFloat ? call("math.absf") : nullptr;
      })
      .Case<tosa::LogOp>([&](auto) { return call("math.log"); })
      .Case<tosa::MaximumOp>([&](auto) {
        return call(isFloat ? "arith.maximumf" : "arith.maxsi");
      })
      .Case<tosa::MinimumOp>([&](auto) {
        return call(isFloat ? "arith.minimumf" : "arith.minsi");
      })
      .Case<tosa::SelectOp>(
          [&](auto) { return c.makeSelect(x[0], x[1], x[2]); })
      .Case<tosa::GreaterOp, tosa::GreaterEqualOp, tosa::EqualOp>(
          [&](auto) { return compare(c, op, x); })
      .Case<tosa::LogicalAndOp>([&](auto) { return call("arith.andi"); })
      .Case<tosa::LogicalOrOp>([&](auto) { return call("arith.ori"); })
      .Case<tosa::LogicalXorOp>([&](auto) { return call("arith.xori"); })
      .Case<tosa::LogicalNotOp>([&](auto) {
        return c.makeCall("arith.xori", i1,
                          {x[0], c.makeInteger(APInt(1, 1), i1)});
      })
      .Case<tosa::CastOp>([&](auto cast) { return castElement(c, cast, x[0]); })
      .Default([](Operation *) { return nullptr; });
}

static const Expr *tiled(OperationReader &reader, tosa::TileOp op,
                         ArrayRef<IndexForm> forms) {
  auto type = dyn_cast<RankedTensorType>(op.getInput1().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !to)
    return nullptr;
  IndexForms own(forms);
  for (auto [dim, sizes] :
       llvm::enumerate(llvm::zip_equal(type.getShape(), to.getShape()))) {
    auto [from, size] = sizes;
    if (from == 1) {
      own[dim] = IndexForm();
      continue;
    }
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(size))
      return nullptr;
    auto parts = reader.c.divide(forms[dim], from);
    if (!parts)
      return nullptr;
    own[dim] = parts->second;
  }
  return reader.element(op.getInput1(), own);
}

static const Expr *transposed(OperationReader &reader, tosa::TransposeOp op,
                              ArrayRef<IndexForm> forms) {
  IndexForms own(forms.size());
  for (auto [form, from] : llvm::zip_equal(forms, op.getPerms()))
    own[from] = form;
  return reader.element(op.getInput1(), own);
}

const Expr *OperationReader::tosaResult(Operation *op, Forms forms) {
  if (op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return isa<tosa::shapeType>(type) || isa<RankedTensorType>(type);
      }))
    return nullptr;
  Type type = exprType(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!type)
    return nullptr;
  return llvm::TypeSwitch<Operation *, const Expr *>(op)
      .Case<tosa::ReshapeOp>([&](tosa::ReshapeOp reshape) {
        return reshaped(reshape.getInput1(), reshape.getType(), forms);
      })
      .Case<tosa::TransposeOp>(
          [&](auto transpose) { return transposed(*this, transpose, forms); })
      .Case<tosa::TileOp>([&](auto tile) { return tiled(*this, tile, forms); })
      .Case<tosa::IdentityOp>([&](tosa::IdentityOp identity) {
        return element(identity.getInput1(), forms);
      })
      .Case<tosa::ReduceMaxOp, tosa::ReduceSumOp>([&](auto) -> const Expr * {
        if (!isa<FloatType>(type))
          return nullptr;
        ExprKind kind =
            isa<tosa::ReduceMaxOp>(op) ? ExprKind::Maximum : ExprKind::Sum;
        return c.makeReduction(kind, op, 0, forms, type);
      })
      .Case<tosa::MatMulOp>([&](tosa::MatMulOp matmul) -> const Expr * {
        if (!isa<FloatType>(type) || !isZero(matmul.getAZp()) ||
            !isZero(matmul.getBZp()))
          return nullptr;
        return c.makeReduction(ExprKind::Sum, op, 0, forms, type);
      })
      .Default([&](Operation *) {
        unsigned count = isa<tosa::MulOp>(op)      ? 2
                         : isa<tosa::NegateOp>(op) ? 1
                                                   : op->getNumOperands();
        return applyTosa(c, op,
                         broadcastOperands(*this,
                                           op->getOperands().take_front(count),
                                           forms));
      });
}
