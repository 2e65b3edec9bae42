//===- ExchangeColumns.cpp - Words that lanes of a row exchange -----------===//
//
// Four lanes hold a row of an accumulator, two columns of each eight. Of every
// 32 columns a lane has four words, one of each eight, and wants those of one
// eight: the transpose of four by four words, by two exchanges of two words
// each.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kLanesOfRow = 4, kInWord = 2, kInChunk = 8;

/// What the lanes of a row do with one block of their words.
struct Quad {
  ThreadBuilder t;
  /// Whether the lane is in the upper half of two, and of four.
  Value odd, upper;

  Quad(ThreadBuilder t) : t(t) {
    Value lane = t.rem(t.thread(), kLanesOfRow);
    odd = t.equals(t.rem(lane, 2), 1);
    upper = arith::CmpIOp::create(t.b, t.loc, arith::CmpIPredicate::sge, lane,
                                  t.constant(2));
  }

  Value select(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(t.b, t.loc, condition, yes, no);
  }

  /// The lower lane gives `second` for the upper lane's `first`.
  void exchange(Value isUpper, int64_t mask, Value &first,
                Value &second) const {
    Value sent = select(isUpper, first, second);
    Value got = gpu::ShuffleOp::create(t.b, t.loc, sent, mask, kWarpThreads,
                                       gpu::ShuffleMode::XOR)
                    .getShuffleResult();
    first = select(isUpper, got, first);
    second = select(isUpper, second, got);
  }

  void transpose(MutableArrayRef<Value> words) const {
    exchange(odd, 1, words[0], words[1]);
    exchange(odd, 1, words[2], words[3]);
    exchange(upper, 2, words[0], words[2]);
    exchange(upper, 2, words[1], words[3]);
  }
};

/// Of an accumulator to eight columns that follow each other.
struct ExchangePattern : OpConversionPattern<ConvertLayoutOp> {
  ExchangePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/3) {}

  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr from = fragmentOf(op.getSource().getType()),
                 to = fragmentOf(op.getType());
    if (!from || !to || exchangedColumns(from) != to ||
        op.getType().getElementTypeBitWidth() != 16)
      return rewriter.notifyMatchFailure(op, "no accumulator of 16 bits");
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getSource().getType());
    auto packed = VectorType::get({type.getNumElements() / kInWord},
                                  rewriter.getI32Type());
    auto words = vector::ToElementsOp::create(
        rewriter, loc,
        vector::BitCastOp::create(rewriter, loc, packed, adaptor.getSource()));
    Quad quad(ThreadBuilder{rewriter, loc, readThreadAgain(rewriter, loc)});
    SmallVector<Value> result;
    for (int64_t r = 0; r < to.getNumRegisters(); r += kInChunk) {
      SmallVector<Value> block;
      for (int64_t word : wordsOf(from, to.getRegisterOffset(r)))
        block.push_back(words.getResult(word));
      quad.transpose(block);
      llvm::append_range(result, block);
    }
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(
        op, type,
        vector::FromElementsOp::create(rewriter, loc, packed, result));
    return success();
  }

private:
  /// The words of a block of four times eight columns that begins at `offset`.
  static SmallVector<int64_t> wordsOf(FragmentAttr from,
                                      ArrayRef<int64_t> offset) {
    SmallVector<int64_t> words(kLanesOfRow);
    for (int64_t r = 0; r < from.getNumRegisters(); r += kInWord) {
      SmallVector<int64_t> own = from.getRegisterOffset(r);
      int64_t behind = own[1] - offset[1];
      if (own[0] == offset[0] && behind >= 0 && behind < kLanesOfRow * kInChunk)
        words[behind / kInChunk] = r / kInWord;
    }
    return words;
  }
};

} // namespace

void attn::populateExchangePatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ExchangePattern>(converter, patterns.getContext());
}
