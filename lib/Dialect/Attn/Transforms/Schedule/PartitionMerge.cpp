//===- PartitionMerge.cpp - What merges the states of parts ---------------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rows of a tile of a merge, at most, which is a few multiplications a value
/// that is loaded: small ones, so that many CTAs load.
constexpr int64_t kMergeRows = 4;
/// States that are loaded before the first of them is merged: a load takes far
/// longer than a merge.
constexpr int64_t kMergedAtOnce = 8;
/// Of the few that are left, which most streams have alone.
constexpr int64_t kMergedOfFew = 2;

} // namespace

int64_t Partitioner::mergeRows(const StreamAxis &axis, int64_t size) {
  int64_t most = std::min(size, kMergeRows);
  return ShapedType::isDynamic(axis.extent)
             ? most
             : std::clamp<int64_t>(axis.extent, 1, most);
}

int64_t Partitioner::mergedAtOnce(int64_t parts) {
  return ShapedType::isDynamic(parts)
             ? kMergedAtOnce
             : std::clamp<int64_t>(parts, 1, kMergedAtOnce);
}

SmallVector<Value>
Partitioner::mergeAll(StreamKernel &kernel,
                      SmallVector<SmallVector<Value>> states) {
  while (states.size() > 1) {
    SmallVector<SmallVector<Value>> merged;
    for (size_t i = 0; i + 1 < states.size(); i += 2)
      merged.push_back(op.buildMerge(kernel.getBuilder(), op.getLoc(),
                                     kernel.getContext(), states[i],
                                     states[i + 1]));
    if (states.size() % 2 != 0)
      merged.push_back(states.back());
    states = std::move(merged);
  }
  return states.front();
}

SmallVector<Value> Partitioner::mergeParts(StreamKernel &kernel, unsigned axis,
                                           Segment parts, Value end,
                                           VisitParts visit) {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  int64_t extent = kernel.getContext().axes[axis].extent,
          atOnce = mergedAtOnce(extent);
  SmallVector<Value> state = op.buildHead(b, op.getLoc(), kernel.getContext());
  auto stream = [&](const Segment &some, int64_t several) {
    kernel.streamAlong(axis, several);
    state = kernel.buildStream(some, state, [&](ValueRange carried) {
      return visit(carried, several);
    });
  };
  if (!end && !ShapedType::isDynamic(extent)) {
    stream(parts, atOnce);
    return state;
  }
  // More than half of a visit that is left is one.
  int64_t rounding = std::max<int64_t>(atOnce / 2 - 1, 0);
  Value visits = m.div(m.add(m.sub(parts.hi, parts.lo), m.constant(rounding)),
                       m.constant(atOnce));
  Value many =
      m.minS(m.add(parts.lo, m.mul(visits, m.constant(atOnce))), parts.hi);
  stream({parts.lo, many, /*masked=*/false}, atOnce);
  stream({many, parts.hi, /*masked=*/false}, kMergedOfFew);
  return state;
}

SmallVector<Value> Partitioner::mergeSteps(StreamKernel &kernel,
                                           const Segment &steps) {
  OpBuilder &b = kernel.getBuilder();
  bool isWhole = split.parts == 1 && !split.overCtas;
  Value end = isWhole ? Value() : steps.hi;
  auto visit = [&](ValueRange carried, int64_t several) {
    SmallVector<SmallVector<Value>> tiles;
    for (int64_t i = 0; i < several; ++i)
      tiles.push_back(kernel.loadTiles(/*streamed=*/true, i));
    SmallVector<Value> state(carried);
    for (int64_t i = 0; i < several; ++i) {
      SmallVector<Value> folded =
          op.buildFold(b, op.getLoc(), kernel.getContext(), state, tiles[i]);
      state = stateOrNothing(kernel, streamed, i, folded, state, end);
    }
    return state;
  };
  return mergeParts(kernel, streamed, steps, end, visit);
}

void Partitioner::buildMerges(StreamKernel &kernel, LoadState load, Value valid,
                              const WorkList *work) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  const TileContext &context = kernel.getContext();
  Segment all{IndexBuilder{b, loc}.constant(0), context.extents[splitAxis()],
              /*masked=*/false};
  Value stored;
  if (work) {
    unsigned table = kernel.numInputViews() - 1;
    all = work->slotsOf(kernel, table);
    // The results of a stream that is one part are there.
    IndexBuilder m{b, loc};
    auto [isWhole, isInParts] = work->isWhole(kernel, table);
    all.hi = m.select(isWhole, all.lo, all.hi);
    stored = isInParts;
  }
  Value end = work ? all.hi : Value();
  SmallVector<Value> head = op.buildHead(b, loc, context);
  auto visit = [&](ValueRange carried, int64_t several) {
    SmallVector<SmallVector<Value>> states;
    for (int64_t i = 0; i < several; ++i)
      states.push_back(
          stateOrNothing(kernel, splitAxis(), i, load(i), head, end));
    return op.buildMerge(b, loc, context, carried,
                         mergeAll(kernel, std::move(states)));
  };
  SmallVector<Value> state = mergeParts(kernel, splitAxis(), all, end, visit);
  kernel.storeTiles(
      checked(kernel, op.buildTail(b, loc, context, state), valid),
      /*first=*/0, stored);
}

unsigned Partitioner::rowAxis() const {
  auto isGroup = [](const StreamAxis &axis) {
    return axis.kind == AxisKind::Group;
  };
  return llvm::find_if(axes, isGroup) - axes.begin();
}

void Partitioner::runMerge(KernelAxes kernelAxes, ArrayRef<KernelView> states,
                           const WorkList *work) {
  // Every part of the stream is done: the split axis is what streams now.
  kernelAxes.streamed = splitAxis();
  if (unsigned rows = rowAxis(); rows < axes.size())
    kernelAxes.sizes[rows] = mergeRows(axes[rows], sizes[rows]);
  SmallVector<KernelView> merged(states);
  merged.append(lengthViews());
  merged.append(tailViews());
  if (work)
    merged.push_back(work->getTable(splitAxis()));
  StreamKernel merge(op, nameWith("_merge"), kernelAxes, merged,
                     withSplitAxis(outputs));
  merge.enterGrid();
  // Behind the states, where there are any.
  Value valid = op.getLengthsView()
                    ? merge.endStream(streamed, op.getStateMaps().size())
                    : Value();
  auto load = [&](int64_t ahead) {
    SmallVector<Value> state = merge.loadTiles(/*streamed=*/true, ahead);
    state.truncate(op.getStateMaps().size());
    return state;
  };
  buildMerges(merge, load, valid, work);
  finish(merge, KernelOp::kMergeStep);
  replaceBy(merge.launch());
}
