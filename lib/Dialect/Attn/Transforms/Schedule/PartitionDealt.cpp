//===- PartitionDealt.cpp - A stream in parts that the device deals -------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Target/Facts.h"

using namespace mlir;
using namespace attn;

Value Partitioner::countEntries(Value streams, ArrayRef<StreamAxis> units) {
  IndexBuilder m{host, op.getLoc()};
  if (split.length > 0)
    return m.mul(streams, m.atLeastOne(m.ceilDiv(hostExtent(streamed),
                                                 m.constant(split.length))));
  Value room = m.constant(TargetAttr::of(op).get(Fact::SMs));
  Value others = m.constant(1);
  for (auto [i, axis] : llvm::enumerate(units))
    if (axis.kind == AxisKind::Unit)
      others = m.mul(others, hostExtent(i));
    else if (axis.kind == AxisKind::Group)
      others = m.mul(others, m.ceilDiv(hostExtent(i), m.constant(sizes[i])));
  Value wanted = m.atLeastOne(
      m.minU(m.div(room, m.atLeastOne(others)), m.constant(kMostChosen)));
  return m.sub(m.add(streams, wanted), m.constant(1));
}

int64_t Partitioner::partCost() {
  int64_t state = op.getStateElements(sizes) * sizeof(float);
  return kPartCost * state / std::max<int64_t>(streamedBytes(op, sizes), 1);
}

KernelAxes Partitioner::dealtAxes(const WorkList &work, Value entries) {
  KernelAxes result = splitAxes(entries);
  result.axes.back().name = "work";
  llvm::erase_if(result.gridOrder, [&](unsigned axis) {
    return llvm::is_contained(work.getOwners(), axis);
  });
  llvm::erase(result.gridOrder, splitAxis());
  result.gridOrder.insert(result.gridOrder.begin(), splitAxis());
  return result;
}

void Partitioner::buildDealtParts(StreamKernel &kernel, const WorkList &work) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  const TileContext &context = kernel.getContext();
  unsigned tableView = kernel.numInputViews() - 1, listView = tableView - 1;
  work.enterGrid(kernel, tableView);
  auto [from, to] = work.enterEntry(kernel, splitAxis(), listView);
  auto [isWhole, isInParts] = work.isWhole(kernel, tableView);
  Value valid = endStream(kernel);
  SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
  SmallVector<Segment> segments = op.buildSegments(b, loc, context);
  SmallVector<Value> state = buildFolds(
      kernel, clip(kernel, segments, from, to, segments.front().lo), tiles);
  kernel.storeTiles(state, /*first=*/0, isInParts);
  kernel.storeTiles(
      checked(kernel, op.buildTail(b, loc, context, state), valid),
      state.size(), isWhole);
}

void Partitioner::runDealt() {
  WorkList work(op, sizes, streamed, inputs, split.length);
  work.setLeastTiles(kLeastTiles);
  work.setPartCost(partCost());
  SmallVector<StreamAxis> units(axes);
  IndexBuilder m{host, op.getLoc()};
  Value streams = m.constant(1);
  for (unsigned axis : work.getOwners()) {
    streams = m.mul(streams, hostExtent(axis));
    units[axis].kind = AxisKind::Whole;
  }
  Value entries = countEntries(streams, units);
  result.kernels.push_back(work.deal(nameWith("_deal"), streams, entries));
  result.kernels.back()->setAttr(KernelOp::kStepAttr,
                                 host.getStringAttr(KernelOp::kDealStep));
  SmallVector<KernelView> states = describeStates(entries, units);
  // The state where a stream has several parts, and results where it has one.
  SmallVector<KernelView> written(states);
  llvm::append_range(written, withSplitAxis(outputs));
  KernelAxes kernelAxes = dealtAxes(work, entries);
  SmallVector<KernelView> read = withSplitAxis(inputs);
  read.push_back(work.getList(splitAxis()));
  read.push_back(work.getTable(splitAxis()));
  StreamKernel stream(op, nameWith("_split"), kernelAxes, read, written);
  buildDealtParts(stream, work);
  stream.getKernel()->setAttr(KernelOp::kFollowsAttr, host.getUnitAttr());
  finish(stream, KernelOp::kSplitStep);
  ValueRange made = stream.launch().getResults();
  setTensors(states, made.take_front(states.size()));
  setTensors(outputs, made.drop_front(states.size()));
  kernelAxes.gridOrder.clear();
  runMerge(kernelAxes, states, &work);
}
