//===- MasksToROCDL.cpp - Scores that masks remove ------------------------===//
//
// A comparison of each element takes two scalar registers, of which there are
// about a hundred, and the select that reads them waits for it. Masks by bounds
// of a row's columns need neither: one register says which of 32 columns of a
// row stay, and an element takes two instructions, v_bfe_i32 and v_bfi_b32 (AMD
// CDNA 3 ISA, "VOP3 instructions").
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kBits = 32;

/// Whether the elements of a row are one number.
bool isRowWise(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_if_present<IotaOp>(op))
    return iota.getDim() == 0;
  if (auto constant = dyn_cast_if_present<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa_and_nonnull<tensor::SplatOp, BroadcastOp>(op))
    return true;
  return op && op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), isRowWise);
}

/// A bound of the columns that stay in a row: `tile` + `more`.
struct Bound {
  Value tile;
  int64_t more;
};

/// The columns that a condition is true for.
struct Band {
  /// What columns are counted from.
  Value start;
  /// The first column, and the one behind the last.
  SmallVector<Bound> from, to;

  /// Whether `keep` holds between bounds of a row and nowhere else.
  bool add(Value keep) {
    if (auto both = keep.getDefiningOp<arith::AndIOp>())
      return add(both.getLhs()) && add(both.getRhs());
    auto compare = keep.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return false;
    if (auto columns = columnsOf(compare.getLhs()))
      return addBound(columns, compare.getPredicate(), compare.getRhs());
    if (auto columns = columnsOf(compare.getRhs()))
      return addBound(columns, swapped(compare.getPredicate()),
                      compare.getLhs());
    return false;
  }

private:
  static IotaOp columnsOf(Value tile) {
    auto iota = tile.getDefiningOp<IotaOp>();
    return iota && iota.getDim() == 1 ? iota : IotaOp();
  }

  /// The same order with its operands exchanged, where bounds have one.
  static arith::CmpIPredicate swapped(arith::CmpIPredicate predicate) {
    using arith::CmpIPredicate;
    switch (predicate) {
    case CmpIPredicate::slt:
      return CmpIPredicate::sgt;
    case CmpIPredicate::sle:
      return CmpIPredicate::sge;
    case CmpIPredicate::sgt:
      return CmpIPredicate::slt;
    case CmpIPredicate::sge:
      return CmpIPredicate::sle;
    default:
      return predicate;
    }
  }

  /// Columns that stand to `bound` as `predicate` says.
  bool addBound(IotaOp columns, arith::CmpIPredicate predicate, Value bound) {
    using arith::CmpIPredicate;
    if ((start && start != columns.getStart()) || !isRowWise(bound))
      return false;
    start = columns.getStart();
    switch (predicate) {
    case CmpIPredicate::slt:
      to.push_back({bound, 0});
      return true;
    case CmpIPredicate::sle:
      to.push_back({bound, 1});
      return true;
    case CmpIPredicate::sge:
      from.push_back({bound, 0});
      return true;
    case CmpIPredicate::sgt:
      from.push_back({bound, 1});
      return true;
    default:
      return false;
    }
  }
};

/// Registers of a thread that lie in one row, by their columns: `run` each,
/// `period` columns from one run to the next.
struct RowRegisters {
  SmallVector<int64_t> registers;
  int64_t run = 0, period = 0;
};

/// The rows of a thread's registers, or nothing where their columns are
/// irregular.
std::optional<SmallVector<RowRegisters>> rowsOf(FragmentAttr layout) {
  llvm::MapVector<int64_t, SmallVector<std::pair<int64_t, int64_t>>> rows;
  for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
    SmallVector<int64_t> offset = layout.getRegisterOffset(r);
    rows[offset[0]].emplace_back(offset[1], r);
  }
  SmallVector<RowRegisters> result;
  for (auto &[row, columns] : rows) {
    llvm::sort(columns);
    int64_t count = columns.size(), run = 1;
    while (run < count && columns[run].first == run)
      ++run;
    int64_t period = run == count ? run : columns[run].first;
    RowRegisters of{{}, run, period};
    for (auto [i, column] : llvm::enumerate(columns)) {
      if (column.first != static_cast<int64_t>(i) / run * period +
                              static_cast<int64_t>(i) % run)
        return std::nullopt;
      of.registers.push_back(column.second);
    }
    if (count % run != 0)
      return std::nullopt;
    result.push_back(of);
  }
  return result;
}

/// A bound of one row, and what is added to it.
using BoundOfRow = std::pair<Value, int64_t>;

/// Keeps the elements of one row.
class RowKeeper {
public:
  RowKeeper(ThreadBuilder t, const RowRegisters &row, Value firstColumn)
      : t(t), row(row), firstColumn(firstColumn) {}

  /// Registers of which bit i says whether the i-th element stays.
  SmallVector<Value> keptBits(ArrayRef<BoundOfRow> from,
                              ArrayRef<BoundOfRow> to) {
    SmallVector<Value> words(llvm::divideCeil(row.registers.size(), kBits));
    for (auto [bounds, upper] : {std::pair(to, true), std::pair(from, false)})
      for (const BoundOfRow &bound : bounds) {
        Value count = countBelow(bound.first, bound.second);
        for (auto [i, word] : llvm::enumerate(words)) {
          Value below = bitsBelow(count, i);
          Value kept = upper ? below : t.bitXor(below, t.constant(-1));
          word = word ? arith::AndIOp::create(t.b, t.loc, word, kept) : kept;
        }
      }
    return words;
  }

  /// `score` where bit i is set, else `other`.
  Value keep(ArrayRef<Value> words, int64_t i, Value score, Value other) {
    OpBuilder &b = t.b;
    Type word = b.getI32Type();
    Value mask =
        LLVM::CallIntrinsicOp::create(
            b, t.loc, word, b.getStringAttr("llvm.amdgcn.sbfe.i32"),
            ValueRange{words[i / kBits], t.constant(i % kBits), t.constant(1)})
            .getResult(0);
    Value kept = arith::AndIOp::create(
        b, t.loc, arith::BitcastOp::create(b, t.loc, word, score), mask);
    Value rest = arith::AndIOp::create(
        b, t.loc, arith::BitcastOp::create(b, t.loc, word, other),
        t.bitXor(mask, t.constant(-1)));
    return arith::BitcastOp::create(b, t.loc, score.getType(),
                                    arith::OrIOp::create(b, t.loc, kept, rest));
  }

private:
  Value clamp(Value x, int64_t least, int64_t most) {
    x = arith::MaxSIOp::create(t.b, t.loc, x, t.constant(least));
    return arith::MinSIOp::create(t.b, t.loc, x, t.constant(most));
  }

  /// Elements in front of column `bound` + `more`, which is added where it
  /// cannot overflow. A tile is visited for some of its rows, so that no bound
  /// of another is further from it than the mask is wide, and a tile is high.
  Value countBelow(Value bound, int64_t more) {
    int64_t count = row.registers.size(), span = count / row.run * row.period;
    Value x = arith::SubIOp::create(t.b, t.loc, bound, firstColumn);
    x = clamp(x, -more, span - more);
    if (more)
      x = t.add(x, more);
    if (row.run == row.period)
      return x;
    Value rest = arith::MinSIOp::create(t.b, t.loc, t.rem(x, row.period),
                                        t.constant(row.run));
    return t.add(t.mul(t.div(x, row.period), row.run), rest);
  }

  /// The bits of the first `count` elements, in word `i` of them.
  Value bitsBelow(Value count, int64_t i) {
    OpBuilder &b = t.b;
    Value here = i == 0 ? count : t.add(count, -i * kBits);
    // All 32 bits may be set.
    Type wide = b.getI64Type();
    Value ones = arith::ConstantIntOp::create(b, t.loc, wide, -1);
    Value above = arith::ShLIOp::create(
        b, t.loc, ones,
        arith::ExtUIOp::create(b, t.loc, wide, clamp(here, 0, kBits)));
    return t.bitXor(arith::TruncIOp::create(b, t.loc, b.getI32Type(), above),
                    t.constant(-1));
  }

  ThreadBuilder t;
  const RowRegisters &row;
  Value firstColumn;
};

/// A select of scores by bounds of their columns.
struct BandPattern : OpConversionPattern<arith::SelectOp> {
  BandPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getType());
    Band band;
    if (!layout || layout.getRank() != 2 ||
        !getElementTypeOrSelf(op.getType()).isF32() ||
        !band.add(op.getCondition()))
      return rewriter.notifyMatchFailure(op, "no bounds of columns");
    auto rows = rowsOf(layout);
    if (!rows)
      return rewriter.notifyMatchFailure(op, "irregular columns");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Value firstColumn = t.add(t.narrow(rewriter.getRemappedValue(band.start)),
                              t.threadOffset(layout, 1));
    auto scores =
        vector::ToElementsOp::create(rewriter, loc, adaptor.getTrueValue());
    auto others =
        vector::ToElementsOp::create(rewriter, loc, adaptor.getFalseValue());
    SmallVector<Value> results(layout.getNumRegisters());
    for (const RowRegisters &row : *rows) {
      RowKeeper keeper(t, row, firstColumn);
      SmallVector<Value> words =
          keeper.keptBits(boundsAt(band.from, row, loc, rewriter),
                          boundsAt(band.to, row, loc, rewriter));
      for (auto [i, r] : llvm::enumerate(row.registers))
        results[r] =
            keeper.keep(words, i, scores.getResult(r), others.getResult(r));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, cast<VectorType>(adaptor.getTrueValue().getType()), results);
    return success();
  }

private:
  /// The bounds of one row of a thread.
  static SmallVector<BoundOfRow> boundsAt(ArrayRef<Bound> bounds,
                                          const RowRegisters &row, Location loc,
                                          ConversionPatternRewriter &rewriter) {
    return llvm::map_to_vector(bounds, [&](const Bound &bound) {
      Value vector = rewriter.getRemappedValue(bound.tile);
      Value number = vector::ExtractOp::create(rewriter, loc, vector,
                                               row.registers.front());
      return BoundOfRow(number, bound.more);
    });
  }
};

} // namespace

void attn::populateBandPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<BandPattern>(converter, patterns.getContext());
}
