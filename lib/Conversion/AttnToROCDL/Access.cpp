//===- Access.cpp - Tiles between global memory and registers -------------===//
//
// A lane has runs of neighbouring columns of a row: it loads and stores up to
// 16 bytes at a time.
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// Consecutive registers that hold neighbouring columns from a multiple of
/// their number on, up to 16 bytes of them; 1 if the view's rows do not allow
/// more.
int64_t runOf(FragmentAttr layout, ViewType view) {
  int64_t most = 16 / view.getElementBytes(), columns = view.getShape().back();
  if (layout.getRank() != 2 || layout.getRegisters().empty())
    return 1;
  FragmentAttr::Mode mode = layout.getRegisterModes().front();
  if (mode.strides[0] != 0 || mode.strides[1] != 1)
    return 1;
  int64_t run = 1;
  while (2 * run <= most && mode.size % (2 * run) == 0 &&
         (ShapedType::isDynamic(columns) || columns % (2 * run) == 0))
    run *= 2;
  return run;
}

SmallVector<Value> coordinatesOf(ThreadBuilder t, ArrayRef<Value> thread,
                                 ArrayRef<int64_t> offset) {
  SmallVector<Value> result;
  for (auto [base, constant] : llvm::zip(thread, offset))
    result.push_back(t.add(base, constant));
  return result;
}

struct LoadPattern : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    FragmentAttr layout = fragmentOf(tile);
    ViewType view = op.getView().getType();
    if (!layout)
      return op.emitOpError("expected a tile in registers, but got ") << tile;
    int64_t run = runOf(layout, view);
    if (run * view.getElementBytes() < 4)
      return op.emitOpError("expected rows of whole 32-bit words, but got ")
             << view;
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Window window(rewriter, loc, op.getView(), op.getOffsets(), tile.getShape(),
                  op.getUntil());
    unsigned last = layout.getRank() - 1;
    Value row = last > 0 ? t.threadOffset(layout, 0) : t.constant(0);
    Value column = t.threadOffset(layout, last);
    SmallVector<Value> words;
    for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      Value loaded = window.load(last > 0 ? t.add(row, offset[0]) : row, column,
                                 offset[last], run);
      llvm::append_range(
          words,
          vector::ToElementsOp::create(rewriter, loc, loaded).getResults());
    }
    auto count = static_cast<int64_t>(words.size());
    Value all = vector::FromElementsOp::create(
        rewriter, loc, VectorType::get({count}, rewriter.getI32Type()), words);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(
        op, cast<VectorType>(getTypeConverter()->convertType(tile)), all);
    return success();
  }
};

struct StorePattern : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!layout)
      return op.emitOpError("expected a tile in registers, but got ")
             << op.getTile().getType();
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Destination destination(op, rewriter);
    ViewType view = op.getView().getType();
    // Rows may end anywhere where their length is not known.
    int64_t run =
        ShapedType::isDynamic(view.getShape().back()) ? 1 : runOf(layout, view);
    SmallVector<Value> thread;
    for (unsigned dim = 0; dim < layout.getRank(); ++dim)
      thread.push_back(t.threadOffset(layout, dim));
    Value owner = t.ownsFirstCopy(layout);
    auto elements =
        vector::ToElementsOp::create(rewriter, loc, adaptor.getTile());
    Type element = getElementTypeOrSelf(adaptor.getTile().getType());
    for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
      SmallVector<Value> coordinates =
          coordinatesOf(t, thread, layout.getRegisterOffset(r));
      Value value = elements.getResult(r);
      if (run > 1)
        value = vector::FromElementsOp::create(
            rewriter, loc, VectorType::get({run}, element),
            SmallVector<Value>(elements.getResults().slice(r, run)));
      Value inside = t.both(owner, destination.contains(coordinates));
      destination.store(
          value, coordinates, inside,
          std::min<int64_t>(kAlignment, run * view.getElementBytes()));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

int64_t attn::accessRun(FragmentAttr layout, ViewType view) {
  return runOf(layout, view);
}

void attn::populateAccessPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern>(converter, patterns.getContext());
}
