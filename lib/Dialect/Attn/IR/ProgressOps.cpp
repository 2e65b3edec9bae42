//===- ProgressOps.cpp - Tiles that wait for tiles in front of them -------===//
//
// A wait ends if those that are waited for need nothing of what waits, and have
// been given a CTA. Of tiles that come earlier in the order of the grid both
// hold: the first tile that is not done waits for none.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

/// Elements of a view of counters of 32 bits; `given` of its dimensions have an
/// offset each.
static LogicalResult verifyPlace(Operation *op, ViewType view, unsigned wanted,
                                 unsigned given) {
  if (!view.getElementType().isInteger(32))
    return op->emitOpError("expected a view of i32, but got ") << view;
  if (given != wanted)
    return op->emitOpError("expected ")
           << wanted << " offsets into " << view << ", but got " << given;
  if (!op->getParentOfType<GridOp>() && !op->getParentOfType<CtasOp>() &&
      op->getParentOfType<KernelOp>())
    return op->emitOpError("expected to stand in a grid: beside it a kernel "
                           "holds index arithmetic only");
  return success();
}

LogicalResult ReportProgressOp::verify() {
  ViewType view = getProgress().getType();
  return verifyPlace(*this, view, view.getRank(), getOffsets().size());
}

/// What would have tiles of a grid start in another order than its own, or an
/// empty string.
static StringRef startsOtherwise(GridOp grid) {
  if (grid.getCluster())
    return "clusters";
  if (grid.getRun() != 1)
    return "runs of tiles";
  if (grid.getFolded())
    return "a folded axis";
  if (grid.getSnake())
    return "CTAs that take every other stride backwards";
  if (grid.getPersistent() && !grid.getCounter())
    return "persistent CTAs without a counter";
  if (grid.getUntil())
    return "tiles that are left out";
  return "";
}

/// Whether a value is that of another, or the same constant.
static bool isSame(Value value, Value other) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return value == other || (constant && constant == getConstantIntValue(other));
}

static bool isBehind(Value value, Value coordinate) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  return sum && sum.getLhs() == coordinate &&
         getConstantIntValue(sum.getRhs()) == 1;
}

/// Whether the order of a grid reverses its last axis.
static bool reversesLast(GridOp grid) {
  return llvm::is_contained(grid.getOrderOrDefault().getReversed(),
                            grid.getAxes().getValue().back());
}

/// A set of an order by domains or groups starts with others: its tiles are not
/// in front of theirs.
static bool isRanked(GridOp grid) {
  OrderAttr order = grid.getOrderOrDefault();
  return (order.getDomains() > 1 || order.getTogether() > 1) &&
         llvm::is_contained(grid.getSharing().getValue(),
                            grid.getAxes().getValue().back());
}

static LogicalResult verifyOrder(AwaitProgressOp op, GridOp grid) {
  if (StringRef what = startsOtherwise(grid); !what.empty())
    return op.emitOpError("expected a grid whose tiles start in its order, or "
                          "it may wait for ever, but got one with ")
           << what;
  ValueRange coordinates = grid.getCoordinates();
  if (op.getOffsets() != coordinates.drop_back())
    return op.emitOpError("expected the coordinates of the grid but for the "
                          "last as offsets, but got others");
  if (isRanked(grid))
    return op.emitOpError("expected a last axis that selects no streamed data, "
                          "as the order goes by domains, but got ")
           << grid.getAxes().getValue().back();
  Value last = coordinates.back();
  if (reversesLast(grid)) {
    if (!isBehind(op.getFrom(), last) ||
        !isSame(op.getTo(), grid.getSizes().back()))
      return op.emitOpError("expected to wait for tiles that start earlier, "
                            "from the last coordinate + 1 to the size of the "
                            "axis, which the order reverses, but got others");
    return success();
  }
  if (!isConstantIntValue(op.getFrom(), 0) || op.getTo() != last)
    return op.emitOpError("expected to wait for tiles that start earlier, from "
                          "0 to the last coordinate, but got others");
  return success();
}

LogicalResult AwaitProgressOp::verify() {
  ViewType view = getProgress().getType();
  if (failed(verifyPlace(*this, view, view.getRank() - 1, getOffsets().size())))
    return failure();
  for (auto stream = (*this)->getParentOfType<StreamOp>(); stream;
       stream = stream->getParentOfType<StreamOp>())
    if (!isa<ForwardTraversalAttr>(stream.getTraversal()))
      return emitOpError("expected streams that go forwards, as the places do "
                         "that it waits for, but got ")
             << stream.getTraversal();
  auto grid = (*this)->getParentOfType<GridOp>();
  return grid ? verifyOrder(*this, grid) : success();
}
