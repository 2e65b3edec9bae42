//===- ArrangeValuesOp.cpp - V by columns ---------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

LogicalResult ArrangeValuesOp::verify() {
  constexpr int64_t kGroup = InterleaveOp::kGroup;
  RankedTensorType values = getValues().getType(),
                   columns = getColumns().getType();
  if (values.getRank() != 4)
    return emitOpError("expected values of rank 4, but got ") << values;
  int64_t heads = values.getDimSize(headDimOf(getLayout())),
          keys = values.getDimSize(seqDimOf(getLayout())),
          dim = values.getDimSize(3);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(dim) || dim == 0 ||
      dim % kGroup != 0)
    return emitOpError("expected values with static heads and a last dimension "
                       "of a multiple of ")
           << kGroup << ", but got " << values;
  if (!ShapedType::isDynamic(keys))
    keys = llvm::alignTo(keys, kGroup);
  int64_t wanted[] = {values.getDimSize(0), heads, dim, keys};
  if (columns.getElementType() == values.getElementType() &&
      columns.getRank() == 4 &&
      succeeded(verifyCompatibleShape(columns.getShape(), wanted)))
    return success();
  return emitOpError("expected columns of ")
         << RankedTensorType::get(wanted, values.getElementType())
         << ", but got " << columns;
}
