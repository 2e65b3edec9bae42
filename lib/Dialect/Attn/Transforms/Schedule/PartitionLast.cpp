//===- PartitionLast.cpp - Parts whose last CTA merges them ---------------===//
//
// One kernel: each CTA stores the state of its part, and the one that is done
// last merges them all, as the last CTA of a tile sums what others have of it
// in "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix
// Multiplication on the GPU" (Osama, Merrill, Cecka, Garland and Owens 2023).
// Who is last is found out without a counter that has to be zero
// (attn.last_part).
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"

using namespace mlir;
using namespace attn;

Value StreamKernel::loadView(unsigned view, unsigned axis, int64_t ahead) {
  Value position = context.offsets[axis];
  IndexBuilder m{builder, loc};
  context.offsets[axis] = m.add(position, m.constant(ahead));
  Value tile = LoadOp::create(builder, loc, tileType(view),
                              kernel.getArgument(view), offsetsOf(view));
  context.offsets[axis] = position;
  return tile;
}

Value StreamKernel::beginPart(unsigned axis, int64_t parts) {
  // All coordinates of the grid but that of the part.
  SmallVector<Value> own;
  for (auto [i, coordinate] :
       llvm::zip(gridAxes, kernel.getGrid().getCoordinates()))
    if (i != axis)
      own.push_back(coordinate);
  return BeginPartOp::create(builder, loc, context.offsets[axis], parts,
                             kernel.getArgument(numViews() - 1), own);
}

void Partitioner::runLast() {
  Value parts = countParts();
  SmallVector<KernelView> written(outputs);
  unsigned firstState = written.size();
  llvm::append_range(written, describeStates(parts, axes));
  written.push_back(describeNumbers("words", /*bits=*/64));
  written = withSplitAxis(written);
  KernelAxes kernelAxes = splitAxes(parts);
  StreamKernel kernel(op, nameWith(""), kernelAxes, withSplitAxis(inputs),
                      written);
  kernel.enterGrid();
  Value begun = kernel.beginPart(splitAxis(), split.parts);
  Value valid = endStream(kernel);
  kernel.storeTiles(buildPart(kernel), firstState);

  OpBuilder &b = kernel.getBuilder();
  auto last = LastPartOp::create(b, op.getLoc(), begun);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&last.getBody());
    b.setInsertionPoint(YieldOp::create(b, op.getLoc()));
    IndexBuilder m{b, op.getLoc()};
    int64_t rows = wholeShare(mergeRows(axes[rowAxis()], sizes[rowAxis()]));
    auto load = [&](Value, int64_t ahead) {
      SmallVector<Value> state;
      for (unsigned i = 0; i < op.getStateMaps().size(); ++i)
        state.push_back(kernel.loadView(kernel.numInputViews() + firstState + i,
                                        splitAxis(), ahead));
      return state;
    };
    mergeRowsOfTile(kernel, rows, m.constant(0), m.constant(rows), load, valid);
  }
  finish(kernel);
  // States and words are no views of the operation, but of those who launch.
  kernel.getKernel()->setAttr(
      KernelOp::kCountersAttr,
      host.getI64IntegerAttr(static_cast<int64_t>(written.size()) -
                             firstState));
  replaceBy(kernel.launch());
}
