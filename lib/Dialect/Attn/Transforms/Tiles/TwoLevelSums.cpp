//===- TwoLevelSums.cpp - Products of a tile summed by themselves ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNTWOLEVELSUMS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct TwoLevelSumsPass : attn::impl::AttnTwoLevelSumsBase<TwoLevelSumsPass> {
  /// Whether a unit would add to what it summed before.
  static bool goesOn(DotOp dot) {
    return isFloat8(getElementTypeOrSelf(dot.getLhs().getType())) &&
           dot->getParentOfType<StreamOp>() &&
           !matchPattern(dot.getAcc(), m_AnyZeroFloat());
  }

  static void sumApart(DotOp dot) {
    OpBuilder b(dot);
    Location loc = dot.getLoc();
    Value before = dot.getAcc();
    // Where streams do not carry it around.
    b.setInsertionPointToStart(
        &dot->getParentOfType<KernelOp>().getBody().front());
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(before.getType()));
    dot.getAccMutable().assign(zero);
    b.setInsertionPointAfter(dot);
    auto sum = arith::AddFOp::create(b, loc, before, dot.getResult());
    dot.getResult().replaceAllUsesExcept(sum.getResult(), sum);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) {
      if (goesOn(dot))
        dots.push_back(dot);
    });
    llvm::for_each(dots, sumApart);
    numSums += dots.size();
    if (dots.empty())
      remarks::emitTwoLevelSumsNone(kernel);
    else
      remarks::emitTwoLevelSums(kernel, dots.size());
  }
};

} // namespace
