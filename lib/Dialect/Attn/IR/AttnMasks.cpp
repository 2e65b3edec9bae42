//===- AttnMasks.cpp - Causal and sliding-window masks --------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

#include "attn-mlir/Dialect/Attn/IR/AttnMaskEnums.cpp.inc"

namespace {

/// Builds index arithmetic on scalars or, for tensor operands, elementwise.
struct IndexMath {
  OpBuilder &b;
  Location loc;

  Value spread(Value scalar, Type type) const {
    if (scalar.getType() == type)
      return scalar;
    return tensor::SplatOp::create(b, loc, type, scalar);
  }
  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) const {
    return b.createOrFold<arith::AddIOp>(loc, x, spread(y, x.getType()));
  }
  Value add(Value x, int64_t y) const {
    return y == 0 ? x : add(x, constant(y));
  }
  Value atMost(Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y);
  }
};

/// A band of the score matrix: key - query - offset in [-left, right], where an
/// absent bound is -1. Both masks are bands.
struct Band {
  int64_t left, right;
  MaskAlign align;

  /// Queries shifted to the diagonal; unshifted for top_left.
  Value shift(const IndexMath &m, MaskSizes sizes, Value query) const {
    if (align == MaskAlign::TopLeft)
      return query;
    return m.add(query, m.b.createOrFold<arith::SubIOp>(m.loc, sizes.keys,
                                                        sizes.queries));
  }

  KeyRange buildKeyRange(const IndexMath &m, MaskSizes sizes, Value first,
                         Value last) const {
    KeyRange range{};
    Value lo = shift(m, sizes, first), hi = shift(m, sizes, last);
    if (left >= 0) {
      range.lo = m.add(lo, -left);
      range.fullLo = m.add(hi, -left);
    }
    if (right >= 0) {
      range.fullHi = m.add(lo, right + 1);
      range.hi = m.add(hi, right + 1);
    }
    return range;
  }

  KeyRange buildQueryRange(const IndexMath &m, MaskSizes sizes, Value first,
                           Value last) const {
    // Of a key as of a query, seen from the other side of the diagonal.
    auto back = [&](Value key) {
      if (align == MaskAlign::TopLeft)
        return key;
      return m.add(key, m.b.createOrFold<arith::SubIOp>(m.loc, sizes.queries,
                                                        sizes.keys));
    };
    KeyRange range{};
    Value lo = back(first), hi = back(last);
    if (right >= 0) {
      range.lo = m.add(lo, -right);
      range.fullLo = m.add(hi, -right);
    }
    if (left >= 0) {
      range.fullHi = m.add(lo, left + 1);
      range.hi = m.add(hi, left + 1);
    }
    return range;
  }

  Value buildPredicate(const IndexMath &m, MaskSizes sizes, Value query,
                       Value key) const {
    Value diagonal = shift(m, sizes, query), keep;
    if (left >= 0)
      keep = m.atMost(m.add(diagonal, -left), key);
    if (right >= 0) {
      Value before = m.atMost(key, m.add(diagonal, right));
      keep = keep ? arith::AndIOp::create(m.b, m.loc, keep, before).getResult()
                  : before;
    }
    return keep;
  }
};

} // namespace

KeyRange CausalMaskAttr::buildKeyRange(OpBuilder &builder, Location loc,
                                       MaskSizes sizes, Value first,
                                       Value last) const {
  return Band{-1, 0, getAlign()}.buildKeyRange({builder, loc}, sizes, first,
                                               last);
}

KeyRange CausalMaskAttr::buildQueryRange(OpBuilder &builder, Location loc,
                                         MaskSizes sizes, Value first,
                                         Value last) const {
  return Band{-1, 0, getAlign()}.buildQueryRange({builder, loc}, sizes, first,
                                                 last);
}

Value CausalMaskAttr::buildPredicate(OpBuilder &builder, Location loc,
                                     MaskSizes sizes, Value query,
                                     Value key) const {
  return Band{-1, 0, getAlign()}.buildPredicate({builder, loc}, sizes, query,
                                                key);
}

// The last query's diagonal ends at the last key.
bool CausalMaskAttr::impliesKeyExists() const {
  return getAlign() == MaskAlign::BottomRight;
}

bool WindowMaskAttr::impliesKeyExists() const {
  return getAlign() == MaskAlign::BottomRight && getRight() == 0;
}

LogicalResult
WindowMaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t left, int64_t right, MaskAlign) {
  // A bound beyond any sequence would overflow index arithmetic.
  constexpr int64_t kMax = int64_t(1) << 40;
  if (left < -1 || left > kMax)
    return emitError() << "'left' expects -1 (no bound) or 0 to 2^40, but got "
                       << left;
  if (right < -1 || right > kMax)
    return emitError() << "'right' expects -1 (no bound) or 0 to 2^40, but got "
                       << right;
  return success();
}

KeyRange WindowMaskAttr::buildKeyRange(OpBuilder &builder, Location loc,
                                       MaskSizes sizes, Value first,
                                       Value last) const {
  return Band{getLeft(), getRight(), getAlign()}.buildKeyRange(
      {builder, loc}, sizes, first, last);
}

KeyRange WindowMaskAttr::buildQueryRange(OpBuilder &builder, Location loc,
                                         MaskSizes sizes, Value first,
                                         Value last) const {
  return Band{getLeft(), getRight(), getAlign()}.buildQueryRange(
      {builder, loc}, sizes, first, last);
}

Value WindowMaskAttr::buildPredicate(OpBuilder &builder, Location loc,
                                     MaskSizes sizes, Value query,
                                     Value key) const {
  return Band{getLeft(), getRight(), getAlign()}.buildPredicate(
      {builder, loc}, sizes, query, key);
}

LogicalResult
PackedMaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t group, MaskInterface mask) {
  if (group >= 1)
    return success();
  return emitError() << "'group' expects 1 or more heads, but got " << group;
}

namespace {
/// Rows as queries of their head.
struct PackedRows {
  IndexMath m;
  /// Queries of a head; 1 where there are none, and no rows.
  Value queries;

  PackedRows(OpBuilder &b, Location loc, MaskSizes sizes, int64_t group)
      : m{b, loc} {
    Value count =
        b.createOrFold<arith::DivUIOp>(loc, sizes.queries, m.constant(group));
    queries = b.createOrFold<arith::MaxUIOp>(loc, count, m.constant(1));
  }

  Value headOf(Value row) const {
    return m.b.createOrFold<arith::DivUIOp>(m.loc, row, queries);
  }
  Value queryOf(Value row) const {
    return m.b.createOrFold<arith::RemUIOp>(m.loc, row,
                                            m.spread(queries, row.getType()));
  }
  Value select(Value condition, Value x, Value y) const {
    return m.b.createOrFold<arith::SelectOp>(m.loc, condition, x, y);
  }
};
} // namespace

KeyRange PackedMaskAttr::buildKeyRange(OpBuilder &builder, Location loc,
                                       MaskSizes sizes, Value first,
                                       Value last) const {
  PackedRows rows(builder, loc, sizes, getGroup());
  // Rows of two heads may be any queries.
  Value oneHead = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rows.headOf(first), rows.headOf(last));
  Value from = rows.select(oneHead, rows.queryOf(first), rows.m.constant(0));
  Value to =
      rows.select(oneHead, rows.queryOf(last), rows.m.add(rows.queries, -1));
  return getMask().buildKeyRange(builder, loc, {rows.queries, sizes.keys}, from,
                                 to);
}

Value PackedMaskAttr::buildPredicate(OpBuilder &builder, Location loc,
                                     MaskSizes sizes, Value query,
                                     Value key) const {
  PackedRows rows(builder, loc, sizes, getGroup());
  return getMask().buildPredicate(builder, loc, {rows.queries, sizes.keys},
                                  rows.queryOf(query), key);
}

bool PackedMaskAttr::impliesKeyExists() const {
  return getMask().impliesKeyExists();
}
