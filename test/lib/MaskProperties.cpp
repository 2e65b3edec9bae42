//===- MaskProperties.cpp - Masks against their definitions ---------------===//

#include "MaskProperties.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace attn;

namespace {

/// A band of the score matrix, by its definition: see `attn.window`.
struct Band {
  int64_t left, right;
  MaskAlign align;

  bool attends(int64_t queries, int64_t keys, int64_t i, int64_t j) const {
    int64_t diagonal = align == MaskAlign::BottomRight ? i + keys - queries : i;
    return (left < 0 || j >= diagonal - left) &&
           (right < 0 || j <= diagonal + right);
  }

  /// Whether, for any lengths, each key that a query attends to exists: those
  /// that follow the last one are not seen.
  bool impliesKeyExists() const {
    constexpr int64_t kLengths = 10, kBeyond = 10;
    for (int64_t queries = 0; queries < kLengths; ++queries)
      for (int64_t keys = 0; keys < kLengths; ++keys)
        for (int64_t i = 0; i < queries; ++i)
          for (int64_t j = keys; j < keys + kBeyond; ++j)
            if (attends(queries, keys, i, j))
              return false;
    return true;
  }
};

/// The queries that see a block of keys: [lo, hi) from the first to the last
/// that sees one, [fullLo, fullHi) those that see all.
class QueryRanges {
public:
  QueryRanges(attn_test::Tally &tally, MLIRContext &context)
      : tally(tally), b(&context), loc(b.getUnknownLoc()) {}

  void test(MaskInterface mask, const Band &band) {
    for (int64_t queries : {1, 4, 9})
      for (int64_t keys : {1, 5, 8})
        for (int64_t first : {int64_t(0), keys / 2})
          for (int64_t last : {first, keys - 1})
            test(mask, band, queries, keys, first, last);
  }

private:
  void test(MaskInterface mask, const Band &band, int64_t queries, int64_t keys,
            int64_t first, int64_t last) {
    Block block;
    b.setInsertionPointToEnd(&block);
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value).getResult();
    };
    KeyRange range = mask.buildQueryRange(b, loc, {index(queries), index(keys)},
                                          index(first), index(last));
    auto known = [&](Value bound, int64_t none) {
      return bound ? getConstantIntValue(bound).value_or(-1000) : none;
    };
    int64_t lo = known(range.lo, 0), hi = known(range.hi, queries),
            fullLo = known(range.fullLo, 0),
            fullHi = known(range.fullHi, queries);
    bool right = !range.partial;
    for (int64_t i = 0; i < queries; ++i) {
      auto sees = [&](int64_t j) { return band.attends(queries, keys, i, j); };
      auto block = llvm::seq_inclusive(first, last);
      right &= (lo <= i && i < hi) == llvm::any_of(block, sees);
      right &= (fullLo <= i && i < fullHi) == llvm::all_of(block, sees);
    }
    tally.check(right, [&]() {
      std::string text;
      llvm::raw_string_ostream(text)
          << "queries of " << queries << " that see keys " << first << " to "
          << last << " of " << keys << " by " << mask;
      return text;
    });
  }

  attn_test::Tally &tally;
  OpBuilder b;
  Location loc;
};

} // namespace

void attn_test::testMasks(Tally &tally, MLIRContext &context) {
  constexpr int64_t kWidest = 8;
  QueryRanges ranges(tally, context);
  auto check = [&](MaskInterface mask, const Band &band) {
    ranges.test(mask, band);
    tally.check(mask.impliesKeyExists() == band.impliesKeyExists(), [&]() {
      std::string text;
      llvm::raw_string_ostream(text)
          << "that a key exists follows from " << mask;
      return text;
    });
  };
  for (MaskAlign align : {MaskAlign::TopLeft, MaskAlign::BottomRight}) {
    check(CausalMaskAttr::get(&context, align), {-1, 0, align});
    for (int64_t left = -1; left <= kWidest; ++left)
      for (int64_t right = -1; right <= kWidest; ++right)
        check(WindowMaskAttr::get(&context, left, right, align),
              {left, right, align});
  }
}
