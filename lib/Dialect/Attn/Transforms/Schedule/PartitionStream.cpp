//===- PartitionStream.cpp - The kernels of a streamable op ---------------===//
//
// Group and stream partition of "FlashAttention on a Napkin", section 3: one
// kernel that makes the results, or one that streams parts and stores their
// states, and one that merges these ("Flash-Decoding for long-context
// inference", Dao, Haziza, Massa and Sizov 2023, for any streamable op).
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

PartitionedStream Partitioner::run() {
  if (split.inCluster)
    runInCluster();
  else if (split.byLast)
    runLast();
  else if (split.ctas != 0)
    runStreamK();
  else if (split.overCtas && op.getLengthsView() && split.parts == 0)
    runDealt();
  else if (split.overCtas)
    runSplit();
  else
    runWhole();
  return result;
}

void Partitioner::describeViews() {
  SmallVector<AffineMap> maps = op.getViewMaps();
  SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
  SmallVector<StringRef> names = op.getViewNames();
  unsigned number = 0;
  auto viewOf = [&](Value tensor) {
    KernelView view{names[number], tensor, maps[number], perms[number]};
    ++number;
    return view;
  };
  // By its view, and by the result that it becomes.
  llvm::SmallDenseMap<unsigned, Value> addedTo;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    if (const auto *its = llvm::find_if(
            contributions, [&](Contribution c) { return c.view == number; });
        its != contributions.end()) {
      addedTo[its->result] = operand;
      ++number;
      continue;
    }
    inputs.push_back(viewOf(operand));
    inputs.back().number = number - 1;
  }
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    if (only && *only != i)
      ++number;
    else if (Value sum = addedTo.lookup(i))
      outputs.push_back(viewOf(sum));
    else
      outputs.push_back(viewOf(emptyResult(cast<RankedTensorType>(type),
                                           maps[number], perms[number])));
  }
}

const KernelView &Partitioner::inputOf(unsigned number) const {
  return *llvm::find_if(
      inputs, [&](const KernelView &view) { return view.number == number; });
}

Value Partitioner::hostExtent(unsigned axis) {
  const StreamAxis &its = axes[axis];
  if (!ShapedType::isDynamic(its.extent))
    return IndexBuilder{host, op.getLoc()}.constant(its.extent);
  unsigned dim = op.getViewPermutations()[its.view][its.dim];
  Value size =
      tensor::DimOp::create(host, op.getLoc(), inputOf(its.view).tensor, dim);
  IndexBuilder m{host, op.getLoc()};
  if (its.surplus != 0)
    size = m.sub(size, m.constant(its.surplus));
  return its.block == 1 ? size : m.mul(size, m.constant(its.block));
}

Value Partitioner::emptyResult(RankedTensorType type, AffineMap map,
                               ArrayRef<int64_t> permutation) {
  SmallVector<Value> dynamic;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    AffineExpr expr =
        map.getResult(llvm::find(permutation, dim) - permutation.begin());
    dynamic.push_back(hostExtent(cast<AffineDimExpr>(expr).getPosition()));
  }
  return tensor::EmptyOp::create(host, op.getLoc(), type, dynamic);
}

Value Partitioner::endStream(StreamKernel &kernel) {
  Value valid = kernel.enterPackedStream();
  if (std::optional<unsigned> view = op.getLengthsView()) {
    Value holds = kernel.endStream(streamed, *view);
    valid = valid ? IndexBuilder{kernel.getBuilder(), op.getLoc()}.logicalAnd(
                        valid, holds)
                  : holds;
  }
  kernel.skipMissingTile();
  return valid;
}

SmallVector<Value> Partitioner::checked(StreamKernel &kernel,
                                        SmallVector<Value> tiles, Value valid) {
  if (!valid)
    return tiles;
  TileBuilder t{kernel.getBuilder(), op.getLoc()};
  for (Value &tile : tiles) {
    Value holds = t.spread(valid, t.shapeOf(tile));
    tile = t.select(holds, tile, nanLike(t, tile));
  }
  return tiles;
}

Value Partitioner::nanLike(const TileBuilder &t, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto element = cast<FloatType>(type.getElementType());
  return arith::ConstantOp::create(
      t.b, t.loc, type,
      DenseElementsAttr::get(type,
                             APFloat::getNaN(element.getFloatSemantics())));
}

std::string Partitioner::nameWith(StringRef suffix) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  StringRef prefix = function ? function.getName() : "kernel";
  return (prefix + "_" + op->getName().stripDialect() + suffix).str();
}

SmallVector<Segment> Partitioner::clip(StreamKernel &kernel,
                                       ArrayRef<Segment> segments, Value part,
                                       Value parts) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  Value tile = m.constant(sizes[streamed]), first = segments.front().lo,
        length = m.constant(split.length);
  if (split.length == 0) {
    Value all = m.maxS(m.sub(segments.back().hi, first), m.constant(0));
    length = m.mul(m.ceilDiv(all, m.mul(parts, tile)), tile);
  }
  Value from = m.add(first, m.mul(part, length)), to = m.add(from, length);
  // The last part takes what is left, whatever number of them it is given.
  if (split.length != 0)
    to = m.select(
        m.compare(arith::CmpIPredicate::eq, m.add(part, m.constant(1)), parts),
        m.maxS(segments.back().hi, from), to);
  return clip(kernel, segments, from, to, /*at=*/m.constant(0));
}

SmallVector<Segment> Partitioner::clip(StreamKernel &kernel,
                                       ArrayRef<Segment> segments, Value from,
                                       Value to, Value at) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  from = m.add(at, from);
  to = m.add(at, to);
  auto clamp = [&](Value x) { return m.minS(m.maxS(x, from), to); };
  SmallVector<Segment> clipped;
  for (const Segment &segment : segments)
    clipped.push_back({clamp(segment.lo), clamp(segment.hi), segment.masked});
  return clipped;
}

SmallVector<Value> Partitioner::buildFolds(StreamKernel &kernel,
                                           ArrayRef<Segment> segments,
                                           ArrayRef<Value> resident) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  result.numSegments += segments.size();
  if (axes[streamed].kind == AxisKind::Steps && op.loadsStepsAhead())
    return mergeSteps(kernel, segments.front());
  SmallVector<Value> head = op.buildHead(b, loc, kernel.getContext());
  auto fold = [&](ValueRange carried) {
    SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/true);
    for (auto [tile, held] : llvm::zip(tiles, resident))
      tile = held ? held : tile;
    SmallVector<Value> folded =
        op.buildFold(b, loc, kernel.getContext(), carried, tiles);
    auto ofState = folded.size() - contributions.size();
    addContributions(kernel, ArrayRef(folded).drop_front(ofState));
    folded.truncate(ofState);
    return folded;
  };
  StreamTraversal order = op.buildTraversal(b, loc, kernel.getContext());
  return buildAround(kernel, 0, head, [&](ValueRange carried) {
    return kernel.buildStream(segments, carried, fold, order);
  });
}

SmallVector<Value> Partitioner::buildAround(StreamKernel &kernel, unsigned axis,
                                            ValueRange carried,
                                            StreamKernel::Fold inner) {
  while (axis < streamed && !isStreamed(axes[axis].kind))
    ++axis;
  if (axis == streamed)
    return inner(carried);
  return kernel.buildSteps(axis, carried, [&](ValueRange carried) {
    return buildAround(kernel, axis + 1, carried, inner);
  });
}

void Partitioner::runWhole() {
  SmallVector<KernelView> read(inputs);
  if (split.listTiles)
    read.push_back(listTiles(*packedGroupOf(op)));
  std::string suffix = only ? ("_" + outputs.front().name).str() : "";
  if (ordersContributions())
    outputs.push_back(describeProgress());
  StreamKernel kernel(op, nameWith(suffix), {axes, sizes, streamed, {}}, read,
                      outputs);
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  const TileContext &context = kernel.getContext();
  if (split.listTiles) {
    nameRows(kernel.getKernel(), {"work"}, inputs.size());
    kernel.getKernel()->setAttr(KernelOp::kFollowsAttr, b.getUnitAttr());
    kernel.takeListed(inputs.size());
  }
  kernel.enterGrid();
  Value valid = endStream(kernel);
  SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
  SmallVector<Segment> segments = op.buildSegments(b, loc, context);
  SmallVector<Value> state;
  for (int64_t part = 0; part < split.parts; ++part) {
    SmallVector<Segment> its = segments;
    if (split.parts > 1) {
      IndexBuilder m{b, loc};
      its = clip(kernel, segments, m.constant(part), m.constant(split.parts));
    }
    SmallVector<Value> partState = buildFolds(kernel, its, tiles);
    state = part == 0 ? partState
                      : op.buildMerge(b, loc, context, state, partState);
  }
  if (ordersContributions())
    kernel.reportProgress(/*done=*/true);
  SmallVector<Value> results = op.buildTail(b, loc, context, state);
  if (only)
    results = {results[*only]};
  kernel.storeTiles(checked(kernel, results, valid));
  finish(kernel);
  if (only)
    dropUnusedCarried(kernel.getKernel());
  LaunchOp launch = kernel.launch();
  if (ordersContributions()) {
    kernel.orderWaits();
    clearProgress(launch, kernel.getKernel());
  }
  replaceBy(launch);
}

void Partitioner::finish(StreamKernel &kernel, StringRef step) {
  KernelOp made = kernel.getKernel();
  if (!step.empty())
    made->setAttr(KernelOp::kStepAttr, host.getStringAttr(step));
  result.kernels.push_back(made);
  if (step.empty() || step == KernelOp::kSplitStep)
    result.streaming = made;
}

Value Partitioner::countGrid(const IndexBuilder &m, Extent extent) {
  Value count = m.constant(1);
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.kind == AxisKind::Unit)
      count = m.mul(count, extent(i));
    else if (axis.kind == AxisKind::Group)
      count = m.mul(count, m.ceilDiv(extent(i), m.constant(sizes[i])));
  return count;
}

Value Partitioner::countTiles(const IndexBuilder &m, Extent extent) {
  return m.atLeastOne(countGrid(m, extent));
}

Value Partitioner::countWorth(const IndexBuilder &m, Extent extent) {
  return m.ceilDiv(extent(streamed), m.constant(kLeastTiles * sizes[streamed]));
}

Value Partitioner::countParts() {
  IndexBuilder m{host, op.getLoc()};
  if (split.length > 0)
    return m.atLeastOne(
        m.ceilDiv(hostExtent(streamed), m.constant(split.length)));
  if (split.parts > 0)
    return m.constant(split.parts);
  // As many as there are SMs free for, and tiles worth it: one CTA has enough
  // loads under way to keep its SM's share of the memory busy, and fewer
  // parts take less merging.
  Value room = m.constant(TargetAttr::of(op).get(Fact::SMs));
  auto extent = [&](unsigned axis) { return hostExtent(axis); };
  Value most =
      m.minU(m.div(room, countTiles(m, extent)), countWorth(m, extent));
  return m.atLeastOne(m.minU(most, m.constant(kMostChosen)));
}

int64_t Partitioner::constantOr(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? constant.getSExtValue()
                                                       : ShapedType::kDynamic;
}

Partitioner::Dim Partitioner::dimOf(ArrayRef<unsigned> run) {
  IndexBuilder m{host, op.getLoc()};
  Dim dim{getAffineConstantExpr(0, op->getContext()), m.constant(1)};
  int64_t inner = 1;
  for (unsigned axis : llvm::reverse(run)) {
    dim.expr = getAffineDimExpr(axis, op->getContext()) * inner + dim.expr;
    dim.size = m.mul(hostExtent(axis), dim.size);
    // Only the outermost axis of a run may be dynamic.
    if (!ShapedType::isDynamic(axes[axis].extent))
      inner *= axes[axis].extent;
  }
  return dim;
}

SmallVector<KernelView>
Partitioner::describeStates(Value parts, ArrayRef<StreamAxis> units) {
  SmallVector<Dim> leading{
      {getAffineDimExpr(splitAxis(), op->getContext()), parts}};
  for (ArrayRef<unsigned> run : unitRuns(units))
    leading.push_back(dimOf(run));
  SmallVector<KernelView> states;
  for (auto [name, map] :
       llvm::zip_equal(op.getStateNames(), op.getStateMaps())) {
    SmallVector<Dim> dims = leading;
    for (AffineExpr expr : map.getResults())
      dims.push_back(
          {expr, hostExtent(cast<AffineDimExpr>(expr).getPosition())});
    states.push_back(describeState(name, dims));
  }
  return states;
}

KernelView Partitioner::describeState(StringRef name, ArrayRef<Dim> dims) {
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (const Dim &dim : dims) {
    exprs.push_back(dim.expr);
    shape.push_back(constantOr(dim.size));
    if (ShapedType::isDynamic(shape.back()))
      dynamic.push_back(dim.size);
  }
  auto type = RankedTensorType::get(shape, host.getF32Type());
  Value workspace = tensor::EmptyOp::create(host, op.getLoc(), type, dynamic);
  auto dimensions = llvm::seq<int64_t>(0, dims.size());
  return {name, workspace,
          AffineMap::get(workAxis() + 1, 0, exprs, op->getContext()),
          llvm::to_vector(dimensions)};
}

SmallVector<KernelView> Partitioner::withSplitAxis(ArrayRef<KernelView> views) {
  SmallVector<KernelView> result(views);
  for (KernelView &view : result)
    view.map = AffineMap::get(splitAxis() + 1, 0, view.map.getResults(),
                              op->getContext());
  return result;
}

KernelAxes Partitioner::axesWithSplit(int64_t parts) {
  KernelAxes result{axes, sizes, streamed, {}};
  result.axes.push_back({"split", AxisKind::Unit, parts});
  result.axes.back().selectsStream = true;
  result.sizes.push_back(1);
  return result;
}

KernelAxes Partitioner::splitAxes(Value parts) {
  KernelAxes result = axesWithSplit(constantOr(parts));
  unsigned before = 0;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.kind == AxisKind::Unit && axis.selectsStream)
      before = i + 1;
  result.gridOrder = llvm::to_vector(llvm::seq<unsigned>(0, axes.size()));
  result.gridOrder.insert(result.gridOrder.begin() + before, splitAxis());
  return result;
}

SmallVector<Value> Partitioner::buildPart(StreamKernel &kernel) {
  OpBuilder &b = kernel.getBuilder();
  const TileContext &context = kernel.getContext();
  SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
  SmallVector<Segment> segments =
      clip(kernel, op.buildSegments(b, op.getLoc(), context),
           context.offsets[splitAxis()], context.extents[splitAxis()]);
  return buildFolds(kernel, segments, tiles);
}

SmallVector<Value> Partitioner::stateOrNothing(StreamKernel &kernel,
                                               unsigned axis, int64_t ahead,
                                               SmallVector<Value> state,
                                               ArrayRef<Value> otherwise,
                                               Value end) {
  OpBuilder &b = kernel.getBuilder();
  const TileContext &context = kernel.getContext();
  int64_t parts = context.axes[axis].extent;
  if (!end && !ShapedType::isDynamic(parts) && parts % context.sizes[axis] == 0)
    return state;
  IndexBuilder m{b, op.getLoc()};
  Value exists = m.compare(arith::CmpIPredicate::ult,
                           m.add(context.offsets[axis], m.constant(ahead)),
                           end ? end : context.extents[axis]);
  TileBuilder t{b, op.getLoc()};
  for (auto [value, nothing] : llvm::zip(state, otherwise))
    value = t.select(t.spread(exists, t.shapeOf(value)), value, nothing);
  return state;
}

SmallVector<KernelView> Partitioner::lengthViews() {
  std::optional<unsigned> lengths = op.getLengthsView();
  if (!lengths)
    return {};
  SmallVector<KernelView> views{inputs[*lengths]};
  if (ShapedType::isDynamic(axes[streamed].extent))
    views.push_back(inputs[axes[streamed].view]);
  return withSplitAxis(views);
}

SmallVector<KernelView> Partitioner::tailViews() {
  return withSplitAxis(llvm::map_to_vector(
      op.getTailViews(), [&](unsigned view) { return inputs[view]; }));
}

std::optional<PackedAxis> attn::packedGroupOf(StreamableOpInterface op) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  for (const PackedAxis &packed : op.getPackedAxes())
    if (axes[packed.axis].kind == AxisKind::Group)
      return packed;
  return std::nullopt;
}

void Partitioner::runSplit() {
  Value parts = countParts();
  SmallVector<KernelView> states = describeStates(parts, axes);
  KernelAxes kernelAxes = splitAxes(parts);
  StreamKernel stream(op, nameWith("_split"), kernelAxes, withSplitAxis(inputs),
                      states);
  stream.enterGrid();
  endStream(stream);
  stream.storeTiles(buildPart(stream));
  finish(stream, KernelOp::kSplitStep);
  setTensors(states, stream.launch().getResults());

  runMerge(kernelAxes, states);
}

void Partitioner::setTensors(MutableArrayRef<KernelView> views,
                             ValueRange made) {
  for (auto [view, value] : llvm::zip_equal(views, made))
    view.tensor = value;
}

void Partitioner::replaceBy(LaunchOp launch) {
  if (only) {
    op->getResult(*only).replaceAllUsesWith(launch.getResult(0));
    return;
  }
  // Behind the results is what the kernel counts with.
  op->replaceAllUsesWith(launch.getResults().take_front(op->getNumResults()));
  op->erase();
}

PartitionedStream attn::partitionStream(StreamableOpInterface op,
                                        ArrayRef<int64_t> sizes,
                                        const StreamSplit &split) {
  return Partitioner(op, sizes, split).run();
}

PartitionedStream attn::partitionResult(StreamableOpInterface op,
                                        ArrayRef<int64_t> sizes,
                                        const StreamSplit &split,
                                        unsigned result) {
  return Partitioner(op, sizes, split, result).run();
}
