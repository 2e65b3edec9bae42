//===- SimplifyTiles.cpp - Cheaper arithmetic on tiles --------------------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSIMPLIFYTILES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// x and c of x * c, c a positive finite constant; or nulls.
std::pair<Value, std::optional<double>> matchScaled(Value v) {
  auto mul = v.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return {};
  for (auto [x, c] : {std::pair(mul.getLhs(), mul.getRhs()),
                      std::pair(mul.getRhs(), mul.getLhs())}) {
    DenseFPElementsAttr constant;
    if (!matchPattern(c, m_Constant(&constant)) || !constant.isSplat())
      continue;
    auto factor = constant.getSplatValue<APFloat>();
    if (factor.isFiniteNonZero() && !factor.isNegative())
      return {x, factor.convertToDouble()};
  }
  return {};
}

/// mask(x * c) = mask(x) * c, since -inf * c = -inf.
struct ScaleAfterMask : OpRewritePattern<MaskOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaskOp mask,
                                PatternRewriter &rewriter) const override {
    auto [x, factor] = matchScaled(mask.getScores());
    if (!x)
      return rewriter.notifyMatchFailure(mask, "scores are not scaled");
    TileBuilder t{rewriter, mask.getLoc()};
    rewriter.replaceOp(mask, t.scale(t.mask(x, mask.getKeep()), *factor));
    return success();
  }
};

/// max(x * c) = max(x) * c: one product a row, and where x * c has another use
/// that subtracts from it, that becomes one fused multiply-add.
struct ScaleAfterMax : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    auto [x, factor] = matchScaled(reduce.getTile());
    if (!x || reduce.getKind() != ReduceKind::Max)
      return rewriter.notifyMatchFailure(reduce, "no maximum of scaled values");
    TileBuilder t{rewriter, reduce.getLoc()};
    rewriter.replaceOp(reduce, t.scale(t.reduce(ReduceKind::Max, x), *factor));
    return success();
  }
};

/// x / broadcast(d) = x * broadcast(1 / d): one division a row.
struct DivideOnceARow : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp div,
                                PatternRewriter &rewriter) const override {
    auto divisor = div.getRhs().getDefiningOp<BroadcastOp>();
    if (!divisor)
      return rewriter.notifyMatchFailure(div, "divisor is no broadcast");
    TileBuilder t{rewriter, div.getLoc()};
    Value rows = divisor.getRows();
    Value inverse = t.div(t.splat(1, TileBuilder::shapeOf(rows)), rows);
    auto columns = TileBuilder::shapeOf(divisor.getTile())[1];
    rewriter.replaceOp(div, t.mul(div.getLhs(), t.broadcast(inverse, columns)));
    return success();
  }
};

struct ChangeListener : RewriterBase::Listener {
  void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) override {
    changed = true;
  }
  bool changed = false;
};

struct SimplifyTilesPass
    : attn::impl::AttnSimplifyTilesBase<SimplifyTilesPass> {
  void runOnOperation() override {
    RewritePatternSet set(&getContext());
    set.add<DivideOnceARow, ScaleAfterMask, ScaleAfterMax>(&getContext());
    FrozenRewritePatternSet patterns(std::move(set));
    // Walks leave alone what no pattern matches: a greedy driver would also
    // move constants about.
    bool changed = false;
    while (true) {
      ChangeListener listener;
      walkAndApplyPatterns(getOperation(), patterns, &listener);
      if (!listener.changed)
        break;
      changed = true;
      tidy(getOperation());
    }
    if (changed)
      return;
    KernelOp kernel = getOperation();
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("nothing-to-do")
                                        .category("attn-simplify-tiles")
                                        .function(kernel.getSymName()))
        << "no scale to move and no division to share";
  }
};

} // namespace
