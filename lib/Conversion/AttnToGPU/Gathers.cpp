//===- Gathers.cpp - Elements of views into registers ---------------------===//
//
// Each thread loads the elements that it holds, all at once: what is outside of
// the view comes from a constant of zeros, since a view may be empty.
//
// Where indices count the rows and columns of the tile, which is then a part of
// the view, all threads ask first whether the whole of it lies inside. Then
// addresses are constants apart, and neighbours are loaded together, if they
// are aligned. Tiles at the edges of the view take one element after the other,
// in few registers.
//
// Loads are ordinary ones: an earlier step of the program may have written what
// is read.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// Addresses in a view, in 64 bits.
struct AddressBuilder {
  OpBuilder &b;
  Location loc;
  Type element;

  AddressBuilder(OpBuilder &b, GatherOp op)
      : b(b), loc(op.getLoc()),
        element(cast<ViewType>(op.getSource().getType()).getElementType()) {}
  AddressBuilder(OpBuilder &b, const AddressBuilder &other)
      : b(b), loc(other.loc), element(other.element) {}

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  Value constant(int64_t value) const {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value widen(Value value) const {
    if (value.getType().isIndex())
      return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), value);
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  }
  Value add(Value x, Value y) const {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  /// What is negative is large without its sign.
  Value below(Value index, Value size) const {
    return compare(arith::CmpIPredicate::ult, index, size);
  }
  /// Whether a number of bytes is a multiple of a power of two.
  Value isMultiple(Value bytes, int64_t of) const {
    Value rest = b.createOrFold<arith::AndIOp>(loc, bytes, constant(of - 1));
    return compare(arith::CmpIPredicate::eq, rest, constant(0));
  }
  void restrict(Value &all, Value condition) const {
    all = ThreadBuilder{b, loc}.both(all, condition);
  }
  Value global(Value pointer) const {
    return LLVM::AddrSpaceCastOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal), pointer);
  }
  Value advance(Value pointer, Value elements) const {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  }
  Value load(Type type, Value place, int64_t bytes) const {
    return LLVM::LoadOp::create(b, loc, type, place,
                                static_cast<unsigned>(bytes));
  }
};

/// A view whose elements are read one by one, at scalar indices along some
/// dimensions and at indices of 32 bits, which differ between elements, along
/// the others.
class GatheredView {
public:
  GatheredView(OpBuilder &builder, GatherOp op)
      : m(builder, op), view(op.getSource()), zeros(zerosAddress(builder, op)),
        base(m.global(view.pointer)) {
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      if (isa<RankedTensorType>(index.getType())) {
        varying.push_back(dim);
        continue;
      }
      Value wide = m.widen(index);
      m.restrict(inside, m.below(wide, view.sizes[dim]));
      base = m.advance(base, m.mul(wide, view.strides[dim]));
    }
    Value most = m.constant(std::numeric_limits<int32_t>::max());
    for (unsigned dim : varying)
      limits.push_back(arith::TruncIOp::create(
          m.b, m.loc, m.b.getI32Type(),
          arith::MinUIOp::create(m.b, m.loc, view.sizes[dim], most)));
  }

  /// The element at these indices along the dimensions that vary.
  Value load(ValueRange indices) const {
    auto [exists, place] = find(indices);
    if (exists)
      place = arith::SelectOp::create(m.b, m.loc, exists, place, zeros);
    return m.load(m.element, place, m.elementBytes());
  }

  /// The same, behind a branch.
  Value loadAlone(ValueRange indices) const {
    auto [exists, place] = find(indices);
    auto branch = scf::IfOp::create(m.b, m.loc, TypeRange{m.element}, exists,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder then = branch.getThenBodyBuilder(),
              otherwise = branch.getElseBodyBuilder();
    AddressBuilder inThen(then, m);
    Value loaded = inThen.load(m.element, place, m.elementBytes());
    scf::YieldOp::create(then, m.loc, loaded);
    Value zero = arith::ConstantOp::create(otherwise, m.loc,
                                           otherwise.getZeroAttr(m.element));
    scf::YieldOp::create(otherwise, m.loc, zero);
    return branch.getResult(0);
  }

private:
  /// Whether there is such an element (null: there is), and where.
  std::pair<Value, Value> find(ValueRange indices) const {
    Value exists = inside, place = base;
    for (auto [dim, limit, index] : llvm::zip_equal(varying, limits, indices)) {
      m.restrict(exists, m.below(index, limit));
      place = m.advance(place, m.mul(m.widen(index), view.strides[dim]));
    }
    return {exists, place};
  }

  AddressBuilder m;
  ViewParameters view;
  Value zeros, base, inside;
  SmallVector<unsigned> varying;
  SmallVector<Value> limits;
};

/// A gather that is a part of its source: indices that vary are the rows and
/// columns of the tile, or one of both.
class GatheredBlock {
public:
  static bool isOne(GatherOp op) {
    auto varies = [](Value index) {
      return isa<RankedTensorType>(index.getType());
    };
    return llvm::any_of(op.getIndices(), varies) &&
           llvm::all_of(op.getIndices(), [&](Value index) {
             return !varies(index) || index.getDefiningOp<IotaOp>();
           });
  }

  GatheredBlock(OpBuilder &builder, GatherOp op, FragmentAttr layout)
      : m(builder, op), layout(layout), view(op.getSource()), run(findRun(op)) {
    Value origin = m.constant(0);
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      auto iota = index.getDefiningOp<IotaOp>();
      origin = m.add(origin, iota ? enter(op, iota, dim) : enter(index, dim));
      dims.push_back(iota ? std::optional<unsigned>(iota.getDim())
                          : std::nullopt);
    }
    base = m.advance(m.global(view.pointer), origin);
    Value address =
        LLVM::PtrToIntOp::create(m.b, m.loc, m.b.getI64Type(), base);
    m.restrict(aligned, m.isMultiple(address, run * m.elementBytes()));
  }

  /// Whether the whole tile lies in the view: the same for all threads.
  Value isInside() const { return inside; }
  /// Whether runs of neighbours lie where they can be loaded at once.
  Value isAligned() const { return aligned; }

  /// The elements of a tile inside, by runs or one by one.
  SmallVector<Value> load(OpBuilder &builder, bool byRuns) const {
    AddressBuilder at(builder, m);
    int64_t count = byRuns ? run : 1;
    auto several = VectorType::get({count}, m.element);
    SmallVector<Value> elements;
    for (int64_t r = 0; r < layout.getNumRegisters(); r += count) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      Value distance = at.constant(0);
      for (auto [stride, dim] : llvm::zip(view.strides, dims))
        if (dim)
          distance =
              at.add(distance, at.mul(stride, at.constant(offset[*dim])));
      Value loaded = at.load(several, at.advance(base, distance),
                             count * m.elementBytes());
      llvm::append_range(
          elements,
          vector::ToElementsOp::create(builder, m.loc, loaded).getResults());
    }
    return elements;
  }

private:
  /// What a scalar index adds to the place of the tile.
  Value enter(Value index, unsigned dim) {
    Value wide = m.widen(index);
    m.restrict(inside, m.below(wide, view.sizes[dim]));
    return m.mul(wide, view.strides[dim]);
  }

  /// What rows or columns of the tile do, of the thread's first element.
  Value enter(GatherOp op, IotaOp iota, unsigned dim) {
    auto tile = cast<RankedTensorType>(op.getElements().getType());
    Value first = m.widen(iota.getStart()), size = view.sizes[dim],
          stride = view.strides[dim],
          end = m.add(first, m.constant(tile.getDimSize(iota.getDim())));
    m.restrict(inside, m.below(first, size));
    m.restrict(inside, m.compare(arith::CmpIPredicate::sle, end, size));
    if (dim + 1 < view.strides.size())
      m.restrict(aligned,
                 m.isMultiple(m.mul(stride, m.constant(m.elementBytes())),
                              run * m.elementBytes()));
    ThreadBuilder t{m.b, m.loc};
    Value own = m.widen(t.threadOffset(layout, iota.getDim()));
    return m.mul(m.add(first, own), stride);
  }

  /// Consecutive registers of neighbouring elements of the last dimension, from
  /// a multiple of their number on.
  int64_t findRun(GatherOp op) const {
    auto iota = op.getIndices().back().getDefiningOp<IotaOp>();
    if (!iota || layout.getRegisters().empty())
      return 1;
    unsigned dim = iota.getDim();
    FragmentAttr::Mode first = layout.getRegisterModes().front();
    for (auto [other, stride] : llvm::enumerate(first.strides))
      if (stride != (other == dim ? 1 : 0))
        return 1;
    auto fits = [&](int64_t several) {
      auto isWhole = [&](const FragmentAttr::Mode &mode) {
        return mode.strides[dim] % several == 0;
      };
      return several * m.elementBytes() <= kZeroBytes &&
             first.size % several == 0 &&
             llvm::all_of(layout.getThreadModes(), isWhole) &&
             llvm::all_of(llvm::drop_begin(layout.getRegisterModes()), isWhole);
    };
    int64_t several = 1;
    while (fits(2 * several))
      several *= 2;
    return several;
  }

  AddressBuilder m;
  FragmentAttr layout;
  ViewParameters view;
  int64_t run;
  /// The dimension of the tile that each of the source is along.
  SmallVector<std::optional<unsigned>> dims;
  Value base, inside, aligned;
};

struct GatherPattern : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<ViewType>(op.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "not of a view");
    FragmentAttr layout = fragmentOf(op.getElements().getType());
    if (!layout && isa<RankedTensorType>(op.getElements().getType()))
      return rewriter.notifyMatchFailure(op, "tile is not in registers");
    if (!layout)
      rewriter.replaceOp(op, GatheredView(rewriter, op).load({}));
    else if (GatheredBlock::isOne(op))
      rewriter.replaceOp(op, loadBlock(rewriter, op, adaptor, layout));
    else
      rewriter.replaceOp(
          op, loadOneByOne(rewriter, op, adaptor, layout, /*alone=*/false));
    return success();
  }

private:
  Value fromElements(OpBuilder &b, GatherOp op, ValueRange elements) const {
    Type type = getTypeConverter()->convertType(op.getElements().getType());
    return vector::FromElementsOp::create(b, op.getLoc(), type, elements);
  }

  Value loadOneByOne(OpBuilder &b, GatherOp op, OpAdaptor adaptor,
                     FragmentAttr layout, bool alone) const {
    SmallVector<SmallVector<Value>> places(layout.getNumRegisters());
    for (Value index : adaptor.getIndices())
      if (isa<VectorType>(index.getType()))
        for (auto [own, element] : llvm::zip(
                 places, vector::ToElementsOp::create(b, op.getLoc(), index)
                             .getResults()))
          own.push_back(element);
    GatheredView source(b, op);
    SmallVector<Value> elements;
    for (ArrayRef<Value> own : places)
      elements.push_back(alone ? source.loadAlone(own) : source.load(own));
    return fromElements(b, op, elements);
  }

  Value loadBlock(OpBuilder &b, GatherOp op, OpAdaptor adaptor,
                  FragmentAttr layout) const {
    GatheredBlock block(b, op, layout);
    Type type = getTypeConverter()->convertType(op.getElements().getType());
    auto choose = [&](OpBuilder &at, Value condition) {
      return scf::IfOp::create(at, op.getLoc(), TypeRange{type}, condition,
                               /*addThenBlock=*/true, /*addElseBlock=*/true);
    };
    auto yield = [&](OpBuilder at, function_ref<Value(OpBuilder &)> value) {
      scf::YieldOp::create(at, op.getLoc(), value(at));
    };
    scf::IfOp whole = choose(b, block.isInside());
    yield(whole.getThenBodyBuilder(), [&](OpBuilder &at) {
      scf::IfOp fast = choose(at, block.isAligned());
      for (bool byRuns : {true, false})
        yield(byRuns ? fast.getThenBodyBuilder() : fast.getElseBodyBuilder(),
              [&](OpBuilder &in) {
                return fromElements(in, op, block.load(in, byRuns));
              });
      return fast.getResult(0);
    });
    yield(whole.getElseBodyBuilder(), [&](OpBuilder &at) {
      return loadOneByOne(at, op, adaptor, layout, /*alone=*/true);
    });
    return whole.getResult(0);
  }
};

} // namespace

void attn::populateGatherPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<GatherPattern>(converter, patterns.getContext());
}
