//===- ExpandExponentials.cpp - Exponentials as arithmetic ----------------===//
//
// A call of the C library for each number keeps LLVM from vectorizing the loop
// around it. MLIR's own expansion goes by exp(x ln 2), which is not exact where
// x is an integer, as weights of 8 bits and states of other references have it.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace attn {
#define GEN_PASS_DEF_ATTNEXPANDEXPONENTIALS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// ln(2)^n / n!, the terms of 2^f. Of |f| <= 0.5 the next one is below 2^-27.
constexpr double kTerms[] = {1,
                             0.69314718055994531,
                             0.24022650695910071,
                             0.055504108664821580,
                             0.0096181291076284772,
                             0.0013333558146428443,
                             0.00015403530393381610,
                             0.000015252733804059841};

/// 1.5 * 2^23: what is added to it is rounded to an integer, its last bits.
constexpr float kInteger = 0x1.8p23f;

/// Of numbers beyond these two powers are 0 and infinite.
constexpr float kLeast = -250, kMost = 250;

/// 2^x = 2^n 2^f with n the integer next to x. Two factors make 2^n, each of
/// which is a normal number, so that the product is right where it is not.
static Value exp2(OpBuilder &b, Location loc, Value x) {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  auto bits = [&](Value value) -> Value {
    return arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  };
  // NaN stays.
  x = arith::MaximumFOp::create(b, loc, x, number(kLeast));
  x = arith::MinimumFOp::create(b, loc, x, number(kMost));
  Value shifted = arith::AddFOp::create(b, loc, x, number(kInteger));
  Value n =
      arith::SubIOp::create(b, loc, bits(shifted), bits(number(kInteger)));
  Value f = arith::SubFOp::create(
      b, loc, x, arith::SubFOp::create(b, loc, shifted, number(kInteger)));
  Value power = number(kTerms[std::size(kTerms) - 1]);
  for (double term : llvm::reverse(ArrayRef(kTerms).drop_back()))
    power = math::FmaOp::create(b, loc, power, f, number(term));
  Value half = arith::ShRSIOp::create(b, loc, n, integer(1));
  for (Value exponent :
       {half, arith::SubIOp::create(b, loc, n, half).getResult()}) {
    constexpr int kBias = 127, kMantissa = 23;
    Value biased = arith::AddIOp::create(b, loc, exponent, integer(kBias));
    Value factor = arith::BitcastOp::create(
        b, loc, b.getF32Type(),
        arith::ShLIOp::create(b, loc, biased, integer(kMantissa)));
    power = arith::MulFOp::create(b, loc, power, factor);
  }
  return power;
}

namespace {
struct ExpandExponentialsPass
    : attn::impl::AttnExpandExponentialsBase<ExpandExponentialsPass> {
  void runOnOperation() override {
    getOperation().walk([&](math::Exp2Op op) {
      if (!op.getType().isF32())
        return;
      OpBuilder b(op);
      op.getResult().replaceAllUsesWith(exp2(b, op.getLoc(), op.getOperand()));
      op.erase();
      ++numExpanded;
    });
  }
};
} // namespace
