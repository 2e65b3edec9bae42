//===- Streamable.cpp - Helpers of streamable operations ------------------===//

#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attn {

unsigned TileContext::streamAxis() const {
  return llvm::find_if(
             axes,
             [](const StreamAxis &a) { return a.kind == AxisKind::Stream; }) -
         axes.begin();
}

unsigned TileContext::axis(StringRef name) const {
  return llvm::find_if(axes,
                       [&](const StreamAxis &a) { return a.name == name; }) -
         axes.begin();
}

bool TileContext::hasPartialTile() const {
  unsigned stream = streamAxis();
  int64_t extent = axes[stream].extent;
  return ShapedType::isDynamic(extent) || extent % sizes[stream] != 0;
}

namespace {

/// Bounds of segments, rounded to the tile of the stream. Bounds below zero are
/// clamped before they are rounded, so the unsigned divisions are right.
struct SegmentMath {
  OpBuilder &b;
  Location loc;
  Value zero, step;

  Value max(Value x, Value y) const {
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  }
  Value min(Value x, Value y) const {
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  }
  Value roundDown(Value x) const {
    Value q = b.createOrFold<arith::DivUIOp>(loc, x, step);
    return b.createOrFold<arith::MulIOp>(loc, q, step);
  }
  Value roundUp(Value x) const {
    Value q = b.createOrFold<arith::CeilDivUIOp>(loc, x, step);
    return b.createOrFold<arith::MulIOp>(loc, q, step);
  }
};

} // namespace

SmallVector<Segment> buildRangeSegments(OpBuilder &builder, Location loc,
                                        const TileContext &tile,
                                        const KeyRange &range) {
  unsigned stream = tile.streamAxis();
  SegmentMath m{
      builder, loc, arith::ConstantIndexOp::create(builder, loc, 0),
      arith::ConstantIndexOp::create(builder, loc, tile.sizes[stream])};
  Value extent = tile.extents[stream];

  // The whole stream, in tiles: [lo, hi).
  Value lo = m.zero, hi = extent;
  if (range.hi)
    hi = m.max(m.min(range.hi, extent), m.zero);
  if (range.lo) {
    // An empty range must not be rounded to a tile.
    Value from = m.max(range.lo, m.zero);
    Value empty = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, from, hi);
    lo = m.roundDown(from);
    hi = m.roundUp(hi);
    lo = builder.createOrFold<arith::SelectOp>(loc, empty, hi, lo);
  } else {
    hi = m.roundUp(hi);
  }

  // The part in which every element takes part: [fullLo, fullHi).
  Value fullLo = lo, fullHi = hi;
  if (range.fullLo)
    fullLo = m.min(m.max(m.roundUp(m.max(range.fullLo, m.zero)), lo), hi);
  if (range.fullHi || tile.hasPartialTile()) {
    Value bound = extent;
    if (range.fullHi)
      bound = m.max(m.min(range.fullHi, extent), m.zero);
    fullHi = m.max(m.min(m.roundDown(bound), hi), fullLo);
  }

  SmallVector<Segment> segments;
  auto append = [&](Value from, Value to, bool masked) {
    if (from != to)
      segments.push_back({from, to, masked});
  };
  append(lo, fullLo, /*masked=*/true);
  append(fullLo, fullHi, /*masked=*/false);
  append(fullHi, hi, /*masked=*/true);
  return segments;
}

/// Spreads a scalar over a tile; tiles pass.
static Value spread(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  auto type = RankedTensorType::get(shape, value.getType());
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, loc, type,
        cast<TypedAttr>(DenseElementsAttr::get(type, constant)));
  return tensor::SplatOp::create(builder, loc, type, value);
}

SmallVector<Value> inlineOverTiles(OpBuilder &builder, Block &body,
                                   ValueRange arguments,
                                   ArrayRef<int64_t> shape) {
  IRMapping map;
  map.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    bool overTiles = llvm::any_of(op.getOperands(), [&](Value v) {
      return isa<RankedTensorType>(map.lookup(v).getType());
    });
    SmallVector<Value> operands;
    for (Value v : op.getOperands()) {
      Value mapped = map.lookup(v);
      operands.push_back(overTiles ? spread(builder, op.getLoc(), mapped, shape)
                                   : mapped);
    }
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(overTiles ? RankedTensorType::get(shape, type) : type);
    OperationState state(op.getLoc(), op.getName(), operands, types,
                         llvm::to_vector(op.getDiscardableAttrs()));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    Operation *clone = builder.create(state);
    map.map(op.getResults(), clone->getResults());
  }
  SmallVector<Value> results;
  for (Value v : body.getTerminator()->getOperands())
    results.push_back(
        spread(builder, body.getTerminator()->getLoc(), map.lookup(v), shape));
  return results;
}

} // namespace attn
