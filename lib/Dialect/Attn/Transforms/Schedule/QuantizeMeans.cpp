//===- QuantizeMeans.cpp - What is subtracted before FP8 is made ----------===//
//
// Means of the columns of each head, in an order that launches repeat: CTAs add
// up some rows each, a number for each place in a tile, and others these sums.
// Rows are less the means as they are loaded. A mean of rows that are rotated
// is the mean of the rows, rotated.
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"

using namespace mlir;
using namespace attn;

Value Quantization::launchSums() {
  IndexBuilder m{host, loc};
  int64_t batch = op.getInput().getType().getDimSize(0);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(batch))
    sizes.push_back(host.createOrFold<tensor::DimOp>(loc, op.getInput(), 0));
  auto countParts = [](IndexBuilder i, Value rows) {
    return i.ceilDiv(rows, i.constant(kSummedRows));
  };
  sizes.push_back(m.mul(
      countParts(m, host.createOrFold<tensor::DimOp>(loc, op.getInput(), row)),
      m.constant(kMaximaRows)));
  auto type = RankedTensorType::get(
      {batch, op.getNumHeads(), ShapedType::kDynamic, op.getDim()},
      host.getF32Type());
  TensorView views[] = {rowsView("x", op.getInput()),
                        {"sums",
                         tensor::EmptyOp::create(host, loc, type, sizes),
                         {0, 1, 2, 3},
                         {"batch", "", "", ""}}};
  open("quantize_sums", views, /*follows=*/bool(matrix));
  kernel->setAttr(kDirectLoadsAttr, b.getUnitAttr());
  Value rows = sizeOf(0, 2);
  GridOp grid = openGrid(b, loc,
                         {sizeOf(0, 0), index().constant(op.getNumHeads()),
                          countParts(index(), rows)},
                         {"batch", "head", "row"});
  IndexBuilder k = index();
  TileBuilder t = tiles();
  SmallVector<Value> place = llvm::to_vector(grid.getCoordinates());
  Value part = place.pop_back_val(),
        first = k.mul(part, k.constant(kSummedRows));
  int64_t shape[] = {kMaximaRows, op.getDim()};
  Value sum =
      foldStream(first, k.minU(k.add(first, k.constant(kSummedRows)), rows),
                 kMaximaRows * kMaximaTiles, t.splat(0, shape),
                 /*ordered=*/true, [&](Value position, Value sum) {
                   SmallVector<Value> loaded;
                   for (int64_t tile = 0; tile < kMaximaTiles; ++tile)
                     loaded.push_back(loadColumns(
                         {place[0], place[1],
                          k.add(position, k.constant(tile * kMaximaRows))},
                         /*column=*/0, shape));
                   for (Value tile : loaded)
                     sum = t.add(sum, widen(tile));
                   return sum;
                 });
  Value numRows = arith::UIToFPOp::create(
      b, loc, b.getF32Type(),
      arith::IndexCastUIOp::create(b, loc, b.getI64Type(), rows));
  place.push_back(k.mul(part, k.constant(kMaximaRows)));
  place.push_back(k.constant(0));
  Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1)),
        inverse = arith::DivFOp::create(b, loc, one, numRows);
  StoreOp::create(b, loc, t.mul(sum, t.spread(inverse, shape)), argument(1),
                  place);
  return launch(views);
}

Value Quantization::launchColumns(
    StringRef suffix, ArrayRef<TensorView> views, int64_t summed,
    function_ref<Value(ValueRange, Value, Value)> numbers) {
  open(suffix, views, /*follows=*/true);
  unsigned last = views.size() - 1;
  GridOp grid = openGrid(b, loc,
                         {sizeOf(last, 0), index().constant(op.getNumHeads()),
                          index().constant(op.getDim() / kMeanColumns)},
                         {"batch", "head", "column"});
  TileBuilder t = tiles();
  SmallVector<Value> place = llvm::to_vector(grid.getCoordinates());
  Value first = index().mul(place.back(), index().constant(kMeanColumns));
  place.back() = first;
  int64_t shape[] = {kMeanColumns, kAddedAtOnce};
  Value sums = foldStream(index().constant(0), sizeOf(0, summed), kAddedAtOnce,
                          t.splat(0, {kMeanColumns}), /*ordered=*/true,
                          [&](Value position, Value sums) {
                            Value some = numbers(place, t.iota(0, first, shape),
                                                 t.iota(1, position, shape));
                            return t.add(sums, t.reduce(ReduceKind::Sum, some));
                          });
  StoreOp::create(b, loc, sums, argument(last), place);
  return launch(views);
}

/// A tensor of a number for each batch, head and column.
static Value emptyMeans(OpBuilder &b, QuantizeOp op) {
  auto type = cast<RankedTensorType>(op.getMeans().getType());
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(
        b.createOrFold<tensor::DimOp>(op.getLoc(), op.getInput(), 0));
  return tensor::EmptyOp::create(b, op.getLoc(), type, sizes);
}

Value Quantization::launchMeans(Value sums) {
  TensorView views[] = {{"sums", sums, {0, 1, 2, 3}, {"batch", "", "", ""}},
                        columnsView("means", emptyMeans(host, op))};
  return launchColumns(
      "quantize_means", views, /*summed=*/2,
      [&](ValueRange place, Value columns, Value rows) -> Value {
        auto type = cast<RankedTensorType>(rows.getType());
        return GatherOp::create(b, loc, type.clone(b.getF32Type()), argument(0),
                                ValueRange{place[0], place[1], rows, columns});
      });
}

Value Quantization::launchTurnedMeans() {
  TensorView views[] = {rotationView("rotation", op.getRotation()),
                        columnsView("means", means),
                        columnsView("turned", emptyMeans(host, op))};
  Type element = op.getInput().getType().getElementType();
  return launchColumns(
      "quantize_turned_means", views, /*summed=*/isOfFactors() ? 1 : 0,
      [&](ValueRange place, Value columns, Value rows) -> Value {
        auto type = cast<RankedTensorType>(rows.getType());
        RankedTensorType wide = type.clone(b.getF32Type());
        SmallVector<Value> from{rows, columns};
        if (isOfFactors()) {
          // All columns are of one block, which takes its part of the means.
          TileBuilder t = tiles();
          IndexBuilder k = index();
          ArrayRef<int64_t> shape = type.getShape();
          Value size = k.constant(op.getBlockDim()),
                block = k.div(place[2], size);
          from = {block, rows, t.iota(0, k.rem(place[2], size), shape)};
          rows = t.add(rows, t.spread(k.mul(block, size), shape));
        }
        Value entries =
            GatherOp::create(b, loc, type.clone(element), argument(0), from);
        Value own = GatherOp::create(b, loc, wide, argument(1),
                                     ValueRange{place[0], place[1], rows});
        return tiles().mul(widen(entries), own);
      });
}

Quantization::Columns Quantization::loadMeans(Value batch, Value itsHead,
                                              bool isOrdered) {
  Columns means;
  if (!shift)
    return means;
  unsigned view = op.getRotation() ? 2 : 1;
  int64_t size = op.getBlockDim();
  for (int64_t block = 0; block < op.getNumBlocks(); ++block) {
    Value columns = tiles().iota(1, index().constant(block * size), {1, size});
    auto type = cast<RankedTensorType>(columns.getType());
    if (isOrdered)
      columns = orderColumns(columns);
    means.push_back(GatherOp::create(b, loc, type.clone(b.getF32Type()),
                                     argument(view),
                                     ValueRange{batch, itsHead, columns}));
  }
  return means;
}

Value Quantization::keepRows(Value tile, Value first) {
  if (!shift)
    return tile;
  TileBuilder t = tiles();
  ArrayRef<int64_t> shape = t.shapeOf(tile);
  Value isRow =
      t.lessThan(t.iota(0, first, shape), t.spread(sizeOf(0, 2), shape));
  return t.select(isRow, tile, t.splat(0, shape));
}
