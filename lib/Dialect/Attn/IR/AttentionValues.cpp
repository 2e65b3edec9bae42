//===- AttentionValues.cpp - Where the values of attention lie ------------===//
//
// By rows, by columns, or within the keys.
//
//===----------------------------------------------------------------------===//

#include "AttentionValues.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

/// Numbers of the views of K and V.
static constexpr unsigned kKeys = 1, kValues = 2;

int64_t attn::mostColumns(AttentionOp op) {
  return isFloat8(op.getKey().getType().getElementType()) ? 256 : 1024;
}

static LogicalResult verifyValuesInKeys(AttentionOp op) {
  Type element = op.getKey().getType().getElementType();
  if (isFloat8(element))
    return op.emitOpError("values(keys) expects keys of f16, bf16 or f32, but "
                          "got ")
           << element;
  if (op.getValueScale())
    return op.emitOpError("values(keys) expects no v_scale, but got one");
  if (op.getValueDim() > op.getQkDim())
    return op.emitOpError("values(keys) expects values of at most the ")
           << op.getQkDim() << " columns of key, but got " << op.getValueDim();
  return success();
}

static LogicalResult verifyInterleaved(AttentionOp op) {
  if (Type query = op.getQuery().getType().getElementType();
      query != op.getValue().getType().getElementType())
    return op.emitOpError("values(interleaved) expects values of the element "
                          "type of query, ")
           << query << ", but got " << op.getValue().getType().getElementType();
  for (auto [name, operand] :
       {std::pair<StringRef, Value>{"lengths", op.getLengths()},
        {"cu_seqlens_k", op.getKeyOffsets()},
        {"block_table", op.getBlockTable()}})
    if (operand)
      return op.emitOpError("values(interleaved) expects no ")
             << name << ", but got some";
  // Rows of V by columns are no columns of a tile.
  constexpr int64_t kMost = 256;
  if (op.getValueDim() > kMost)
    return op.emitOpError("values(interleaved) expects at most ")
           << kMost << " columns of values, but got " << op.getValueDim();
  return success();
}

LogicalResult attn::verifyValueOrder(AttentionOp op) {
  if (op.hasValuesInKeys())
    return verifyValuesInKeys(op);
  return op.hasInterleavedValues() ? verifyInterleaved(op) : success();
}

/// Of a key that is not there the mask takes the score away.
bool AttentionOp::wantsZerosBehind(unsigned view) {
  return view == kValues || (view == kKeys && hasValuesInKeys());
}

unsigned AttentionOp::getContainingView(unsigned view) {
  return view == kValues && hasValuesInKeys() ? kKeys : view;
}

/// Whether a slice has all of a dimension of its source.
static bool hasAll(tensor::ExtractSliceOp slice, int64_t dim) {
  OpFoldResult size = slice.getMixedSizes()[dim];
  int64_t whole = slice.getSourceType().getDimSize(dim);
  if (!ShapedType::isDynamic(whole))
    return getConstantIntValue(size) == whole;
  auto value = dyn_cast<Value>(size);
  auto extent = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return extent && extent.getSource() == slice.getSource() &&
         extent.getConstantIndex() == dim;
}

/// Whether V is written as the first columns of K.
static bool isSliceOfKeys(Value value, Value key) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSource() != key || !slice.hasUnitStride() ||
      !slice.hasZeroOffset() || slice.getDroppedDims().any())
    return false;
  int64_t columns = slice.getSourceType().getRank() - 1;
  return llvm::all_of(llvm::seq<int64_t>(0, columns),
                      [&](int64_t dim) { return hasAll(slice, dim); });
}

bool AttentionOp::findValuesInKeys() {
  bool narrow = isFloat8(getKey().getType().getElementType());
  if (getValueOrder() != ValueOrder::Rows || narrow || getValueScale() ||
      !isSliceOfKeys(getValue(), getKey()))
    return false;
  setValueOrder(ValueOrder::Keys);
  return true;
}

LogicalResult AttentionOp::canonicalize(AttentionOp op,
                                        PatternRewriter &rewriter) {
  rewriter.startOpModification(op);
  bool found = op.findValuesInKeys();
  found ? rewriter.finalizeOpModification(op)
        : rewriter.cancelOpModification(op);
  return success(found);
}
