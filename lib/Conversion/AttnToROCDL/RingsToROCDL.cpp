//===- RingsToROCDL.cpp - Rings in LDS, filled through registers ----------===//
//
// All threads of a CTA take part in every copy and read every tile, so barriers
// (Barriers.cpp) are all that a slot needs to be free or full.
//
//===----------------------------------------------------------------------===//

#include "../Fragments/SharedRuns.h"
#include "CopyPlan.h"
#include "LdsRing.h"
#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <vector>

using namespace mlir;
using namespace attn;

namespace {

/// The slot that a pending copy goes to, or null after a diagnostic.
RingIssueOp issueOf(RingLandOp land) {
  auto issue = land.getPending().getDefiningOp<RingIssueOp>();
  if (!issue)
    land.emitOpError("expected a copy straight from attn.ring.issue");
  return issue;
}

CopyPlan planOf(RingIssueOp op) {
  return {op.getSlot().getType().getTile(), threadsOf(op), op.getInBlocks()};
}

struct CreatePattern : OpConversionPattern<RingCreateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingCreateOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createRingCounter(rewriter, op, kPrivate));
    return success();
  }
};

struct AcquirePattern : OpConversionPattern<RingAcquireOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingAcquireOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOf(op.getRing())};
    rewriter.replaceOp(
        op, ring.slotOf(ring.t().add(ring.released(adaptor.getRing()),
                                     static_cast<int64_t>(op.getAhead()))));
    return success();
  }
};

struct IssuePattern : OpConversionPattern<RingIssueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingIssueOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getBy() != CopyKind::Registers)
      return rewriter.notifyMatchFailure(op, "not through registers");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    RankedTensorType tile = op.getSlot().getType().getTile();
    CopyPlan plan = planOf(op);
    std::vector<Window> windows = windowsOf(op, rewriter);
    int64_t rowsOfBlock = op.getBlockRows();
    SmallVector<Value> words;
    for (int64_t item = 0; item < plan.itemsPerThread(); ++item) {
      Place minor = plan.minor(t, item), major = plan.major(t, item);
      Value exists = plan.exists(t, item);
      int64_t width = plan.itemWidth();
      int64_t atOnce =
          std::min<int64_t>(width, static_cast<int64_t>(op.getChunk()) * 8 /
                                       tile.getElementTypeBitWidth());
      std::pair<int64_t, int64_t> rows = plan.rowsOf(item);
      int64_t firstBlock = rows.first / rowsOfBlock,
              lastBlock = rows.second / rowsOfBlock;
      auto load = [&](Value row, Value column, int64_t constant) {
        for (int64_t part = 0; part < width; part += atOnce) {
          Value loaded;
          for (int64_t block = firstBlock; block <= lastBlock; ++block) {
            Value own = loadOfBlock(t, windows, block, rowsOfBlock, row, column,
                                    constant + part, atOnce, exists,
                                    lastBlock > firstBlock);
            loaded = loaded
                         ? rewriter.createOrFold<arith::OrIOp>(loc, loaded, own)
                         : own;
          }
          llvm::append_range(
              words,
              vector::ToElementsOp::create(rewriter, loc, loaded).getResults());
        }
      };
      if (plan.hasFourRows()) {
        Value row =
            t.mul(t.add(minor.perThread, minor.constant), CopyPlan::kRows);
        Value column = t.mul(major.perThread, width);
        for (int64_t i = 0; i < CopyPlan::kRows; ++i)
          load(t.add(row, i), column, major.constant * width);
        continue;
      }
      load(t.add(major.perThread, major.constant),
           t.mul(minor.perThread, width), 0);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, VectorType::get({plan.words()}, rewriter.getI32Type()), words);
    return success();
  }

private:
  /// Of each block of the tile.
  static std::vector<Window> windowsOf(RingIssueOp op,
                                       ConversionPatternRewriter &rewriter) {
    RankedTensorType tile = op.getSlot().getType().getTile();
    SmallVector<int64_t> shape{op.getBlockRows(), tile.getDimSize(1)};
    SmallVector<Value> offsets = offsetsOfCopy(op, rewriter);
    std::vector<Window> windows;
    Value until = op.getUntil();
    windows.emplace_back(rewriter, op.getLoc(), op.getView(), offsets, shape,
                         until);
    // What ends the tile is as many rows closer from block to block.
    IndexBuilder m{rewriter, op.getLoc()};
    for (Value first : op.getBlocks()) {
      offsets[0] = first;
      if (until)
        until = m.sub(until, m.constant(op.getBlockRows()));
      windows.emplace_back(rewriter, op.getLoc(), op.getView(), offsets, shape,
                           until);
    }
    return windows;
  }

  /// What a thread loads of one block, zeros where its row lies in another.
  static Value loadOfBlock(ThreadBuilder t, ArrayRef<Window> windows,
                           int64_t block, int64_t rows, Value row, Value column,
                           int64_t constant, int64_t count, Value exists,
                           bool several) {
    if (block > 0)
      row = t.add(row, -block * rows);
    // What is negative is large without its sign.
    if (several)
      exists = t.both(exists, arith::CmpIOp::create(t.b, t.loc,
                                                    arith::CmpIPredicate::ult,
                                                    row, t.constant(rows)));
    return windows[block].load(row, column, constant, count, exists);
  }
};

struct LandPattern : OpConversionPattern<RingLandOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingLandOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingIssueOp issue = issueOf(op);
    if (!issue || issue.getBy() != CopyKind::Registers)
      return failure();
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    auto acquire = issue.getSlot().getDefiningOp<RingAcquireOp>();
    RingBuilder ring{rewriter, loc, ringOf(acquire.getRing())};
    Value base = ring.data(rewriter.getRemappedValue(issue.getSlot()));
    CopyPlan plan = planOf(issue);
    SmallVector<Value> words = llvm::to_vector_of<Value>(
        vector::ToElementsOp::create(rewriter, loc, adaptor.getPending())
            .getResults());
    for (int64_t item = 0; item < plan.itemsPerThread(); ++item) {
      auto own = ArrayRef(words).slice(item * plan.wordsPerItem(),
                                       plan.wordsPerItem());
      auto write = [&](OpBuilder &, Location) {
        SharedTile tile(ring.type().getTile(), t);
        if (plan.isTransposed())
          writeTransposed(plan, item, tile, base, own, t);
        else if (plan.hasFourRows())
          writeRows(plan, item, tile, base, own, t);
        else
          writeChunk(plan, item, tile, base, own, t);
      };
      Value exists = plan.exists(t, item);
      if (!exists) {
        write(rewriter, loc);
        continue;
      }
      scf::IfOp::create(
          rewriter, loc, exists, [&](OpBuilder &nested, Location) {
            OpBuilder::InsertionGuard guard(rewriter);
            rewriter.setInsertionPoint(nested.getInsertionBlock(),
                                       nested.getInsertionPoint());
            write(rewriter, loc);
            scf::YieldOp::create(rewriter, loc);
          });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value combine(ThreadBuilder t, ArrayRef<Value> words) {
    return vector::FromElementsOp::create(
        t.b, t.loc,
        VectorType::get({static_cast<int64_t>(words.size())}, t.b.getI32Type()),
        words);
  }

  /// Offset of a chunk in its panel, with a row of which only the thread's
  /// part, or a multiple of what the places of chunks repeat after, matters to
  /// the swizzle.
  static Value offsetInPanel(const SharedTile &tile, ThreadBuilder t, Value row,
                             Value chunk) {
    return tile.perThread(row, t.rem(row, tile.swizzleRows()),
                          t.rem(chunk, tile.chunksPerPanel()));
  }
  /// Adds the offset of the chunk's panel.
  static Value addPanel(const SharedTile &tile, ThreadBuilder t, Value offset,
                        Value chunk) {
    if (tile.numPanels() == 1)
      return offset;
    Value panel = t.div(chunk, tile.chunksPerPanel());
    return t.add(offset, t.mul(panel, tile.panelDistance()));
  }

  static void writeChunk(const CopyPlan &plan, int64_t item,
                         const SharedTile &tile, Value base,
                         ArrayRef<Value> words, ThreadBuilder t) {
    Place row = plan.major(t, item), chunk = plan.minor(t, item);
    int64_t constant = 0;
    if (row.constant % tile.swizzleRows() == 0)
      constant = row.constant * tile.panelBytes();
    else
      row.perThread = t.add(row.perThread, row.constant);
    Value offset = offsetInPanel(tile, t, row.perThread, chunk.perThread);
    offset = addPanel(tile, t, offset, chunk.perThread);
    SmallVector<Value> ordered(words);
    if (tile.exchangesHalves())
      offset = exchangeHalves(offset, ordered, t);
    LLVM::StoreOp::create(t.b, t.loc, combine(t, ordered),
                          ldsAt(t.b, t.loc, t.add(base, offset), constant), 16);
  }

  /// The words of a chunk in the order in which they lie at `offset`; returns
  /// where the chunk begins.
  static Value exchangeHalves(Value offset, SmallVectorImpl<Value> &words,
                              ThreadBuilder t) {
    constexpr int64_t kHalf = 8;
    Value half = t.rem(t.div(offset, kHalf), 2);
    Value plain = t.equals(half, 0);
    SmallVector<Value> from = llvm::to_vector(words);
    for (unsigned i = 0; i < 4; ++i)
      words[i] = arith::SelectOp::create(t.b, t.loc, plain, from[i],
                                         from[(i + 2) % 4]);
    return t.bitXor(offset, t.mul(half, kHalf));
  }

  static Value groupOf(const CopyPlan &plan, int64_t item, ThreadBuilder t) {
    Place group = plan.minor(t, item);
    return t.add(group.perThread, group.constant);
  }

  /// The item's part of each of four rows.
  static void writeRows(const CopyPlan &plan, int64_t item,
                        const SharedTile &tile, Value base,
                        ArrayRef<Value> words, ThreadBuilder t) {
    Place columns = plan.major(t, item);
    int64_t bytes = plan.itemWidth() * tile.elementBytes();
    Value first = t.mul(groupOf(plan, item, t), CopyPlan::kRows);
    Value byte = t.mul(t.add(columns.perThread, columns.constant), bytes);
    Value chunk = t.div(byte, SharedTile::kChunkBytes);
    Value offset = offsetInPanel(tile, t, first, chunk);
    Value inChunk = t.rem(byte, SharedTile::kChunkBytes);
    offset = tile.exchangesHalves() ? t.bitXor(offset, inChunk)
                                    : t.add(offset, inChunk);
    // As below: what rows exchange comes in front of the panel's offset.
    base = addPanel(tile, t, base, chunk);
    int64_t perRow = bytes / 4;
    for (int64_t i = 0; i < CopyPlan::kRows; ++i) {
      SharedTile::Offset at = tile.atRow(offset, i);
      Value place = t.bitXor(at.perThread, t.constant(at.flip));
      SmallVector<Value> own(words.slice(i * perRow, perRow));
      if (perRow == 4 && tile.exchangesHalves())
        place = exchangeHalves(place, own, t);
      LLVM::StoreOp::create(t.b, t.loc, combine(t, own),
                            ldsAt(t.b, t.loc, t.add(base, place), at.constant),
                            static_cast<unsigned>(bytes));
    }
  }

  /// Of columns of 16-bit elements, of which `words` have `width` a row, row
  /// after row: the four elements of one, when it is asked for.
  static std::function<Value(int64_t)>
  transposeHalves(ArrayRef<Value> words, int64_t width, ThreadBuilder t) {
    auto row = VectorType::get({width}, t.b.getI16Type());
    SmallVector<ResultRange> rows;
    for (int64_t i = 0; i < CopyPlan::kRows; ++i) {
      Value part = combine(t, words.slice(i * width / 2, width / 2));
      rows.push_back(
          vector::ToElementsOp::create(
              t.b, t.loc, vector::BitCastOp::create(t.b, t.loc, row, part))
              .getResults());
    }
    return [rows = std::move(rows), t](int64_t e) -> Value {
      auto quad = VectorType::get({CopyPlan::kRows}, t.b.getI16Type());
      SmallVector<Value> elements;
      for (ResultRange list : rows)
        elements.push_back(list[e]);
      return vector::FromElementsOp::create(t.b, t.loc, quad, elements);
    };
  }

  /// Of columns of bytes the words that four of them make.
  static SmallVector<Value> transposeBytes(ArrayRef<Value> words, int64_t width,
                                           ThreadBuilder t) {
    int64_t perRow = width / 4;
    SmallVector<Value> columns;
    for (int64_t w = 0; w < perRow; ++w) {
      // Bytes 0 and 1, or 2 and 3, of two rows, in pairs; then pairs of pairs.
      auto pairs = [&](int64_t i, uint32_t bytes) {
        return permuteBytes(words[i * perRow + w], words[(i + 1) * perRow + w],
                            bytes, t);
      };
      for (uint32_t bytes : {0x05010400, 0x07030602}) {
        Value upper = pairs(0, bytes), lower = pairs(2, bytes);
        columns.push_back(permuteBytes(upper, lower, 0x05040100, t));
        columns.push_back(permuteBytes(upper, lower, 0x07060302, t));
      }
    }
    return columns;
  }

  /// Bytes of two words by their numbers in `selector`, 0 to 3 of `first` and 4
  /// to 7 of `second` (AMD CDNA 3 ISA, "V_PERM_B32").
  static Value permuteBytes(Value first, Value second, uint32_t selector,
                            ThreadBuilder t) {
    auto chosen = t.constant(static_cast<int32_t>(selector));
    return LLVM::CallIntrinsicOp::create(t.b, t.loc, t.b.getI32Type(),
                                         t.b.getStringAttr("llvm.amdgcn.perm"),
                                         ValueRange{second, first, chosen})
        .getResult(0);
  }

  /// Four elements of each of the item's columns at a time.
  static void writeTransposed(const CopyPlan &plan, int64_t item,
                              const SharedTile &tile, Value base,
                              ArrayRef<Value> words, ThreadBuilder t) {
    OpBuilder &b = t.b;
    Location loc = t.loc;
    int64_t width = plan.itemWidth(),
            bytes = CopyPlan::kRows * tile.elementBytes(),
            inChunk = SharedTile::kChunkBytes / bytes;
    std::function<Value(int64_t)> column;
    if (tile.elementBytes() == 1)
      column = [all = transposeBytes(words, width, t)](int64_t e) {
        return all[e];
      };
    else
      column = transposeHalves(words, width, t);
    Place columns = plan.major(t, item);
    Value group = groupOf(plan, item, t);
    // Columns of the tile are rows in memory.
    Value first = t.mul(t.add(columns.perThread, columns.constant), width);
    Value chunk = t.div(group, inChunk);
    Value offset = offsetInPanel(tile, t, first, chunk);
    // A panel's offset may have the bit that rows exchange: it comes behind it.
    if (tile.exchangesRows())
      base = addPanel(tile, t, base, chunk);
    else
      offset = addPanel(tile, t, offset, chunk);
    Value part = t.mul(t.rem(group, inChunk), bytes);
    offset =
        tile.exchangesHalves() ? t.bitXor(offset, part) : t.add(offset, part);
    for (int64_t e = 0; e < width; ++e) {
      SharedTile::Offset at = tile.atRow(offset, e);
      Value place = t.bitXor(at.perThread, t.constant(at.flip));
      Value four = column(e);
      LLVM::StoreOp::create(b, loc, four,
                            ldsAt(b, loc, t.add(base, place), at.constant),
                            static_cast<unsigned>(bytes));
    }
  }
};

struct WaitPattern : OpConversionPattern<RingWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRows())
      return op.emitOpError("expected no rows to clear: copies by registers "
                            "leave them out (`until` of attn.ring.issue)");
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOf(op.getRing())};
    rewriter.replaceOp(
        op, ring.data(ring.slotOf(ring.released(adaptor.getRing()))));
    return success();
  }
};

struct ReleasePattern : OpConversionPattern<RingReleaseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingReleaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingBuilder ring{rewriter, op.getLoc(), ringOf(op.getRing())};
    if (ring.slots() > 1)
      LLVM::StoreOp::create(rewriter, op.getLoc(),
                            ring.t().add(ring.released(adaptor.getRing()), 1),
                            adaptor.getRing());
    rewriter.eraseOp(op);
    return success();
  }
};

/// From registers to LDS. Barriers say when the slot is full.
struct PutPattern : OpConversionPattern<RingPutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingPutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
    if (!layout || !acquire)
      return rewriter.notifyMatchFailure(op, "not from registers to a slot");
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOf(acquire.getRing())};
    Value base = ring.data(adaptor.getSlot());
    // No barrier stands between what lanes of a wave exchange.
    bool alone = ring.ring.staysInWarps(kLanes);
    if (alone)
      warpFence(rewriter, loc);
    writeToShared(ring.t(), ring.type().getTile(), layout, adaptor.getTile(),
                  [&](Value offset) {
                    return ldsAt(rewriter, loc, ring.t().add(base, offset), 0);
                  });
    if (alone)
      warpFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

/// From LDS to registers, as many neighbours at once as a chunk has.
struct FetchPattern : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    FragmentAttr layout = fragmentOf(op.getType());
    if (!sharedOf(source) || !layout)
      return rewriter.notifyMatchFailure(op, "not from LDS to registers");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    SharedTile tile(source, t);
    Value row = t.threadOffset(layout, 0), column = t.threadOffset(layout, 1);
    int64_t run = runInChunk(source, layout);
    auto type = VectorType::get({run}, source.getElementType());
    SmallVector<Value> elements;
    for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      Value place =
          tile.element(t.add(row, offset[0]), t.add(column, offset[1]));
      Value loaded = LLVM::LoadOp::create(
          rewriter, loc, type,
          ldsAt(rewriter, loc, t.add(adaptor.getSource(), place), 0),
          static_cast<unsigned>(run * source.getElementTypeBitWidth() / 8));
      llvm::append_range(
          elements,
          vector::ToElementsOp::create(rewriter, loc, loaded).getResults());
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, getTypeConverter()->convertType(op.getType()), elements);
    return success();
  }
};

} // namespace

SmallVector<Value> attn::offsetsOfCopy(RingIssueOp op, OpBuilder &b) {
  // Beyond every view: indices are smaller.
  constexpr int64_t kNowhere = int64_t(1) << 30;
  SmallVector<Value> offsets = llvm::to_vector(op.getOffsets());
  auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
  if (!acquire.getWhen())
    return offsets;
  Location loc = op.getLoc();
  Value &row = offsets[offsets.size() - 2];
  Value nowhere = arith::ConstantIndexOp::create(b, loc, kNowhere);
  row = arith::SelectOp::create(b, loc, acquire.getWhen(), row, nowhere);
  return offsets;
}

int64_t attn::wordsOfCopy(RankedTensorType tile, int64_t threads) {
  return CopyPlan(tile, threads).words();
}

void attn::populateLdsRingPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<AcquirePattern, CreatePattern, FetchPattern, IssuePattern,
               LandPattern, PutPattern, ReleasePattern, WaitPattern>(
      converter, patterns.getContext());
}
