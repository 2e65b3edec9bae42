//===- StreamPartition.cpp - Streamable ops to streamed tile loops --------===//
//
// Group and stream partition of "FlashAttention on a Napkin", section 3, for
// any StreamableOpInterface.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Dialect/Attn/Utils/TileChoice.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
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

namespace {

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

  KernelOp run() {
    KernelOp kernel = createKernel();
    buildBody(kernel);
    createLaunch(kernel);
    return kernel;
  }

  /// Segments of all streams.
  unsigned getNumSegments() const { return numSegments; }

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
  FailureOr<TileSizes> parseTiles(ArrayRef<StreamableOpInterface> ops) {
    SmallVector<StringRef> known;
    for (StreamableOpInterface op : ops)
      for (const StreamAxis &axis : op.getStreamAxes())
        if (isTiled(axis) && !llvm::is_contained(known, axis.name))
          known.push_back(axis.name);
    TileSizes result;
    for (StringRef text : tiles) {
      auto [name, number] = text.split('=');
      int64_t size;
      if (number.empty() || number.getAsInteger(10, size) || size < 1 ||
          size > (1 << 20)) {
        getOperation().emitError() << "tile size expects axis=size with a size "
                                      "from 1 to 1048576, but got '"
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

  /// 0 is nothing asked.
  static LogicalResult checkSplits(Operation *op, int64_t splits) {
    if (splits >= 0 && splits <= kMostSplits)
      return success();
    return op->emitError() << "expected 1 to " << kMostSplits
                           << " splits, or 0 for the schedule's, but got "
                           << splits;
  }

  /// Splits by the option, else by the schedule of the operation, else none.
  FailureOr<int64_t> splitsOf(StreamableOpInterface op, ScheduleAttr schedule) {
    int64_t wanted = splits;
    if (wanted == 0 && schedule)
      wanted = schedule.getNumber("splits").value_or(0);
    if (failed(checkSplits(op, wanted)))
      return failure();
    if (wanted > 1 && op.getReorder() == Reorder::Ordered) {
      op.emitOpError("cannot be split: its stream must run in its order");
      return failure();
    }
    return std::max<int64_t>(wanted, 1);
  }

  /// Adds the tiles that the schedule states to those of the options.
  LogicalResult addTiles(StreamableOpInterface op, ScheduleAttr schedule,
                         TileSizes &sizes) {
    SmallVector<StringRef> known;
    for (const StreamAxis &axis : op.getStreamAxes())
      if (isTiled(axis))
        known.push_back(axis.name);
    for (auto [axis, size] : schedule.getTiles()) {
      if (!llvm::is_contained(known, axis))
        return op.emitOpError("expected tiles of its axes (")
               << llvm::join(known, ", ") << "), but got '" << axis << "'"
               << didYouMean(axis, known);
      sizes.try_emplace(axis, size);
    }
    return success();
  }

  /// Makes the kernel of one operation, which keeps what its schedule says of
  /// kernels.
  LogicalResult partition(StreamableOpInterface op, const TileSizes &options) {
    ScheduleAttr schedule = ScheduleAttr::of(op);
    TileSizes asked = options;
    if (schedule && failed(addTiles(op, schedule, asked)))
      return failure();
    FailureOr<int64_t> parts = splitsOf(op, schedule);
    FailureOr<TileChoice> choice =
        failed(parts) ? FailureOr<TileChoice>() : chooseTile(op, asked);
    if (failed(choice))
      return failure();
    reportTiles(op, *choice, options, asked);
    Partitioner partitioner(op, choice->sizes, *parts);
    KernelOp kernel = partitioner.run();
    if (schedule)
      ScheduleAttr::set(kernel,
                        schedule.without({"tiles", "splits", "pack_group"}));
    numSegments += partitioner.getNumSegments();
    ++numKernels;
    return success();
  }

  void reportTiles(StreamableOpInterface op, const TileChoice &choice,
                   const TileSizes &options, const TileSizes &asked) {
    SmallVector<remarks::KeyedValue> tiles;
    for (auto [axis, size] : llvm::zip(op.getStreamAxes(), choice.sizes)) {
      if (!isTiled(axis))
        continue;
      StringRef from = options.count(axis.name) ? "option"
                       : asked.count(axis.name) ? "attribute"
                       : choice.fromTable       ? "table"
                                                : "target";
      tiles.push_back({axis.name.str(), std::to_string(size)});
      tiles.push_back({(axis.name + "-from").str(), from.str()});
    }
    remarks::emitTileSizes(op, tiles);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StreamableOpInterface> ops;
    // A nested module is scheduled by a pipeline of its own.
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op) && op != module)
        return WalkResult::skip();
      if (auto streamable = dyn_cast<StreamableOpInterface>(op))
        ops.push_back(streamable);
      return WalkResult::advance();
    });
    if (ops.empty() && succeeded(checkSplits(module, splits))) {
      remarks::emitNothingToPartition(module);
      return;
    }
    auto asked = parseTiles(ops);
    if (failed(asked))
      return signalPassFailure();
    for (StreamableOpInterface op : ops)
      if (failed(partition(op, *asked)))
        return signalPassFailure();
    for (auto kernel : module.getOps<KernelOp>())
      tidy(kernel);
  }
};

} // namespace
