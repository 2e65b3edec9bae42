//===- StreamKernel.cpp - A kernel that streams past its tiles ------------===//

#include "StreamKernel.h"
#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Halving.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attn;

StreamKernel::StreamKernel(StreamableOpInterface op, StringRef name,
                           const KernelAxes &kernelAxes,
                           ArrayRef<KernelView> inputs,
                           ArrayRef<KernelView> outputs)
    : op(op), axes(kernelAxes.axes), foldAxes(axes),
      streamed(kernelAxes.streamed), numInputs(inputs.size()),
      packedAxes(op.getPackedAxes()), bases(axes.size()), views(inputs),
      builder(op), loc(op.getLoc()) {
  views.append(outputs.begin(), outputs.end());
  auto natural = llvm::seq<unsigned>(0, axes.size());
  for (unsigned axis : kernelAxes.gridOrder.empty() ? llvm::to_vector(natural)
                                                    : kernelAxes.gridOrder)
    if (axis != streamed && !(packedGroup() && packedGroup()->owner == axis) &&
        (axes[axis].kind == AxisKind::Unit ||
         axes[axis].kind == AxisKind::Group))
      gridAxes.push_back(axis);
  context.axes = foldAxes;
  context.sizes = kernelAxes.sizes;
  createKernel(name);
  context.scalars =
      llvm::to_vector_of<Value>(kernel.getArguments().drop_front(numViews()));
  context.views.resize(op.getViewNames().size());
  for (auto [argument, view] : llvm::zip(kernel.getArguments(), views))
    if (view.number)
      context.views[*view.number] = argument;
  builder.setInsertionPoint(kernel.getBody().front().getTerminator());
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    context.extents.push_back(extentOf(axis));
}

ViewType StreamKernel::viewType(const KernelView &view) {
  SmallVector<int64_t> shape;
  for (int64_t dim : view.permutation)
    shape.push_back(view.getType().getDimSize(dim));
  return ViewType::get(op->getContext(), shape,
                       view.getType().getElementType());
}

void StreamKernel::createKernel(StringRef name) {
  SmallVector<Type> arguments;
  SmallVector<StringRef> names;
  for (const KernelView &view : views) {
    arguments.push_back(viewType(view));
    names.push_back(view.name);
  }
  for (auto [i, scalar] : llvm::enumerate(op.getScalarCaptures())) {
    arguments.push_back(scalar.getType());
    names.push_back(builder.getStringAttr("scalar" + Twine(i)));
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.clearInsertionPoint();
  kernel = KernelOp::create(builder, loc, name, arguments, names);
  insertBehind(kernel, op);
  describeViews();
}

/// Whether a kernel in front of `op` makes one of its operands for it.
static bool readsPrepared(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto launch = operand.getDefiningOp<LaunchOp>();
    auto kernel = launch ? SymbolTable::lookupNearestSymbolFrom<KernelOp>(
                               op, launch.getKernelAttr())
                         : KernelOp();
    return kernel && (kernel.getStep() == KernelOp::kArrangeStep ||
                      kernel.getStep() == AppendCacheOp::kStep ||
                      kernel.getStep() == QuantizeOp::kStep);
  });
}

void StreamKernel::describeViews() {
  // Launchers learn which dimensions are one axis, and what is written.
  SmallVector<Attribute> names;
  for (const KernelView &view : views) {
    SmallVector<Attribute> dims;
    for (AffineExpr expr : view.map.getResults()) {
      std::string name = nameOf(expr);
      // Offsets are one more than there are points.
      bool more = holdsOffsets(view) && !name.empty();
      dims.push_back(builder.getStringAttr(name + (more ? "+1" : "")));
    }
    names.push_back(builder.getArrayAttr(dims));
  }
  kernel->setAttr(KernelOp::kDimNamesAttr, builder.getArrayAttr(names));
  kernel->setAttr(KernelOp::kOutputsAttr,
                  builder.getI64IntegerAttr(numViews() - numInputs));
  kernel->setAttr(KernelOp::kPermutationsAttr, permutations());
  if (readsPrepared(op))
    kernel->setAttr(KernelOp::kFollowsAttr, builder.getUnitAttr());
}

/// The dynamic axis that is a dimension, or (axis/64) of which so many elements
/// are one position; else nothing.
std::string StreamKernel::nameOf(AffineExpr expr) {
  auto blocks = dyn_cast<AffineBinaryOpExpr>(expr);
  bool inBlocks = blocks && blocks.getKind() == AffineExprKind::FloorDiv;
  auto dim = dyn_cast<AffineDimExpr>(inBlocks ? blocks.getLHS() : expr);
  if (!dim || !ShapedType::isDynamic(axes[dim.getPosition()].extent))
    return "";
  std::string name = axes[dim.getPosition()].name.str();
  if (inBlocks)
    name += "/" + std::to_string(
                      cast<AffineConstantExpr>(blocks.getRHS()).getValue());
  return name;
}

ArrayAttr StreamKernel::permutations() {
  SmallVector<Attribute> result;
  for (const KernelView &view : views)
    result.push_back(AffineMapAttr::get(AffineMap::getPermutationMap(
        ArrayRef<int64_t>(view.permutation), op->getContext())));
  return builder.getArrayAttr(result);
}

Value StreamKernel::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Elements of an axis by a dimension of a view that it spans alone, or from
/// which other axes, of static extents, are divided. Null where no view tells,
/// as of a stream whose states are merged.
Value StreamKernel::extentOf(unsigned axis) {
  if (!ShapedType::isDynamic(axes[axis].extent))
    return constant(axes[axis].extent);
  AffineExpr wanted = getAffineDimExpr(axis, op->getContext());
  for (auto [number, view] : llvm::enumerate(views))
    for (auto [dim, expr] : llvm::enumerate(view.map.getResults())) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      // Of a block no extent is known.
      if (!expr.isFunctionOfDim(axis) ||
          (binary && binary.getKind() == AffineExprKind::Mod))
        continue;
      int64_t factor = 1;
      expr.walk([&](AffineExpr part) {
        auto product = dyn_cast<AffineBinaryOpExpr>(part);
        if (product && product.getKind() == AffineExprKind::Mul &&
            product.getLHS() == wanted)
          factor = cast<AffineConstantExpr>(product.getRHS()).getValue();
      });
      Value size = DimOp::create(builder, loc, kernel.getArgument(number),
                                 static_cast<int64_t>(dim));
      if (holdsOffsets(view))
        return builder.createOrFold<arith::SubIOp>(loc, size, constant(1));
      if (binary && binary.getKind() == AffineExprKind::FloorDiv)
        return builder.createOrFold<arith::MulIOp>(loc, size,
                                                   constant(axes[axis].block));
      return factor == 1 ? size
                         : builder.createOrFold<arith::DivUIOp>(
                               loc, size, constant(factor));
    }
  return {};
}

void StreamKernel::enterGrid(bool cluster) {
  SmallVector<Value> sizes;
  SmallVector<StringRef> names, sharing;
  for (unsigned i : gridAxes) {
    const StreamAxis &axis = axes[i];
    sizes.push_back(countTiles(i));
    if (packedGroup() && packedGroup()->axis == i && !listView)
      halvings = countHalvings(IndexBuilder{builder, loc},
                               context.extents[packedGroup()->owner]);
    names.push_back(axis.name);
    if (axis.selectsStream)
      sharing.push_back(axis.name);
  }
  auto grid = GridOp::create(
      builder, loc, sizes, builder.getStrArrayAttr(names),
      builder.getStrArrayAttr(sharing), OrderAttr(),
      /*run=*/1, /*folded=*/false,
      /*persistent=*/IntegerAttr(), /*snake=*/false, cluster,
      /*counter=*/Value(), /*until=*/Value(), /*untilOffsets=*/ValueRange());
  SmallVector<Type> types(sizes.size() + 1, builder.getIndexType());
  SmallVector<Location> locs(types.size(), loc);
  Block *block = builder.createBlock(&grid.getBody(), {}, types, locs);
  builder.setInsertionPoint(YieldOp::create(builder, loc));
  setOffsets(block->getArguments());
}

Value StreamKernel::countTiles(unsigned axis) {
  Value extent = context.extents[axis], size = constant(context.sizes[axis]);
  if (axes[axis].kind == AxisKind::Unit)
    return extent;
  if (packedGroup() && packedGroup()->axis == axis)
    return countPackedTiles(*packedGroup());
  return builder.createOrFold<arith::CeilDivUIOp>(loc, extent, size);
}

/// Of the tile at these coordinates of the grid.
void StreamKernel::setOffsets(ValueRange coordinates) {
  context.offsets.resize(axes.size());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value &offset = context.offsets[i];
    if (axis.kind == AxisKind::Whole)
      offset = constant(0);
    auto place = llvm::find(gridAxes, i);
    if (place == gridAxes.end())
      continue;
    offset = coordinates[place - gridAxes.begin()];
    if (packedGroup() && packedGroup()->axis == i)
      listView ? enterListedTile(*packedGroup(), offset)
               : enterPackedTile(*packedGroup(), offset);
    else if (axis.kind == AxisKind::Group)
      offset = builder.createOrFold<arith::MulIOp>(loc, offset,
                                                   constant(context.sizes[i]));
  }
}

bool StreamKernel::isStreamed(unsigned view) const {
  AffineMap map = views[view].map;
  if (map.isFunctionOfDim(streamed))
    return true;
  // Axes that are streamed around that one. (A merge streams another axis, and
  // its views are states, which have none of them.)
  return llvm::any_of(llvm::seq<unsigned>(0, streamed), [&](unsigned axis) {
    return attn::isStreamed(axes[axis].kind) && map.isFunctionOfDim(axis);
  });
}

bool StreamKernel::hasTiles(unsigned view) {
  std::optional<unsigned> number = views[view].number;
  return !views[view].holdsIndices() && !(number && op.readsElements(*number));
}

/// The axis of which an expression is the first element of a group, where tiles
/// are whole groups: of which it is the position, then.
std::optional<unsigned> StreamKernel::groupedAxis(AffineExpr expr) const {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto group = dyn_cast<AffineBinaryOpExpr>(product.getLHS());
  if (!group || group.getKind() != AffineExprKind::FloorDiv ||
      group.getRHS() != product.getRHS())
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(group.getLHS());
  auto size = dyn_cast<AffineConstantExpr>(group.getRHS());
  if (!dim || !size || bases[dim.getPosition()] ||
      context.sizes[dim.getPosition()] % size.getValue() != 0)
    return std::nullopt;
  return dim.getPosition();
}

/// The value of an expression; positions are not negative.
Value StreamKernel::expand(AffineExpr expr, ArrayRef<Value> dims) {
  if (std::optional<unsigned> axis = groupedAxis(expr))
    return dims[*axis];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || !isa<AffineDimExpr>(binary.getLHS()) ||
      !isa<AffineConstantExpr>(binary.getRHS()))
    return affine::expandAffineExpr(builder, loc, expr, dims, {});
  Value dim = dims[cast<AffineDimExpr>(binary.getLHS()).getPosition()];
  int64_t size = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::Mod)
    return builder.createOrFold<arith::RemUIOp>(loc, dim, constant(size));
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return builder.createOrFold<arith::DivUIOp>(loc, dim, constant(size));
  return affine::expandAffineExpr(builder, loc, expr, dims, {});
}

SmallVector<Value> StreamKernel::offsetsOf(unsigned view) {
  SmallVector<Value> dims = context.offsets, offsets;
  // Unused by this map, but the expansion wants a value for every axis.
  for (Value &dim : dims)
    if (!dim)
      dim = context.extents.front();
  for (auto [dim, base] : llvm::zip(dims, bases))
    if (base)
      dim = builder.createOrFold<arith::AddIOp>(loc, base, dim);
  for (AffineExpr expr : views[view].map.getResults())
    offsets.push_back(expand(expr, dims));
  if (!views[view].number)
    return offsets;
  for (const Lookup &lookup : op.getLookups())
    if (lookup.view == *views[view].number) {
      unsigned table = inputOf(lookup.table);
      offsets[lookup.dim] = lookUp(lookup, view, offsetsOf(table));
    }
  return offsets;
}

/// An element of a table. What is negative is large without its sign, so that
/// no number leads to what lies in front of the view.
Value StreamKernel::lookUp(const Lookup &lookup, unsigned view,
                           ValueRange place) {
  return builder.createOrFold<arith::MinUIOp>(
      loc, readElement(inputOf(lookup.table), place), sizeOf(view, lookup.dim));
}

/// The tile of a view: dimensions of unit axes, which lead, are dropped.
RankedTensorType StreamKernel::tileType(unsigned view) {
  SmallVector<int64_t> shape;
  for (AffineExpr expr : views[view].map.getResults())
    for (auto [i, axis] : llvm::enumerate(axes))
      if (!isSingle(axis.kind) && expr.isFunctionOfDim(i))
        shape.push_back(context.sizes[i]);
  std::optional<unsigned> number = views[view].number;
  if (shape.size() == 1 && number && op.isOfColumns(*number))
    shape.insert(shape.begin(), 1);
  return RankedTensorType::get(shape, views[view].getType().getElementType());
}

Value StreamKernel::readElement(unsigned view, ValueRange offsets) {
  return ReadOp::create(builder, loc, kernel.getArgument(view), offsets);
}

void StreamKernel::writeElement(Value value, unsigned view,
                                ValueRange offsets) {
  WriteOp::create(builder, loc, value, kernel.getArgument(view), offsets);
}

Value StreamKernel::sizeOf(unsigned view, int64_t dim) {
  return builder.createOrFold<DimOp>(loc, kernel.getArgument(view), dim);
}

Value StreamKernel::endStream(unsigned axis, unsigned view) {
  return endStreamAt(axis, readElement(view, offsetsOf(view)));
}

Value StreamKernel::endStreamAt(unsigned axis, Value length) {
  Value capacity = bases[axis] ? context.extents[axis] : extentOf(axis);
  // What is negative is large without its sign.
  Value valid = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                      length, capacity);
  context.extents[axis] =
      arith::MinUIOp::create(builder, loc, length, capacity);
  foldAxes[axis].extent = ShapedType::kDynamic;
  if (axis == streamed)
    streamBound = endInViews(axis);
  return valid;
}

/// Where the stream ends in the dimension of a view that it is along: from the
/// tile on as many rows as there are left, where that is a block of the axis.
Value StreamKernel::boundIn(ArrayRef<Value> offsets, unsigned view) {
  if (axes[streamed].block == 1)
    return streamBound;
  for (auto [offset, expr] : llvm::zip(offsets, views[view].map.getResults()))
    if (expr.isFunctionOfDim(streamed))
      return builder.createOrFold<arith::AddIOp>(
          loc, offset,
          builder.createOrFold<arith::SubIOp>(loc, streamBound,
                                              context.offsets[streamed]));
  return streamBound;
}

/// Where a tile of a view lies in several blocks of the streamed axis, what is
/// looked up for those behind the first.
SmallVector<Value> StreamKernel::blocksOf(unsigned view) {
  SmallVector<Value> result;
  int64_t block = axes[streamed].block, size = context.sizes[streamed];
  if (block == 1 || size <= block || !views[view].number)
    return result;
  for (const Lookup &lookup : op.getLookups()) {
    if (lookup.view != *views[view].number)
      continue;
    unsigned table = inputOf(lookup.table);
    SmallVector<Value> place = offsetsOf(table);
    auto along = llvm::find_if(views[table].map.getResults(), [&](auto expr) {
      return expr.isFunctionOfDim(streamed);
    });
    Value &own = place[along - views[table].map.getResults().begin()];
    Value first = own;
    for (int64_t next = 1; next < size / block; ++next) {
      own = builder.createOrFold<arith::AddIOp>(loc, first, constant(next));
      result.push_back(lookUp(lookup, view, place));
    }
  }
  return result;
}

SmallVector<Value> StreamKernel::loadTiles(bool ofStream, int64_t ahead) {
  SmallVector<Value> tiles(numInputs);
  Value position = context.offsets[streamed];
  if (ahead != 0)
    context.offsets[streamed] =
        builder.createOrFold<arith::AddIOp>(loc, position, constant(ahead));
  for (unsigned i = 0; i < numInputs; ++i) {
    if (isStreamed(i) != ofStream || !hasTiles(i) || containerOf(i) != i)
      continue;
    SmallVector<Value> offsets = offsetsOf(i);
    // What streams around that one select has no end along it.
    bool ends = ofStream && streamBound && op.wantsZerosBehind(i) &&
                views[i].map.isFunctionOfDim(streamed);
    SmallVector<Value> blocks = blocksOf(i);
    tiles[i] =
        LoadOp::create(builder, loc, tileType(i), kernel.getArgument(i),
                       offsets, blocks, ends ? boundIn(offsets, i) : Value());
  }
  context.offsets[streamed] = position;
  for (unsigned i = 0; i < numInputs; ++i)
    if (Value container = tiles[containerOf(i)]; container && !tiles[i])
      tiles[i] = firstColumns(container, tileType(i));
  return tiles;
}

/// The input of whose tiles those of an input are the first columns; itself
/// where it has its own.
unsigned StreamKernel::containerOf(unsigned input) {
  std::optional<unsigned> number = views[input].number;
  if (!number || op.getContainingView(*number) == *number)
    return input;
  return inputOf(op.getContainingView(*number));
}

Value StreamKernel::firstColumns(Value tile, RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)), sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(builder, loc, type, tile, offsets,
                                        sizes, strides);
}

StreamOp StreamKernel::openStream(ArrayRef<Segment> segments, unsigned axis,
                                  ValueRange inits) {
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> masked;
  for (const Segment &segment : segments) {
    lowers.push_back(segment.lo);
    uppers.push_back(segment.hi);
    masked.push_back(segment.masked);
  }
  auto stream = StreamOp::create(
      builder, loc, inits.getTypes(), lowers, uppers, inits,
      /*traversal_operands=*/ValueRange(), masked, context.sizes[axis],
      op.getReorder() == Reorder::Ordered);
  SmallVector<Type> types{builder.getIndexType()};
  llvm::append_range(types, stream.getResultTypes());
  SmallVector<Location> locs(types.size(), loc);
  builder.createBlock(&stream.getBody(), {}, types, locs);
  context.offsets[axis] = stream.getPosition();
  return stream;
}

SmallVector<Value> StreamKernel::buildStream(ArrayRef<Segment> segments,
                                             ValueRange inits, Fold fold,
                                             const StreamTraversal &order) {
  OpBuilder::InsertionGuard guard(builder);
  StreamOp stream = openStream(segments, streamed, inits);
  if (order.traversal)
    stream.traverseBy(cast<TraversalInterface>(order.traversal),
                      order.operands);
  SmallVector<Value> carried(stream.getCarried());
  YieldOp::create(builder, loc, fold(carried));
  context.offsets[streamed] = Value();
  return llvm::to_vector_of<Value>(stream.getResults());
}

SmallVector<Value> StreamKernel::buildSteps(unsigned axis, ValueRange inits,
                                            Fold body) {
  if (axes[axis].extent == 1) {
    context.offsets[axis] = constant(0);
    SmallVector<Value> results = body(inits);
    context.offsets[axis] = Value();
    return results;
  }
  // What the streams inside do in their masked segments is theirs to say.
  Segment all{constant(0), context.extents[axis], /*masked=*/true};
  OpBuilder::InsertionGuard guard(builder);
  StreamOp stream = openStream(all, axis, inits);
  SmallVector<Value> carried(stream.getCarried());
  YieldOp::create(builder, loc, body(carried));
  context.offsets[axis] = Value();
  return llvm::to_vector_of<Value>(stream.getResults());
}

void StreamKernel::accumulate(Value tile, unsigned output, bool ordered) {
  unsigned view = numInputs + output;
  auto add = AccumulateOp::create(builder, loc, tile, kernel.getArgument(view),
                                  offsetsOf(view));
  add.setOrdered(ordered);
}

Value StreamKernel::endOfStored(unsigned view, Value stored) {
  auto hasRowsAlong = [&](unsigned axis) {
    return axes[axis].kind == AxisKind::Group &&
           views[view].map.isFunctionOfDim(axis);
  };
  // Behind a point of the owner lies the next.
  if (!stored)
    return packedGroup() && hasRowsAlong(packedGroup()->axis)
               ? endInViews(packedGroup()->axis)
               : Value();
  IndexBuilder m{builder, loc};
  unsigned rows =
      *llvm::find_if(llvm::seq<unsigned>(0, axes.size()), hasRowsAlong);
  return m.select(stored, endInViews(rows), m.constant(0));
}

void StreamKernel::storeTiles(ValueRange tiles, unsigned first, Value stored) {
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    unsigned view = numInputs + first + i;
    SmallVector<Value> offsets = offsetsOf(view);
    StoreOp::create(builder, loc, tile, kernel.getArgument(view), offsets,
                    endOfStored(view, stored), /*scratch=*/Value(),
                    /*by_tensor_map=*/false);
  }
}

LaunchOp StreamKernel::launch() {
  OpBuilder host(op);
  SmallVector<Value> inputs, outputs;
  SmallVector<Type> results;
  for (auto [i, view] : llvm::enumerate(views)) {
    (i < numInputs ? inputs : outputs).push_back(view.tensor);
    if (i >= numInputs)
      results.push_back(view.getType());
  }
  return LaunchOp::create(host, loc, results, kernel.getSymName(), inputs,
                          outputs, op.getScalarCaptures(), permutations());
}
