//===- TestDialect.cpp - A streamable op that no pass knows ---------------===//

#include "TestDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include <limits>

using namespace mlir;
using namespace attn;
using namespace attn_test;

#include "TestDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestOps.cpp.inc"

void AttnTestDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestOps.cpp.inc"
      >();
}

namespace {
enum Axis { Row, Column, NumAxes };
enum State { Factor, Reference, L };
} // namespace

SmallVector<StreamAxis> LogSumExpOp::getStreamAxes() {
  RankedTensorType x = getInput().getType();
  // Every row streams data of its own.
  return {{"row", AxisKind::Group, x.getDimSize(0), 0, 0, true},
          {"column", AxisKind::Stream, x.getDimSize(1), 0, 1}};
}

SmallVector<AffineMap> LogSumExpOp::getViewMaps() {
  MLIRContext *context = getContext();
  AffineExpr row = getAffineDimExpr(Row, context);
  AffineExpr column = getAffineDimExpr(Column, context);
  return {AffineMap::get(NumAxes, 0, {row, column}, context),
          AffineMap::get(NumAxes, 0, {row}, context)};
}

SmallVector<StringRef> LogSumExpOp::getViewNames() { return {"x", "y"}; }

Reorder LogSumExpOp::getReorder() {
  return getOrdered() ? Reorder::Ordered : Reorder::Reassociates;
}

SmallVector<AffineMap> LogSumExpOp::getStateMaps() {
  return SmallVector<AffineMap>(3, getViewMaps()[1]);
}

SmallVector<StringRef> LogSumExpOp::getStateNames() {
  return {"factor", "reference", "sum"};
}

SmallVector<Segment> LogSumExpOp::buildSegments(OpBuilder &b, Location loc,
                                                const TileContext &tile) {
  return buildRangeSegments(b, loc, tile, KeyRange{});
}

SmallVector<Value> LogSumExpOp::buildHead(OpBuilder &b, Location loc,
                                          const TileContext &tile) {
  TileBuilder t{b, loc};
  auto [factor, reference] = t.initialReference(tile.sizes[Row], 1);
  return {factor, reference, t.splat(0, {tile.sizes[Row]})};
}

SmallVector<Value> LogSumExpOp::buildFold(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange state, ValueRange tiles) {
  TileBuilder t{b, loc};
  SmallVector<int64_t> shape{tile.sizes[Row], tile.sizes[Column]};
  Value x = tiles[0];
  if (!getElementTypeOrSelf(x).isF32())
    x = arith::ExtFOp::create(b, loc,
                              RankedTensorType::get(shape, b.getF32Type()), x);
  if (tile.hasPartialTile())
    x = t.mask(x, t.lessThan(t.iota(1, tile.offsets[Column], shape),
                             t.spread(tile.extents[Column], shape)));
  AdvanceOp now = t.advance(t.reduce(ReduceKind::Max, x), state[Factor],
                            state[Reference], 1);
  Value p = t.weights(x, now.getFactor(), now.getReference());
  return {now.getFactor(), now.getReference(),
          t.fma(state[L], now.getRescale(), t.reduce(ReduceKind::Sum, p))};
}

SmallVector<Value> LogSumExpOp::buildMerge(OpBuilder &b, Location loc,
                                           const TileContext &tile,
                                           ValueRange lhs, ValueRange rhs) {
  TileBuilder t{b, loc};
  auto to = t.merge(lhs[Factor], lhs[Reference], rhs[Factor], rhs[Reference],
                    /*scale=*/1);
  return {to.factor, to.reference,
          t.add(t.mul(lhs[L], to.rescales[0]), t.mul(rhs[L], to.rescales[1]))};
}

SmallVector<Value> LogSumExpOp::buildTail(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange state) {
  TileBuilder t{b, loc};
  return {t.logSum(state[Factor], state[Reference], state[L], 1)};
}

//===----------------------------------------------------------------------===//
// Operations that are attention
//===----------------------------------------------------------------------===//

FailureOr<AttentionDescription> AttendOp::describeAttention() {
  if (getSecret())
    return failure();
  AttentionDescription attention;
  attention.query = getQuery();
  attention.key = getKey();
  attention.value = getValue();
  attention.scale = getScale().convertToFloat();
  if (getCausal())
    attention.mask = cast<MaskInterface>(
        Attribute(CausalMaskAttr::get(getContext(), MaskAlign::TopLeft)));
  if (getSequenceFirst())
    attention.layout = TensorLayout::BSHD;
  return attention;
}

namespace {
struct ForeignAttention
    : AttentionLikeOpInterface::ExternalModel<ForeignAttention,
                                              ForeignAttendOp> {
  FailureOr<AttentionDescription> describeAttention(Operation *op) const {
    auto attend = cast<ForeignAttendOp>(op);
    AttentionDescription attention;
    attention.query = attend.getQuery();
    attention.key = attend.getKey();
    attention.value = attend.getValue();
    attention.lengths = attend.getLengths();
    return attention;
  }
};
} // namespace

void attn_test::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnTestDialect *) {
    ForeignAttendOp::attachInterface<ForeignAttention>(*context);
  });
}
