//===- SkipRescaling.cpp - Sums that keep their unit ----------------------===//
//
// What a loop carries is multiplied by what its reference rose by, which is 1
// in most tiles of a long stream: maxima of a row grow ever more seldom. A warp
// none of whose rows has a larger maximum passes the product by, where sums are
// so wide that this is worth a branch.
//
//===----------------------------------------------------------------------===//

#include "RowVotes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSKIPRESCALING
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// What an operand repeats along rows, where that is how much a reference rose.
Value rescaleOf(Value operand) {
  auto broadcast = operand.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  auto advance = broadcast.getRows().getDefiningOp<AdvanceOp>();
  return advance && broadcast.getRows() == advance.getRescale()
             ? broadcast.getRows()
             : Value();
}

/// Whether a tile is what a product of the loop is added to.
bool isSum(Value tile) {
  return llvm::any_of(tile.getUses(), [](OpOperand &use) {
    auto issue = dyn_cast<DotIssueOp>(use.getOwner());
    return (issue && issue.getAcc() == use.get()) ||
           isa<scf::YieldOp>(use.getOwner());
  });
}

/// Elements of a sum for each score of a tile from which on a branch pays: on
/// Hopper, 256 for 80 do, 128 for 80 and fewer do not
/// (docs/notebooks/performance.md, "Exact where rows have peaks").
constexpr int64_t kWide = 3;

/// Whether a sum is wide beside the scores whose maximum an advance takes.
bool isWide(RankedTensorType sum, AdvanceOp advance) {
  auto maximum = advance.getMaximum().getDefiningOp<ReduceOp>();
  if (!maximum)
    return false;
  auto scores = cast<RankedTensorType>(maximum.getTile().getType());
  return sum.getNumElements() >= kWide * scores.getNumElements();
}

/// The sums of a loop that are multiplied, by what rescales them.
using Products = llvm::SmallMapVector<Value, SmallVector<arith::MulFOp>, 2>;

Products findProducts(scf::ForOp loop) {
  Products found;
  for (auto product : loop.getBody()->getOps<arith::MulFOp>()) {
    auto type = dyn_cast<RankedTensorType>(product.getType());
    if (!type || type.getRank() != 2 ||
        !isa_and_nonnull<FragmentAttr>(type.getEncoding()) ||
        !isSum(product.getResult()))
      continue;
    for (Value operand : product->getOperands())
      if (Value rescale = rescaleOf(operand);
          rescale && rescale.getParentBlock() == loop.getBody() &&
          isWide(type, rescale.getDefiningOp<AdvanceOp>())) {
        found[rescale].push_back(product);
        break;
      }
  }
  return found;
}

/// Whether any row of the warp has another unit than before: known long before
/// the sums are there.
Value buildRises(RewriterBase &rewriter, Value rescale) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(rescale);
  // True of NaN.
  return buildAnyRow(rewriter, rescale.getLoc(), arith::CmpFPredicate::UNE,
                     rescale, 1);
}

void skip(RewriterBase &rewriter, arith::MulFOp product, Value rises) {
  rewriter.setInsertionPoint(product);
  Value sum = rescaleOf(product.getLhs()) ? product.getRhs() : product.getLhs();
  auto branch = scf::IfOp::create(rewriter, product.getLoc(), product.getType(),
                                  rises, /*withElse=*/true);
  rewriter.replaceAllUsesWith(product.getResult(), branch.getResult(0));
  rewriter.moveOpBefore(product, branch.thenBlock(), branch.thenBlock()->end());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, product.getLoc(), product.getResult());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, product.getLoc(), sum);
}

struct SkipRescalingPass
    : attn::impl::AttnSkipRescalingBase<SkipRescalingPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    IRRewriter rewriter(&getContext());
    int64_t skipped = 0;
    kernel.walk([&](scf::ForOp loop) {
      for (auto &[rescale, products] : findProducts(loop)) {
        Value rises = buildRises(rewriter, rescale);
        for (arith::MulFOp product : products)
          skip(rewriter, product, rises);
        skipped += products.size();
      }
    });
    numSkipped += skipped;
    if (skipped)
      remarks::emitSkipRescaling(kernel, skipped);
  }
};

} // namespace
