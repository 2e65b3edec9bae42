//===- BulkAdditions.cpp - Additions by the tensor memory accelerator -----===//
//
// Who put the tile has written it, and made it visible to the asynchronous
// proxy, before the barrier of the slot. One thread starts a copy for each
// panel, which adds, and waits until the memory has been read. PTX ISA,
// "cp.reduce.async.bulk.tensor".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace attn;

namespace {

struct BulkAccumulatePattern : OpConversionPattern<AccumulateOp> {
  BulkAccumulatePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(AccumulateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.isOutOfRing())
      return rewriter.notifyMatchFailure(op, "tile is not in shared memory");
    onFirstThread(rewriter, op, [&](OpBuilder &b) {
      add(b, op, adaptor.getTile());
      NVVM::CpAsyncBulkCommitGroupOp::create(b, op.getLoc());
      NVVM::CpAsyncBulkWaitGroupOp::create(b, op.getLoc(), uint32_t(0),
                                           b.getUnitAttr());
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Nothing is added to what lies outside of the view.
  static void add(OpBuilder &b, AccumulateOp op, Value base) {
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    SharedTile tile(cast<RankedTensorType>(op.getTile().getType()), t);
    SmallVector<Value> coordinates;
    for (Value offset : llvm::reverse(op.getOffsets()))
      coordinates.push_back(t.narrow(offset));
    Value first = coordinates[0];
    for (int64_t panel = 0; panel < tile.numPanels(); ++panel) {
      coordinates[0] = t.add(first, panel * tile.panelColumns());
      NVVM::CpAsyncBulkTensorReduceOp::create(
          b, loc, ViewParameters(op.getView()).map,
          advance(b, loc, base, panel * tile.panelDistance()),
          NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE, coordinates,
          /*l2CacheHint=*/Value());
    }
  }
};

/// Columns between two pairs of a thread that rows take in turn: a panel has
/// two of them in each half.
constexpr int64_t kTurned = 16;
constexpr int64_t kPanelBytes = 128;

/// The numbers of registers by the offsets of the pairs that they begin.
llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t>
pairsOf(FragmentAttr layout) {
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> pairs;
  for (int64_t r = 0; r < layout.getNumRegisters(); r += 2) {
    SmallVector<int64_t> offset = layout.getRegisterOffset(r);
    pairs[{offset[0], offset[1]}] = r;
  }
  return pairs;
}

bool isMode(const FragmentAttr::Mode &mode, int64_t size,
            ArrayRef<int64_t> strides) {
  return mode.size == size && mode.strides == strides;
}

} // namespace

bool attn::writesPairs(FragmentAttr layout, RankedTensorType shared) {
  auto threads = layout.getThreadModes(), registers = layout.getRegisterModes();
  if (!shared.getElementType().isF32() || !sharedOf(shared).isPlain() ||
      sharedOf(shared).getSpan() != kPanelBytes || threads.size() < 2 ||
      !isMode(threads[0], 4, {0, 2}) || !isMode(threads[1], 8, {1, 0}) ||
      registers.empty() || !isMode(registers[0], 2, {0, 1}))
    return false;
  for (const FragmentAttr::Mode &mode : llvm::drop_begin(threads, 2))
    if (mode.strides[0] % kMatrix != 0 || mode.strides[1] % (2 * kTurned) != 0)
      return false;
  auto pairs = pairsOf(layout);
  return llvm::all_of(pairs, [&](const auto &pair) {
    auto [row, column] = pair.first;
    return row % kMatrix == 0 && column % kMatrix == 0 &&
           pairs.contains({row, column ^ kTurned});
  });
}

void attn::writePairs(ThreadBuilder t, FragmentAttr layout,
                      RankedTensorType shared, Value elements, Value base) {
  constexpr int64_t kChunkColumns = 4;
  SharedTile tile(shared, t);
  Value row = t.threadOffset(layout, 0), column = t.threadOffset(layout, 1),
        odd = t.rem(row, 2), inPanel = t.rem(column, tile.panelColumns());
  Value chunk =
      t.add(t.div(inPanel, kChunkColumns), t.mul(odd, kTurned / kChunkColumns));
  Value first =
      t.add(t.add(tile.perThread(row, t.rem(row, kMatrix), chunk),
                  t.mul(t.rem(inPanel, kChunkColumns), tile.elementBytes())),
            t.mul(t.div(column, tile.panelColumns()), tile.panelDistance()));
  Value isOdd = t.equals(odd, 1);
  auto registers = vector::ToElementsOp::create(t.b, t.loc, elements);
  auto pairs = pairsOf(layout);
  auto store = [&](int64_t ifEven, int64_t ifOdd, int64_t atRow,
                   int64_t atColumn) {
    SmallVector<Value> values;
    for (int64_t i : {0, 1})
      values.push_back(arith::SelectOp::create(
          t.b, t.loc, isOdd, registers.getResult(ifOdd + i),
          registers.getResult(ifEven + i)));
    auto type = VectorType::get({2}, shared.getElementType());
    LLVM::StoreOp::create(
        t.b, t.loc, vector::FromElementsOp::create(t.b, t.loc, type, values),
        sharedAt(t.b, t.loc, base,
                 tile.at(first, atRow, atColumn / kChunkColumns)),
        2 * tile.elementBytes());
  };
  for (int64_t r = 0; r < layout.getNumRegisters(); r += 2) {
    SmallVector<int64_t> offset = layout.getRegisterOffset(r);
    int64_t other = pairs.lookup({offset[0], offset[1] ^ kTurned});
    store(r, other, offset[0], offset[1]);
  }
}

void attn::populateBulkAdditionPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<BulkAccumulatePattern>(converter, patterns.getContext());
}
