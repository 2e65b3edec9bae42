//===- ExpandFloat8.cpp - Conversions of FP8 as integer arithmetic --------===//
//
// A number of FP8 is the upper bits of an f32 with another bias: a product with
// a power of two goes from one to the other, subnormal numbers included.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include <cmath>

namespace attn {
#define GEN_PASS_DEF_ATTNEXPANDFLOAT8
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kSingleMantissa = 23, kSingleBias = 127;
constexpr int64_t kMagnitude = 0x7f, kSign = 0x80;

/// Builds the conversions of one type.
class Converter {
public:
  Converter(OpBuilder &b, Location loc, FloatType type)
      : b(b), loc(loc), type(type) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
    bias = 1 - llvm::APFloat::semanticsMinExponent(semantics);
    largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  }

  /// An f32 from one of the type.
  Value extend(Value x) {
    Value bits = arith::ExtUIOp::create(
        b, loc, i32(), arith::BitcastOp::create(b, loc, b.getI8Type(), x));
    Value magnitude = both(bits, kMagnitude);
    Value number = arith::MulFOp::create(
        b, loc, asFloat(shiftLeft(magnitude, kSingleMantissa - mantissa)),
        number32(std::exp2(kSingleBias - bias)));
    Value special = number32(std::numeric_limits<float>::quiet_NaN());
    Value sign = shiftLeft(both(bits, kSign), kSignShift);
    Value result = asFloat(arith::OrIOp::create(b, loc, asBits(number), sign));
    if (isa<Float8E5M2Type>(type)) {
      // Exponents of all bits: infinities, and NaN behind them.
      Value infinity = number32(std::numeric_limits<float>::infinity());
      Value either = select(equal(magnitude, kInfinity), infinity, special);
      Value least = constant(kInfinity);
      Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          magnitude, least);
      Value withSign =
          asFloat(arith::OrIOp::create(b, loc, asBits(either), sign));
      return select(isOne, withSign, result);
    }
    bool oneZero = isa<Float8E4M3FNUZType>(type);
    Value isNaN = oneZero ? equal(bits, kSign) : equal(magnitude, kMagnitude);
    return select(isNaN, special, result);
  }

  /// One of the type from an f32.
  Value truncate(Value x) {
    Value bits = asBits(x);
    Value sign =
        both(arith::ShRUIOp::create(b, loc, bits, constant(kSignShift)), kSign);
    Value positive = asFloat(both(bits, 0x7fffffff));
    // NaN stays.
    Value clamped =
        arith::MinimumFOp::create(b, loc, positive, number32(largest));
    Value number =
        select(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, clamped,
                                     number32(std::exp2(1 - bias))),
               roundSubnormal(clamped), roundNormal(clamped));
    bool oneZero = isa<Float8E4M3FNUZType>(type);
    if (oneZero)
      sign = select(equal(number, 0), constant(0), sign);
    Value result = arith::OrIOp::create(b, loc, number, sign);
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    result = select(isNaN, constant(oneZero ? kSign : kMagnitude), result);
    return arith::BitcastOp::create(
        b, loc, type, arith::TruncIOp::create(b, loc, b.getI8Type(), result));
  }

private:
  Type i32() { return b.getI32Type(); }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  Value number32(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value asBits(Value x) { return arith::BitcastOp::create(b, loc, i32(), x); }
  Value asFloat(Value x) {
    return arith::BitcastOp::create(b, loc, b.getF32Type(), x);
  }
  Value both(Value x, int64_t mask) {
    return arith::AndIOp::create(b, loc, x, constant(mask));
  }
  Value add(Value x, int64_t y) {
    return arith::AddIOp::create(b, loc, x, constant(y));
  }
  Value shiftLeft(Value x, int64_t by) {
    return arith::ShLIOp::create(b, loc, x, constant(by));
  }
  Value equal(Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x,
                                 constant(y));
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

  /// The bits of a number that is none of the subnormal ones: half of what is
  /// dropped is added, and a tie goes to the even one.
  Value roundNormal(Value x) {
    int64_t dropped = kSingleMantissa - mantissa;
    Value bits = asBits(x);
    Value odd =
        both(arith::ShRUIOp::create(b, loc, bits, constant(dropped)), 1);
    Value sum = arith::AddIOp::create(
        b, loc, add(bits, (int64_t(1) << (dropped - 1)) - 1), odd);
    Value kept = arith::ShRUIOp::create(b, loc, sum, constant(dropped));
    return add(kept, -((kSingleBias - bias) << mantissa));
  }

  /// Those of a subnormal one, or of zero: an f32 of the size at which its last
  /// bit is theirs rounds it.
  Value roundSubnormal(Value x) {
    double size = std::exp2(kSingleMantissa + 1 - bias - mantissa);
    Value sum = arith::AddFOp::create(b, loc, x, number32(size));
    return arith::SubIOp::create(b, loc, asBits(sum), asBits(number32(size)));
  }

  static constexpr int64_t kSignShift = 24, kInfinity = 0x7c;

  OpBuilder &b;
  Location loc;
  FloatType type;
  int64_t mantissa, bias;
  double largest;
};

struct ExpandFloat8Pass : attn::impl::AttnExpandFloat8Base<ExpandFloat8Pass> {
  static Value asSingle(OpBuilder &b, Location loc, Value x) {
    if (x.getType().isF32())
      return x;
    return arith::ExtFOp::create(b, loc, b.getF32Type(), x);
  }

  static void expand(arith::ExtFOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value result = Converter(b, loc, cast<FloatType>(op.getIn().getType()))
                       .extend(op.getIn());
    if (result.getType() != op.getType())
      result = arith::TruncFOp::create(b, loc, op.getType(), result);
    op.getOut().replaceAllUsesWith(result);
    op.erase();
  }

  static void expand(arith::TruncFOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value result = Converter(b, loc, cast<FloatType>(op.getType()))
                       .truncate(asSingle(b, loc, op.getIn()));
    op.getOut().replaceAllUsesWith(result);
    op.erase();
  }

  void runOnOperation() override {
    SmallVector<arith::ExtFOp> extensions;
    SmallVector<arith::TruncFOp> truncations;
    getOperation().walk([&](Operation *op) {
      if (auto extension = dyn_cast<arith::ExtFOp>(op);
          extension && isFloat8(extension.getIn().getType()))
        extensions.push_back(extension);
      if (auto truncation = dyn_cast<arith::TruncFOp>(op);
          truncation && isFloat8(truncation.getType()))
        truncations.push_back(truncation);
    });
    for (arith::ExtFOp op : extensions)
      expand(op);
    for (arith::TruncFOp op : truncations)
      expand(op);
    numExpanded += extensions.size() + truncations.size();
  }
};

} // namespace
