//===- MaskProperties.cpp - Masks against their definitions ---------------===//

#include "MaskProperties.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"

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

} // namespace

void attn_test::testMasks(Tally &tally, MLIRContext &context) {
  constexpr int64_t kWidest = 8;
  auto check = [&](MaskInterface mask, const Band &band) {
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
