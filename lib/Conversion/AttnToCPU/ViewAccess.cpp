//===- ViewAccess.cpp - Accesses to views as accesses to memrefs ----------===//

#include "ViewAccess.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// The part of a tile that lies in the view: from `lower` to `upper` along each
/// of its dimensions.
struct ValidPart {
  SmallVector<Value> lower, upper;

  /// `until` (null: none) ends the view in the tile's first dimension.
  ValidPart(OpBuilder &b, Location loc, Value memref, ValueRange offsets,
            ArrayRef<int64_t> tile, Value until = {}) {
    IndexBuilder m{b, loc};
    Value zero = m.constant(0), exists;
    unsigned leading = offsets.size() - tile.size();
    // Dimensions that the tile lacks select one element of the view, or none.
    for (unsigned i = 0; i < leading; ++i) {
      Value inside = m.compare(arith::CmpIPredicate::ult, offsets[i],
                               memref::DimOp::create(b, loc, memref, i));
      exists = exists ? m.logicalAnd(exists, inside) : inside;
    }
    for (auto [i, size] : llvm::enumerate(tile)) {
      Value offset = offsets[leading + i], all = m.constant(size);
      Value dim = memref::DimOp::create(b, loc, memref, leading + i);
      if (until && i == 0)
        dim = m.minS(dim, until);
      auto clamp = [&](Value v) { return m.maxS(m.minS(v, all), zero); };
      lower.push_back(clamp(m.sub(zero, offset)));
      Value end = clamp(m.sub(dim, offset));
      upper.push_back(exists ? m.select(exists, end, zero) : end);
    }
  }
};

/// Where element `indices` of a tile lies in the view.
SmallVector<Value> addressOf(OpBuilder &b, Location loc, ValueRange offsets,
                             ValueRange indices) {
  SmallVector<Value> result = llvm::to_vector(offsets);
  for (auto [position, i] : llvm::zip(
           llvm::drop_begin(result, offsets.size() - indices.size()), indices))
    position = arith::AddIOp::create(b, loc, position, i);
  return result;
}

/// Whether an element is one of the view's.
Value isInside(OpBuilder &b, Location loc, Value memref, ValueRange offsets) {
  IndexBuilder m{b, loc};
  Value inside;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value below = m.compare(arith::CmpIPredicate::ult, offset,
                            memref::DimOp::create(b, loc, memref, dim));
    inside = inside ? m.logicalAnd(inside, below) : below;
  }
  return inside;
}

/// The element at these indices, zero where there is none, or it is not wanted
/// (null: it is).
Value readOrZero(OpBuilder &b, Location loc, Value memref, ValueRange indices,
                 Value wanted = {}) {
  Value inside = isInside(b, loc, memref, indices);
  if (wanted)
    inside = IndexBuilder{b, loc}.logicalAnd(inside, wanted);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto branch = scf::IfOp::create(
      b, loc, inside,
      [&](OpBuilder &n, Location) {
        Value v = memref::LoadOp::create(n, loc, memref, indices);
        scf::YieldOp::create(n, loc, v);
      },
      [&](OpBuilder &n, Location) {
        Value zero = arith::ConstantOp::create(n, loc, n.getZeroAttr(element));
        scf::YieldOp::create(n, loc, zero);
      });
  return branch.getResult(0);
}

/// Element `indices` of a tile that is loaded in blocks.
Value elementInBlock(OpBuilder &b, LoadOp op, Value memref,
                     ValueRange indices) {
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  SmallVector<Value> address = llvm::to_vector(op.getOffsets());
  unsigned row = address.size() - 2;
  Value rows = m.constant(op.getBlockRows());
  Value number = m.div(indices[0], rows);
  for (auto [i, first] : llvm::enumerate(op.getBlocks()))
    address[0] = m.select(m.compare(arith::CmpIPredicate::eq, number,
                                    m.constant(static_cast<int64_t>(i) + 1)),
                          first, address[0]);
  Value wanted;
  if (op.getUntil())
    wanted = m.compare(arith::CmpIPredicate::slt,
                       m.add(address[row], indices[0]), op.getUntil());
  address[row] = m.add(address[row], m.rem(indices[0], rows));
  address[row + 1] = m.add(address[row + 1], indices[1]);
  return readOrZero(b, loc, memref, address, wanted);
}

struct DimPattern : OpConversionPattern<DimOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<memref::DimOp>(
        op, adaptor.getView(), static_cast<int64_t>(op.getDim()));
    return success();
  }
};

/// A load generates its tile element by element, with zeros outside.
struct LoadPattern : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getTile().getType());
    if (!op.getBlocks().empty()) {
      rewriter.replaceOpWithNewOp<tensor::GenerateOp>(
          op, type, ValueRange(),
          [&](OpBuilder &b, Location, ValueRange indices) {
            tensor::YieldOp::create(
                b, loc, elementInBlock(b, op, adaptor.getView(), indices));
          });
      return success();
    }
    ValidPart valid(rewriter, loc, adaptor.getView(), op.getOffsets(),
                    type.getShape(), op.getUntil());
    rewriter.replaceOpWithNewOp<tensor::GenerateOp>(
        op, type, ValueRange(),
        [&](OpBuilder &b, Location, ValueRange indices) {
          Value inside;
          for (auto [i, lower, upper] :
               llvm::zip(indices, valid.lower, valid.upper)) {
            IndexBuilder m{b, loc};
            Value c =
                m.logicalAnd(m.compare(arith::CmpIPredicate::sge, i, lower),
                             m.compare(arith::CmpIPredicate::slt, i, upper));
            inside = inside ? m.logicalAnd(inside, c) : c;
          }
          auto element = scf::IfOp::create(
              b, loc, inside,
              [&](OpBuilder &n, Location) {
                Value v = memref::LoadOp::create(
                    n, loc, adaptor.getView(),
                    addressOf(n, loc, op.getOffsets(), indices));
                scf::YieldOp::create(n, loc, v);
              },
              [&](OpBuilder &n, Location) {
                Value zero = arith::ConstantOp::create(
                    n, loc, n.getZeroAttr(type.getElementType()));
                scf::YieldOp::create(n, loc, zero);
              });
          tensor::YieldOp::create(b, loc, element.getResult(0));
        });
    return success();
  }
};

/// Writes each element of a tile, by what `write` builds, to its place in the
/// view, if it has one.
template <typename Op, typename Write>
void writeElements(Op op, typename Op::Adaptor adaptor, Value until,
                   ConversionPatternRewriter &rewriter, Write write) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  ValidPart valid(rewriter, loc, adaptor.getView(), op.getOffsets(),
                  type.getShape(), until);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> step(valid.lower.size(), one);
  scf::buildLoopNest(rewriter, loc, valid.lower, valid.upper, step,
                     [&](OpBuilder &b, Location, ValueRange indices) {
                       Value v = tensor::ExtractOp::create(
                           b, loc, adaptor.getTile(), indices);
                       write(b, v, addressOf(b, loc, op.getOffsets(), indices));
                     });
  rewriter.eraseOp(op);
}

struct StorePattern : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    writeElements(op, adaptor, op.getUntil(), rewriter,
                  [&](OpBuilder &b, Value v, ValueRange place) {
                    memref::StoreOp::create(b, op.getLoc(), v,
                                            adaptor.getView(), place);
                  });
    return success();
  }
};

/// CTAs may run on several threads.
struct AccumulatePattern : OpConversionPattern<AccumulateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AccumulateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    writeElements(op, adaptor, /*until=*/Value(), rewriter,
                  [&](OpBuilder &b, Value v, ValueRange place) {
                    memref::AtomicRMWOp::create(b, op.getLoc(),
                                                arith::AtomicRMWKind::addf, v,
                                                adaptor.getView(), place);
                  });
    return success();
  }
};

struct ReadPattern : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value inside = isInside(rewriter, loc, adaptor.getView(), op.getOffsets());
    auto branch = scf::IfOp::create(
        rewriter, loc, inside,
        [&](OpBuilder &b, Location) {
          Value element = memref::LoadOp::create(b, loc, adaptor.getView(),
                                                 op.getOffsets());
          Value index =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
          scf::YieldOp::create(b, loc, index);
        },
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(
              b, loc, ValueRange{arith::ConstantIndexOp::create(b, loc, 0)});
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

struct GatherPattern : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!isa<MemRefType>(adaptor.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "not of a view");
    auto tile = dyn_cast<RankedTensorType>(op.getElements().getType());
    if (!tile) {
      rewriter.replaceOp(op, readOrZero(rewriter, loc, adaptor.getSource(),
                                        adaptor.getIndices()));
      return success();
    }
    rewriter.replaceOpWithNewOp<tensor::GenerateOp>(
        op, tile, ValueRange(), [&](OpBuilder &b, Location, ValueRange at) {
          SmallVector<Value> indices;
          for (Value index : adaptor.getIndices())
            indices.push_back(
                isa<RankedTensorType>(index.getType())
                    ? tensor::ExtractOp::create(b, loc, index, at).getResult()
                    : index);
          tensor::YieldOp::create(
              b, loc, readOrZero(b, loc, adaptor.getSource(), indices));
        });
    return success();
  }
};

struct WritePattern : OpConversionPattern<WriteOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value inside = isInside(rewriter, loc, adaptor.getView(), op.getOffsets());
    Type element = op.getView().getType().getElementType();
    scf::IfOp::create(rewriter, loc, inside, [&](OpBuilder &b, Location) {
      Value number = arith::IndexCastOp::create(b, loc, element, op.getValue());
      memref::StoreOp::create(b, loc, number, adaptor.getView(),
                              op.getOffsets());
      scf::YieldOp::create(b, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// CTAs may run on several threads.
struct TakePattern : OpConversionPattern<TakeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value counter = adaptor.getCounter();
    Value inside = isInside(rewriter, loc, counter, op.getOffsets());
    auto branch = scf::IfOp::create(
        rewriter, loc, inside,
        [&](OpBuilder &b, Location) {
          Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
          Value number =
              memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::addi,
                                          one, counter, op.getOffsets());
          Value index =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
          scf::YieldOp::create(b, loc, index);
        },
        [&](OpBuilder &b, Location) {
          Value none = arith::ConstantIndexOp::create(
              b, loc, std::numeric_limits<int32_t>::max());
          scf::YieldOp::create(b, loc, none);
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

struct TouchPattern : OpConversionPattern<TouchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TouchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto argument = dyn_cast<BlockArgument>(op.getView());
    if (!argument || op.getOffsets().size() > kTouchOffsets)
      return rewriter.notifyMatchFailure(op,
                                         "expected a view of rank 5 at most "
                                         "that is an argument of the kernel");
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, v);
    };
    Value bytes = constant(op.getView().getType().getElementBytes());
    IndexBuilder m{rewriter, loc};
    ValidPart valid(rewriter, loc, adaptor.getView(), op.getOffsets(),
                    op.getTile());
    for (auto [lower, upper] : llvm::zip(valid.lower, valid.upper))
      bytes = m.mul(bytes, m.maxS(m.sub(upper, lower), m.constant(0)));
    SmallVector<Value> operands{op.getCta(),
                                constant(static_cast<int64_t>(op.getKind())),
                                constant(argument.getArgNumber())};
    llvm::append_range(operands, op.getOffsets());
    operands.append(kTouchOffsets - op.getOffsets().size(), constant(0));
    operands.push_back(bytes);
    rewriter.replaceOpWithNewOp<func::CallOp>(op, kTouch, TypeRange(),
                                              operands);
    return success();
  }
};

} // namespace

void attn::populateViewAccessPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns
      .add<AccumulatePattern, DimPattern, GatherPattern, LoadPattern,
           ReadPattern, StorePattern, TakePattern, TouchPattern, WritePattern>(
          converter, patterns.getContext());
}
