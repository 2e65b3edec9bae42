//===- StreamPartition.cpp - Streamable ops to streamed tile loops --------===//
//
// Group and stream partition of "FlashAttention on a Napkin", section 3, for
// any StreamableOpInterface.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/Utils/MeasuredTiles.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTREAMPARTITION
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

/// Each is code of its own: 192 took minutes to compile.
static constexpr int64_t kMostSplits = 16;

//===----------------------------------------------------------------------===//
// Tile sizes
//===----------------------------------------------------------------------===//

namespace {

bool isTiled(const StreamAxis &axis) {
  return axis.kind == AxisKind::Group || axis.kind == AxisKind::Stream;
}

/// Chooses the tile sizes of one op: what is asked, else the largest default
/// that fits the target.
class TileChooser {
public:
  TileChooser(StreamableOpInterface op, const llvm::StringMap<int64_t> &asked)
      : op(op), axes(op.getStreamAxes()), asked(asked),
        target(TargetAttr::of(op)) {}

  /// Whether the measured table chose, where no option did.
  bool isFromTable() const { return fromTable; }

  /// One size for each axis, or failure after a diagnostic.
  FailureOr<SmallVector<int64_t>> choose() {
    if (auto measured = measuredTile(target, op)) {
      SmallVector<int64_t> sizes =
          sizesFor(measured->group, measured->stream, /*onlyFree=*/true);
      fromTable = fits(target, footprintOf(target, op, sizes));
      if (fromTable)
        return sizes;
    }
    // Largest first; a tile has no use for rows beyond the extent.
    for (auto [group, stream] : kDefaults) {
      SmallVector<int64_t> sizes = sizesFor(group, stream, /*onlyFree=*/true);
      if (fits(target, footprintOf(target, op, sizes)))
        return sizes;
    }
    return explainMisfit();
  }

private:
  static constexpr std::pair<int64_t, int64_t> kDefaults[] = {
      {128, 128}, {128, 64}, {64, 64}, {64, 32}, {32, 32}, {16, 16}};

  SmallVector<int64_t> sizesFor(int64_t group, int64_t stream, bool onlyFree) {
    SmallVector<int64_t> sizes;
    for (const StreamAxis &axis : axes) {
      int64_t size = axis.kind == AxisKind::Unit ? 1
                     : axis.kind == AxisKind::Whole
                         // Loads beyond the view are zero: padding is free.
                         ? llvm::alignTo(axis.extent, tileGranule(target))
                         : axis.kind == AxisKind::Group ? group : stream;
      if (isTiled(axis)) {
        auto given = asked.find(axis.name);
        if (given != asked.end())
          size = onlyFree ? given->second : std::min(size, given->second);
        else if (!ShapedType::isDynamic(axis.extent))
          size = std::min<int64_t>(
              size, llvm::alignTo(std::clamp<int64_t>(axis.extent, 1, size),
                                  kGranularity));
      }
      sizes.push_back(size);
    }
    return sizes;
  }

  /// Reports that what was asked does not fit, and the largest tile that does.
  LogicalResult explainMisfit() {
    auto [group, stream] = std::begin(kDefaults)[std::size(kDefaults) - 1];
    SmallVector<int64_t> tried = sizesFor(group, stream, /*onlyFree=*/true);
    Footprint footprint = footprintOf(target, op, tried);
    InFlightDiagnostic diag =
        op.emitOpError("tile ")
        << describe(tried) << " asks for " << footprint.sharedBytes
        << " bytes of shared memory and " << footprint.registers
        << " registers; target " << target.getName() << " has "
        << target.get(Fact::SmemPerBlock) << " bytes a CTA and "
        << target.get(Fact::RegistersPerSM) << " registers an SM; ";
    SmallVector<int64_t> best = largestLegal(tried);
    if (best.empty())
      diag << "no tile of this operation fits";
    else
      diag << "the largest legal tile is " << describe(best);
    return diag;
  }

  /// The tile of most elements, no larger than `tried` along any axis, that
  /// fits; empty if there is none.
  SmallVector<int64_t> largestLegal(ArrayRef<int64_t> tried) {
    int64_t maxGroup = 1, maxStream = 1, bestArea = 0, stream = 0;
    for (auto [axis, size] : llvm::zip(axes, tried)) {
      if (axis.kind == AxisKind::Group)
        maxGroup = std::max(maxGroup, size);
      if (axis.kind == AxisKind::Stream)
        maxStream = std::max(maxStream, size);
    }
    SmallVector<int64_t> best;
    auto larger = [](int64_t s) {
      return s < kGranularity ? s + 1 : s + kGranularity;
    };
    // A smaller group never needs a smaller stream: one walk over both.
    for (int64_t group = step(maxGroup); group > 0; group = step(group - 1)) {
      while (larger(stream) <= step(maxStream) &&
             fits(target, footprintOf(target, op,
                                      sizesFor(group, larger(stream),
                                               /*onlyFree=*/false))))
        stream = larger(stream);
      if (group * stream <= bestArea)
        continue;
      bestArea = group * stream;
      best = sizesFor(group, stream, /*onlyFree=*/false);
    }
    return best;
  }

  /// The largest candidate size up to `size`: multiples of 16, then all.
  static int64_t step(int64_t size) {
    return size > kGranularity ? size / kGranularity * kGranularity : size;
  }

  std::string describe(ArrayRef<int64_t> sizes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        llvm::make_filter_range(llvm::zip(axes, sizes),
                                [](auto p) { return isTiled(std::get<0>(p)); }),
        os, [&](auto p) { os << std::get<0>(p).name << "=" << std::get<1>(p); },
        ",");
    return text;
  }

  static constexpr int64_t kGranularity = 16;

  StreamableOpInterface op;
  SmallVector<StreamAxis> axes;
  const llvm::StringMap<int64_t> &asked;
  TargetAttr target;
  bool fromTable = false;
};

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Makes the kernel and the launch of one op.
class Partitioner {
public:
  Partitioner(StreamableOpInterface op, ArrayRef<int64_t> sizes, int64_t splits)
      : op(op), axes(op.getStreamAxes()), maps(op.getViewMaps()),
        perms(op.getViewPermutations()), splits(splits), rewriter(op),
        loc(op.getLoc()) {
    context.axes = axes;
    context.sizes.assign(sizes.begin(), sizes.end());
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        inputs.push_back(operand);
    for (Value v : inputs)
      tensorTypes.push_back(cast<RankedTensorType>(v.getType()));
    for (Type type : op->getResultTypes())
      tensorTypes.push_back(cast<RankedTensorType>(type));
  }

  /// Number of segments made.
  unsigned run() {
    KernelOp kernel = createKernel();
    buildBody(kernel);
    createLaunch(kernel);
    return numSegments;
  }

private:
  unsigned numViews() const { return tensorTypes.size(); }

  ViewType viewType(unsigned view) {
    SmallVector<int64_t> shape;
    for (int64_t dim : perms[view])
      shape.push_back(tensorTypes[view].getDimSize(dim));
    return ViewType::get(op->getContext(), shape,
                         tensorTypes[view].getElementType());
  }

  KernelOp createKernel() {
    auto module = op->getParentOfType<ModuleOp>();
    auto function = op->getParentOfType<FunctionOpInterface>();
    StringRef prefix = function ? function.getName() : "kernel";
    std::string name = (prefix + "_" + op->getName().stripDialect()).str();
    SmallVector<Type> arguments;
    for (unsigned i = 0; i < numViews(); ++i)
      arguments.push_back(viewType(i));
    SmallVector<StringRef> names = op.getViewNames();
    for (auto [i, scalar] : llvm::enumerate(op.getScalarCaptures())) {
      arguments.push_back(scalar.getType());
      names.push_back(rewriter.getStringAttr("scalar" + Twine(i)));
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.clearInsertionPoint();
    auto kernel = KernelOp::create(rewriter, loc, name, arguments, names);
    // Behind the function that launches it, and behind the kernels made before.
    Operation *last = module.getBody()->findAncestorOpInBlock(*op);
    while (isa_and_nonnull<KernelOp>(last->getNextNode()))
      last = last->getNextNode();
    SymbolTable(module).insert(kernel, std::next(Block::iterator(last)));
    describeViews(kernel);
    return kernel;
  }

  /// Tells launchers which dimensions are one axis, and what is written.
  void describeViews(KernelOp kernel) {
    SmallVector<Attribute> names;
    for (unsigned view = 0; view < numViews(); ++view) {
      SmallVector<StringRef> dims;
      for (AffineExpr expr : maps[view].getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        dims.push_back(
            dim && ShapedType::isDynamic(axes[dim.getPosition()].extent)
                ? axes[dim.getPosition()].name
                : StringRef());
      }
      names.push_back(rewriter.getStrArrayAttr(dims));
    }
    kernel->setAttr(KernelOp::kDimNamesAttr, rewriter.getArrayAttr(names));
    kernel->setAttr(KernelOp::kOutputsAttr,
                    rewriter.getI64IntegerAttr(numViews() - inputs.size()));
    kernel->setAttr(KernelOp::kPermutationsAttr, permutations());
  }

  ArrayAttr permutations() {
    SmallVector<Attribute> result;
    for (unsigned i = 0; i < numViews(); ++i)
      result.push_back(AffineMapAttr::get(AffineMap::getPermutationMap(
          ArrayRef<int64_t>(perms[i]), op->getContext())));
    return rewriter.getArrayAttr(result);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  void buildBody(KernelOp kernel) {
    OpBuilder::InsertionGuard guard(rewriter);
    views = kernel.getArguments().take_front(numViews());
    context.scalars =
        llvm::to_vector_of<Value>(kernel.getArguments().drop_front(numViews()));
    rewriter.setInsertionPoint(kernel.getBody().front().getTerminator());
    for (const StreamAxis &axis : axes)
      context.extents.push_back(
          ShapedType::isDynamic(axis.extent)
              ? DimOp::create(rewriter, loc, views[axis.view], axis.dim)
                    .getResult()
              : constant(axis.extent));
    enterGrid();
    SmallVector<Value> tiles(inputs.size());
    loadTiles(tiles, /*streamed=*/false);
    SmallVector<Segment> segments = op.buildSegments(rewriter, loc, context);
    SmallVector<Value> state;
    for (int64_t part = 0; part < splits; ++part) {
      SmallVector<Value> partState = buildStream(clip(segments, part), tiles);
      state = part == 0
                  ? partState
                  : op.buildMerge(rewriter, loc, context, state, partState);
    }
    SmallVector<Value> results = op.buildTail(rewriter, loc, context, state);
    for (auto [i, tile] : llvm::enumerate(results)) {
      unsigned view = inputs.size() + i;
      StoreOp::create(rewriter, loc, tile, views[view], offsetsOf(view));
    }
  }

  /// The grid over unit axes and the tiles of group axes.
  void enterGrid() {
    SmallVector<Value> sizes;
    SmallVector<StringRef> names, sharing;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (axis.kind != AxisKind::Unit && axis.kind != AxisKind::Group)
        continue;
      Value extent = context.extents[i];
      sizes.push_back(axis.kind == AxisKind::Unit
                          ? extent
                          : rewriter.createOrFold<arith::CeilDivUIOp>(
                                loc, extent, constant(context.sizes[i])));
      names.push_back(axis.name);
      if (axis.selectsStream)
        sharing.push_back(axis.name);
    }
    auto grid =
        GridOp::create(rewriter, loc, sizes, rewriter.getStrArrayAttr(names),
                       rewriter.getStrArrayAttr(sharing), OrderAttr(),
                       /*run=*/1, /*folded=*/false,
                       /*persistent=*/IntegerAttr());
    SmallVector<Type> types(sizes.size() + 1, rewriter.getIndexType());
    SmallVector<Location> locs(types.size(), loc);
    Block *block = rewriter.createBlock(&grid.getBody(), {}, types, locs);
    rewriter.setInsertionPoint(YieldOp::create(rewriter, loc));
    unsigned coordinate = 0;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Value offset;
      if (axis.kind == AxisKind::Whole)
        offset = constant(0);
      else if (axis.kind == AxisKind::Unit)
        offset = block->getArgument(coordinate++);
      else if (axis.kind == AxisKind::Group)
        offset = rewriter.createOrFold<arith::MulIOp>(
            loc, block->getArgument(coordinate++), constant(context.sizes[i]));
      context.offsets.push_back(offset);
    }
  }

  bool isStreamed(unsigned view) {
    return maps[view].isFunctionOfDim(context.streamAxis());
  }

  SmallVector<Value> offsetsOf(unsigned view) {
    SmallVector<Value> dims = context.offsets, offsets;
    // Unused by this map, but the expansion wants a value for every axis.
    for (Value &dim : dims)
      if (!dim)
        dim = context.extents.front();
    for (AffineExpr expr : maps[view].getResults())
      offsets.push_back(
          affine::expandAffineExpr(rewriter, loc, expr, dims, {}));
    return offsets;
  }

  /// The tile of a view: dimensions of unit axes, which lead, are dropped.
  RankedTensorType tileType(unsigned view) {
    SmallVector<int64_t> shape;
    for (AffineExpr expr : maps[view].getResults())
      for (auto [i, axis] : llvm::enumerate(axes))
        if (axis.kind != AxisKind::Unit && expr.isFunctionOfDim(i))
          shape.push_back(context.sizes[i]);
    return RankedTensorType::get(shape, tensorTypes[view].getElementType());
  }

  void loadTiles(MutableArrayRef<Value> tiles, bool streamed) {
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (isStreamed(i) == streamed)
        tiles[i] =
            LoadOp::create(rewriter, loc, tileType(i), views[i], offsetsOf(i));
  }

  /// The part of the segments that falls to one split.
  SmallVector<Segment> clip(ArrayRef<Segment> segments, int64_t part) {
    if (splits == 1)
      return llvm::to_vector(segments);
    unsigned stream = context.streamAxis();
    Value tiles = rewriter.createOrFold<arith::CeilDivUIOp>(
        loc, context.extents[stream], constant(splits * context.sizes[stream]));
    Value length = rewriter.createOrFold<arith::MulIOp>(
        loc, tiles, constant(context.sizes[stream]));
    auto bound = [&](int64_t i) {
      return rewriter.createOrFold<arith::MulIOp>(loc, length, constant(i));
    };
    Value from = bound(part), to = bound(part + 1);
    auto clamp = [&](Value x) {
      Value low = rewriter.createOrFold<arith::MaxSIOp>(loc, x, from);
      return rewriter.createOrFold<arith::MinSIOp>(loc, low, to);
    };
    SmallVector<Segment> result;
    for (const Segment &segment : segments)
      result.push_back({clamp(segment.lo), clamp(segment.hi), segment.masked});
    return result;
  }

  SmallVector<Value> buildStream(ArrayRef<Segment> segments,
                                 ArrayRef<Value> residentTiles) {
    SmallVector<Value> lowers, uppers;
    SmallVector<bool> masked;
    for (const Segment &segment : segments) {
      lowers.push_back(segment.lo);
      uppers.push_back(segment.hi);
      masked.push_back(segment.masked);
    }
    numSegments += segments.size();
    unsigned axis = context.streamAxis();
    SmallVector<Value> inits = op.buildHead(rewriter, loc, context);
    auto stream = StreamOp::create(
        rewriter, loc, ValueRange(inits).getTypes(), lowers, uppers, inits,
        /*reverse=*/Value(), masked, context.sizes[axis],
        op.getReorder() == Reorder::Ordered);
    SmallVector<Type> types{rewriter.getIndexType()};
    llvm::append_range(types, stream.getResultTypes());
    SmallVector<Location> locs(types.size(), loc);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&stream.getBody(), {}, types, locs);
    context.offsets[axis] = stream.getPosition();
    SmallVector<Value> tiles(residentTiles);
    loadTiles(tiles, /*streamed=*/true);
    SmallVector<Value> carried(stream.getCarried());
    YieldOp::create(rewriter, loc,
                    op.buildFold(rewriter, loc, context, carried, tiles));
    context.offsets[axis] = Value();
    return llvm::to_vector_of<Value>(stream.getResults());
  }

  /// Size of a dynamic dimension of a result, from the operand that tells.
  Value resultSize(unsigned view, AffineExpr expr) {
    const StreamAxis &axis = axes[cast<AffineDimExpr>(expr).getPosition()];
    return tensor::DimOp::create(rewriter, loc, inputs[axis.view],
                                 perms[axis.view][axis.dim]);
  }

  void createLaunch(KernelOp kernel) {
    SmallVector<Value> inits;
    for (unsigned i = inputs.size(); i < numViews(); ++i) {
      SmallVector<Value> dynamic;
      RankedTensorType type = tensorTypes[i];
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          dynamic.push_back(resultSize(
              i,
              maps[i].getResult(llvm::find(perms[i], dim) - perms[i].begin())));
      inits.push_back(tensor::EmptyOp::create(rewriter, loc, type, dynamic));
    }
    auto launch = LaunchOp::create(rewriter, loc, op->getResultTypes(),
                                   kernel.getSymName(), inputs, inits,
                                   op.getScalarCaptures(), permutations());
    rewriter.replaceOp(op, launch.getResults());
  }

  StreamableOpInterface op;
  SmallVector<StreamAxis> axes;
  SmallVector<AffineMap> maps;
  SmallVector<SmallVector<int64_t>> perms;
  int64_t splits;
  IRRewriter rewriter;
  Location loc;
  TileContext context;
  SmallVector<Value> inputs;
  SmallVector<RankedTensorType> tensorTypes;
  ValueRange views;
  unsigned numSegments = 0;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct StreamPartitionPass
    : attn::impl::AttnStreamPartitionBase<StreamPartitionPass> {
  using AttnStreamPartitionBase::AttnStreamPartitionBase;

  /// Reads `tiles`; every name must be a tiled axis of some op.
  FailureOr<llvm::StringMap<int64_t>>
  parseTiles(ArrayRef<StreamableOpInterface> ops) {
    SmallVector<StringRef> known;
    for (StreamableOpInterface op : ops)
      for (const StreamAxis &axis : op.getStreamAxes())
        if (isTiled(axis) && !llvm::is_contained(known, axis.name))
          known.push_back(axis.name);
    llvm::StringMap<int64_t> result;
    for (StringRef text : tiles) {
      auto [name, number] = text.split('=');
      int64_t size;
      if (number.empty() || number.getAsInteger(10, size) || size < 1 ||
          size > (1 << 20)) {
        getOperation().emitError()
            << "tile size wants axis=size with a size from 1 to 1048576, got '"
            << text << "'";
        return failure();
      }
      if (!llvm::is_contained(known, name)) {
        getOperation().emitError()
            << "no operation has a tiled axis '" << name << "'"
            << didYouMean(name, known) << " (axes: " << llvm::join(known, ", ")
            << ")";
        return failure();
      }
      if (!result.try_emplace(name, size).second) {
        getOperation().emitError()
            << "tile size of '" << name << "' given twice";
        return failure();
      }
    }
    return result;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto opts = [](StringRef name, StringRef function) {
      return remark::RemarkOpts::name(name)
          .category("attn-stream-partition")
          .function(function);
    };
    SmallVector<StreamableOpInterface> ops;
    // A nested module is scheduled by a pipeline of its own.
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op) && op != module)
        return WalkResult::skip();
      if (auto streamable = dyn_cast<StreamableOpInterface>(op))
        ops.push_back(streamable);
      return WalkResult::advance();
    });
    if (splits < 1 || splits > kMostSplits) {
      module.emitError() << "wants 1 to " << kMostSplits << " splits, got "
                         << splits.getValue();
      return signalPassFailure();
    }
    if (ops.empty()) {
      remark::missed(module.getLoc(), opts("nothing-to-partition", ""))
          << "no streamable operation";
      return;
    }
    auto asked = parseTiles(ops);
    if (failed(asked))
      return signalPassFailure();
    for (StreamableOpInterface op : ops) {
      if (splits > 1 && op.getReorder() == Reorder::Ordered) {
        op.emitOpError("cannot be split: its stream must run in its order");
        return signalPassFailure();
      }
      TileChooser chooser(op, *asked);
      FailureOr<SmallVector<int64_t>> sizes = chooser.choose();
      if (failed(sizes))
        return signalPassFailure();
      reportTiles(op, *sizes, *asked,
                  chooser.isFromTable() ? "table" : "target", opts);
      numSegments += Partitioner(op, *sizes, splits).run();
      ++numKernels;
    }
    for (auto kernel : module.getOps<KernelOp>())
      tidy(kernel);
  }

  template <typename Opts>
  void reportTiles(StreamableOpInterface op, ArrayRef<int64_t> sizes,
                   const llvm::StringMap<int64_t> &asked, StringRef otherwise,
                   Opts opts) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    remark::detail::InFlightRemark diag = remark::passed(
        op.getLoc(), opts("tile-sizes", function ? function.getName() : ""));
    diag << "tiles:";
    for (auto [axis, size] : llvm::zip(op.getStreamAxes(), sizes)) {
      if (!isTiled(axis))
        continue;
      diag << remark::metric(axis.name, size)
           << remark::metric((axis.name + "-from").str(),
                             asked.count(axis.name) ? "option" : otherwise);
    }
  }
};

} // namespace
