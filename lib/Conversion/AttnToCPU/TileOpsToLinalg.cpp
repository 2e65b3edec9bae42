//===- TileOpsToLinalg.cpp - Tile operations on tensors -------------------===//

#include "TileOpsToLinalg.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

using utils::IteratorType;

/// Shorthand for linalg.generic on tensors of static shape.
struct GenericBuilder {
  OpBuilder &b;
  Location loc;

  AffineExpr d(unsigned i) const { return b.getAffineDimExpr(i); }
  AffineMap map(unsigned dims, ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(dims, 0, exprs, b.getContext());
  }
  Value empty(RankedTensorType type) const {
    return tensor::EmptyOp::create(b, loc, type.getShape(),
                                   type.getElementType());
  }
  Value filled(RankedTensorType type, double value) const {
    Value scalar = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type.getElementType(), value));
    return linalg::FillOp::create(b, loc, scalar, empty(type)).getResult(0);
  }
  Value generic(Value init, ValueRange inputs, ArrayRef<AffineMap> maps,
                ArrayRef<IteratorType> iterators,
                function_ref<Value(OpBuilder &, ValueRange)> body) const {
    return linalg::GenericOp::create(
               b, loc, init.getType(), inputs, init, maps, iterators,
               [&](OpBuilder &nested, Location, ValueRange args) {
                 linalg::YieldOp::create(nested, loc, body(nested, args));
               })
        .getResult(0);
  }
};

/// The tile with rows and columns exchanged.
Value transposed(const GenericBuilder &g, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  type = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                               type.getElementType());
  return linalg::TransposeOp::create(g.b, g.loc, tile, g.empty(type),
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

/// The tile in f32, as an operand that elementwise fusion does not take into
/// the product, where each element would be computed many times: named ops are
/// left alone, and so is what was read.
Value productOperand(const GenericBuilder &g, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto f32Type = type.clone(g.b.getF32Type());
  if (type == f32Type &&
      isa_and_present<LoadOp, tensor::GenerateOp, linalg::TransposeOp>(
          tile.getDefiningOp()))
    return tile;
  return linalg::CopyOp::create(g.b, g.loc, tile, g.empty(f32Type))
      .getResult(0);
}

/// A dot becomes an f32 product in the order (row, sum, column), which runs
/// along rows of both the right-hand side and the result; for that operands are
/// transposed where needed, and converted, first.
struct DotPattern : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GenericBuilder g{rewriter, loc};
    Value rhs = op.getTransposeRhs() ? transposed(g, op.getRhs()) : op.getRhs();
    Value lhs = op.getTransposeLhs() ? transposed(g, op.getLhs()) : op.getLhs();
    Value result = g.generic(
        op.getAcc(), {productOperand(g, lhs), productOperand(g, rhs)},
        {g.map(3, {g.d(0), g.d(1)}), g.map(3, {g.d(1), g.d(2)}),
         g.map(3, {g.d(0), g.d(2)})},
        {IteratorType::parallel, IteratorType::reduction,
         IteratorType::parallel},
        [&](OpBuilder &b, ValueRange args) -> Value {
          auto contract = arith::FastMathFlags::contract;
          Value product =
              arith::MulFOp::create(b, loc, args[0], args[1], contract);
          return arith::AddFOp::create(b, loc, args[2], product, contract);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ReducePattern : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GenericBuilder g{rewriter, loc};
    bool isMax = op.getKind() == ReduceKind::Max;
    double unit = isMax ? -std::numeric_limits<float>::infinity() : 0.0;
    Value init =
        g.filled(cast<RankedTensorType>(op.getResult().getType()), unit);
    Value result = g.generic(
        init, op.getTile(), {g.map(2, {g.d(0), g.d(1)}), g.map(2, {g.d(0)})},
        {IteratorType::parallel, IteratorType::reduction},
        [&](OpBuilder &b, ValueRange args) -> Value {
          auto reassoc = arith::FastMathFlags::reassoc;
          if (isMax)
            return arith::MaximumFOp::create(b, loc, args[0], args[1]);
          return arith::AddFOp::create(b, loc, args[0], args[1], reassoc);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A tile of conditions as one number: `init`, and what `combine` makes of it
/// and each of them.
Value foldConditions(
    OpBuilder &b, Location loc, Value tile, Attribute init,
    llvm::function_ref<Value(OpBuilder &, Value, Value)> combine) {
  GenericBuilder g{b, loc};
  auto typed = cast<TypedAttr>(init);
  auto type = RankedTensorType::get({}, typed.getType());
  Value first = arith::ConstantOp::create(b, loc, typed);
  Value filled =
      linalg::FillOp::create(b, loc, first, g.empty(type)).getResult(0);
  unsigned rank = cast<RankedTensorType>(tile.getType()).getRank();
  Value folded =
      g.generic(filled, tile, {b.getMultiDimIdentityMap(rank), g.map(rank, {})},
                SmallVector<IteratorType>(rank, IteratorType::reduction),
                [&](OpBuilder &inner, ValueRange args) -> Value {
                  return combine(inner, args[0], args[1]);
                });
  return tensor::ExtractOp::create(b, loc, folded, ValueRange());
}

struct AnyPattern : OpRewritePattern<AnyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AnyOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op,
        foldConditions(rewriter, loc, op.getTile(), rewriter.getBoolAttr(false),
                       [&](OpBuilder &b, Value one, Value so) -> Value {
                         return arith::OrIOp::create(b, loc, one, so);
                       }));
    return success();
  }
};

struct OftenPattern : OpRewritePattern<OftenOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(OftenOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto count = [&](OpBuilder &b, Value one, Value so) -> Value {
      return arith::AddIOp::create(
          b, loc, so, arith::ExtUIOp::create(b, loc, b.getI64Type(), one));
    };
    Value found = foldConditions(rewriter, loc, op.getTile(),
                                 rewriter.getI64IntegerAttr(0), count);
    int64_t all = op.getTile().getType().getNumElements();
    Value many = arith::ConstantOp::create(
        rewriter, loc, rewriter.getI64IntegerAttr(op.enoughOf(all)));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::uge,
                                               found, many);
    return success();
  }
};

struct BroadcastPattern : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    GenericBuilder g{rewriter, op.getLoc()};
    auto type = cast<RankedTensorType>(op.getTile().getType());
    rewriter.replaceOp(
        op,
        g.generic(g.empty(type), op.getRows(),
                  {op.isOfColumns()
                       ? g.map(2, {rewriter.getAffineConstantExpr(0), g.d(1)})
                       : g.map(2, {g.d(0)}),
                   g.map(2, {g.d(0), g.d(1)})},
                  {IteratorType::parallel, IteratorType::parallel},
                  [](OpBuilder &, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct InterleavePattern : OpRewritePattern<InterleaveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(InterleaveOp op,
                                PatternRewriter &rewriter) const override {
    GenericBuilder g{rewriter, op.getLoc()};
    auto group = static_cast<int64_t>(op.getGroup());
    constexpr int64_t kLanes = InterleaveOp::kLanes;
    int64_t own = group / kLanes;
    AffineExpr column = g.d(1),
               source = column.floorDiv(group) * group +
                        (column.floorDiv(own) % kLanes) * 2 + column % 2 +
                        (column.floorDiv(2) % (own / 2)) * InterleaveOp::kBlock;
    auto type = cast<RankedTensorType>(op.getResult().getType());
    // The map of the input would not be a projection: an element is read.
    Value tile = op.getTile();
    rewriter.replaceOp(
        op, g.generic(g.empty(type), {}, rewriter.getMultiDimIdentityMap(2),
                      {IteratorType::parallel, IteratorType::parallel},
                      [&](OpBuilder &b, ValueRange) -> Value {
                        Location loc = op.getLoc();
                        Value i = linalg::IndexOp::create(b, loc, 0),
                              j = linalg::IndexOp::create(b, loc, 1);
                        Value from = affine::AffineApplyOp::create(
                            b, loc, AffineMap::get(2, 0, source), {i, j});
                        return tensor::ExtractOp::create(b, loc, tile,
                                                         ValueRange{i, from});
                      }));
    return success();
  }
};

struct ArrangePattern : OpRewritePattern<ArrangeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ArrangeOp op,
                                PatternRewriter &rewriter) const override {
    GenericBuilder g{rewriter, op.getLoc()};
    Value turned = transposed(g, op.getTile());
    rewriter.replaceOpWithNewOp<InterleaveOp>(op, turned.getType(), turned);
    return success();
  }
};

/// Rows become columns, these are interleaved, and the tile is stored.
struct StoreColumnsPattern : OpRewritePattern<StoreColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreColumnsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GenericBuilder g{rewriter, loc};
    Value turned = transposed(g, op.getTile());
    Value columns =
        InterleaveOp::create(rewriter, loc, turned.getType(), turned);
    StoreOp::create(rewriter, loc, columns, op.getView(), op.getOffsets());
    rewriter.eraseOp(op);
    return success();
  }
};

struct IotaPattern : OpRewritePattern<IotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IotaOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GenericBuilder g{rewriter, loc};
    auto type = cast<RankedTensorType>(op.getTile().getType());
    SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
    rewriter.replaceOp(
        op, g.generic(g.empty(type), {},
                      rewriter.getMultiDimIdentityMap(type.getRank()),
                      iterators, [&](OpBuilder &b, ValueRange) -> Value {
                        Value i = linalg::IndexOp::create(b, loc, op.getDim());
                        return arith::AddIOp::create(b, loc, i, op.getStart());
                      }));
    return success();
  }
};

struct SplatPattern : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    GenericBuilder g{rewriter, op.getLoc()};
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(),
                                                g.empty(op.getType()));
    return success();
  }
};

} // namespace

void attn::populateTileOpsToLinalg(RewritePatternSet &patterns) {
  populateDecomposeAdvance(patterns);
  patterns.add<AnyPattern, OftenPattern, ArrangePattern, BroadcastPattern,
               DotPattern, InterleavePattern, IotaPattern, ReducePattern,
               SplatPattern, StoreColumnsPattern>(patterns.getContext());
}
