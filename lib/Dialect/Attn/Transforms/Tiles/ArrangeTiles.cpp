//===- ArrangeTiles.cpp - Right-hand sides arranged in the kernel ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNARRANGETILES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct ArrangeTilesPass : attn::impl::AttnArrangeTilesBase<ArrangeTilesPass> {
  /// Whether a product sums over the rows of 8-bit elements that its stream
  /// loads, of which there is nothing else to be done.
  static bool sumsLoadedRows(DotOp dot) {
    auto load = dot.getRhs().getDefiningOp<LoadOp>();
    return load && load.getTile().hasOneUse() && !dot.getTransposeRhs() &&
           !dot.getTransposeLhs() && load->getParentOfType<StreamOp>() &&
           isFloat8(getElementTypeOrSelf(dot.getLhs().getType())) &&
           isFloat8(getElementTypeOrSelf(dot.getRhs().getType()));
  }

  static void arrange(DotOp dot) {
    OpBuilder b(dot);
    Location loc = dot.getLoc();
    auto rows = cast<RankedTensorType>(dot.getRhs().getType());
    auto columns = RankedTensorType::get(
        {rows.getDimSize(1), rows.getDimSize(0)}, rows.getElementType());
    dot.getRhsMutable().assign(
        ArrangeOp::create(b, loc, columns, dot.getRhs()));
    dot.setTransposeRhs(true);
    // Weights are interleaved before they are rounded: accumulators then lie
    // as an operand does.
    Value lhs = dot.getLhs();
    OpOperand *place = &dot.getLhsMutable();
    while (auto narrow = lhs.getDefiningOp<arith::TruncFOp>()) {
      b.setInsertionPoint(narrow);
      place = &narrow->getOpOperand(0);
      lhs = narrow.getIn();
    }
    place->set(InterleaveOp::create(b, loc, lhs.getType(), lhs));
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DotOp> dots;
    if (TargetAttr::of(kernel).hasCapability("wgmma"))
      kernel.walk([&](DotOp dot) {
        if (sumsLoadedRows(dot))
          dots.push_back(dot);
      });
    llvm::for_each(dots, arrange);
    numArranged += dots.size();
    if (!dots.empty())
      remarks::emitArrangeTiles(kernel, dots.size());
  }
};

} // namespace
