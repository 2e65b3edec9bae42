//===- Elements.cpp - Single elements of views of integers ----------------===//
//
// Indices have 32 bits on the device: an i64 beyond these saturates, so that it
// is never taken for a small number. Loads are ordinary ones, since an earlier
// step of the program may have written what is read.
//
//===----------------------------------------------------------------------===//

#include "ElementAddress.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace attn;

ElementAddress::ElementAddress(OpBuilder &b, Location loc, Value viewValue,
                               ValueRange offsets)
    : loc(loc), view(viewValue),
      type(cast<IntegerType>(
          cast<ViewType>(viewValue.getType()).getElementType())),
      element(arith::ConstantIntOp::create(b, loc, 0, 64)) {
  ThreadBuilder t{b, loc};
  for (auto [offset, size, stride] :
       llvm::zip_equal(offsets, view.sizes, view.strides)) {
    Value wide =
        b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), offset);
    Value part = b.createOrFold<arith::MulIOp>(loc, wide, stride);
    element = b.createOrFold<arith::AddIOp>(loc, element, part);
    inside = t.both(inside, b.createOrFold<arith::CmpIOp>(
                                loc, arith::CmpIPredicate::ult, wide, size));
  }
}

Value ElementAddress::pointer(OpBuilder &b) const {
  Value base = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      view.pointer);
  Value size = arith::ConstantIntOp::create(b, loc, bytes(), 64);
  return advance(b, loc, base,
                 b.createOrFold<arith::MulIOp>(loc, element, size));
}

namespace {

/// Cut to 32 bits, at the largest and the smallest of their numbers.
Value saturate(OpBuilder &b, Location loc, Value number) {
  if (number.getType().isInteger(32))
    return number;
  auto bound = [&](int32_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  Value low = arith::MaxSIOp::create(
      b, loc, number, bound(std::numeric_limits<int32_t>::min()));
  Value both = arith::MinSIOp::create(
      b, loc, low, bound(std::numeric_limits<int32_t>::max()));
  return arith::TruncIOp::create(b, loc, b.getI32Type(), both);
}

struct ReadElementPattern : OpConversionPattern<ReadOp> {
  ReadElementPattern(const TypeConverter &converter, MLIRContext *context,
                     UniformFn makeUniform)
      : OpConversionPattern(converter, context),
        makeUniform(std::move(makeUniform)) {}

  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ElementAddress address(rewriter, loc, op.getView(), op.getOffsets());
    // Not behind a branch, so that several reads are under way at once.
    Value place = arith::SelectOp::create(rewriter, loc, address.inside,
                                          address.pointer(rewriter),
                                          zerosAddress(rewriter, op));
    Value loaded = LLVM::LoadOp::create(rewriter, loc, address.type, place,
                                        address.bytes());
    Value number = saturate(rewriter, loc, loaded);
    if (makeUniform)
      number = makeUniform(rewriter, loc, number);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    number);
    return success();
  }

  UniformFn makeUniform;
};

struct WriteElementPattern : OpConversionPattern<WriteOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    ElementAddress address(rewriter, loc, op.getView(), op.getOffsets());
    Value first = t.both(address.inside, t.equals(t.thread(), 0));
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &b, Location) {
      Value number =
          arith::IndexCastOp::create(b, loc, address.type, adaptor.getValue());
      LLVM::StoreOp::create(b, loc, number, address.pointer(b),
                            address.bytes());
      scf::YieldOp::create(b, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::populateElementPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns,
                                   UniformFn makeUniform) {
  patterns.add<ReadElementPattern>(converter, patterns.getContext(),
                                   std::move(makeUniform));
  patterns.add<WriteElementPattern>(converter, patterns.getContext());
}
