//===- OrderSums.cpp - Tiles that add to a result one after the other -----===//
//
// Sums of floating-point numbers depend on their order. Each tile of the grid
// has a number in memory, how far its stream has got; before it adds, it waits
// until the tiles that start earlier have all passed the place. All streams go
// forwards, so that a tile which does not visit a place, whatever the reason,
// passes it, and no mask has to say who visits what.
//
// A tile says that it has passed a place when it comes to the next: what it
// added has arrived by then, and nobody waits for that.
//
//===----------------------------------------------------------------------===//

#include "ClearView.h"
#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// In the kernel
//===----------------------------------------------------------------------===//

/// Places of one step of the streams around end in front of those of the next:
/// the last tile may reach behind the extent.
Value StreamKernel::placeOfStream(int64_t ahead) {
  IndexBuilder m{builder, loc};
  Value span =
      m.add(context.extents[streamed], constant(context.sizes[streamed]));
  Value steps;
  for (unsigned axis = 0; axis < streamed; ++axis) {
    if (!attn::isStreamed(axes[axis].kind) || axes[axis].extent == 1)
      continue;
    Value step = context.offsets[axis];
    steps = steps ? m.add(m.mul(steps, context.extents[axis]), step) : step;
  }
  Value place = m.add(context.offsets[streamed], constant(ahead));
  return steps ? m.add(m.mul(steps, span), place) : place;
}

void StreamKernel::reportProgress(bool done) {
  ValueRange own = kernel.getGrid().getCoordinates();
  ReportProgressOp::create(builder, loc, kernel.getArgument(numViews() - 1),
                           own, done ? Value() : placeOfStream(/*ahead=*/0));
}

void StreamKernel::awaitProgress() {
  ValueRange own = kernel.getGrid().getCoordinates();
  AwaitProgressOp::create(builder, loc, kernel.getArgument(numViews() - 1),
                          own.drop_back(), constant(0), own.back(),
                          placeOfStream(context.sizes[streamed]));
}

/// Where streams start later along the last axis, the last tile is the first at
/// the place where it starts, and the one before it at the next but for the
/// last: reversed, none waits for long. Else all come to all places, in any
/// order.
void StreamKernel::orderWaits() {
  GridOp grid = kernel.getGrid();
  Value last = grid.getCoordinates().back();
  bool later = false;
  SmallVector<AwaitProgressOp> waits;
  grid.walk([&](AwaitProgressOp wait) {
    waits.push_back(wait);
    auto stream = wait->getParentOfType<StreamOp>();
    later |= isComputedFrom(stream.getLowers().front(), last);
  });
  if (!later)
    return;
  OrderAttr order = grid.getOrderOrDefault();
  StringAttr axis = cast<StringAttr>(grid.getAxes().getValue().back());
  grid.setOrderAttr(OrderAttr::get(builder.getContext(), order.getDigits(),
                                   order.getDomains(), order.getChunk(), {axis},
                                   order.getTogether()));
  for (AwaitProgressOp wait : waits) {
    OpBuilder b(wait);
    wait.getFromMutable().assign(arith::AddIOp::create(
        b, loc, last, arith::ConstantIndexOp::create(b, loc, 1)));
    wait.getToMutable().assign(grid.getSizes().back());
  }
}

//===----------------------------------------------------------------------===//
// Around it
//===----------------------------------------------------------------------===//

void Partitioner::addContributions(StreamKernel &kernel,
                                   ArrayRef<Value> tiles) {
  if (ordersContributions()) {
    // In front of the product, which may be under way meanwhile.
    OpBuilder::InsertionGuard guard(kernel.getBuilder());
    if (Operation *product = tiles.front().getDefiningOp())
      kernel.getBuilder().setInsertionPoint(product);
    kernel.reportProgress(/*done=*/false);
    kernel.awaitProgress();
  }
  for (auto [tile, to] : llvm::zip(tiles, contributions))
    kernel.accumulate(tile, to.result, to.ordered);
}

KernelView Partitioner::describeProgress() {
  return describeNumbers("progress", /*bits=*/32);
}

KernelView Partitioner::describeNumbers(StringRef name, unsigned bits) {
  IndexBuilder m{host, op.getLoc()};
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (i == streamed ||
        (axis.kind != AxisKind::Unit && axis.kind != AxisKind::Group))
      continue;
    Value size = hostExtent(i);
    if (axis.kind == AxisKind::Group)
      size = m.ceilDiv(size, m.constant(sizes[i]));
    shape.push_back(constantOr(size));
    if (ShapedType::isDynamic(shape.back()))
      dynamic.push_back(size);
  }
  auto type = RankedTensorType::get(shape, host.getIntegerType(bits));
  // Not elements of the axes, but tiles: no axis tells the sizes.
  SmallVector<AffineExpr> exprs(shape.size(),
                                getAffineConstantExpr(0, op->getContext()));
  return {name, tensor::EmptyOp::create(host, op.getLoc(), type, dynamic),
          AffineMap::get(axes.size(), 0, exprs, op->getContext()),
          llvm::to_vector(llvm::seq<int64_t>(0, shape.size()))};
}

void Partitioner::clearProgress(LaunchOp launch, KernelOp kernel) {
  OpBuilder b(launch);
  SymbolTable symbols(op->getParentOfType<ModuleOp>());
  OpOperand &memory = launch.getInitsMutable()[launch.getInits().size() - 1];
  memory.set(
      buildCleared(b, op.getLoc(), kernel, "progress", memory.get(), symbols));
  // No view of the operation, and zero when the launch begins.
  kernel->setAttr(KernelOp::kCountersAttr, b.getI64IntegerAttr(1));
}
