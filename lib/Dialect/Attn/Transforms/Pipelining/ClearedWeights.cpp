//===- ClearedWeights.cpp - Columns of weights that count -----------------===//
//
// Scores that a mask clears are -inf, and their weights zero. Where a mask
// keeps the first columns of a row alone, as causal ones and those of padded
// keys do, a product with values need not be taken over the others.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

namespace {

arith::SelectOp choiceOfLogs(Value value);

/// What clears scores, of which `value` is zero where they are cleared.
arith::SelectOp choiceOfWeights(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto exponential = dyn_cast<math::Exp2Op>(op))
    return choiceOfLogs(exponential.getOperand());
  if (isa<arith::TruncFOp, arith::ExtFOp>(op))
    return choiceOfWeights(op->getOperand(0));
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    arith::SelectOp choice = choiceOfWeights(product.getLhs());
    return choice ? choice : choiceOfWeights(product.getRhs());
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return {};
  unsigned i = cast<OpResult>(value).getResultNumber();
  arith::SelectOp choice = choiceOfWeights(branch.thenYield().getOperand(i));
  if (choice != choiceOfWeights(branch.elseYield().getOperand(i)))
    return {};
  return choice;
}

/// Whether a factor is known to turn -inf into something else. Those of rows
/// are positive.
bool turnsAround(Value factor) {
  DenseFPElementsAttr splat;
  if (!matchPattern(factor, m_Constant(&splat)))
    return false;
  if (!splat.isSplat())
    return true;
  APFloat each = splat.getSplatValue<APFloat>();
  return each.isNegative() || each.isZero() || each.isNaN();
}

/// The same of their logarithms, which are -inf there.
arith::SelectOp choiceOfLogs(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return matchPattern(choice.getFalseValue(), m_NegInfFloat())
               ? choice
               : arith::SelectOp();
  if (isa<math::FmaOp, arith::MulFOp>(op) && turnsAround(op->getOperand(1)))
    return {};
  if (isa<math::FmaOp, arith::MulFOp, arith::SubFOp>(op))
    return choiceOfLogs(op->getOperand(0));
  return {};
}

/// What a mask keeps of each row: columns, which begin with a number, below a
/// sum of terms and a constant, and of the row's number where rows are counted;
/// and that column itself, or not.
struct Kept {
  Value columns;
  bool isStrict = false;
  SmallVector<Value> terms;
  int64_t constant = 0;
  bool countsRows = false;
};

/// Adds up what a tile is the sum of: what is the same everywhere, and rows.
LogicalResult addTerms(Value tile, Kept &kept) {
  DenseIntElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat)) && splat.isSplat()) {
    kept.constant += splat.getSplatValue<APInt>().getSExtValue();
    return success();
  }
  if (auto spread = tile.getDefiningOp<tensor::SplatOp>()) {
    kept.terms.push_back(spread.getInput());
    return success();
  }
  if (auto sum = tile.getDefiningOp<arith::AddIOp>())
    return success(succeeded(addTerms(sum.getLhs(), kept)) &&
                   succeeded(addTerms(sum.getRhs(), kept)));
  auto rows = tile.getDefiningOp<IotaOp>();
  if (!rows || rows.getDim() != 0 || kept.countsRows)
    return failure();
  kept.terms.push_back(rows.getStart());
  kept.countsRows = true;
  return success();
}

/// Reads `columns <= x` or `columns < x`, either way round.
FailureOr<Kept> readCompare(arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  Predicate how = compare.getPredicate();
  auto columns = compare.getLhs().getDefiningOp<IotaOp>();
  Value bound = compare.getRhs();
  if (how == Predicate::sge || how == Predicate::sgt) {
    columns = bound.getDefiningOp<IotaOp>();
    bound = compare.getLhs();
    how = how == Predicate::sge ? Predicate::sle : Predicate::slt;
  }
  bool isStrict = how == Predicate::slt;
  if (!columns || columns.getDim() != 1 || (!isStrict && how != Predicate::sle))
    return failure();
  Kept kept;
  kept.columns = columns.getStart();
  kept.isStrict = isStrict;
  if (failed(addTerms(bound, kept)))
    return failure();
  return kept;
}

/// What a mask keeps at most; of several such things that of a row's own.
FailureOr<Kept> readMask(Value mask) {
  if (auto compare = mask.getDefiningOp<arith::CmpIOp>())
    return readCompare(compare);
  auto both = mask.getDefiningOp<arith::AndIOp>();
  if (!both)
    return failure();
  FailureOr<Kept> left = readMask(both.getLhs()),
                  right = readMask(both.getRhs());
  if (succeeded(left) && (failed(right) || left->countsRows))
    return left;
  return right;
}

/// A number of the loop's body at another position; null where it follows from
/// more than that.
Value cloneAt(OpBuilder &b, scf::ForOp loop, Value value, Value position) {
  auto isCarried = [&](Value operand) {
    return llvm::is_contained(loop.getRegionIterArgs(), operand);
  };
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return loop.getRegion().isAncestor(op->getParentRegion());
  };
  SetVector<Operation *> slice;
  if (isCarried(value) || failed(getBackwardSlice(value, &slice, options)) ||
      !llvm::all_of(slice, [&](Operation *op) {
        return isPure(op) && op->getNumRegions() == 0 &&
               llvm::none_of(op->getOperands(), isCarried);
      }))
    return {};
  IRMapping map;
  map.map(loop.getInductionVar(), position);
  for (Operation *op : slice)
    b.clone(*op, map);
  return map.lookupOrDefault(value);
}

} // namespace

Depth attn::buildDepth(OpBuilder &b, scf::ForOp loop, DotIssueOp product,
                       Value position) {
  arith::SelectOp choice = choiceOfWeights(product.getLhs());
  if (!choice || product.getTransposeLhs())
    return {};
  FailureOr<Kept> kept = readMask(choice.getCondition());
  if (failed(kept))
    return {};
  Location loc = product.getLoc();
  Value sum = arith::ConstantIndexOp::create(b, loc, kept->constant);
  for (Value term : kept->terms) {
    Value there = cloneAt(b, loop, term, position);
    if (!there)
      return {};
    sum = arith::AddIOp::create(b, loc, sum, there);
  }
  Value first = cloneAt(b, loop, kept->columns, position);
  if (!first)
    return {};
  Value columns = arith::SubIOp::create(b, loc, sum, first);
  if (kept->isStrict)
    return {columns, kept->countsRows};
  // Nothing is added to what may be the largest number.
  auto tile = cast<RankedTensorType>(product.getLhs().getType());
  Value width = arith::ConstantIndexOp::create(b, loc, tile.getDimSize(1)),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  columns = arith::MinSIOp::create(b, loc, columns, width);
  columns = arith::AddIOp::create(b, loc, columns, one);
  return {columns, kept->countsRows};
}
