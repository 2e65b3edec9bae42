//===- Gathers.cpp - Elements of views into registers ---------------------===//
//
// Each thread loads the elements that it holds, and none stands behind a
// branch, so that all of a tile are under way at once: what is outside of the
// view comes from a constant of zeros, since a view may be empty. Loads are
// ordinary ones: an earlier step of the program may have written what is read.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// A view whose elements are read, at scalar indices along some dimensions and
/// at indices of 32 bits, which differ between elements, along the others.
class GatheredView {
public:
  GatheredView(OpBuilder &b, GatherOp op)
      : b(b), loc(op.getLoc()), view(op.getSource()),
        element(cast<ViewType>(op.getSource().getType()).getElementType()),
        zeros(zerosAddress(b, op)) {
    base = LLVM::AddrSpaceCastOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
        view.pointer);
    ThreadBuilder t{b, loc};
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      if (isa<RankedTensorType>(index.getType())) {
        varying.push_back(dim);
        continue;
      }
      Value wide =
          b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), index);
      inside = t.both(inside, below(wide, view.sizes[dim]));
      base = advance(
          base, b.createOrFold<arith::MulIOp>(loc, wide, view.strides[dim]));
    }
    for (unsigned dim : varying)
      limits.push_back(arith::TruncIOp::create(
          b, loc, b.getI32Type(),
          arith::MinUIOp::create(
              b, loc, view.sizes[dim],
              arith::ConstantIntOp::create(
                  b, loc, std::numeric_limits<int32_t>::max(), 64))));
  }

  /// The element at these indices along the dimensions that vary.
  Value load(ValueRange indices) const {
    ThreadBuilder t{b, loc};
    Value exists = inside, place = base;
    for (auto [dim, limit, index] : llvm::zip_equal(varying, limits, indices)) {
      exists = t.both(exists, below(index, limit));
      Value wide = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
      place = advance(
          place, b.createOrFold<arith::MulIOp>(loc, wide, view.strides[dim]));
    }
    if (exists)
      place = arith::SelectOp::create(b, loc, exists, place, zeros);
    return LLVM::LoadOp::create(b, loc, element, place,
                                element.getIntOrFloatBitWidth() / 8);
  }

private:
  /// What is negative is large without its sign.
  Value below(Value index, Value size) const {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index,
                                         size);
  }
  Value advance(Value pointer, Value elements) const {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  }

  OpBuilder &b;
  Location loc;
  ViewParameters view;
  Type element;
  Value zeros, base, inside;
  SmallVector<unsigned> varying;
  SmallVector<Value> limits;
};

struct GatherPattern : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<ViewType>(op.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "not of a view");
    Location loc = op.getLoc();
    GatheredView source(rewriter, op);
    FragmentAttr layout = fragmentOf(op.getElements().getType());
    if (!layout) {
      if (isa<RankedTensorType>(op.getElements().getType()))
        return rewriter.notifyMatchFailure(op, "tile is not in registers");
      rewriter.replaceOp(op, source.load({}));
      return success();
    }
    SmallVector<SmallVector<Value>> indices(layout.getNumRegisters());
    for (Value index : adaptor.getIndices())
      if (isa<VectorType>(index.getType()))
        for (auto [own, element] : llvm::zip(
                 indices, vector::ToElementsOp::create(rewriter, loc, index)
                              .getResults()))
          own.push_back(element);
    SmallVector<Value> elements;
    for (ArrayRef<Value> own : indices)
      elements.push_back(source.load(own));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, getTypeConverter()->convertType(op.getElements().getType()),
        elements);
    return success();
  }
};

} // namespace

void attn::populateGatherPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<GatherPattern>(converter, patterns.getContext());
}
