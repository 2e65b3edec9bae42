//===- StoreColumns.cpp - Rows of tiles as columns of views ---------------===//
//
// A thread has 16 x 16 elements of 8 bits. Those of four rows and four columns
// are exchanged as words, two steps of two words each, and 16 elements of a
// column are one store.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

static constexpr int64_t kBlock = InterleaveOp::kGroup, kWord = 4;

namespace {

struct StoreColumnsPattern : OpConversionPattern<StoreColumnsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreColumnsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    FragmentAttr layout = fragmentOf(type);
    if (layout != blocksOfThreads(op.getContext(), type.getDimSize(0),
                                  type.getDimSize(1)))
      return rewriter.notifyMatchFailure(op, "threads have no blocks");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Value key = t.threadOffset(layout, 0), column = t.threadOffset(layout, 1);
    auto turned = RankedTensorType::get(
        {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    Destination destination(rewriter, loc, op.getView(), op.getOffsets(),
                            turned);
    auto elements =
        vector::ToElementsOp::create(rewriter, loc, adaptor.getTile());
    for (int64_t first = 0; first < kBlock; first += kWord) {
      SmallVector<SmallVector<Value>> words(kWord);
      for (int64_t place = 0; place < kBlock; place += kWord)
        for (auto [own, word] :
             llvm::zip(words, exchange(rewriter, loc, elements.getResults(),
                                       first, place)))
          own.push_back(word);
      for (auto [number, own] : llvm::enumerate(words)) {
        SmallVector<Value> coordinates{
            t.add(column, first + static_cast<int64_t>(number)), key};
        destination.store(joined(rewriter, loc, own), coordinates,
                          destination.contains(coordinates), kBlock);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// For each of four columns from `first` on the elements of four places, of
  /// words of four neighbours.
  static SmallVector<Value> exchange(OpBuilder &b, Location loc,
                                     ValueRange words, int64_t first,
                                     int64_t place) {
    auto one = VectorType::get({1}, b.getI32Type()),
         bytes = VectorType::get({kWord}, b.getI8Type());
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kWord; ++i) {
      int64_t row = InterleaveOp::sourceOf(place + i);
      Value word = words[(row * kBlock + first) / kWord];
      rows.push_back(vector::BitCastOp::create(
          b, loc, bytes, vector::FromElementsOp::create(b, loc, one, word)));
    }
    auto mix = [&](Value x, Value y, ArrayRef<int64_t> order) -> Value {
      return vector::ShuffleOp::create(b, loc, x, y, order);
    };
    constexpr int64_t kLow[] = {0, 4, 1, 5}, kHigh[] = {2, 6, 3, 7},
                      kFirst[] = {0, 1, 4, 5}, kSecond[] = {2, 3, 6, 7};
    Value low[] = {mix(rows[0], rows[1], kLow), mix(rows[2], rows[3], kLow)},
          high[] = {mix(rows[0], rows[1], kHigh), mix(rows[2], rows[3], kHigh)};
    return {mix(low[0], low[1], kFirst), mix(low[0], low[1], kSecond),
            mix(high[0], high[1], kFirst), mix(high[0], high[1], kSecond)};
  }

  /// Words one behind the other.
  static Value joined(OpBuilder &b, Location loc, ArrayRef<Value> words) {
    auto one = VectorType::get({1}, b.getI32Type()),
         all = VectorType::get({static_cast<int64_t>(words.size())},
                               b.getI32Type());
    SmallVector<Value> numbers;
    for (Value word : words)
      numbers.push_back(vector::ExtractOp::create(
          b, loc, vector::BitCastOp::create(b, loc, one, word), 0));
    return vector::FromElementsOp::create(b, loc, all, numbers);
  }
};

} // namespace

void attn::populateStoreColumnsPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<StoreColumnsPattern>(converter, patterns.getContext());
}
