//===- FragmentsToVectors.cpp - Tiles as the registers of one thread ------===//

#include "FragmentsToVectors.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

FragmentAttr attn::fragmentOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? dyn_cast_or_null<FragmentAttr>(tile.getEncoding())
              : FragmentAttr();
}

SharedAttr attn::sharedOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? dyn_cast_or_null<SharedAttr>(tile.getEncoding()) : SharedAttr();
}

void attn::addFragmentConversions(TypeConverter &converter) {
  converter.addConversion([](RankedTensorType tile) -> std::optional<Type> {
    FragmentAttr layout = fragmentOf(tile);
    if (!layout)
      return std::nullopt;
    Type element = tile.getElementType();
    if (element.isIndex())
      element = IntegerType::get(tile.getContext(), 32);
    return VectorType::get({layout.getNumRegisters()}, element);
  });
  // The registers that a product goes to.
  converter.addConversion([&converter](ProductType product) {
    return converter.convertType(product.getTile());
  });
}

//===----------------------------------------------------------------------===//
// ThreadBuilder
//===----------------------------------------------------------------------===//

Value ThreadBuilder::constant(int64_t value) const {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}
Value ThreadBuilder::add(Value x, Value y) const {
  // Tiles and grids are far from 2^31: constants may be split off addresses.
  return b.createOrFold<arith::AddIOp>(loc, x, y,
                                       arith::IntegerOverflowFlags::nsw);
}
Value ThreadBuilder::add(Value x, int64_t y) const {
  return y == 0 ? x : add(x, constant(y));
}
Value ThreadBuilder::mul(Value x, int64_t y) const {
  return y == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, constant(y));
}
Value ThreadBuilder::div(Value x, int64_t y) const {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, constant(y));
}
Value ThreadBuilder::rem(Value x, int64_t y) const {
  return b.createOrFold<arith::RemUIOp>(loc, x, constant(y));
}
Value ThreadBuilder::bitXor(Value x, Value y) const {
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}
Value ThreadBuilder::shl(Value x, int64_t y) const {
  return b.createOrFold<arith::ShLIOp>(loc, x, constant(y));
}
Value ThreadBuilder::less(Value x, Value y) const {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value ThreadBuilder::equals(Value x, int64_t y) const {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x,
                                       constant(y));
}
Value ThreadBuilder::both(Value x, Value y) const {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}
Value ThreadBuilder::narrow(Value index) const {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}
Value ThreadBuilder::thread() const {
  if (known)
    return known;
  return narrow(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
}

Value ThreadBuilder::threadOffset(FragmentAttr layout, unsigned dim) const {
  Value result, number = thread();
  int64_t below = 1, all = layout.getNumThreads();
  for (const FragmentAttr::Mode &mode : layout.getThreadModes()) {
    if (mode.strides[dim] != 0) {
      Value digit = div(number, below);
      if (below * mode.size != all)
        digit = rem(digit, mode.size);
      Value part = mul(digit, mode.strides[dim]);
      result = result ? add(result, part) : part;
    }
    below *= mode.size;
  }
  return result ? result : constant(0);
}

Value ThreadBuilder::ownsFirstCopy(FragmentAttr layout) const {
  Value result, number = thread();
  int64_t below = 1;
  for (const FragmentAttr::Mode &mode : layout.getThreadModes()) {
    if (llvm::all_of(mode.strides, [](int64_t s) { return s == 0; }))
      result = both(result, equals(rem(div(number, below), mode.size), 0));
    below *= mode.size;
  }
  return result;
}

/// For each register of `tile` the one of a slice that lies at the same place
/// in its only dimension, which is dimension `dim` of the tile.
static SmallVector<int64_t> sliceRegisters(FragmentAttr tile,
                                           FragmentAttr slice, unsigned dim) {
  llvm::DenseMap<int64_t, int64_t> registerOf;
  for (int64_t r = 0; r < slice.getNumRegisters(); ++r)
    registerOf[slice.getRegisterOffset(r).back()] = r;
  SmallVector<int64_t> result;
  for (int64_t r = 0; r < tile.getNumRegisters(); ++r)
    result.push_back(registerOf.lookup(tile.getRegisterOffset(r)[dim]));
  return result;
}

SmallVector<int64_t> attn::rowRegisters(FragmentAttr tile) {
  return sliceRegisters(tile, tile.getRowSlice(), 0);
}

Value attn::anyRegister(OpBuilder &b, Location loc, Value registers) {
  Value any;
  for (Value element :
       vector::ToElementsOp::create(b, loc, registers).getResults())
    any =
        any ? arith::OrIOp::create(b, loc, any, element).getResult() : element;
  return any;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

bool isFragment(Type type) { return static_cast<bool>(fragmentOf(type)); }

/// Elementwise operations do to vectors what they do to tiles.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        !llvm::any_of(op->getResultTypes(), isFragment))
      return rewriter.notifyMatchFailure(op, "not elementwise on fragments");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    // A condition may be a scalar; every other operand is a tile.
    Operation *lowered =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        types, op->getAttrs());
    rewriter.replaceOp(op, lowered->getResults());
    return success();
  }
};

/// Indices are 32 bits wide here, so that casts between index and integer may
/// change the width or nothing.
template <typename Cast, typename Extend>
struct IndexCastPattern : OpConversionPattern<Cast> {
  using OpConversionPattern<Cast>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Cast op, typename Cast::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isFragment(op.getType()))
      return failure();
    Type type = this->getTypeConverter()->convertType(op.getType());
    Value from = adaptor.getIn();
    unsigned have = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
    unsigned want = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (have == want)
      rewriter.replaceOp(op, from);
    else if (have > want)
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, from);
    else
      rewriter.replaceOpWithNewOp<Extend>(op, type, from);
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!elements || !isFragment(op.getType()))
      return failure();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Attribute value = elements.getSplatValue<Attribute>();
    if (auto integer = dyn_cast<IntegerAttr>(value);
        integer && integer.getType().isIndex())
      value = rewriter.getI32IntegerAttr(integer.getInt());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, type, DenseElementsAttr::get(type, value));
    return success();
  }
};

struct SplatPattern : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isFragment(op.getType()))
      return failure();
    ThreadBuilder t{rewriter, op.getLoc()};
    Value scalar = adaptor.getInput();
    if (scalar.getType().isIndex())
      scalar = t.narrow(scalar);
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), scalar);
    return success();
  }
};

/// What `tile` numbers along its dimension, of register 0.
Value firstNumber(ThreadBuilder t, FragmentAttr layout, unsigned dim,
                  Value start) {
  return t.add(t.narrow(start), t.threadOffset(layout, dim));
}

/// A vector of `first` + a constant for each register.
Value numbers(ConversionPatternRewriter &b, Location loc, Type type,
              Value first, ArrayRef<int32_t> offsets) {
  auto vector = cast<VectorType>(type);
  return arith::AddIOp::create(
      b, loc, vector::BroadcastOp::create(b, loc, vector, first),
      arith::ConstantOp::create(b, loc, vector,
                                DenseElementsAttr::get(vector, offsets)),
      arith::IntegerOverflowFlags::nsw);
}

/// Patterns that number the elements of a thread.
template <typename Op> struct NumberingPattern : OpConversionPattern<Op> {
  NumberingPattern(const TypeConverter &converter, MLIRContext *context,
                   const ReadThread &readThread)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2),
        readThread(readThread) {}

  ThreadBuilder threadAt(OpBuilder &b, Location loc) const {
    return {b, loc, readThread ? readThread(b, loc) : Value()};
  }

  ReadThread readThread;
};

struct IotaPattern : NumberingPattern<IotaOp> {
  using NumberingPattern::NumberingPattern;
  LogicalResult
  matchAndRewrite(IotaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getTile().getType();
    FragmentAttr layout = fragmentOf(type);
    if (!layout)
      return failure();
    Location loc = op.getLoc();
    SmallVector<int32_t> offsets;
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
      offsets.push_back(layout.getRegisterOffset(r)[op.getDim()]);
    Value first = firstNumber(threadAt(rewriter, loc), layout, op.getDim(),
                              adaptor.getStart());
    rewriter.replaceOp(op, numbers(rewriter, loc,
                                   getTypeConverter()->convertType(type), first,
                                   offsets));
    return success();
  }
};

/// The distance between two index tiles: one number that varies and a constant
/// for each register, where two of each would fill registers.
struct DistancePattern : NumberingPattern<arith::SubIOp> {
  using NumberingPattern::NumberingPattern;
  LogicalResult
  matchAndRewrite(arith::SubIOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().getDefiningOp<IotaOp>(),
         rhs = op.getRhs().getDefiningOp<IotaOp>();
    FragmentAttr layout = fragmentOf(op.getType());
    if (!lhs || !rhs || !layout)
      return rewriter.notifyMatchFailure(op, "not of index tiles");
    Location loc = op.getLoc();
    ThreadBuilder t = threadAt(rewriter, loc);
    SmallVector<int32_t> offsets;
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      offsets.push_back(offset[lhs.getDim()] - offset[rhs.getDim()]);
    }
    Value first = arith::SubIOp::create(
        rewriter, loc,
        firstNumber(t, layout, lhs.getDim(),
                    rewriter.getRemappedValue(lhs.getStart())),
        firstNumber(t, layout, rhs.getDim(),
                    rewriter.getRemappedValue(rhs.getStart())),
        arith::IntegerOverflowFlags::nsw);
    rewriter.replaceOp(op,
                       numbers(rewriter, loc,
                               getTypeConverter()->convertType(op.getType()),
                               first, offsets));
    return success();
  }
};

/// Compares columns with something: what the thread adds to its columns goes to
/// the other side, so that a register is compared with a constant.
struct CompareColumnsPattern : NumberingPattern<arith::CmpIOp> {
  using NumberingPattern::NumberingPattern;
  LogicalResult
  matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getLhs().getType());
    auto left = columnsOf(op.getLhs()), right = columnsOf(op.getRhs());
    if (!layout || static_cast<bool>(left) == static_cast<bool>(right) ||
        isUnsigned(op.getPredicate()))
      return rewriter.notifyMatchFailure(op, "no signed comparison of columns");
    IotaOp iota = left ? left : right;
    Location loc = op.getLoc();
    ThreadBuilder t = threadAt(rewriter, loc);
    auto type = cast<VectorType>(adaptor.getLhs().getType());
    SmallVector<int32_t> columns;
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
      columns.push_back(layout.getRegisterOffset(r)[1]);
    Value first =
        firstNumber(t, layout, 1, rewriter.getRemappedValue(iota.getStart()));
    Value other = arith::SubIOp::create(
        rewriter, loc, left ? adaptor.getRhs() : adaptor.getLhs(),
        vector::BroadcastOp::create(rewriter, loc, type, first),
        arith::IntegerOverflowFlags::nsw);
    Value constant = arith::ConstantOp::create(
        rewriter, loc, type,
        DenseElementsAttr::get(type, ArrayRef<int32_t>(columns)));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(),
                                               left ? constant : other,
                                               left ? other : constant);
    return success();
  }

  static IotaOp columnsOf(Value tile) {
    auto iota = tile.getDefiningOp<IotaOp>();
    return iota && iota.getDim() == 1 ? iota : IotaOp();
  }

  /// A difference may be negative.
  static bool isUnsigned(arith::CmpIPredicate predicate) {
    return predicate == arith::CmpIPredicate::ult ||
           predicate == arith::CmpIPredicate::ule ||
           predicate == arith::CmpIPredicate::ugt ||
           predicate == arith::CmpIPredicate::uge;
  }
};

struct BroadcastPattern : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!layout)
      return failure();
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(
        op, adaptor.getRows(), adaptor.getRows(),
        op.isOfColumns() ? sliceRegisters(layout, layout.getColumnSlice(), 1)
                         : rowRegisters(layout));
    return success();
  }
};

Value combine(OpBuilder &b, Location loc, ReduceKind kind, bool ignoresNaN,
              Value x, Value y) {
  if (kind == ReduceKind::Max && x.getType().isInteger())
    return arith::MaxSIOp::create(b, loc, x, y);
  if (kind == ReduceKind::Max && ignoresNaN)
    return arith::MaxNumFOp::create(b, loc, x, y);
  if (kind == ReduceKind::Max)
    return arith::MaximumFOp::create(b, loc, x, y);
  return arith::AddFOp::create(b, loc, x, y);
}

/// The sum of values, whose number is even, by pairs.
Value sumPairs(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  auto pair = VectorType::get({2}, values.front().getType());
  Value sums;
  for (; !values.empty(); values = values.drop_front(2)) {
    Value next =
        vector::FromElementsOp::create(b, loc, pair, values.take_front(2));
    sums = sums ? arith::AddFOp::create(b, loc, sums, next) : next;
  }
  auto halves = vector::ToElementsOp::create(b, loc, sums);
  return arith::AddFOp::create(b, loc, halves.getResult(0),
                               halves.getResult(1));
}

/// The registers of each row as one.
SmallVector<Value> reduceRegisters(OpBuilder &b, Location loc, ReduceKind kind,
                                   const Reduction &reduction,
                                   FragmentAttr layout, Value tile) {
  auto elements = vector::ToElementsOp::create(b, loc, tile);
  int64_t numRows = layout.getRowSlice().getNumRegisters();
  SmallVector<int64_t> rowOf = rowRegisters(layout);
  if (reduction.sumsPairs && kind == ReduceKind::Sum &&
      (layout.getNumRegisters() / numRows) % 2 == 0) {
    SmallVector<SmallVector<Value>> rows(numRows);
    for (auto [r, row] : llvm::enumerate(rowOf))
      rows[row].push_back(elements.getResult(r));
    return llvm::map_to_vector(
        rows, [&](ArrayRef<Value> row) { return sumPairs(b, loc, row); });
  }
  // In the order of registers: what a scheduler makes of it depends on that.
  SmallVector<Value> rows(numRows);
  for (auto [r, row] : llvm::enumerate(rowOf)) {
    Value element = elements.getResult(r);
    rows[row] = rows[row] ? combine(b, loc, kind, reduction.ignoresNaN,
                                    rows[row], element)
                          : element;
  }
  return rows;
}

struct ReduceRegistersPattern : OpConversionPattern<ReduceRegistersOp> {
  ReduceRegistersPattern(const TypeConverter &converter, MLIRContext *context,
                         const Reduction &reduction)
      : OpConversionPattern(converter, context), reduction(reduction) {}
  LogicalResult
  matchAndRewrite(ReduceRegistersOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, getTypeConverter()->convertType(op.getType()),
        reduceRegisters(rewriter, op.getLoc(), op.getKind(), reduction,
                        fragmentOf(op.getTile().getType()), adaptor.getTile()));
    return success();
  }

  Reduction reduction;
};

/// First the registers of a row, then by butterflies the lanes that share it.
struct ReducePattern : OpConversionPattern<ReduceOp> {
  ReducePattern(const TypeConverter &converter, MLIRContext *context,
                const Reduction &reduction)
      : OpConversionPattern(converter, context), reduction(reduction) {}
  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!layout)
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> rows = reduceRegisters(
        rewriter, loc, op.getKind(), reduction, layout, adaptor.getTile());
    int64_t below = 1;
    for (const FragmentAttr::Mode &mode : layout.getThreadModes()) {
      // Not those that hold copies of the same elements.
      bool shares = mode.strides[0] == 0 && mode.strides[1] != 0;
      if (shares && (below * mode.size > reduction.lanes ||
                     !llvm::isPowerOf2_64(mode.size)))
        return op.emitOpError(
                   "expected rows within the lanes of one warp, but got ")
               << layout;
      for (int64_t step = 1; shares && step < mode.size; step *= 2)
        for (Value &row : rows) {
          Value other = reduction.exchange(rewriter, loc, row, below * step);
          row = combine(rewriter, loc, op.getKind(), reduction.ignoresNaN, row,
                        other);
        }
      below *= mode.size;
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, getTypeConverter()->convertType(op.getResult().getType()), rows);
    return success();
  }

  Reduction reduction;
};

/// Columns change places so that each element stays where it is.
struct InterleavePattern : OpConversionPattern<InterleaveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(InterleaveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr from = fragmentOf(op.getTile().getType()),
                 to = fragmentOf(op.getResult().getType());
    if (!from || !to)
      return failure();
    std::optional<SmallVector<int64_t>> source =
        registersOf(from, to, static_cast<int64_t>(op.getGroup()));
    if (!source)
      return op.emitOpError("expected a result whose elements each thread has, "
                            "but got ")
             << from << " and " << to;
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, adaptor.getTile(),
                                                   adaptor.getTile(), *source);
    return success();
  }

private:
  /// Of each register of the result the one of the tile, if it is of the same
  /// thread for all of them.
  static std::optional<SmallVector<int64_t>>
  registersOf(FragmentAttr from, FragmentAttr to, int64_t group) {
    if (from.getNumThreads() != to.getNumThreads())
      return std::nullopt;
    std::optional<SmallVector<int64_t>> all;
    for (int64_t thread = 0; thread < to.getNumThreads(); ++thread) {
      SmallVector<int64_t> base = from.getThreadOffset(thread);
      llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> places;
      for (int64_t r = 0; r < from.getNumRegisters(); ++r) {
        SmallVector<int64_t> offset = from.getRegisterOffset(r);
        places[{base[0] + offset[0], base[1] + offset[1]}] = r;
      }
      SmallVector<int64_t> own, wanted = to.getThreadOffset(thread);
      for (int64_t r = 0; r < to.getNumRegisters(); ++r) {
        SmallVector<int64_t> offset = to.getRegisterOffset(r);
        auto it =
            places.find({wanted[0] + offset[0],
                         InterleaveOp::sourceOf(wanted[1] + offset[1], group)});
        if (it == places.end())
          return std::nullopt;
        own.push_back(it->second);
      }
      if (all && *all != own)
        return std::nullopt;
      all = own;
    }
    return all;
  }
};

/// Between layouts that give each thread the same elements, in another order.
struct PermutePattern : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr from = fragmentOf(op.getSource().getType());
    FragmentAttr to = fragmentOf(op.getType());
    if (!from || !to)
      return failure();
    if (from.getThreads() != to.getThreads())
      return op.emitOpError("expected layouts with the same elements in each "
                            "thread, but got ")
             << from << " and " << to;
    SmallVector<int64_t> source;
    for (int64_t r = 0; r < to.getNumRegisters(); ++r)
      for (int64_t s = 0; s < from.getNumRegisters(); ++s)
        if (from.getRegisterOffset(s) == to.getRegisterOffset(r))
          source.push_back(s);
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, adaptor.getSource(),
                                                   adaptor.getSource(), source);
    return success();
  }
};

} // namespace

void attn::populateFragmentsToVectors(const TypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      const Reduction &reduction,
                                      const ReadThread &readThread) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ReducePattern, ReduceRegistersPattern>(converter, context,
                                                      reduction);
  patterns.add<ElementwisePattern>(converter, context);
  populateDecomposeAdvance(patterns);
  patterns.add<CompareColumnsPattern, DistancePattern, IotaPattern>(
      converter, context, readThread);
  patterns
      .add<BroadcastPattern, ConstantPattern, InterleavePattern, PermutePattern,
           SplatPattern, IndexCastPattern<arith::IndexCastOp, arith::ExtSIOp>,
           IndexCastPattern<arith::IndexCastUIOp, arith::ExtUIOp>>(
          converter, context, /*benefit=*/2);
}
