//===- DeferRowSums.cpp - Row sums across threads once a stream -----------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNDEFERROWSUMS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// The pieces of carried * factor + sum.
struct RowSum {
  /// All of it, and the product where it is one by itself.
  Operation *all = nullptr;
  arith::MulFOp mul;
  Value factor;
  ReduceOp sum;
};

/// The pieces of x * y + sum, where x or y is `carried`.
std::optional<RowSum> matchPieces(Operation *all, Value carried) {
  RowSum result;
  result.all = all;
  std::pair<Value, Value> factors;
  if (auto fma = dyn_cast_or_null<math::FmaOp>(all)) {
    result.sum = fma.getC().getDefiningOp<ReduceOp>();
    factors = {fma.getA(), fma.getB()};
  } else if (auto add = dyn_cast_or_null<arith::AddFOp>(all)) {
    for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                        std::pair(add.getRhs(), add.getLhs())})
      if (auto mul = x.getDefiningOp<arith::MulFOp>();
          mul && y.getDefiningOp<ReduceOp>()) {
        result.mul = mul;
        result.sum = y.getDefiningOp<ReduceOp>();
        factors = {mul.getLhs(), mul.getRhs()};
      }
  }
  if (!result.sum || (factors.first != carried && factors.second != carried))
    return std::nullopt;
  result.factor = factors.first == carried ? factors.second : factors.first;
  return result;
}

/// Matches what a stream yields for `carried`, whose start is zero.
std::optional<RowSum> match(StreamOp stream, unsigned index) {
  BlockArgument carried = stream.getCarried()[index];
  auto yield = cast<YieldOp>(stream.getBody().front().getTerminator());
  Value next = yield.getValues()[index];
  std::optional<RowSum> row = matchPieces(next.getDefiningOp(), carried);
  if (!row || !carried.hasOneUse() || !next.hasOneUse() ||
      row->sum.getKind() != ReduceKind::Sum || row->factor == carried ||
      !row->sum.getResult().hasOneUse() ||
      (row->mul && !row->mul->hasOneUse()) ||
      !matchPattern(stream.getInits()[index], m_AnyZeroFloat()))
    return std::nullopt;
  auto tile = cast<RankedTensorType>(row->sum.getTile().getType());
  if (!isa_and_nonnull<FragmentAttr>(tile.getEncoding()))
    return std::nullopt;
  return row;
}

/// Makes the stream carry one sum a thread.
void defer(StreamOp stream, unsigned index, RowSum row) {
  IRRewriter rewriter(stream.getContext());
  Location loc = row.sum.getLoc();
  rewriter.setInsertionPoint(row.all);
  Value part = ReduceRegistersOp::create(rewriter, loc, ReduceKind::Sum,
                                         row.sum.getTile());
  auto type = cast<RankedTensorType>(part.getType());
  Value factor = BroadcastOp::create(rewriter, loc, type, row.factor);
  BlockArgument carried = stream.getCarried()[index];
  carried.setType(type);
  Value next;
  if (row.mul)
    next = arith::AddFOp::create(
        rewriter, loc, arith::MulFOp::create(rewriter, loc, carried, factor),
        part);
  else
    next = math::FmaOp::create(rewriter, loc, carried, factor, part);
  rewriter.replaceOp(row.all, next);
  if (row.mul)
    rewriter.eraseOp(row.mul);
  rewriter.eraseOp(row.sum);
  rewriter.setInsertionPoint(stream);
  stream.getInitsMutable()[index].set(arith::ConstantOp::create(
      rewriter, loc, type, DenseElementsAttr::get(type, 0.0f)));
  Value result = stream.getResults()[index];
  result.setType(type);
  rewriter.setInsertionPointAfter(stream);
  auto total = ReduceOp::create(rewriter, loc, ReduceKind::Sum, result);
  rewriter.replaceAllUsesExcept(result, total.getResult(), total);
}

struct DeferRowSumsPass : attn::impl::AttnDeferRowSumsBase<DeferRowSumsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    unsigned deferred = 0;
    kernel.walk([&](StreamOp stream) {
      for (unsigned i = 0; i < stream.getInits().size(); ++i)
        if (std::optional<RowSum> row = match(stream, i)) {
          defer(stream, i, *row);
          ++deferred;
        }
    });
    numSums += deferred;
    if (deferred == 0)
      remarks::emitDeferRowSumsNone(kernel);
    else
      remarks::emitDeferRowSums(kernel, deferred);
  }
};

} // namespace
