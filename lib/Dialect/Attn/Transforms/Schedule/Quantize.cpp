//===- Quantize.cpp - The kernels that make FP8 ---------------------------===//
//
// Three kernels, of which each needs all of the one before, and maybe some that
// order a matrix and make means in front: the largest numbers of some rows
// each, one scale a head or block of rows, and the numbers of FP8. A maximum is
// the same in any order: launches repeat results.
//
//===----------------------------------------------------------------------===//

#include "Quantize.h"
#include "Quantization.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"

using namespace mlir;
using namespace attn;

unsigned Quantization::run() {
  if (storesWords())
    matrix = launchMatrix();
  if (op.getCentered()) {
    means = launchMeans(launchSums());
    shift = op.getRotation() ? launchTurnedMeans() : means;
  }
  Value maxima = launchMaxima(), scales = launchScales(maxima),
        numbers = launchNumbers(scales);
  SmallVector<Value> results{numbers, scales};
  if (means)
    results.push_back(means);
  op.replaceAllUsesWith(results);
  op.erase();
  return numLaunched;
}

void Quantization::open(StringRef suffix, ArrayRef<TensorView> views,
                        bool follows) {
  kernel = openKernel(b, op, suffix, QuantizeOp::kStep, views);
  if (follows)
    kernel->setAttr(KernelOp::kFollowsAttr, b.getUnitAttr());
}

int64_t Quantization::stagesOf(int64_t tiles) {
  constexpr int64_t kOfBarriers = 2048;
  int64_t element = op.getInput().getType().getElementTypeBitWidth() / CHAR_BIT,
          row = op.getDim() * element, matrix = op.getBlockDim() * row;
  int64_t room = TargetAttr::of(op).get(Fact::SmemPerBlock) / residentCtas() -
                 kOfBarriers - matrix;
  return std::clamp<int64_t>(room / (tiles * rotatedRows() * row), 1,
                             kMostStages);
}

void Quantization::stateThreads(int64_t tiles) {
  if (!op.getRotation()) {
    kernel->setAttr(kDirectLoadsAttr, b.getUnitAttr());
    return;
  }
  int64_t threads = rotatedThreads();
  kernel->setAttr(KernelOp::kThreadsAttr, b.getI64IntegerAttr(threads));
  if (!hasWarpgroups() || threads < kWarpgroup)
    return;
  // CTAs keep the matrix, and a producer is ahead of products and stores by the
  // slots that there are.
  auto error = [&] { return op.emitOpError(); };
  auto grid = ScheduleAttr::fromOptions(
      b.getContext(), /*level=*/2,
      {{"persistent", "true"}, {"resident", std::to_string(residentCtas())}},
      error);
  auto roles = ScheduleAttr::fromOptions(
      b.getContext(), /*level=*/3,
      {{"wgmma", "all"},
       {"specialize", "true"},
       {"resident-stages", std::to_string(stagesOf(tiles))}},
      error);
  ScheduleAttr::set(kernel, roles.over(grid));
}

Value Quantization::foldStream(Value lower, Value upper, int64_t step,
                               Value init, bool ordered,
                               function_ref<Value(Value, Value)> body) {
  auto stream = StreamOp::create(
      b, loc, TypeRange(init.getType()), ValueRange(lower), ValueRange(upper),
      ValueRange(init), ValueRange(), ArrayRef<bool>(false), step, ordered);
  OpBuilder::InsertionGuard guard(b);
  Block *visit = b.createBlock(&stream.getBody(), {},
                               {b.getIndexType(), init.getType()}, {loc, loc});
  Value next = body(visit->getArgument(0), visit->getArgument(1));
  YieldOp::create(b, loc, next);
  return stream.getResult(0);
}

Value Quantization::launch(ArrayRef<TensorView> views) {
  ++numLaunched;
  SmallVector<Value> inputs;
  for (const TensorView &view : views.drop_back())
    inputs.push_back(view.tensor);
  Value room = views.back().tensor;
  return LaunchOp::create(
             host, loc, TypeRange(room.getType()), kernel.getSymName(), inputs,
             ValueRange(room), /*scalars=*/ValueRange(),
             kernel->getAttrOfType<ArrayAttr>(KernelOp::kPermutationsAttr))
      .getResult(0);
}

Quantization::Columns Quantization::loadRotation() {
  Columns blocks;
  if (!op.getRotation())
    return blocks;
  Value zero = index().constant(0);
  RankedTensorType type = op.getRotation().getType();
  if (!isOfFactors())
    return {LoadOp::create(b, loc, type, argument(1), ValueRange{zero, zero})};
  auto own = RankedTensorType::get(type.getShape().drop_front(),
                                   type.getElementType());
  for (int64_t block = 0; block < op.getNumBlocks(); ++block)
    blocks.push_back(
        LoadOp::create(b, loc, own, argument(1),
                       ValueRange{index().constant(block), zero, zero}));
  return blocks;
}

Value Quantization::loadColumns(ValueRange at, int64_t column,
                                ArrayRef<int64_t> shape) {
  Type element = op.getInput().getType().getElementType();
  SmallVector<Value> offsets(at);
  offsets.push_back(index().constant(column));
  return LoadOp::create(b, loc, RankedTensorType::get(shape, element),
                        argument(0), offsets);
}

Quantization::Columns Quantization::loadTile(ValueRange at, int64_t rows) {
  int64_t columns = op.getBlockDim();
  Columns tile;
  for (int64_t block = 0; block < op.getNumBlocks(); ++block)
    tile.push_back(loadColumns(at, block * columns, {rows, columns}));
  return tile;
}

Value Quantization::widen(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType().isF32())
    return tile;
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), tile);
}

Quantization::Columns Quantization::changeRows(ValueRange tile,
                                               ValueRange rotation,
                                               ValueRange means) {
  TileBuilder t = tiles();
  ArrayRef<int64_t> shape = t.shapeOf(tile.front());
  auto wide = RankedTensorType::get(shape, b.getF32Type());
  Columns changed;
  for (auto [column, own] : llvm::enumerate(tile)) {
    Value less = means.empty() ? Value() : means[column];
    // A product starts from what is subtracted.
    if (!rotation.empty()) {
      Value start = less ? BroadcastOp::create(b, loc, wide, t.scale(less, -1))
                         : t.splat(0, shape);
      changed.push_back(t.dot(own, rotation[column], start));
      continue;
    }
    own = widen(own);
    changed.push_back(less ? t.sub(own, BroadcastOp::create(b, loc, wide, less))
                           : own);
  }
  return mix(std::move(changed));
}

Quantization::Columns Quantization::mix(Columns columns) {
  TileBuilder t = tiles();
  for (size_t apart = 1; apart < columns.size(); apart *= 2)
    for (size_t first = 0; first < columns.size(); ++first) {
      if (first & apart)
        continue;
      Value &one = columns[first], &other = columns[first + apart];
      Value sum = t.add(one, other);
      other = t.sub(one, other);
      one = sum;
    }
  return columns;
}

Value Quantization::indices(Value like, int64_t value) {
  auto type = cast<RankedTensorType>(like.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getIndexAttr(value)));
}

Value Quantization::orderColumns(Value columns) {
  auto number = [&](int64_t value) { return indices(columns, value); };
  auto bits = [&](int64_t mask) -> Value {
    return arith::AndIOp::create(b, loc, columns, number(mask));
  };
  // InterleaveOp::sourceOf takes the bits t t j.. i of a column to j.. t t i:
  // this is the way back.
  constexpr int64_t kPairs = 2 * (InterleaveOp::kLanes - 1);
  int64_t group = groupOfColumns(), own = group / InterleaveOp::kLanes;
  TileBuilder t = tiles();
  Value lane = arith::MulIOp::create(b, loc, bits(kPairs), number(own / 2));
  Value blocks = arith::ShRUIOp::create(
      b, loc, bits(group - InterleaveOp::kBlock), number(2));
  return t.add(t.add(bits(-group | 1), lane), blocks);
}

Value Quantization::launchMatrix() {
  constexpr int64_t kRows = 16;
  RankedTensorType type = op.getRotation().getType();
  TensorView views[] = {
      rotationView("rotation", op.getRotation()),
      rotationView("columns",
                   tensor::EmptyOp::create(host, loc, type, ValueRange()))};
  open("quantize_matrix", views, /*follows=*/false);
  GridOp grid =
      openGrid(b, loc, index().constant(op.getDim() / kRows), {"matrix_row"});
  Value first = index().mul(grid.getCoordinates()[0], index().constant(kRows)),
        zero = index().constant(0);
  TileBuilder t = tiles();
  SmallVector<int64_t> shape{kRows, op.getBlockDim()};
  SmallVector<Value> from, to;
  if (isOfFactors()) {
    Value columns = index().constant(op.getBlockDim());
    to.push_back(index().div(first, columns));
    from.push_back(to.back());
    first = index().rem(first, columns);
  }
  Value rows = t.iota(0, first, shape), columns = t.iota(1, zero, shape);
  auto tileType = cast<RankedTensorType>(columns.getType());
  from.append({rows, orderColumns(columns)});
  to.append({first, zero});
  Value tile = GatherOp::create(b, loc, tileType.clone(type.getElementType()),
                                argument(0), from);
  StoreOp::create(b, loc, tile, argument(1), to);
  return launch(views);
}

Value Quantization::allocateMaxima() {
  IndexBuilder m{host, loc};
  Value rows = host.createOrFold<tensor::DimOp>(loc, op.getInput(), row);
  int64_t batch = op.getInput().getType().getDimSize(0);
  SmallVector<int64_t> shape{batch, op.getNumScales(), ShapedType::kDynamic};
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(batch))
    sizes.push_back(host.createOrFold<tensor::DimOp>(loc, op.getInput(), 0));
  if (isOfBlocks()) {
    shape.push_back(maximaOfBlock());
    sizes.push_back(countBlocks(m, rows));
  } else {
    sizes.push_back(
        m.mul(countParts(m, rows), m.constant(headsOfScale() * rowsOfTile())));
  }
  return tensor::EmptyOp::create(
      host, loc, RankedTensorType::get(shape, host.getF32Type()), sizes);
}

SmallVector<Value> Quantization::placeOfMaxima(Value batch, Value itsHead,
                                               Value part, Value parts) {
  IndexBuilder k = index();
  if (isOfBlocks())
    parts = k.constant(partsOfBlock());
  Value before = k.mul(k.rem(itsHead, k.constant(headsOfScale())), parts);
  SmallVector<Value> place{batch, scaleOf(itsHead)};
  if (isOfBlocks()) {
    place.push_back(k.div(part, parts));
    part = k.rem(part, parts);
  }
  place.push_back(k.mul(k.add(before, part), k.constant(rowsOfTile())));
  return place;
}

Value Quantization::launchMaxima() {
  int64_t rows = rowsOfTile();
  SmallVector<TensorView> views = inputViews();
  views.push_back(maximaView(allocateMaxima()));
  open("quantize_maxima", views, /*follows=*/matrix || shift);
  stateThreads(tilesOfPart());
  Value count = countParts(index(), sizeOf(0, 2));
  GridOp grid = openGrid(
      b, loc, {sizeOf(0, 0), index().constant(op.getNumHeads()), count},
      {"batch", "head", "row"});
  IndexBuilder k = index();
  Value batch = grid.getCoordinates()[0], itsHead = grid.getCoordinates()[1],
        part = grid.getCoordinates()[2];
  Columns rotation = loadRotation(),
          less = loadMeans(batch, itsHead, /*isOrdered=*/false);
  Value first = k.mul(part, k.constant(rowsOfPart())), largest;
  SmallVector<Value> places;
  SmallVector<Columns> loaded;
  auto loadNext = [&] {
    places.push_back(k.add(first, k.constant(places.size() * rows)));
    loaded.push_back(loadTile({batch, itsHead, places.back()}, rows));
  };
  // Where more is done with each, all are loaded before.
  bool isRotated = !rotation.empty();
  for (int64_t tile = 0; shift && !isRotated && tile < tilesOfPart(); ++tile)
    loadNext();
  for (int64_t tile = 0; tile < tilesOfPart(); ++tile) {
    if (!shift || isRotated)
      loadNext();
    Value size;
    for (Value columns : changeRows(loaded[tile], rotation, less)) {
      Value own = math::AbsFOp::create(b, loc, columns);
      size = size ? tiles().max(size, own) : own;
    }
    // A product has as many registers as there are: of it rows are kept.
    if (isRotated)
      size = tiles().reduce(ReduceKind::Max, size);
    size = keepRows(size, places[tile]);
    largest = largest ? tiles().max(largest, size) : size;
  }
  if (!isRotated)
    largest = tiles().reduce(ReduceKind::Max, largest);
  StoreOp::create(b, loc, largest, argument(views.size() - 1),
                  placeOfMaxima(batch, itsHead, part, count));
  return launch(views);
}

Value Quantization::loadMaxima(ValueRange place, Value position, int64_t count,
                               int64_t columns) {
  // Of one scale neighbouring lanes have neighbouring maxima, and all loads are
  // under way at once.
  int64_t width = count == 1 ? std::min(columns, kLaneMaxima) : columns;
  auto tile = RankedTensorType::get({count, width}, b.getF32Type());
  Value largest;
  for (int64_t column = 0; column < columns; column += width) {
    SmallVector<Value> from(place);
    from.push_back(index().add(position, index().constant(column)));
    Value some = LoadOp::create(b, loc, tile, argument(0), from);
    largest = largest ? tiles().max(largest, some) : some;
  }
  return largest;
}

Value Quantization::launchScales(Value maxima) {
  RankedTensorType type = op.getScales().getType();
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(host.createOrFold<tensor::DimOp>(loc, op.getInput(), 0));
  if (isOfBlocks() && type.isDynamicDim(2))
    sizes.push_back(countBlocks({host, loc}, host.createOrFold<tensor::DimOp>(
                                                 loc, op.getInput(), row)));
  TensorView views[] = {maximaView(maxima), scalesView(tensor::EmptyOp::create(
                                                host, loc, type, sizes))};
  open("quantize_scales", views, /*follows=*/true);
  std::pair<int64_t, int64_t> atOnce = maximaAtOnce();
  int64_t count = atOnce.first, columns = atOnce.second;
  SmallVector<Value> ends{sizeOf(0, 0), index().constant(op.getNumScales())};
  SmallVector<StringRef> axes{"batch", "head"};
  if (isOfBlocks()) {
    ends.push_back(index().ceilDiv(sizeOf(0, 2), index().constant(count)));
    axes.push_back("row");
  }
  GridOp grid = openGrid(b, loc, ends, axes);
  SmallVector<Value> place =
      llvm::to_vector(grid.getCoordinates().take_front(axes.size()));
  if (isOfBlocks())
    place.back() = index().mul(place.back(), index().constant(count));
  Value largest = foldStream(
      index().constant(0), sizeOf(0, axes.size()), columns,
      tiles().splat(0, {count}), /*ordered=*/false,
      [&](Value position, Value carried) {
        Value some = loadMaxima(place, position, count, columns);
        return tiles().max(carried, tiles().reduce(ReduceKind::Max, some));
      });
  TileBuilder t = tiles();
  Type element = op.getNumbers().getType().getElementType();
  Value scale = t.max(t.scale(largest, op.getFactor().convertToFloat() /
                                           largestOfFloat8(element)),
                      t.splat(QuantizeOp::kLeastScale, {count}));
  Value isZero = t.equal(largest, t.splat(0, {count}));
  StoreOp::create(b, loc, t.select(isZero, t.splat(1, {count}), scale),
                  argument(1), place);
  return launch(views);
}

Value Quantization::launchNumbers(Value scales) {
  int64_t rows = roundedRows();
  RankedTensorType type = op.getNumbers().getType();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          host.createOrFold<tensor::DimOp>(loc, op.getInput(), dim));
  SmallVector<TensorView> views = inputViews();
  if (matrix)
    views[1].tensor = matrix;
  unsigned ofScales = views.size();
  views.push_back(scalesView(scales));
  views.push_back(
      rowsView("numbers", tensor::EmptyOp::create(host, loc, type, sizes)));
  open("quantize", views, /*follows=*/true);
  stateThreads(/*tiles=*/1);
  GridOp grid =
      openGrid(b, loc,
               {sizeOf(0, 0), index().constant(op.getNumHeads()),
                index().ceilDiv(sizeOf(0, 2), index().constant(rows))},
               {"batch", "head", "row"});
  // From the last rows to the first: L2 has those that maxima were taken of
  // last.
  OrderAttr order = grid.getOrderOrDefault();
  grid.setOrderAttr(OrderAttr::get(b.getContext(), order.getDigits(),
                                   order.getDomains(), order.getChunk(),
                                   order.getDigits(), order.getTogether()));
  Value batch = grid.getCoordinates()[0], itsHead = grid.getCoordinates()[1],
        first = index().mul(grid.getCoordinates()[2], index().constant(rows));
  Columns rotation = loadRotation(),
          less = loadMeans(batch, itsHead, /*isOrdered=*/bool(matrix));
  // The scale is read while rows are on their way.
  Columns loaded = loadTile({batch, itsHead, first}, rows);
  SmallVector<Value> place{batch, scaleOf(itsHead)};
  if (isOfBlocks())
    place.push_back(index().div(first, index().constant(block())));
  Value scale =
      GatherOp::create(b, loc, b.getF32Type(), argument(ofScales), place);
  Value factor = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(op.getFactor().convertToFloat()));
  Value inverse = arith::DivFOp::create(b, loc, factor, scale);
  Columns tile = changeRows(loaded, rotation, less);
  TileBuilder t = tiles();
  for (auto [block, columns] : llvm::enumerate(tile)) {
    Value scaled =
        t.mul(columns, t.spread(inverse, TileBuilder::shapeOf(columns)));
    if (matrix)
      scaled = InterleaveOp::create(b, loc, scaled.getType(), scaled,
                                    groupOfColumns());
    Value column = index().constant(block * op.getBlockDim());
    StoreOp::create(b, loc, t.cast(scaled, type.getElementType()),
                    argument(ofScales + 1),
                    ValueRange{batch, itsHead, first, column});
  }
  return launch(views);
}

unsigned attn::partitionQuantization(QuantizeOp op) {
  return Quantization(op).run();
}
