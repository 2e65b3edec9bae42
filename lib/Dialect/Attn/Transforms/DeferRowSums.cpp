//===- DeferRowSums.cpp - Row sums across threads once a stream -----------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNDEFERROWSUMS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// The pieces of carried * factor + sum.
struct RowSum {
  arith::AddFOp add;
  arith::MulFOp mul;
  Value factor;
  ReduceOp sum;
};

/// Matches what a stream yields for `carried`, whose start is zero.
std::optional<RowSum> match(StreamOp stream, unsigned index) {
  BlockArgument carried = stream.getCarried()[index];
  auto yield = cast<YieldOp>(stream.getBody().front().getTerminator());
  RowSum result;
  result.add = yield.getValues()[index].getDefiningOp<arith::AddFOp>();
  if (!result.add || !carried.hasOneUse() || !result.add->hasOneUse() ||
      !matchPattern(stream.getInits()[index], m_AnyZeroFloat()))
    return std::nullopt;
  for (auto [x, y] : {std::pair(result.add.getLhs(), result.add.getRhs()),
                      std::pair(result.add.getRhs(), result.add.getLhs())}) {
    result.mul = x.getDefiningOp<arith::MulFOp>();
    result.sum = y.getDefiningOp<ReduceOp>();
    if (!result.mul || !result.sum || !result.mul->hasOneUse() ||
        result.sum.getKind() != ReduceKind::Sum)
      continue;
    if (result.mul.getLhs() != carried && result.mul.getRhs() != carried)
      continue;
    result.factor = result.mul.getLhs() == carried ? result.mul.getRhs()
                                                   : result.mul.getLhs();
    auto tile = cast<RankedTensorType>(result.sum.getTile().getType());
    if (isa_and_nonnull<FragmentAttr>(tile.getEncoding()) &&
        result.factor != carried && result.sum.getResult().hasOneUse())
      return result;
  }
  return std::nullopt;
}

/// Makes the stream carry one sum a thread.
void defer(StreamOp stream, unsigned index, RowSum row) {
  IRRewriter rewriter(stream.getContext());
  Location loc = row.sum.getLoc();
  rewriter.setInsertionPoint(row.add);
  Value part = ReduceRegistersOp::create(rewriter, loc, ReduceKind::Sum,
                                         row.sum.getTile());
  auto type = cast<RankedTensorType>(part.getType());
  Value factor = BroadcastOp::create(rewriter, loc, type, row.factor);
  BlockArgument carried = stream.getCarried()[index];
  carried.setType(type);
  Value next = arith::AddFOp::create(
      rewriter, loc, arith::MulFOp::create(rewriter, loc, carried, factor),
      part);
  rewriter.replaceAllUsesWith(row.add.getResult(), next);
  rewriter.eraseOp(row.add);
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
    auto opts = remark::RemarkOpts::name("deferred")
                    .category("attn-defer-row-sums")
                    .function(kernel.getSymName());
    if (deferred == 0)
      remark::missed(kernel.getLoc(), opts)
          << "no stream carries a sum of rows in registers";
    else
      remark::passed(kernel.getLoc(), opts)
          << "rows are summed across threads at the end of their stream:"
          << remark::metric("sums", deferred);
  }
};

} // namespace
