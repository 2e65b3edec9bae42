//===- Derivatives.cpp - Derivatives of regions of scalars ----------------===//
//
// Forward mode: beside every value that changes with the argument stands its
// derivative, by one rule for each operation. What is an integer has none: it
// jumps, or stays.
//
//===----------------------------------------------------------------------===//

#include "Derivatives.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// One operation, and the derivatives of its operands; null is zero.
struct Step {
  OpBuilder &b;
  Operation *op;
  ArrayRef<Value> tangents;

  Location loc() const { return op->getLoc(); }
  Type type() const { return op->getResult(0).getType(); }
  Value x(unsigned i = 0) const { return op->getOperand(i); }
  Value result() const { return op->getResult(0); }
  Value tangent(unsigned i = 0) const { return tangents[i]; }

  Value constant(double value) const {
    return arith::ConstantOp::create(b, loc(), b.getFloatAttr(type(), value));
  }
  Value orZero(Value value) const { return value ? value : constant(0); }
  Value mul(Value l, Value r) const {
    return l && r ? arith::MulFOp::create(b, loc(), l, r).getResult() : Value();
  }
  Value mul(Value l, double r) const {
    return l ? mul(l, constant(r)) : Value();
  }
  Value div(Value l, Value r) const {
    return l ? arith::DivFOp::create(b, loc(), l, r).getResult() : Value();
  }
  Value add(Value l, Value r) const {
    return !l ? r : !r ? l : arith::AddFOp::create(b, loc(), l, r).getResult();
  }
  Value neg(Value v) const {
    return v ? arith::NegFOp::create(b, loc(), v).getResult() : Value();
  }
  Value select(Value condition, Value l, Value r) const {
    if (!l && !r)
      return {};
    return arith::SelectOp::create(b, loc(), condition, orZero(l), orZero(r));
  }
  Value compare(arith::CmpFPredicate predicate, Value l, Value r) const {
    return arith::CmpFOp::create(b, loc(), predicate, l, r);
  }
  template <typename Op> Value apply(Value v) const {
    return Op::create(b, loc(), v);
  }
};

using Rule = Value (*)(const Step &);
using Rules = llvm::StringMap<Rule>;

/// d f(x) = factor(x, f(x)) dx
template <Value (*factor)(const Step &)> Value chain(const Step &s) {
  return s.mul(factor(s), s.tangent());
}

/// The tangent of the operand that is the result.
template <arith::CmpFPredicate predicate> Value chosen(const Step &s) {
  return s.select(s.compare(predicate, s.x(0), s.x(1)), s.tangent(0),
                  s.tangent(1));
}

Value ofProduct(const Step &s) {
  return s.add(s.mul(s.tangent(0), s.x(1)), s.mul(s.x(0), s.tangent(1)));
}

/// d (x / y) = (dx - (x / y) dy) / y
Value ofQuotient(const Step &s) {
  Value change = s.neg(s.mul(s.result(), s.tangent(1)));
  return s.div(s.add(s.tangent(0), change), s.x(1));
}

Value ofTanh(const Step &s) {
  Value square = s.neg(s.mul(s.result(), s.result()));
  return s.add(square, s.constant(1));
}

Value ofAbs(const Step &s) {
  Value positive = s.compare(arith::CmpFPredicate::OGE, s.x(), s.constant(0));
  return s.select(positive, s.tangent(), s.neg(s.tangent()));
}

/// The density that erf integrates.
Value ofErf(const Step &s) {
  Value square = s.neg(s.mul(s.x(), s.x()));
  return s.mul(s.apply<math::ExpOp>(square), 2 / std::sqrt(M_PI));
}

Value ofRsqrt(const Step &s) { return s.mul(s.div(s.result(), s.x()), -0.5); }

template <typename Op> Value ofCast(const Step &s) {
  return Op::create(s.b, s.loc(), s.type(), s.tangent());
}

template <typename Op> void add(Rules &rules, Rule rule) {
  rules[Op::getOperationName()] = rule;
}

void addArithmetic(Rules &rules) {
  add<arith::AddFOp>(
      rules, [](const Step &s) { return s.add(s.tangent(0), s.tangent(1)); });
  add<arith::SubFOp>(rules, [](const Step &s) {
    return s.add(s.tangent(0), s.neg(s.tangent(1)));
  });
  add<arith::MulFOp>(rules, ofProduct);
  add<arith::DivFOp>(rules, ofQuotient);
  add<arith::NegFOp>(rules, [](const Step &s) { return s.neg(s.tangent()); });
  add<math::FmaOp>(
      rules, [](const Step &s) { return s.add(ofProduct(s), s.tangent(2)); });
  add<arith::MaximumFOp>(rules, chosen<arith::CmpFPredicate::OGE>);
  add<arith::MaxNumFOp>(rules, chosen<arith::CmpFPredicate::OGE>);
  add<arith::MinimumFOp>(rules, chosen<arith::CmpFPredicate::OLE>);
  add<arith::MinNumFOp>(rules, chosen<arith::CmpFPredicate::OLE>);
  add<arith::SelectOp>(rules, [](const Step &s) {
    return s.select(s.x(), s.tangent(1), s.tangent(2));
  });
  add<math::AbsFOp>(rules, ofAbs);
  add<arith::ExtFOp>(rules, ofCast<arith::ExtFOp>);
  add<arith::TruncFOp>(rules, ofCast<arith::TruncFOp>);
}

void addFunctions(Rules &rules) {
  add<math::ExpOp>(
      rules, [](const Step &s) { return s.mul(s.result(), s.tangent()); });
  add<math::Exp2Op>(rules, [](const Step &s) {
    return s.mul(s.mul(s.result(), llvm::numbers::ln2), s.tangent());
  });
  add<math::ExpM1Op>(rules, [](const Step &s) {
    return s.mul(s.add(s.result(), s.constant(1)), s.tangent());
  });
  add<math::LogOp>(rules,
                   [](const Step &s) { return s.div(s.tangent(), s.x()); });
  add<math::Log2Op>(rules, [](const Step &s) {
    return s.mul(s.div(s.tangent(), s.x()), llvm::numbers::log2e);
  });
  add<math::Log1pOp>(rules, [](const Step &s) {
    return s.div(s.tangent(), s.add(s.x(), s.constant(1)));
  });
  add<math::SqrtOp>(rules, [](const Step &s) {
    return s.mul(s.div(s.tangent(), s.result()), 0.5);
  });
  add<math::RsqrtOp>(rules, chain<ofRsqrt>);
  add<math::TanhOp>(rules, chain<ofTanh>);
  add<math::ErfOp>(rules, chain<ofErf>);
  add<math::SinOp>(rules, [](const Step &s) {
    return s.mul(s.apply<math::CosOp>(s.x()), s.tangent());
  });
  add<math::CosOp>(rules, [](const Step &s) {
    return s.neg(s.mul(s.apply<math::SinOp>(s.x()), s.tangent()));
  });
}

/// Nothing but steps: their derivative is zero wherever there is one.
void addSteps(Rules &rules) {
  auto none = [](const Step &) { return Value(); };
  add<math::FloorOp>(rules, none);
  add<math::CeilOp>(rules, none);
  add<math::RoundOp>(rules, none);
}

const Rules &getRules() {
  static const Rules rules = [] {
    Rules made;
    addArithmetic(made);
    addFunctions(made);
    addSteps(made);
    return made;
  }();
  return rules;
}

Rule findRule(Operation &op) {
  return getRules().lookup(op.getName().getStringRef());
}

/// What changes with an argument to begin with: itself, or what is read of it.
SmallVector<Value> changingWith(Block &body, unsigned argument) {
  BlockArgument changing = body.getArgument(argument);
  if (!isa<ShapedType>(changing.getType()))
    return {changing};
  return llvm::map_to_vector(changing.getUsers(), [](Operation *read) {
    return Value(cast<GatherOp>(read).getElements());
  });
}

bool hasFloats(Operation &op) {
  return op.getNumResults() == 1 && isa<FloatType>(op.getResult(0).getType());
}

} // namespace

Operation *attn::findWithoutDerivative(Block &body, unsigned argument) {
  llvm::DenseSet<Value> changing;
  changing.insert_range(changingWith(body, argument));
  for (Operation &op : body.without_terminator()) {
    bool changes = llvm::any_of(op.getOperands(), [&](Value operand) {
      return changing.contains(operand);
    });
    if (!changes || !hasFloats(op))
      continue;
    if (!findRule(op))
      return &op;
    changing.insert(op.getResult(0));
  }
  return nullptr;
}

void attn::appendDerivative(Block &body, unsigned argument) {
  Operation *yield = body.getTerminator();
  OpBuilder b(yield);
  llvm::DenseMap<Value, Value> tangents;
  // Of what the block holds before: rules add to it.
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (hasFloats(op))
      ops.push_back(&op);
  for (Value changing : changingWith(body, argument))
    tangents[changing] = arith::ConstantOp::create(
        b, yield->getLoc(), b.getFloatAttr(changing.getType(), 1));
  for (Operation *op : ops) {
    SmallVector<Value> own = llvm::map_to_vector(
        op->getOperands(), [&](Value v) { return tangents.lookup(v); });
    if (llvm::none_of(own, [](Value v) { return static_cast<bool>(v); }))
      continue;
    if (Value tangent = findRule(*op)(Step{b, op, own}))
      tangents[op->getResult(0)] = tangent;
  }
  Value derivative = tangents.lookup(yield->getOperand(0));
  if (!derivative)
    derivative = arith::ConstantOp::create(
        b, yield->getLoc(), b.getFloatAttr(yield->getOperand(0).getType(), 0));
  yield->insertOperands(1, derivative);
}
