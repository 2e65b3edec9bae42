//===- Quantize.cpp - The kernels that make FP8 ---------------------------===//
//
// Three kernels, of which each needs all of the one before, and maybe one that
// orders a matrix in front: the largest numbers of some rows each, one scale a
// head or block of rows, and the numbers of FP8. Nothing is added up, and a
// maximum is the same in any order: launches repeat results.
//
//===----------------------------------------------------------------------===//

#include "Quantize.h"
#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"

using namespace mlir;
using namespace attn;

/// Rows of a tile, and tiles of a CTA, of which maxima are taken: all are under
/// way at once, and rows in one place of their tile share a maximum.
static constexpr int64_t kMaximaRows = 16, kMaximaTiles = 8;
/// Rows of a tile that is rounded.
static constexpr int64_t kRoundedRows = 64;
/// The same of tiles that are rotated, a warp for each 16 rows: CTAs read the
/// matrix once for so many, and two of them fit an SM. Half of them, one a CTA,
/// where a wide matrix leaves no room.
static constexpr int64_t kRotatedRows = 128, kRotatedTiles = 2,
                         kMostRotatedColumns = 128;
static constexpr int64_t kRotatedThreads = 256;
/// Maxima of one scale that a warp takes at once; and where several scales
/// are made at once, how many, of how many each.
static constexpr int64_t kMaximaAtOnce = 2048, kScalesAtOnce = 16,
                         kMaximaOfEach = 256;

namespace {

/// Builds the kernels of one operation.
class Quantization {
public:
  explicit Quantization(QuantizeOp op)
      : op(op), loc(op.getLoc()), host(op), b(op.getContext()),
        head(headDimOf(op.getLayout())), row(seqDimOf(op.getLayout())) {}

  /// How many kernels that takes.
  unsigned run() {
    if (storesWords())
      matrix = launchMatrix();
    Value maxima = launchMaxima(), scales = launchScales(maxima),
          numbers = launchNumbers(scales);
    op.replaceAllUsesWith(ValueRange{numbers, scales});
    op.erase();
    return matrix ? 4 : 3;
  }

private:
  /// The matrix with its columns in an order that attn.interleave undoes.
  Value launchMatrix();
  Value launchMaxima();
  Value allocateMaxima();
  Value launchScales(Value maxima);
  Value launchNumbers(Value scales);

  /// Starts a kernel that writes the last of its views.
  void open(StringRef suffix, ArrayRef<TensorView> views, bool follows);
  /// Who computes the rows of its tiles.
  void stateThreads();
  /// Its launch on the host: what it writes.
  Value launch(ArrayRef<TensorView> views);

  /// X, or what has its shape.
  TensorView rowsView(StringRef name, Value tensor) {
    return {name, tensor, {0, head, row, 3}, {"batch", "", "row", ""}};
  }
  TensorView scalesView(Value tensor) {
    if (isOfBlocks())
      return {"scales", tensor, {0, 1, 2}, {"batch", "", ""}};
    return {"scales", tensor, {0, 1}, {"batch", ""}};
  }
  /// Those of each scale are neighbours.
  TensorView maximaView(Value tensor) {
    if (isOfBlocks())
      return {"maxima", tensor, {0, 1, 2, 3}, {"batch", "", "", ""}};
    return {"maxima", tensor, {0, 1, 2}, {"batch", "", ""}};
  }
  SmallVector<TensorView> inputViews() {
    SmallVector<TensorView> views{rowsView("x", op.getInput())};
    if (Value rotation = op.getRotation())
      views.push_back({"rotation", rotation, {0, 1}, {"", ""}});
    return views;
  }

  /// Whether products leave columns where lanes have no four neighbours, and
  /// attn.interleave names others of which they do.
  bool storesWords() {
    constexpr int64_t kColumns = 32;
    TargetAttr target = TargetAttr::of(op);
    return op.getRotation() && target && target.hasCapability("ldmatrix") &&
           op.getDim() % kColumns == 0;
  }

  /// Rows from a place on, in f32, rotated where they are to be.
  Value loadRows(ValueRange at, int64_t rows, Value rotation);
  Value loadRotation();
  /// The number of the scale of a head.
  Value scaleOf(Value itsHead) {
    return index().div(itsHead, index().constant(headsOfScale()));
  }
  int64_t headsOfScale() { return op.getNumHeads() / op.getNumScales(); }
  /// Parts of the rows of one head, of which a CTA takes the maxima.
  Value countParts(IndexBuilder m, Value rows) {
    if (!isOfBlocks())
      return m.ceilDiv(rows, m.constant(rowsOfPart()));
    return m.mul(countBlocks(m, rows), m.constant(partsOfBlock()));
  }
  int64_t rowsOfPart() { return rowsOfTile() * tilesOfPart(); }
  int64_t rowsOfTile() {
    return op.getRotation() ? rotatedRows() : kMaximaRows;
  }
  int64_t tilesOfPart() {
    int64_t most = !op.getRotation() ? kMaximaTiles
                   : isWide()        ? 1
                                     : kRotatedTiles;
    return std::min(most, block() / rowsOfTile());
  }
  bool isWide() { return op.getDim() > kMostRotatedColumns; }
  int64_t rotatedRows() {
    return std::min(isWide() ? kRotatedRows / 2 : kRotatedRows, block());
  }
  int64_t roundedRows() {
    return op.getRotation() ? rotatedRows() : std::min(kRoundedRows, block());
  }

  /// Whether blocks of rows have scales of their own, and their rows.
  bool isOfBlocks() { return op.getScaleBlock().has_value(); }
  int64_t block() {
    return isOfBlocks() ? static_cast<int64_t>(*op.getScaleBlock())
                        : std::numeric_limits<int64_t>::max();
  }
  Value countBlocks(IndexBuilder m, Value rows) {
    return m.ceilDiv(rows, m.constant(block()));
  }
  int64_t partsOfBlock() { return block() / rowsOfPart(); }
  /// Maxima of a scale of a block.
  int64_t maximaOfBlock() {
    return headsOfScale() * partsOfBlock() * rowsOfTile();
  }
  /// Where the maxima of a part of a head are.
  SmallVector<Value> placeOfMaxima(Value batch, Value itsHead, Value part,
                                   Value parts);
  /// The sizes of the tile of maxima that a warp takes at once.
  std::pair<int64_t, int64_t> maximaAtOnce() {
    if (!isOfBlocks() || maximaOfBlock() > kMaximaOfEach)
      return {1, kMaximaAtOnce};
    return {kScalesAtOnce,
            static_cast<int64_t>(llvm::PowerOf2Ceil(maximaOfBlock()))};
  }

  Value argument(unsigned view) { return kernel.getArgument(view); }
  Value sizeOf(unsigned view, int64_t dim) {
    return b.createOrFold<DimOp>(loc, argument(view), dim);
  }
  IndexBuilder index() { return {b, loc}; }
  TileBuilder tiles() { return {b, loc}; }

  QuantizeOp op;
  Location loc;
  OpBuilder host, b;
  int64_t head, row;
  KernelOp kernel;
  /// Of launchMatrix, where that is.
  Value matrix;
};

void Quantization::open(StringRef suffix, ArrayRef<TensorView> views,
                        bool follows) {
  kernel = openKernel(b, op, suffix, QuantizeOp::kStep, views);
  if (follows)
    kernel->setAttr(KernelOp::kFollowsAttr, b.getUnitAttr());
}

void Quantization::stateThreads() {
  if (!op.getRotation()) {
    kernel->setAttr(kDirectLoadsAttr, b.getUnitAttr());
    return;
  }
  int64_t threads = kRotatedThreads * rotatedRows() / kRotatedRows;
  kernel->setAttr(KernelOp::kThreadsAttr, b.getI64IntegerAttr(threads));
  constexpr int64_t kWarpgroup = 128;
  TargetAttr target = TargetAttr::of(op);
  if (target && target.hasCapability("wgmma") && threads >= kWarpgroup)
    ScheduleAttr::set(
        kernel, ScheduleAttr::fromOptions(b.getContext(), /*level=*/3,
                                          {{"wgmma", "all"}},
                                          [&] { return op.emitOpError(); }));
}

Value Quantization::launch(ArrayRef<TensorView> views) {
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

Value Quantization::loadRotation() {
  if (!op.getRotation())
    return {};
  Value zero = index().constant(0);
  return LoadOp::create(b, loc, op.getRotation().getType(), argument(1),
                        ValueRange{zero, zero});
}

Value Quantization::loadRows(ValueRange at, int64_t rows, Value rotation) {
  Type element = op.getInput().getType().getElementType();
  auto type = RankedTensorType::get({rows, op.getDim()}, element);
  SmallVector<Value> offsets(at);
  offsets.push_back(index().constant(0));
  Value tile = LoadOp::create(b, loc, type, argument(0), offsets);
  if (rotation)
    return tiles().dot(tile, rotation, tiles().splat(0, type.getShape()));
  if (element.isF32())
    return tile;
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), tile);
}

Value Quantization::launchMatrix() {
  constexpr int64_t kRows = 16;
  auto type = cast<RankedTensorType>(op.getRotation().getType());
  TensorView views[] = {{"rotation", op.getRotation(), {0, 1}, {"", ""}},
                        {"columns",
                         tensor::EmptyOp::create(host, loc, type, ValueRange()),
                         {0, 1},
                         {"", ""}}};
  open("quantize_matrix", views, /*follows=*/false);
  GridOp grid =
      openGrid(b, loc, index().constant(op.getDim() / kRows), {"matrix_row"});
  Value first = index().mul(grid.getCoordinates()[0], index().constant(kRows)),
        zero = index().constant(0);
  TileBuilder t = tiles();
  SmallVector<int64_t> shape{kRows, op.getDim()};
  Value rows = t.iota(0, first, shape), columns = t.iota(1, zero, shape);
  auto tileType = cast<RankedTensorType>(columns.getType());
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(tileType, b.getIndexAttr(value)));
  };
  auto bits = [&](int64_t mask) -> Value {
    return arith::AndIOp::create(b, loc, columns, number(mask));
  };
  // InterleaveOp::sourceOf takes the bits t t i i' of a column to i t t i':
  // this is the way back.
  Value pair = bits(6), high = bits(8);
  Value from = t.add(t.add(bits(-InterleaveOp::kGroup | 1), pair), pair);
  Value half = arith::ShRUIOp::create(b, loc, high, number(2));
  from = t.add(from, half);
  Value tile = GatherOp::create(b, loc, tileType.clone(type.getElementType()),
                                argument(0), ValueRange{rows, from});
  StoreOp::create(b, loc, tile, argument(1), ValueRange{first, zero});
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
  open("quantize_maxima", views, /*follows=*/bool(matrix));
  stateThreads();
  Value count = countParts(index(), sizeOf(0, 2));
  GridOp grid = openGrid(
      b, loc, {sizeOf(0, 0), index().constant(op.getNumHeads()), count},
      {"batch", "head", "row"});
  IndexBuilder k = index();
  Value batch = grid.getCoordinates()[0], itsHead = grid.getCoordinates()[1],
        part = grid.getCoordinates()[2];
  Value rotation = loadRotation();
  Value first = k.mul(part, k.constant(rowsOfPart())), largest;
  for (int64_t tile = 0; tile < tilesOfPart(); ++tile) {
    Value size = math::AbsFOp::create(
        b, loc,
        loadRows({batch, itsHead, k.add(first, k.constant(tile * rows))}, rows,
                 rotation));
    // A product has as many registers as there are: of it rows are kept.
    if (rotation)
      size = tiles().reduce(ReduceKind::Max, size);
    largest = largest ? tiles().max(largest, size) : size;
  }
  if (!rotation)
    largest = tiles().reduce(ReduceKind::Max, largest);
  StoreOp::create(b, loc, largest, argument(views.size() - 1),
                  placeOfMaxima(batch, itsHead, part, count));
  return launch(views);
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
  auto [count, columns] = maximaAtOnce();
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
  auto stream = StreamOp::create(
      b, loc, TypeRange(RankedTensorType::get({count}, b.getF32Type())),
      ValueRange(index().constant(0)), ValueRange(sizeOf(0, axes.size())),
      ValueRange(tiles().splat(0, {count})), ValueRange(),
      ArrayRef<bool>(false), columns, /*ordered=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body =
        b.createBlock(&stream.getBody(), {},
                      {b.getIndexType(), stream.getType(0)}, {loc, loc});
    auto tile = RankedTensorType::get({count, columns}, b.getF32Type());
    SmallVector<Value> from = place;
    from.push_back(body->getArgument(0));
    Value some = LoadOp::create(b, loc, tile, argument(0), from);
    YieldOp::create(b, loc,
                    tiles().max(body->getArgument(1),
                                tiles().reduce(ReduceKind::Max, some)));
  }
  TileBuilder t = tiles();
  Value largest = stream.getResult(0);
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
    views.back().tensor = matrix;
  unsigned ofScales = views.size();
  views.push_back(scalesView(scales));
  views.push_back(
      rowsView("numbers", tensor::EmptyOp::create(host, loc, type, sizes)));
  open("quantize", views, /*follows=*/true);
  stateThreads();
  GridOp grid =
      openGrid(b, loc,
               {sizeOf(0, 0), index().constant(op.getNumHeads()),
                index().ceilDiv(sizeOf(0, 2), index().constant(rows))},
               {"batch", "head", "row"});
  Value batch = grid.getCoordinates()[0], itsHead = grid.getCoordinates()[1],
        first = index().mul(grid.getCoordinates()[2], index().constant(rows));
  Value tile = loadRows({batch, itsHead, first}, rows, loadRotation());
  SmallVector<Value> place{batch, scaleOf(itsHead)};
  if (isOfBlocks())
    place.push_back(index().div(first, index().constant(block())));
  Value scale =
      GatherOp::create(b, loc, b.getF32Type(), argument(ofScales), place);
  Value factor = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(op.getFactor().convertToFloat()));
  Value inverse = arith::DivFOp::create(b, loc, factor, scale);
  TileBuilder t = tiles();
  Value scaled = t.mul(tile, t.spread(inverse, TileBuilder::shapeOf(tile)));
  if (matrix)
    scaled = InterleaveOp::create(b, loc, scaled.getType(), scaled);
  StoreOp::create(b, loc, t.cast(scaled, type.getElementType()),
                  argument(ofScales + 1),
                  ValueRange{batch, itsHead, first, index().constant(0)});
  return launch(views);
}

} // namespace

unsigned attn::partitionQuantization(QuantizeOp op) {
  return Quantization(op).run();
}
