//===- ProductOps.cpp - Asynchronous products -----------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.cpp.inc"

void AttnDialect::registerProductOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.cpp.inc"
      >();
}

LogicalResult ProductType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tile) {
  if (isa_and_nonnull<FragmentAttr>(tile.getEncoding()))
    return success();
  return emitError()
         << "expected a tile with an #attn.fragment layout, but got " << tile;
}

LogicalResult DotIssueOp::verify() {
  if (failed(verifyProduct(*this, getLhs().getType(), getRhs().getType(),
                           getAcc().getType(), getTransposeRhs(),
                           getTransposeLhs())))
    return failure();
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (getProduct().getType().getTile() != acc)
    return emitOpError("expected a product like its accumulator, ")
           << acc << ", but got " << getProduct().getType().getTile();
  if (getDiagonal() && !getDepth())
    return emitOpError("expected a depth of the first row beside 'diagonal', "
                       "but got none");
  if (getDepth() && getTransposeLhs())
    return emitOpError("expected a left-hand side as it lies beside a depth, "
                       "but got a transposed one");
  return success();
}

LogicalResult DotWaitOp::verify() {
  if (static_cast<int64_t>(getOutstanding()) < 0)
    return emitOpError("expected 0 or more outstanding products, but got ")
           << static_cast<int64_t>(getOutstanding());
  if (getTile().getType() != getProduct().getType().getTile())
    return emitOpError("expected the tile of its product, ")
           << getProduct().getType().getTile() << ", but got "
           << getTile().getType();
  return success();
}

LogicalResult SpecializeOp::verify() {
  constexpr int64_t kGroup = 4, kLeast = 24, kMost = 256, kUnit = 8;
  auto warps = static_cast<int64_t>(getProducerWarps());
  if (warps < kGroup || warps % kGroup != 0)
    return emitOpError("expected producers in groups of 4 warps, but got ")
           << warps;
  for (auto registers : {static_cast<int64_t>(getProducerRegisters()),
                         static_cast<int64_t>(getConsumerRegisters())})
    if (registers < kLeast || registers > kMost || registers % kUnit != 0)
      return emitOpError(
                 "expected 24 to 256 registers, a multiple of 8, but got ")
             << registers;
  return success();
}

LogicalResult BesideOp::verify() {
  auto roles = cast<SpecializeOp>((*this)->getParentOp());
  auto warp = static_cast<int64_t>(getWarp());
  auto warps = static_cast<int64_t>(roles.getProducerWarps());
  if ((*this)->getParentRegion() != &roles.getProducer())
    return emitOpError("expected to stand with the producer, but got another "
                       "region");
  if (warp < 1 || warp >= warps)
    return emitOpError("expected a warp from 1 to ")
           << warps - 1 << " of the producer, but got " << warp;
  auto count = static_cast<int64_t>(getCount());
  if (count < 1 || count > warps - warp)
    return emitOpError("expected 1 to ")
           << warps - warp << " warps, but got " << count;
  return success();
}

LogicalResult AddTurnOp::verify() {
  if (getStep() == Turn::Start)
    return emitOpError("expected 'take' or 'pass', but got 'start'");
  return success();
}

LogicalResult TurnOp::verify() {
  // Barriers are 16; two are taken.
  constexpr int64_t kMost = 14;
  auto groups = static_cast<int64_t>(getGroups());
  if (groups >= 2 && groups <= kMost)
    return success();
  return emitOpError("expected 2 to 14 groups, but got ") << groups;
}

void DotIssueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getProduct(), "product");
}
