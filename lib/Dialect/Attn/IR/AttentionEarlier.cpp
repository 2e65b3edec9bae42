//===- AttentionEarlier.cpp - Attention that goes on ------------*- C++ -*-===//
//
// Results of earlier keys are read where a tile's stream ends, and weighted as
// attn.merge_states does.
//
//===----------------------------------------------------------------------===//

#include "AttentionEarlier.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"

using namespace mlir;
using namespace attn;

std::optional<unsigned> AttentionOp::getEarlierView() {
  if (!getEarlierOutput())
    return std::nullopt;
  unsigned next = getFirstCaptureView() + (getSinks() ? 1 : 0);
  for (std::optional<unsigned> view : getCaptureViews())
    next += view.has_value();
  for (std::optional<unsigned> view : getScaleViews())
    next += view.has_value();
  return next;
}

LogicalResult attn::verifyEarlier(AttentionOp op) {
  Value output = op.getEarlierOutput(), lse = op.getEarlierLse();
  if (!output && !lse)
    return success();
  if (!output || !lse)
    return op.emitOpError("earlier keys expect both earlier_o and "
                          "earlier_lse, but got ")
           << (lse ? "earlier_lse" : "earlier_o") << " alone";
  if (op.getQueryOffsets() || op.getValueScale())
    return op.emitOpError("earlier keys expect no ")
           << (op.getValueScale() ? "v_scale" : "cu_seqlens_q");
  auto expectShape = [&](StringRef name, Value value,
                         ArrayRef<int64_t> shape) -> LogicalResult {
    auto type = cast<RankedTensorType>(value.getType());
    auto wanted = RankedTensorType::get(shape, type.getElementType());
    if (type.getRank() == wanted.getRank() &&
        succeeded(verifyCompatibleShape(type, wanted)))
      return success();
    return op.emitOpError(name)
           << " expects the shape of " << wanted << ", but got " << type;
  };
  RankedTensorType q = op.getQuery().getType();
  if (failed(expectShape("earlier_o", output,
                         op.getOutput().getType().getShape())))
    return failure();
  return expectShape(
      "earlier_lse", lse,
      {q.getDimSize(0), op.getNumQueryHeads(), q.getDimSize(op.getSeqDim())});
}

std::pair<Value, Value> attn::takeUpEarlier(AttentionOp op,
                                            const TileBuilder &t,
                                            ValueRange views, RowsOfTile at,
                                            Value out, Value lse) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  unsigned view = *op.getEarlierView();
  ArrayRef<int64_t> shape = TileBuilder::shapeOf(out);
  auto read = [&](unsigned of, ArrayRef<int64_t> sizes) -> Value {
    SmallVector<Value> indices{at.batch, at.head, t.iota(0, at.query, sizes)};
    if (sizes.size() == 2)
      indices.push_back(t.iota(1, t.index(0), sizes));
    return GatherOp::create(t.b, t.loc,
                            RankedTensorType::get(sizes, t.b.getF32Type()),
                            views[of], indices);
  };
  Value before = read(view, shape), earlier = read(view + 1, shape[0]);
  Value largest = t.max(lse, earlier);
  // -inf - -inf would be NaN.
  Value reference = t.select(t.equal(largest, t.splat(kNone, shape[0])),
                             t.splat(0, shape[0]), largest);
  auto weigh = [&](Value x) {
    return t.exp2(t.scale(t.sub(x, reference), llvm::numbers::log2e));
  };
  Value weight = weigh(lse), other = weigh(earlier), sum = t.add(weight, other);
  // What was computed of no key may be anything.
  Value wide = t.broadcast(other, shape[1]), nothing = t.splat(0, shape);
  before = t.select(t.equal(wide, nothing), nothing, before);
  out = t.add(t.mul(out, t.broadcast(weight, shape[1])), t.mul(before, wide));
  return {t.divideRows(out, sum),
          t.add(reference, t.scale(t.log2(sum), llvm::numbers::ln2))};
}
