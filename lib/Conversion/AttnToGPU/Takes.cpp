//===- Takes.cpp - Numbers from counters, one for a CTA -------------------===//
//
// One thread adds to the counter. What it was goes to the others through shared
// memory, between two barriers: all have read it before the next one is
// written. Additions are not ordered with other accesses: tiles do not depend
// on each other.
//
//===----------------------------------------------------------------------===//

#include "Takes.h"
#include "ElementAddress.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace attn;

int64_t attn::placeTakes(LLVM::LLVMFuncOp function, int64_t bytes) {
  SmallVector<TakeOp> takes;
  function.walk([&](TakeOp take) {
    if (!take.getHandOn() && !take.getFromProducer())
      takes.push_back(take);
  });
  if (takes.empty())
    return bytes;
  // One after the other, with barriers between: they share the place.
  int64_t place = llvm::alignTo(bytes, kTakenBytes);
  Builder b(function.getContext());
  for (TakeOp take : takes)
    take->setAttr(kTakenPlaceAttr, b.getI64IntegerAttr(place));
  return place + kTakenBytes;
}

Value attn::takeNumber(OpBuilder &b, TakeOp op) {
  Location loc = op.getLoc();
  ElementAddress address(b, loc, op.getCounter(), op.getOffsets());
  auto branch = scf::IfOp::create(
      b, loc, address.inside,
      [&](OpBuilder &n, Location) {
        Value one = arith::ConstantIntOp::create(n, loc, 1, 32);
        Value number = LLVM::AtomicRMWOp::create(
            n, loc, LLVM::AtomicBinOp::add, address.pointer(n), one,
            LLVM::AtomicOrdering::monotonic);
        scf::YieldOp::create(n, loc, number);
      },
      [&](OpBuilder &n, Location) {
        Value none = arith::ConstantIntOp::create(
            n, loc, std::numeric_limits<int32_t>::max(), 32);
        scf::YieldOp::create(n, loc, none);
      });
  return branch.getResult(0);
}

namespace {

struct TakePattern : OpConversionPattern<TakeOp> {
  TakePattern(const TypeConverter &converter, MLIRContext *context,
              TakeHooks hooks)
      : OpConversionPattern(converter, context), hooks(std::move(hooks)) {}

  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto place = op->getAttrOfType<IntegerAttr>(kTakenPlaceAttr);
    if (!place)
      return rewriter.notifyMatchFailure(op, "expected a place in shared "
                                             "memory");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Value slot = hooks.shared(rewriter, loc, place.getInt());
    scf::IfOp::create(rewriter, loc, t.equals(t.thread(), 0),
                      [&](OpBuilder &b, Location) {
                        LLVM::StoreOp::create(b, loc, takeNumber(b, op), slot,
                                              /*alignment=*/4);
                        scf::YieldOp::create(b, loc);
                      });
    hooks.barrier(rewriter, loc);
    Value number =
        LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), slot,
                             /*alignment=*/4);
    hooks.barrier(rewriter, loc);
    if (hooks.makeUniform)
      number = hooks.makeUniform(rewriter, loc, number);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    number);
    return success();
  }

  TakeHooks hooks;
};

} // namespace

void attn::populateTakePatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns, TakeHooks hooks) {
  patterns.add<TakePattern>(converter, patterns.getContext(), std::move(hooks));
}
