//===- PartitionStream.cpp - The kernels of a streamable op ---------------===//
//
// Group and stream partition of "FlashAttention on a Napkin", section 3: one
// kernel that makes the results, or one that streams parts and stores their
// states, and one that merges these ("Flash-Decoding for long-context
// inference", Dao, Haziza, Massa and Sizov 2023, for any streamable op).
//
//===----------------------------------------------------------------------===//

#include "PartitionStream.h"
#include "StreamKernel.h"
#include "WorkList.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rows of a tile of a merge, at most, which is a few multiplications a value
/// that is loaded: small ones, so that many CTAs load.
constexpr int64_t kMergeRows = 4;
/// States that are loaded before the first of them is merged: a load takes far
/// longer than a merge.
constexpr int64_t kMergedAtOnce = 8;
/// Tiles of the stream that a part has at least where their number is chosen:
/// fewer take less time than a merge.
constexpr int64_t kLeastTiles = 2;
/// States that a merge reads one after another, at most, where their number is
/// chosen.
constexpr int64_t kMostChosen = 128;

class Partitioner {
public:
  Partitioner(StreamableOpInterface op, ArrayRef<int64_t> sizes,
              const StreamSplit &split)
      : op(op), axes(op.getStreamAxes()), sizes(sizes), split(split), host(op) {
    auto isStream = [](const StreamAxis &axis) {
      return axis.kind == AxisKind::Stream;
    };
    streamed = llvm::find_if(axes, isStream) - axes.begin();
    describeViews();
  }

  PartitionedStream run() {
    if (split.inCluster)
      runInCluster();
    else if (split.overCtas && op.getLengthsView() && split.parts == 0)
      runDealt();
    else if (split.overCtas)
      runSplit();
    else
      runWhole();
    return result;
  }

private:
  //===--------------------------------------------------------------------===//
  // Views
  //===--------------------------------------------------------------------===//

  void describeViews() {
    SmallVector<AffineMap> maps = op.getViewMaps();
    SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
    SmallVector<StringRef> names = op.getViewNames();
    unsigned number = 0;
    auto viewOf = [&](Value tensor) {
      KernelView view{names[number], tensor, maps[number], perms[number]};
      ++number;
      return view;
    };
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        inputs.push_back(viewOf(operand));
    for (Type type : op->getResultTypes())
      outputs.push_back(viewOf(emptyResult(cast<RankedTensorType>(type),
                                           maps[number], perms[number])));
  }

  /// Elements of an axis, where the op is.
  Value hostExtent(unsigned axis) {
    const StreamAxis &its = axes[axis];
    if (!ShapedType::isDynamic(its.extent))
      return IndexBuilder{host, op.getLoc()}.constant(its.extent);
    unsigned dim = op.getViewPermutations()[its.view][its.dim];
    return tensor::DimOp::create(host, op.getLoc(), inputs[its.view].tensor,
                                 dim);
  }

  Value emptyResult(RankedTensorType type, AffineMap map,
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

  //===--------------------------------------------------------------------===//
  // Lengths
  //===--------------------------------------------------------------------===//

  /// Ends the stream of the op at the length that is read; whether that can be
  /// one, or null where none is read.
  Value endStream(StreamKernel &kernel) {
    std::optional<unsigned> view = op.getLengthsView();
    return view ? kernel.endStream(streamed, *view) : Value();
  }

  /// The results of a tile, or NaN where `valid` does not hold.
  SmallVector<Value> checked(StreamKernel &kernel, SmallVector<Value> tiles,
                             Value valid) {
    if (!valid)
      return tiles;
    TileBuilder t{kernel.getBuilder(), op.getLoc()};
    for (Value &tile : tiles) {
      Value holds = t.spread(valid, t.shapeOf(tile));
      tile = t.select(holds, tile, nanLike(t, tile));
    }
    return tiles;
  }

  static Value nanLike(const TileBuilder &t, Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto element = cast<FloatType>(type.getElementType());
    return arith::ConstantOp::create(
        t.b, t.loc, type,
        DenseElementsAttr::get(type,
                               APFloat::getNaN(element.getFloatSemantics())));
  }

  //===--------------------------------------------------------------------===//
  // One kernel
  //===--------------------------------------------------------------------===//

  std::string nameWith(StringRef suffix) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    StringRef prefix = function ? function.getName() : "kernel";
    return (prefix + "_" + op->getName().stripDialect() + suffix).str();
  }

  /// The segments that part number `part` of `parts` visits, of what the tile
  /// visits in all.
  SmallVector<Segment> clip(StreamKernel &kernel, ArrayRef<Segment> segments,
                            Value part, Value parts) {
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
      to = m.select(m.compare(arith::CmpIPredicate::eq,
                              m.add(part, m.constant(1)), parts),
                    m.maxS(segments.back().hi, from), to);
    return clip(kernel, segments, from, to, /*at=*/m.constant(0));
  }

  /// Likewise, of what is visited from `at` + `from` up to `at` + `to`.
  SmallVector<Segment> clip(StreamKernel &kernel, ArrayRef<Segment> segments,
                            Value from, Value to, Value at) {
    IndexBuilder m{kernel.getBuilder(), op.getLoc()};
    from = m.add(at, from);
    to = m.add(at, to);
    auto clamp = [&](Value x) { return m.minS(m.maxS(x, from), to); };
    SmallVector<Segment> clipped;
    for (const Segment &segment : segments)
      clipped.push_back({clamp(segment.lo), clamp(segment.hi), segment.masked});
    return clipped;
  }

  /// Folds the segments into a state.
  SmallVector<Value> buildFolds(StreamKernel &kernel,
                                ArrayRef<Segment> segments,
                                ArrayRef<Value> resident) {
    OpBuilder &b = kernel.getBuilder();
    Location loc = op.getLoc();
    result.numSegments += segments.size();
    SmallVector<Value> head = op.buildHead(b, loc, kernel.getContext());
    return kernel.buildStream(segments, head, [&](ValueRange carried) {
      SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/true);
      for (auto [tile, held] : llvm::zip(tiles, resident))
        tile = held ? held : tile;
      return op.buildFold(b, loc, kernel.getContext(), carried, tiles);
    });
  }

  void runWhole() {
    StreamKernel kernel(op, nameWith(""), {axes, sizes, streamed, {}}, inputs,
                        outputs);
    OpBuilder &b = kernel.getBuilder();
    Location loc = op.getLoc();
    const TileContext &context = kernel.getContext();
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
    kernel.storeTiles(
        checked(kernel, op.buildTail(b, loc, context, state), valid));
    finish(kernel);
    replaceBy(kernel.launch());
  }

  void finish(StreamKernel &kernel, StringRef step = "") {
    KernelOp made = kernel.getKernel();
    if (!step.empty())
      made->setAttr(KernelOp::kStepAttr, host.getStringAttr(step));
    result.kernels.push_back(made);
    if (step.empty() || step == KernelOp::kSplitStep)
      result.streaming = made;
  }

  //===--------------------------------------------------------------------===//
  // Two kernels
  //===--------------------------------------------------------------------===//

  unsigned splitAxis() const { return axes.size(); }

  /// Elements of an axis, where a number of parts is computed.
  using Extent = llvm::function_ref<Value(unsigned)>;

  /// CTAs of the grid without a split.
  Value countTiles(const IndexBuilder &m, Extent extent) {
    Value count = m.constant(1);
    for (auto [i, axis] : llvm::enumerate(axes))
      if (axis.kind == AxisKind::Unit)
        count = m.mul(count, extent(i));
      else if (axis.kind == AxisKind::Group)
        count = m.mul(count, m.ceilDiv(extent(i), m.constant(sizes[i])));
    return m.atLeastOne(count);
  }

  /// Parts of the stream that have work enough to be worth a merge.
  Value countWorth(const IndexBuilder &m, Extent extent) {
    return m.ceilDiv(extent(streamed),
                     m.constant(kLeastTiles * sizes[streamed]));
  }

  /// The number of parts, where the op is.
  Value countParts() {
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

  static int64_t constantOr(Value value) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant))
               ? constant.getSExtValue()
               : ShapedType::kDynamic;
  }

  /// A dimension of the workspace.
  struct Dim {
    AffineExpr expr;
    Value size;
  };

  /// Unit axes that a state has one dimension for.
  Dim dimOf(ArrayRef<unsigned> run) {
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

  /// Views of the workspace, one for each value of the state: of `parts` for
  /// each point of the unit axes in `units`.
  SmallVector<KernelView> describeStates(Value parts,
                                         ArrayRef<StreamAxis> units) {
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

  KernelView describeState(StringRef name, ArrayRef<Dim> dims) {
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
            AffineMap::get(splitAxis() + 1, 0, exprs, op->getContext()),
            llvm::to_vector(dimensions)};
  }

  /// Views by maps that know the split axis, too.
  SmallVector<KernelView> withSplitAxis(ArrayRef<KernelView> views) {
    SmallVector<KernelView> result(views);
    for (KernelView &view : result)
      view.map = AffineMap::get(splitAxis() + 1, 0, view.map.getResults(),
                                op->getContext());
    return result;
  }

  /// The axes of the op, and that of its parts.
  KernelAxes axesWithSplit(int64_t parts) {
    KernelAxes result{axes, sizes, streamed, {}};
    result.axes.push_back({"split", AxisKind::Unit, parts});
    result.axes.back().selectsStream = true;
    result.sizes.push_back(1);
    return result;
  }

  /// The axes of both kernels. Parts of a stream come before what streams it.
  KernelAxes splitAxes(Value parts) {
    KernelAxes result = axesWithSplit(constantOr(parts));
    unsigned before = 0;
    for (auto [i, axis] : llvm::enumerate(axes))
      if (axis.kind == AxisKind::Unit && axis.selectsStream)
        before = i + 1;
    result.gridOrder = llvm::to_vector(llvm::seq<unsigned>(0, axes.size()));
    result.gridOrder.insert(result.gridOrder.begin() + before, splitAxis());
    return result;
  }

  /// The state of the CTA's part.
  SmallVector<Value> buildPart(StreamKernel &kernel) {
    OpBuilder &b = kernel.getBuilder();
    const TileContext &context = kernel.getContext();
    SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
    SmallVector<Segment> segments =
        clip(kernel, op.buildSegments(b, op.getLoc(), context),
             context.offsets[splitAxis()], context.extents[splitAxis()]);
    return buildFolds(kernel, segments, tiles);
  }

  /// The state of part `ahead` behind the position of the stream, as loaded, or
  /// that of nothing where there is no such part before `end` (null: of any).
  SmallVector<Value> stateOrNothing(StreamKernel &kernel, int64_t ahead,
                                    SmallVector<Value> state,
                                    ArrayRef<Value> head, Value end) {
    OpBuilder &b = kernel.getBuilder();
    const TileContext &context = kernel.getContext();
    int64_t parts = context.axes[splitAxis()].extent;
    if (!end && !ShapedType::isDynamic(parts) &&
        parts % context.sizes[splitAxis()] == 0)
      return state;
    IndexBuilder m{b, op.getLoc()};
    Value exists =
        m.compare(arith::CmpIPredicate::ult,
                  m.add(context.offsets[splitAxis()], m.constant(ahead)),
                  end ? end : context.extents[splitAxis()]);
    TileBuilder t{b, op.getLoc()};
    for (auto [value, nothing] : llvm::zip(state, head))
      value = t.select(t.spread(exists, t.shapeOf(value)), value, nothing);
    return state;
  }

  /// One state of several, neighbours first.
  SmallVector<Value> mergeAll(StreamKernel &kernel,
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

  /// Loads the state of the part that lies so many behind the position.
  using LoadState = llvm::function_ref<SmallVector<Value>(int64_t ahead)>;

  /// Streams over all parts, or over those that `work` lists for the tile's
  /// stream, and makes the results, where `valid` holds (null: anywhere).
  void buildMerges(StreamKernel &kernel, LoadState load, Value valid,
                   const WorkList *work = nullptr) {
    OpBuilder &b = kernel.getBuilder();
    Location loc = op.getLoc();
    const TileContext &context = kernel.getContext();
    Segment all{IndexBuilder{b, loc}.constant(0), context.extents[splitAxis()],
                /*masked=*/false};
    if (work)
      all = work->slotsOf(kernel, kernel.numInputViews() - 1);
    SmallVector<Value> head = op.buildHead(b, loc, context);
    SmallVector<Value> state =
        kernel.buildStream(all, head, [&](ValueRange carried) {
          SmallVector<SmallVector<Value>> states;
          for (int64_t i = 0; i < context.sizes[splitAxis()]; ++i)
            states.push_back(stateOrNothing(kernel, i, load(i), head,
                                            work ? all.hi : Value()));
          return op.buildMerge(b, loc, context, carried,
                               mergeAll(kernel, std::move(states)));
        });
    kernel.storeTiles(
        checked(kernel, op.buildTail(b, loc, context, state), valid));
  }

  /// What a merge reads beside states: the lengths, and the view that tells
  /// what they may be at most.
  SmallVector<KernelView> lengthViews() {
    std::optional<unsigned> lengths = op.getLengthsView();
    if (!lengths)
      return {};
    SmallVector<KernelView> views{inputs[*lengths]};
    if (ShapedType::isDynamic(axes[streamed].extent))
      views.push_back(inputs[axes[streamed].view]);
    return withSplitAxis(views);
  }

  /// Rows of a tile of the merge: the first dimension of a value of the state.
  static int64_t mergeRows(const StreamAxis &axis, int64_t size) {
    int64_t most = std::min(size, kMergeRows);
    return ShapedType::isDynamic(axis.extent)
               ? most
               : std::clamp<int64_t>(axis.extent, 1, most);
  }

  /// States of a visit of a merge, of so many parts.
  static int64_t mergedAtOnce(int64_t parts) {
    return ShapedType::isDynamic(parts) ? kMergedAtOnce
                                        : std::min(parts, kMergedAtOnce);
  }

  /// The axis that the rows of a state are along.
  unsigned rowAxis() const {
    auto isGroup = [](const StreamAxis &axis) {
      return axis.kind == AxisKind::Group;
    };
    return llvm::find_if(axes, isGroup) - axes.begin();
  }

  void runSplit() {
    Value parts = countParts();
    SmallVector<KernelView> states = describeStates(parts, axes);
    KernelAxes kernelAxes = splitAxes(parts);
    StreamKernel stream(op, nameWith("_split"), kernelAxes,
                        withSplitAxis(inputs), states);
    stream.enterGrid();
    endStream(stream);
    stream.storeTiles(buildPart(stream));
    finish(stream, KernelOp::kSplitStep);
    for (auto [state, value] : llvm::zip(states, stream.launch().getResults()))
      state.tensor = value;

    runMerge(kernelAxes, states);
  }

  /// Merges states, with what `work` says of them, if anything.
  void runMerge(KernelAxes kernelAxes, ArrayRef<KernelView> states,
                const WorkList *work = nullptr) {
    // Every part of the stream is done: the split axis is what streams now.
    kernelAxes.streamed = splitAxis();
    kernelAxes.sizes[splitAxis()] =
        mergedAtOnce(kernelAxes.axes[splitAxis()].extent);
    if (unsigned rows = rowAxis(); rows < axes.size())
      kernelAxes.sizes[rows] = mergeRows(axes[rows], sizes[rows]);
    SmallVector<KernelView> merged(states);
    merged.append(lengthViews());
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

  //===--------------------------------------------------------------------===//
  // One kernel of clusters
  //===--------------------------------------------------------------------===//

  /// CTAs of a cluster: as many as let all clusters run at once, where several
  /// small ones take the place of a large one.
  Value countInCluster(StreamKernel &kernel) {
    IndexBuilder m{kernel.getBuilder(), op.getLoc()};
    if (split.parts > 0)
      return m.constant(split.parts);
    TargetAttr target = TargetAttr::of(op);
    auto extent = [&](unsigned axis) {
      return kernel.getContext().extents[axis];
    };
    Value tiles = countTiles(m, extent);
    Value sharing =
        m.ceilDiv(tiles, m.constant(target.get(Fact::MaxClusters)));
    Value fit = m.div(m.constant(target.get(Fact::MaxClusterCTAs)), sharing);
    // Two neighbours are a cluster anywhere.
    Value pairs = m.minU(m.div(m.constant(target.get(Fact::SMs)), tiles),
                         m.constant(2));
    return m.atLeastOne(m.minU(m.maxS(fit, pairs), countWorth(m, extent)));
  }

  /// Shows the CTA's state to its cluster: as many rows as there can be.
  ExchangeOp exchange(StreamKernel &kernel, ArrayRef<Value> state) {
    int64_t parts = split.parts > 0 ? split.parts : ShapedType::kDynamic;
    SmallVector<Type> types;
    for (auto [value, map] : llvm::zip_equal(state, op.getStateMaps())) {
      SmallVector<int64_t> shape{parts};
      for (AffineExpr expr : map.getResults()) {
        unsigned axis = cast<AffineDimExpr>(expr).getPosition();
        int64_t extent = axes[axis].extent;
        shape.push_back(ShapedType::isDynamic(extent)
                            ? sizes[axis]
                            : std::clamp<int64_t>(extent, 1, sizes[axis]));
      }
      types.push_back(ViewType::get(op->getContext(), shape,
                                    getElementTypeOrSelf(value.getType())));
    }
    return ExchangeOp::create(kernel.getBuilder(), op.getLoc(), types,
                              kernel.getContext().offsets[splitAxis()], state);
  }

  /// The rows of a state from `row` on, of the part at the stream's position.
  SmallVector<Value> loadShown(StreamKernel &kernel, ExchangeOp shown,
                               Value row, int64_t ahead) {
    OpBuilder &b = kernel.getBuilder();
    IndexBuilder m{b, op.getLoc()};
    const TileContext &context = kernel.getContext();
    Value part = m.add(context.offsets[splitAxis()], m.constant(ahead));
    SmallVector<Value> state;
    for (auto [view, map] :
         llvm::zip_equal(shown.getViews(), op.getStateMaps())) {
      SmallVector<Value> offsets{part};
      SmallVector<int64_t> shape;
      for (AffineExpr expr : map.getResults()) {
        unsigned axis = cast<AffineDimExpr>(expr).getPosition();
        offsets.push_back(axis == rowAxis() ? row : m.constant(0));
        shape.push_back(context.sizes[axis]);
      }
      auto tile = RankedTensorType::get(shape, b.getF32Type());
      state.push_back(LoadOp::create(b, op.getLoc(), tile, view, offsets));
    }
    return state;
  }

  /// Merges rows of the states that are shown, those of the CTA's part.
  void mergeShown(StreamKernel &kernel, ExchangeOp shown, Value valid) {
    OpBuilder &b = kernel.getBuilder();
    IndexBuilder m{b, op.getLoc()};
    const TileContext &context = kernel.getContext();
    unsigned axis = rowAxis();
    int64_t rows = mergeRows(axes[axis], sizes[axis]);
    // What is behind the tile belongs to another cluster.
    while (sizes[axis] % rows != 0)
      --rows;
    Value first = context.offsets[axis], step = m.constant(rows),
          part = context.offsets[splitAxis()],
          parts = context.extents[splitAxis()];
    Value end = m.minS(m.sub(context.extents[axis], first),
                       m.constant(sizes[axis]));
    auto loop = scf::ForOp::create(b, op.getLoc(), m.mul(part, step), end,
                                   m.mul(parts, step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    kernel.narrow(axis, m.add(first, row), rows);
    kernel.streamAlong(splitAxis(), mergedAtOnce(split.parts > 0
                                                     ? split.parts
                                                     : ShapedType::kDynamic));
    auto load = [&](int64_t ahead) {
      return loadShown(kernel, shown, row, ahead);
    };
    buildMerges(kernel, load, valid);
  }

  void runInCluster() {
    KernelAxes kernelAxes =
        axesWithSplit(split.parts > 0 ? split.parts : ShapedType::kDynamic);
    StreamKernel kernel(op, nameWith(""), kernelAxes, withSplitAxis(inputs),
                        withSplitAxis(outputs));
    kernel.setExtent(splitAxis(), countInCluster(kernel));
    kernel.enterGrid(/*cluster=*/true);
    Value valid = endStream(kernel);
    SmallVector<Value> state = buildPart(kernel);
    mergeShown(kernel, exchange(kernel, state), valid);
    finish(kernel);
    replaceBy(kernel.launch());
  }

  //===--------------------------------------------------------------------===//
  // Three kernels
  //===--------------------------------------------------------------------===//

  /// Entries of the list, at most. Even parts of `streams` streams are together
  /// as long as as many as are wanted, and of each stream one is cut short.
  Value countEntries(Value streams, ArrayRef<StreamAxis> units) {
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

  /// The axes of the kernel that streams what entries list: that over the
  /// entries takes the place of those that select a stream.
  KernelAxes dealtAxes(const WorkList &work, Value entries) {
    KernelAxes result = splitAxes(entries);
    result.axes.back().name = "work";
    llvm::erase_if(result.gridOrder, [&](unsigned axis) {
      return llvm::is_contained(work.getOwners(), axis);
    });
    llvm::erase(result.gridOrder, splitAxis());
    result.gridOrder.insert(result.gridOrder.begin(), splitAxis());
    return result;
  }

  void buildDealtParts(StreamKernel &kernel, const WorkList &work) {
    OpBuilder &b = kernel.getBuilder();
    kernel.enterGrid();
    auto [from, to] =
        work.enterEntry(kernel, splitAxis(), kernel.numInputViews() - 1);
    endStream(kernel);
    SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
    SmallVector<Segment> segments =
        op.buildSegments(b, op.getLoc(), kernel.getContext());
    kernel.storeTiles(buildFolds(
        kernel, clip(kernel, segments, from, to, segments.front().lo), tiles));
  }

  void runDealt() {
    WorkList work(op, sizes, streamed, inputs, split.length);
    work.setLeastTiles(kLeastTiles);
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
    KernelAxes kernelAxes = dealtAxes(work, entries);
    SmallVector<KernelView> read = withSplitAxis(inputs);
    read.push_back(work.getList(splitAxis()));
    StreamKernel stream(op, nameWith("_split"), kernelAxes, read, states);
    buildDealtParts(stream, work);
    finish(stream, KernelOp::kSplitStep);
    for (auto [state, value] : llvm::zip(states, stream.launch().getResults()))
      state.tensor = value;
    kernelAxes.gridOrder.clear();
    runMerge(kernelAxes, states, &work);
  }

  void replaceBy(LaunchOp launch) {
    op->replaceAllUsesWith(launch.getResults());
    op->erase();
  }

  StreamableOpInterface op;
  SmallVector<StreamAxis> axes;
  SmallVector<int64_t> sizes;
  StreamSplit split;
  OpBuilder host;
  unsigned streamed;
  SmallVector<KernelView> inputs, outputs;
  PartitionedStream result;
};

} // namespace

PartitionedStream attn::partitionStream(StreamableOpInterface op,
                                        ArrayRef<int64_t> sizes,
                                        const StreamSplit &split) {
  return Partitioner(op, sizes, split).run();
}
