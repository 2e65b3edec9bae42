//===- SkipRescaling.cpp - Sums that keep their unit ----------------------===//
//
// What a loop carries is multiplied by what its reference rose by, which is 1
// in most tiles of a long stream: maxima of a row grow ever more seldom. A warp
// none of whose rows has a larger maximum passes the product by, where sums are
// so wide that this is worth a branch. Else a thread does: what it holds of a
// row whose maximum stays is selected as it was, of which targets make products
// under a predicate.
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
/// (docs/notebooks/performance.md, "Exact where rows have peaks"). A branch
/// parts products from the exponentials that hide them, predicates do not.
constexpr int64_t kWide = 3;

/// Whether a sum is wide beside the scores whose maximum an advance takes.
bool isWide(RankedTensorType sum, AdvanceOp advance) {
  auto maximum = advance.getMaximum().getDefiningOp<ReduceOp>();
  if (!maximum)
    return false;
  auto scores = cast<RankedTensorType>(maximum.getTile().getType());
  return sum.getNumElements() >= kWide * scores.getNumElements();
}

/// A sum of a loop that is multiplied.
struct Product {
  arith::MulFOp op;
  Value sum;
  bool isWide;
};

/// The sums of a loop that are multiplied, by what rescales them.
using Products = llvm::SmallMapVector<Value, SmallVector<Product>, 2>;

/// Whether a product is selected where its factor is not 1 already.
bool isSelected(arith::MulFOp product) {
  return llvm::any_of(product->getUsers(), llvm::IsaPred<arith::SelectOp>);
}

Products findProducts(scf::ForOp loop) {
  Products found;
  for (auto product : loop.getBody()->getOps<arith::MulFOp>()) {
    auto type = dyn_cast<RankedTensorType>(product.getType());
    if (!type || type.getRank() != 2 ||
        !isa_and_nonnull<FragmentAttr>(type.getEncoding()) ||
        isSelected(product) || !isSum(product.getResult()))
      continue;
    for (OpOperand &operand : product->getOpOperands())
      if (Value rescale = rescaleOf(operand.get());
          rescale && rescale.getParentBlock() == loop.getBody()) {
        found[rescale].push_back(
            {product, product->getOperand(1 - operand.getOperandNumber()),
             isWide(type, rescale.getDefiningOp<AdvanceOp>())});
        break;
      }
  }
  return found;
}

/// Which rows have another unit than before: known long before the sums are
/// there. True of NaN.
Value buildRises(RewriterBase &rewriter, Value rescale) {
  rewriter.setInsertionPointAfterValue(rescale);
  return buildCompareRows(rewriter, rescale.getLoc(), arith::CmpFPredicate::UNE,
                          rescale, 1);
}

/// A warp multiplies its part of a sum if a row of its rises.
void branch(RewriterBase &rewriter, Product product, Value rises) {
  arith::MulFOp op = product.op;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto branch = scf::IfOp::create(rewriter, loc, op.getType(), rises,
                                  /*withElse=*/true);
  rewriter.replaceAllUsesWith(op.getResult(), branch.getResult(0));
  rewriter.moveOpBefore(op, branch.thenBlock(), branch.thenBlock()->end());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, op.getResult());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, product.sum);
}

/// A thread multiplies what it holds of rows that rise.
void select(RewriterBase &rewriter, Product product, Value rises) {
  arith::MulFOp op = product.op;
  Location loc = op.getLoc();
  rewriter.setInsertionPointAfter(op);
  auto type = cast<RankedTensorType>(op.getType());
  Value each = BroadcastOp::create(rewriter, loc,
                                   type.clone(rewriter.getI1Type()), rises);
  Value kept =
      arith::SelectOp::create(rewriter, loc, each, op.getResult(), product.sum);
  rewriter.replaceAllUsesExcept(op.getResult(), kept, kept.getDefiningOp());
}

struct SkipRescalingPass
    : attn::impl::AttnSkipRescalingBase<SkipRescalingPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    IRRewriter rewriter(&getContext());
    int64_t branches = 0, selections = 0;
    kernel.walk([&](scf::ForOp loop) {
      for (auto &[rescale, products] : findProducts(loop)) {
        Value rises = buildRises(rewriter, rescale), any;
        if (llvm::any_of(products, [](Product p) { return p.isWide; }))
          any = AnyOp::create(rewriter, rescale.getLoc(), rises);
        for (Product product : products) {
          if (product.isWide)
            branch(rewriter, product, any);
          else
            select(rewriter, product, rises);
          ++(product.isWide ? branches : selections);
        }
      }
    });
    numSkipped += branches;
    numSelected += selections;
    if (branches || selections)
      remarks::emitSkipRescaling(kernel, branches, selections);
  }
};

} // namespace
