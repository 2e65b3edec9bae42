//===- Traverse.cpp - In which order streams visit their tiles ------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNTRAVERSE
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct TraversePass : attn::impl::AttnTraverseBase<TraversePass> {
  using AttnTraverseBase::AttnTraverseBase;

  LogicalResult checkOption(StringRef name, int64_t value) {
    if (value >= 0 && value <= OrderAttr::kMaxCount)
      return success();
    return getOperation().emitError("expected 0 to ")
           << OrderAttr::kMaxCount << " tiles for '" << name << "', but got "
           << value;
  }

  /// Number of a tile of the grid among those that share what they stream.
  static Value buildNumber(GridOp grid, const IndexBuilder &m) {
    Value number = m.constant(0);
    for (auto [coordinate, size, axis] : llvm::zip_equal(
             grid.getCoordinates(), grid.getSizes(), grid.getAxes().getValue()))
      if (!llvm::is_contained(grid.getSharing(), axis))
        number = m.add(m.mul(number, size), coordinate);
    return number;
  }

  /// Where a rotated stream starts: at `stride` tiles less for each neighbour,
  /// `shift` less for each visit.
  Value buildOffset(GridOp grid, StreamOp stream) {
    OpBuilder b(stream);
    IndexBuilder m{b, stream.getLoc()};
    Value back = m.add(m.mul(buildNumber(grid, m), m.constant(stride)),
                       m.mul(grid.getVisit(), m.constant(shift)));
    return m.sub(m.constant(0), back);
  }

  /// Whether a stream goes backwards: always, or where it would have gone
  /// forwards.
  Value buildBackward(StreamOp stream) {
    OpBuilder b(stream);
    Value always =
        arith::ConstantIntOp::create(b, stream.getLoc(), 1, /*width=*/1);
    Value backward = stream.getBackward();
    return backward
               ? arith::XOrIOp::create(b, stream.getLoc(), backward, always)
                     .getResult()
               : always;
  }

  void traverse(GridOp grid, StreamOp stream) {
    // Lists say which blocks are visited, not only when.
    if (stream.getOrdered() || stream.getTraversal().getBlock() != 0) {
      remarks::emitTraverseOrdered(stream);
      return;
    }
    if (order == TraversalOrder::Backward) {
      stream.traverseBy(ReversedTraversalAttr::get(&getContext()),
                        buildBackward(stream));
      ++numTraversed;
      remarks::emitTraverse(stream, stringifyEnum(order.getValue()));
      return;
    }
    SmallVector<Value> operands;
    TraversalInterface traversal = InsideOutTraversalAttr::get(&getContext());
    if (order == TraversalOrder::Rotated) {
      traversal = RotatedTraversalAttr::get(&getContext());
      operands.push_back(buildOffset(grid, stream));
    }
    // What alternates goes on to alternate.
    if (Value backward = stream.getBackward())
      operands.push_back(backward);
    stream.traverseBy(traversal, operands);
    ++numTraversed;
    remarks::emitTraverse(stream, stringifyEnum(order.getValue()));
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkOption("stride", stride)) ||
        failed(checkOption("shift", shift)))
      return signalPassFailure();
    if (order == TraversalOrder::Forward)
      return;
    GridOp grid = kernel.getGrid();
    if (!grid) {
      remarks::emitTraverseNoGrid(kernel);
      return;
    }
    SmallVector<StreamOp> streams;
    grid.walk([&](StreamOp stream) { streams.push_back(stream); });
    if (streams.empty())
      remarks::emitTraverseNoStream(grid);
    for (StreamOp stream : streams)
      traverse(grid, stream);
    tidy(kernel);
  }
};

} // namespace
