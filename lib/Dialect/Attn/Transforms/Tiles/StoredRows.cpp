//===- StoredRows.cpp - Which rows of a stream's tiles are stored ---------===//
//
// A tile at the end of a packed sequence has rows of the next one, which
// `until` keeps stores away from.
//
//===----------------------------------------------------------------------===//

#include "StoredRows.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rows from `first` on, up to `until`, of the view that they are stored to.
struct RowRange {
  Value first, until;
};

} // namespace

/// What all stores behind the stream write; none where one writes more.
static std::optional<RowRange> findStoredRange(StreamOp stream) {
  std::optional<RowRange> range;
  for (auto store : stream->getBlock()->getOps<StoreOp>()) {
    if (!stream->isBeforeInBlock(store))
      continue;
    unsigned rank = cast<ShapedType>(store.getTile().getType()).getRank();
    RowRange stored{store.getOffsets().take_back(rank).front(),
                    store.getUntil()};
    if (!stored.until || (range && (range->first != stored.first ||
                                    range->until != stored.until)))
      return std::nullopt;
    range = stored;
  }
  return range;
}

Value attn::buildStoredRows(RewriterBase &b, StreamOp stream,
                            RankedTensorType type) {
  std::optional<RowRange> range = findStoredRange(stream);
  if (!range ||
      failed(moveValueDefinitions(b, {range->first, range->until}, stream)))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(stream);
  Location loc = stream.getLoc();
  auto indices = RankedTensorType::get(type.getShape(), b.getIndexType(),
                                       type.getEncoding());
  Value rows = IotaOp::create(b, loc, indices, /*dim=*/0, range->first);
  Value until = tensor::SplatOp::create(b, loc, range->until, indices);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rows, until);
}
