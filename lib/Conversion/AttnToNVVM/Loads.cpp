//===- Loads.cpp - Tiles from global memory into registers ----------------===//
//
// Each thread loads the elements that it holds, neighbouring columns together.
// No load stands behind a branch, so that all of a tile are under way at once:
// elements outside of the view come from a constant of zeros, since a view may
// be empty, and have no address that can be read.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

/// Bytes of the widest load (PTX ISA, "ld").
static constexpr int64_t kMostBytes = kZeroBytes;

/// Whether an index is known to be a multiple of `size`.
static bool isMultipleOf(Value index, int64_t size) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue() % size == 0;
  auto part = [&](Value v) { return isMultipleOf(v, size); };
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), part);
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
         llvm::all_of(op->getOperands(), part);
}

/// Consecutive registers of neighbouring columns that lie in the view together
/// or not at all, from a multiple of their number on.
static int64_t columnsAtOnce(ViewType view, ValueRange offsets,
                             FragmentAttr layout) {
  int64_t columns = view.getShape().back();
  if (layout.getRank() != 2 || layout.getRegisters().empty() ||
      ShapedType::isDynamic(columns))
    return 1;
  FragmentAttr::Mode first = layout.getRegisterModes().front();
  if (first.strides[0] != 0 || first.strides[1] != 1)
    return 1;
  auto fits = [&](int64_t run) {
    auto wholeRuns = [run](const FragmentAttr::Mode &mode) {
      return mode.strides[1] % run == 0;
    };
    return run * view.getElementBytes() <= kMostBytes &&
           first.size % run == 0 && columns % run == 0 &&
           isMultipleOf(offsets.back(), run) &&
           llvm::all_of(layout.getThreadModes(), wholeRuns) &&
           llvm::all_of(llvm::drop_begin(layout.getRegisterModes()), wholeRuns);
  };
  int64_t run = 1;
  while (fits(2 * run))
    run *= 2;
  return run;
}

int64_t attn::columnsAtOnce(LoadOp op) {
  FragmentAttr layout = fragmentOf(op.getTile().getType());
  return layout
             ? ::columnsAtOnce(op.getView().getType(), op.getOffsets(), layout)
             : 1;
}

int64_t attn::columnsAtOnce(StoreOp op) {
  FragmentAttr layout = fragmentOf(op.getTile().getType());
  return layout
             ? ::columnsAtOnce(op.getView().getType(), op.getOffsets(), layout)
             : 1;
}

int64_t attn::columnsAtOnce(AccumulateOp op) {
  FragmentAttr layout = fragmentOf(op.getTile().getType());
  // Vectors are added from sm_90 on.
  if (!layout || !TargetAttr::of(op).hasCapability("tma"))
    return 1;
  return ::columnsAtOnce(op.getView().getType(), op.getOffsets(), layout);
}

namespace {

/// A tile of global memory; elements outside of the view are zeros there.
struct GlobalTile {
  GlobalTile(LoadOp op, OpBuilder &b)
      : source(op, b), zeros(zerosAddress(b, op)) {}
  Value contains(ValueRange coordinates) const {
    return source.contains(coordinates);
  }
  Value address(ValueRange coordinates) const {
    return source.address(coordinates);
  }
  Value elsewhere() const { return zeros; }

  Destination source;
  Value zeros;
};

struct DirectLoadPattern : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "tile is not in registers");
    auto registers = cast<VectorType>(
        getTypeConverter()->convertType(op.getTile().getType()));
    SmallVector<Value> elements =
        isShown(op.getView())
            ? load(ShownTile(op, rewriter), op, layout, rewriter,
                   /*zeroElsewhere=*/true)
            : load(GlobalTile(op, rewriter), op, layout, rewriter,
                   /*zeroElsewhere=*/false);
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, registers,
                                                        elements);
    return success();
  }

private:
  /// The thread's elements. What is read elsewhere than in the view is zero, or
  /// is made so.
  template <typename Source>
  static SmallVector<Value> load(const Source &source, LoadOp op,
                                 FragmentAttr layout, OpBuilder &b,
                                 bool zeroElsewhere) {
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    SmallVector<Value> thread;
    for (unsigned dim = 0; dim < layout.getRank(); ++dim)
      thread.push_back(t.threadOffset(layout, dim));
    int64_t run = columnsAtOnce(op);
    Type element = cast<ShapedType>(op.getTile().getType()).getElementType();
    // Four elements of FP8 are one register.
    auto several = isFloat8(element)
                       ? VectorType::get({run / 4}, b.getI32Type())
                       : VectorType::get({run}, element);
    int64_t bytes = run * op.getView().getType().getElementBytes();
    SmallVector<Value> elements;
    for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
      SmallVector<Value> coordinates;
      for (auto [base, offset] : llvm::zip(thread, layout.getRegisterOffset(r)))
        coordinates.push_back(t.add(base, offset));
      Value inside = source.contains(coordinates);
      Value address = arith::SelectOp::create(
          b, loc, inside, source.address(coordinates), source.elsewhere());
      // Else ptxas moves each to its use, and they wait one after the other.
      Value loaded = LLVM::LoadOp::create(b, loc, several, address,
                                          static_cast<unsigned>(bytes),
                                          /*isVolatile=*/true);
      if (zeroElsewhere)
        loaded = arith::SelectOp::create(
            b, loc, inside, loaded,
            arith::ConstantOp::create(b, loc, b.getZeroAttr(several)));
      llvm::append_range(
          elements, vector::ToElementsOp::create(b, loc, loaded).getResults());
    }
    return elements;
  }
};

} // namespace

void attn::populateLoadPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<DirectLoadPattern>(converter, patterns.getContext());
}
