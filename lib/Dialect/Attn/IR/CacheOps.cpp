//===- CacheOps.cpp - What fills caches -----------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.cpp.inc"

void AttnDialect::registerCacheOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.cpp.inc"
      >();
}

/// Columns of a tile.
static constexpr int64_t kMostColumns = 256;

namespace {

/// Checks what operations of this file have in common.
struct TokenVerifier {
  Operation *op;
  TensorLayout layout;
  RankedTensorType lengths, offsets;

  LogicalResult agree(StringRef what, RankedTensorType type, int64_t dim,
                      int64_t wanted, StringRef of) const {
    int64_t size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(wanted) ||
        size == wanted)
      return success();
    return op->emitOpError("expected ")
           << what << " with " << wanted << " as dimension " << dim << ", "
           << of << ", but got " << type;
  }

  /// Sequences, as far as types tell.
  int64_t sequences() const {
    if (offsets && !offsets.isDynamicDim(0))
      return offsets.getDimSize(0) - 1;
    return lengths.getDimSize(0);
  }

  LogicalResult numbers() const {
    if (lengths.getRank() != 1)
      return op->emitOpError("expected lengths of rank 1 (batch), but got ")
             << lengths;
    if (!offsets)
      return success();
    if (offsets.getRank() != 1 || offsets.getDimSize(0) == 0)
      return op->emitOpError("expected cu_seqlens of rank 1 and one number "
                             "more than there are sequences, but got ")
             << offsets;
    return agree("lengths", lengths, 0, sequences(),
                 "one for each sequence of cu_seqlens");
  }

  /// Heads and columns that are known, of one tensor.
  LogicalResult heads(StringRef what, RankedTensorType type,
                      TensorLayout order) const {
    if (type.getRank() != 4)
      return op->emitOpError("expected ")
             << what << " of rank 4, but got " << type;
    unsigned head = headDimOf(order);
    if (type.isDynamicDim(head) || type.isDynamicDim(3) ||
        type.getDimSize(head) == 0 || type.getDimSize(3) == 0 ||
        type.getDimSize(3) > kMostColumns)
      return op->emitOpError("expected ")
             << what
             << " with static heads and a static last dimension of 1 to "
             << kMostColumns << ", but got " << type;
    return success();
  }

  LogicalResult tokens(StringRef what, RankedTensorType type) const {
    if (failed(heads(what, type, layout)))
      return failure();
    if (offsets)
      return agree(what, type, 0, 1, "since cu_seqlens packs its sequences");
    return agree(what, type, 0, sequences(), "one for each of the lengths");
  }

  /// Tables of places, for rows of so many columns.
  LogicalResult tables(RankedTensorType cos, RankedTensorType sin,
                       int64_t columns) const {
    for (auto [name, type] :
         {std::pair<StringRef, RankedTensorType>{"cos", cos}, {"sin", sin}})
      if (type.getRank() != 2 || type.isDynamicDim(1) ||
          type.getDimSize(1) < 1 || 2 * type.getDimSize(1) > columns)
        return op->emitOpError("expected ")
               << name << " of rank 2 (place, angle) with 1 to " << columns / 2
               << " angles, but got " << type;
    if (cos.getDimSize(1) == sin.getDimSize(1) &&
        cos.getElementType() == sin.getElementType() &&
        succeeded(verifyCompatibleShape(cos, sin)))
      return success();
    return op->emitOpError("expected sin like cos, ")
           << cos << ", but got " << sin;
  }
};

RankedTensorType typeOf(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

/// Checks caches against the tokens that go there.
struct CacheVerifier : TokenVerifier {
  AppendCacheOp append;

  LogicalResult pair(StringRef what, RankedTensorType key,
                     RankedTensorType value, TensorLayout order) {
    if (key.getElementType() == value.getElementType() &&
        key.getDimSize(headDimOf(order)) ==
            value.getDimSize(headDimOf(order)) &&
        succeeded(verifyCompatibleShape(key.getShape().drop_back(),
                                        value.getShape().drop_back())))
      return success();
    return op->emitOpError("expected ")
           << what << " of one element type and, but for the last dimension, "
           << "one shape, but got " << key << " and " << value;
  }

  LogicalResult elements(RankedTensorType tokens, RankedTensorType cache) {
    if (tokens.getElementType() == cache.getElementType() ||
        isFloat8(cache.getElementType()))
      return success();
    return op->emitOpError("expected caches of the element type of the "
                           "tokens, ")
           << tokens.getElementType() << ", or of FP8, but got "
           << cache.getElementType();
  }

  LogicalResult scale(StringRef what, RankedTensorType type,
                      RankedTensorType cache) {
    if (!type)
      return success();
    if (!isFloat8(cache.getElementType()))
      return op->emitOpError("expected ")
             << what << " of caches of FP8 alone, but got caches of "
             << cache.getElementType();
    if (type.getRank() != 2)
      return op->emitOpError("expected ")
             << what << " of rank 2 (batch, head), but got " << type;
    int64_t heads = cache.getDimSize(headDimOf(append.getLayoutOfCache()));
    if (type.getDimSize(1) != 1 && type.getDimSize(1) != heads)
      return op->emitOpError("expected ")
             << what << " of 1 or " << heads << " heads, but got " << type;
    if (type.getDimSize(0) == 1)
      return success();
    return agree(what, type, 0, sequences(),
                 "one for each of the lengths, or of 1");
  }

  LogicalResult cache(StringRef what, RankedTensorType type,
                      RankedTensorType tokens, Type result) {
    TensorLayout order = append.getLayoutOfCache();
    if (failed(heads(what, type, order)))
      return failure();
    if (type != result)
      return op->emitOpError("expected a result of the type of the ")
             << what << ", " << type << ", but got " << result;
    if (failed(agree(what, type, headDimOf(order),
                     tokens.getDimSize(headDimOf(layout)),
                     "the heads of the tokens")) ||
        failed(agree(what, type, 3, tokens.getDimSize(3),
                     "the columns of the tokens")))
      return failure();
    if (type.getDimSize(seqDimOf(order)) == 0)
      return op->emitOpError("expected ")
             << what << " with places, but got " << type;
    if (append.getBlockTable())
      return success();
    return agree(what, type, 0, sequences(), "one for each of the lengths");
  }

  LogicalResult table() {
    RankedTensorType table = typeOf(append.getBlockTable());
    if (!table)
      return success();
    if (table.getRank() != 2)
      return op->emitOpError(
                 "expected block_table of rank 2 (batch, pages of a "
                 "sequence), but got ")
             << table;
    return agree("block_table", table, 0, sequences(),
                 "one for each of the lengths");
  }
};

} // namespace

LogicalResult RotateOp::verify() {
  RankedTensorType tokens = getTokens().getType();
  TokenVerifier v{*this, getLayout(), getLengths().getType(),
                  typeOf(getOffsets())};
  if (failed(v.numbers()) || failed(v.tokens("tokens", tokens)) ||
      failed(v.tables(getCos().getType(), getSin().getType(),
                      tokens.getDimSize(3))))
    return failure();
  if (getResult().getType() != tokens)
    return emitOpError("expected a result of the type of the tokens, ")
           << tokens << ", but got " << getResult().getType();
  return success();
}

LogicalResult AppendCacheOp::verify() {
  RankedTensorType key = getKey().getType(), value = getValue().getType(),
                   keys = getKeyCache().getType(),
                   values = getValueCache().getType();
  CacheVerifier v{
      {*this, getLayout(), getLengths().getType(), typeOf(getOffsets())},
      *this};
  if (failed(v.numbers()) || failed(v.tokens("key", key)) ||
      failed(v.tokens("value", value)) ||
      failed(v.pair("key and value", key, value, getLayout())) ||
      failed(v.cache("key cache", keys, key, getNewKeyCache().getType())) ||
      failed(v.cache("value cache", values, value,
                     getNewValueCache().getType())) ||
      failed(v.pair("caches", keys, values, getLayoutOfCache())) ||
      failed(v.elements(key, keys)) || failed(v.table()) ||
      failed(v.scale("k_scale", typeOf(getKeyScale()), keys)) ||
      failed(v.scale("v_scale", typeOf(getValueScale()), values)))
    return failure();
  if (getNewLengths().getType() != getLengths().getType())
    return emitOpError("expected new lengths of the type of the lengths, ")
           << getLengths().getType() << ", but got "
           << getNewLengths().getType();
  if (getInterleaved() && !getCos())
    return emitOpError("expected rotary with interleaved, but got none");
  if (getCos() &&
      failed(v.tables(typeOf(getCos()), typeOf(getSin()), key.getDimSize(3))))
    return failure();
  return success();
}
