//===- DirectLoads.cpp - Loads that go into registers ---------------------===//

#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace attn;

static int64_t rankOf(LoadOp load) {
  return cast<RankedTensorType>(load.getTile().getType()).getRank();
}

/// Whether a product takes `tile` as an operand, as it is or cast.
static bool feedsProduct(Value tile) {
  return llvm::any_of(tile.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<DotOp>(user))
      return use.getOperandNumber() < 2;
    return isa<CastOpInterface>(user) && feedsProduct(user->getResult(0));
  });
}

/// Whether the tile lies at one place of its own dimensions in all visits of
/// `stream`, whose position picks a slice of the view.
static bool staysInPlace(LoadOp load, StreamOp stream) {
  Region &body = stream.getBody();
  auto own = ValueRange(load.getOffsets()).take_back(rankOf(load));
  return llvm::all_of(own, [&](Value offset) {
    return !body.isAncestor(offset.getParentRegion()) ||
           matchPattern(offset, m_Constant());
  });
}

/// Whether the tile has one value a row, or one a column, of others.
static bool isOfRowsOrColumns(LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  return tile.getRank() == 1 ||
         (tile.getRank() == 2 && tile.getDimSize(0) == 1);
}

/// Whether the tile is only stored as columns, of which a thread makes all that
/// it loads.
static bool becomesColumns(LoadOp load) {
  return !load.getTile().use_empty() &&
         llvm::all_of(load.getTile().getUsers(), llvm::IsaPred<StoreColumnsOp>);
}

bool attn::isDirect(LoadOp load) {
  if (feedsProduct(load.getTile()))
    return false;
  if (load->getParentOfType<KernelOp>()->hasAttr(kDirectLoadsAttr))
    return true;
  auto stream = load->getParentOfType<StreamOp>();
  return isOfRowsOrColumns(load) || becomesColumns(load) ||
         (stream && staysInPlace(load, stream));
}
