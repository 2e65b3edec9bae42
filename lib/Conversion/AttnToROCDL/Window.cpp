//===- Window.cpp - Tiles of views behind buffer descriptors --------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

/// Untyped 32-bit data, as LLVM's and MLIR's own uses of raw buffers have it on
/// gfx9 (AMD CDNA 3 ISA, "Buffer resource descriptor", DATA_FORMAT).
static constexpr int64_t kRawBuffer = 0x27000;
/// An offset that is outside of every buffer: tiles end before it.
static constexpr int64_t kOutside = 0x7ffffff0;

/// The stride of rows, in elements. Rows that are missing from a view with one
/// row must be beyond it, too, whatever its stride is.
static Value rowStride(OpBuilder &b, Location loc, const ViewParameters &view) {
  unsigned row = view.sizes.size() - 2;
  Value several = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sgt, view.sizes[row],
      arith::ConstantIntOp::create(b, loc, 1, 64));
  return b.createOrFold<arith::SelectOp>(loc, several, view.strides[row],
                                         view.sizes.back());
}

Window::Window(OpBuilder &b, Location loc, Value viewValue, ValueRange offsets,
               ArrayRef<int64_t> shape, Value until)
    : b(b), loc(loc) {
  ThreadBuilder t{b, loc};
  auto type = cast<ViewType>(viewValue.getType());
  ViewParameters view(viewValue);
  unsigned rank = type.getRank(), leading = rank - shape.size();
  int64_t columns = shape.back();
  elementBytes = type.getElementBytes();
  auto wide = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  };
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  };
  auto sub = [&](Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  };
  auto mul = [&](Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  };
  // The descriptor starts at the tile, so that offsets are small and do not
  // change from tile to tile.
  Value origin = wide(0), exists;
  SmallVector<Value> left;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value offset =
        b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), offsets[dim]);
    origin = add(origin, mul(offset, view.strides[dim]));
    Value size = view.sizes[dim];
    if (until && dim == leading)
      size = arith::MinSIOp::create(
          b, loc, size,
          b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), until));
    Value rest = sub(size, offset);
    if (dim >= leading) {
      left.push_back(rest);
      continue;
    }
    exists =
        t.both(exists, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                             rest, wide(0)));
  }
  auto clamp = [&](Value x, int64_t most) -> Value {
    return arith::MinSIOp::create(b, loc, x, wide(most));
  };
  bool oneRow = shape.size() == 1;
  Value lastRow = oneRow ? wide(0) : sub(clamp(left[0], shape[0]), wide(1));
  Value stride = oneRow ? wide(0) : rowStride(b, loc, view);
  Value elements = add(mul(lastRow, stride), clamp(left.back(), columns));
  // Whole words, of which none crosses the end of an allocation.
  Value bytes = mul(elements, wide(elementBytes));
  if (elementBytes < 4)
    bytes = arith::AndIOp::create(b, loc, add(bytes, wide(3)), wide(-4));
  Value any = exists;
  for (Value rest : left)
    any = t.both(any, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                            rest, wide(0)));
  bytes = arith::SelectOp::create(b, loc, any, bytes, wide(0));
  Value base = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      view.pointer);
  base = advance(b, loc, base, mul(origin, wide(elementBytes)));
  descriptor = ROCDL::MakeBufferRsrcOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kBufferResource), base,
      arith::ConstantIntOp::create(b, loc, 0, 16), bytes,
      t.constant(kRawBuffer));
  rowBytes = arith::TruncIOp::create(b, loc, b.getI32Type(),
                                     mul(stride, wide(elementBytes)));
  int64_t size = type.getShape().back();
  ragged = ShapedType::isDynamic(size);
  APInt first;
  bool fits = !ragged && matchPattern(offsets.back(), m_ConstantInt(&first)) &&
              first.getSExtValue() + columns <= size;
  // Behind the end of one row of whole words nothing is read: the buffer ends
  // there.
  if (elementBytes == 4 &&
      llvm::all_of(shape.drop_back(), [](int64_t size) { return size == 1; })) {
    ragged = false;
    return;
  }
  if (!fits)
    limit = arith::TruncIOp::create(b, loc, b.getI32Type(),
                                    clamp(left.back(), columns));
}

Value Window::offsetOf(Value row, Value start, Value exists) const {
  ThreadBuilder t{b, loc};
  Value offset = t.add(arith::MulIOp::create(b, loc, row, rowBytes),
                       t.mul(start, elementBytes));
  if (limit)
    exists = t.both(exists, t.less(start, limit));
  if (!exists)
    return offset;
  return arith::SelectOp::create(b, loc, exists, offset, t.constant(kOutside));
}

void Window::loadToLds(Value row, Value column, Value to) const {
  ThreadBuilder t{b, loc};
  constexpr int64_t kBytes = 16;
  Value zero = t.constant(0);
  ROCDL::RawPtrBufferLoadLdsOp::create(
      b, loc, descriptor, to, t.constant(kBytes),
      offsetOf(row, column, /*exists=*/{}), zero, zero, zero, ArrayAttr(),
      ArrayAttr(), ArrayAttr());
}

Value Window::load(Value row, Value column, int64_t constant, int64_t count,
                   Value exists) const {
  ThreadBuilder t{b, loc};
  Value start = t.add(column, constant);
  Value offset = offsetOf(row, start, exists);
  int64_t words = count * elementBytes / 4;
  Type i32 = b.getI32Type();
  Type type = words == 1 ? i32 : Type(VectorType::get({words}, i32));
  Value zero = t.constant(0);
  Value loaded = ROCDL::RawPtrBufferLoadOp::create(
      b, loc, type, descriptor, offset, zero, zero, ArrayAttr(), ArrayAttr(),
      ArrayAttr());
  if (words == 1)
    loaded =
        vector::BroadcastOp::create(b, loc, VectorType::get({1}, i32), loaded);
  return ragged ? clear(loaded, start) : loaded;
}

Value Window::clear(Value words, Value column) const {
  ThreadBuilder t{b, loc};
  auto type = cast<VectorType>(words.getType());
  auto list = vector::ToElementsOp::create(b, loc, words);
  int64_t perWord = 4 / elementBytes;
  SmallVector<Value> result;
  for (int64_t w = 0; w < type.getNumElements(); ++w) {
    Value kept = t.constant(0);
    for (int64_t e = 0; e < perWord; ++e) {
      Value inside = t.less(t.add(column, w * perWord + e), limit);
      // The elements up to this one.
      int64_t mask = (int64_t(1) << (8 * elementBytes * (e + 1))) - 1;
      Value part = arith::AndIOp::create(
          b, loc, list.getResult(w), t.constant(static_cast<int32_t>(mask)));
      kept = arith::SelectOp::create(b, loc, inside, part, kept);
    }
    result.push_back(kept);
  }
  return vector::FromElementsOp::create(b, loc, type, result);
}

/// Conditions on the stride of the rows of a view for tiles of `rows` x
/// `columns`: rows do not overlap, so that their bounds follow from the stride,
/// and no lane's offset reaches kOutside.
static void limitRowStride(LLVM::LLVMFuncOp function, ViewType view,
                           int64_t number, int64_t rows, int64_t columns) {
  Builder b(function.getContext());
  int64_t last = view.getRank() - 1, bytes = view.getElementBytes();
  if (view.getShape()[last - 1] == 1 || rows == 1)
    return;
  auto term = [&](StringRef name, int64_t dim) -> Attribute {
    return b.getArrayAttr({b.getStringAttr(name), b.getI64IntegerAttr(number),
                           b.getI64IntegerAttr(dim)});
  };
  auto add = [&](StringRef comparison, Attribute bound) {
    Attribute condition = b.getArrayAttr(
        {b.getStringAttr(comparison), term("stride", last - 1), bound});
    if (ShapedType::isDynamic(view.getShape()[last - 1]))
      condition = b.getArrayAttr(
          {b.getStringAttr("or"),
           b.getArrayAttr({b.getStringAttr("le"), term("size", last - 1),
                           b.getI64IntegerAttr(1)}),
           condition});
    addLimit(function, condition);
  };
  int64_t length = view.getShape()[last];
  add("ge", ShapedType::isDynamic(length) ? term("size", last)
                                          : b.getI64IntegerAttr(length));
  add("le",
      b.getI64IntegerAttr((kOutside - columns * bytes) / ((rows - 1) * bytes)));
}

void attn::limitRowStrides(LLVM::LLVMFuncOp function) {
  for (auto [number, view] : llvm::enumerate(viewsOf(function))) {
    int64_t rows = 0, columns = 0;
    for (Operation *user : view.getUsers()) {
      RankedTensorType tile;
      if (auto issue = dyn_cast<RingIssueOp>(user))
        tile = issue.getSlot().getType().getTile();
      else if (auto load = dyn_cast<LoadOp>(user))
        tile = cast<RankedTensorType>(load.getTile().getType());
      if (!tile || tile.getRank() != 2)
        continue;
      rows = std::max(rows, tile.getDimSize(0));
      columns = std::max(columns, tile.getDimSize(1));
    }
    if (rows > 0)
      limitRowStride(function, cast<ViewType>(view.getType()),
                     static_cast<int64_t>(number), rows, columns);
  }
}
