//===- ProductOps.cpp - Asynchronous products -----------------------------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace attn;

LogicalResult ProductType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tile) {
  if (isa_and_nonnull<FragmentAttr>(tile.getEncoding()))
    return success();
  return emitError() << "wants a tile with an #attn.fragment layout, got "
                     << tile;
}

LogicalResult DotIssueOp::verify() {
  if (failed(verifyProduct(*this, getLhs().getType(), getRhs().getType(),
                           getAcc().getType(), getTransposeRhs())))
    return failure();
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (getProduct().getType().getTile() != acc)
    return emitOpError("wants a product like its accumulator, ")
           << acc << ", got " << getProduct().getType().getTile();
  return success();
}

LogicalResult DotWaitOp::verify() {
  if (static_cast<int64_t>(getOutstanding()) < 0)
    return emitOpError("wants 0 or more outstanding products, got ")
           << static_cast<int64_t>(getOutstanding());
  if (getTile().getType() != getProduct().getType().getTile())
    return emitOpError("wants the tile of its product, ")
           << getProduct().getType().getTile() << ", got "
           << getTile().getType();
  return success();
}

void DotIssueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getProduct(), "product");
}
