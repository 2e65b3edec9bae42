//===- RingOps.cpp - Rings of tiles in shared memory ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.cpp.inc"

void AttnDialect::registerRingOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.cpp.inc"
      >();
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                RankedTensorType tile) {
  if (isa_and_nonnull<SharedAttr>(tile.getEncoding()))
    return success();
  return emitError() << "expected a tile with a layout in shared memory "
                        "(#attn.shared), but got "
                     << tile;
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, RankedTensorType tile) {
  if (stages < 1 || stages > 64)
    return emitError() << "expected 1 to 64 stages, but got " << stages;
  return verifyTile(emitError, tile);
}

LogicalResult SlotType::verify(function_ref<InFlightDiagnostic()> emitError,
                               RankedTensorType tile) {
  return verifyTile(emitError, tile);
}

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tile) {
  return verifyTile(emitError, tile);
}

/// Checks that `got` is the tile of the ring.
static LogicalResult verifyRingTile(Operation *op, RingType ring, Type got) {
  if (ring.getTile() == got)
    return success();
  return op->emitOpError("expected the tile of its ring, ")
         << ring.getTile() << ", but got " << got;
}

LogicalResult RingCreateOp::verify() {
  int64_t stages = getRing().getType().getStages();
  if (getNumSlots() < 1 || getNumSlots() > stages)
    return emitOpError("expected memory for 1 to ")
           << stages << " stages, but got " << getNumSlots();
  int64_t rows = getRing().getType().getTile().getDimSize(0);
  if (getParts() && (getNumParts() < 2 || rows % getNumParts() != 0))
    return emitOpError("expected 2 or more equal parts of ")
           << rows << " rows, but got " << getNumParts();
  if (getParts() && !getOwnRows())
    return emitOpError("expected parts of a ring that is `own_rows`");
  for (Value under : getOver())
    if (!under.getDefiningOp<RingCreateOp>())
      return emitOpError("expected to lie over rings straight from "
                         "attn.ring.create, but got ")
             << under;
  return success();
}

int64_t RingAcquireOp::getNumParts() {
  auto ring = getRing().getDefiningOp<RingCreateOp>();
  return getPart() && ring ? ring.getNumParts() : 1;
}

LogicalResult RingAcquireOp::verify() {
  auto ring = getRing().getDefiningOp<RingCreateOp>();
  if (getWhen() && !(ring && (ring.hasStagesInRegisters() ||
                              ring.getCopier() == CopyKind::Lds))) {
    InFlightDiagnostic error =
        emitOpError(
            "expected a ring with stages in registers (`slots`) to fill "
            "under a condition, or one filled by 'lds', but got ")
        << getRing().getType();
    if (ring)
      error.attachNote(ring.getLoc()) << "it has memory for all of them";
    return error;
  }

  int64_t parts = ring ? ring.getNumParts() : 1;
  if (!getPart() && parts > 1)
    return emitOpError("expected one of the ")
           << parts << " parts of a slot of its ring, but got none";
  if (getPart()) {
    auto part = static_cast<int64_t>(*getPart());
    if (parts == 1 || part < 0 || part >= parts)
      return emitOpError("expected one of the parts of its ring, of which "
                         "there are ")
             << parts << ", but got number " << part;
  }
  auto ahead = static_cast<int64_t>(getAhead());
  if (ahead < 0 || ahead >= getRing().getType().getStages())
    return emitOpError("expected to be ahead by less than the ")
           << getRing().getType().getStages() << " stages of its ring, but got "
           << ahead;
  return verifyRingTile(*this, getRing().getType(),
                        getSlot().getType().getTile());
}

LogicalResult RingWaitOp::verify() {
  return verifyRingTile(*this, getRing().getType(), getTile().getType());
}

LogicalResult RingIssueOp::verify() {
  RankedTensorType tile = getSlot().getType().getTile();
  ViewType view = getView().getType();
  if (getPending().getType().getTile() != tile)
    return emitOpError("expected to hand on the tile of its slot, ")
           << tile << ", but got " << getPending().getType().getTile();
  if (tile.getElementType() != view.getElementType())
    return emitOpError("expected a view of ")
           << tile.getElementType() << " as the slot has, but got " << view;
  if (getOffsets().size() != view.getRank())
    return emitOpError("expected ")
           << view.getRank() << " offsets, one for each dimension of " << view
           << ", but got " << getOffsets().size();
  if (view.getRank() < 2)
    return emitOpError("expected a view of rank 2 or more, but got ") << view;
  if (getChunk() != 4 && getChunk() != 8 && getChunk() != 16)
    return emitOpError("expected chunks of 4, 8 or 16 bytes, but got ")
           << getChunk();
  return verifyBlocks(*this, view, tile, getBlocks().size());
}

int64_t RingIssueOp::getBlockRows() {
  auto acquire = getSlot().getDefiningOp<RingAcquireOp>();
  int64_t parts = acquire ? acquire.getNumParts() : 1;
  return getSlot().getType().getTile().getDimSize(0) / parts /
         static_cast<int64_t>(getBlocks().size() + 1);
}

SmallVector<SmallVector<Value>> RingIssueOp::getBlockOffsets() {
  SmallVector<SmallVector<Value>> result{llvm::to_vector(getOffsets())};
  for (Value first : getBlocks()) {
    result.push_back(result.front());
    result.back().front() = first;
  }
  return result;
}

LogicalResult RingPutOp::verify() {
  RankedTensorType slot = getSlot().getType().getTile();
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (isa_and_nonnull<SharedAttr>(tile.getEncoding()))
    return emitOpError("expected a tile in registers, but got ") << tile;
  if (tile.getShape() != slot.getShape() ||
      tile.getElementType() != slot.getElementType())
    return emitOpError("expected the shape and elements of its slot, ")
           << slot << ", but got " << tile;
  auto acquire = getSlot().getDefiningOp<RingAcquireOp>();
  auto ring =
      acquire ? acquire.getRing().getDefiningOp<RingCreateOp>() : nullptr;
  if (ring && ring.hasStagesInRegisters()) {
    InFlightDiagnostic error = emitOpError(
        "expected a ring whose stages all have memory, but got one with ");
    error << ring.getNumSlots() << " slots for "
          << ring.getRing().getType().getStages() << " stages";
    error.attachNote(ring.getLoc()) << "the ring is created here";
    return error;
  }
  return success();
}

LogicalResult RingArrangeOp::verify() {
  RankedTensorType slot = getSlot().getType().getTile();
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (!isa_and_nonnull<SharedAttr>(tile.getEncoding()))
    return emitOpError("expected a tile in shared memory, but got ") << tile;
  if (tile.getDimSize(0) != slot.getDimSize(1) ||
      tile.getDimSize(1) != slot.getDimSize(0) ||
      tile.getElementType() != slot.getElementType())
    return emitOpError("expected the columns of its slot, ")
           << slot << ", as rows, but got " << tile;
  return success();
}

LogicalResult ReduceRegistersOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &results) {
  auto tile = cast<RankedTensorType>(operands[0].getType());
  auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
  if (!layout || tile.getRank() != 2)
    return emitOptionalError(location,
                             "expected a matrix in registers "
                             "(#attn.fragment), but got ",
                             tile);
  results.push_back(
      RankedTensorType::get({tile.getDimSize(0), layout.getThreadsPerRow()},
                            tile.getElementType(), layout.getThreadSlice()));
  return success();
}

LogicalResult ReduceRegistersOp::verify() {
  Type element = getElementTypeOrSelf(getTile().getType());
  if (element.isInteger() && getKind() != ReduceKind::Max)
    return emitOpError("expected the maximum of integers, but got '")
           << stringifyReduceKind(getKind()) << "' of " << element;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : Value();
}

CopyKind RingCreateOp::getCopier() {
  for (Operation *user : getRing().getUsers())
    if (auto acquire = dyn_cast<RingAcquireOp>(user))
      for (Operation *use : acquire.getSlot().getUsers())
        if (auto issue = dyn_cast<RingIssueOp>(use))
          return issue.getBy();
  return CopyKind::Tensor;
}

bool RingCreateOp::isFilledByThreads() {
  CopyKind by = getCopier();
  return isPut() || by == CopyKind::Registers || by == CopyKind::Lds;
}

bool RingCreateOp::isPut() {
  return llvm::any_of(getRing().getUsers(), [](Operation *user) {
    return isa<RingAcquireOp>(user) &&
           llvm::any_of(user->getUsers(), llvm::IsaPred<RingPutOp>);
  });
}

bool RingCreateOp::isArranged() {
  return llvm::any_of(getRing().getUsers(), [](Operation *user) {
    return isa<RingAcquireOp>(user) &&
           llvm::any_of(user->getUsers(), llvm::IsaPred<RingArrangeOp>);
  });
}

Value attn::arrangedOutOf(Value ring) {
  for (Operation *user : ring.getUsers())
    if (auto wait = dyn_cast<RingWaitOp>(user))
      for (Operation *use : wait->getUsers())
        if (auto arrange = dyn_cast<RingArrangeOp>(use))
          return arrange.getSlot().getDefiningOp<RingAcquireOp>().getRing();
  return Value();
}

bool RingCreateOp::sharesMemory(RingCreateOp other) {
  auto liesOver = [](RingCreateOp upper, RingCreateOp lower) {
    return llvm::is_contained(upper.getOver(), lower.getRing());
  };
  return liesOver(*this, other) || liesOver(other, *this) ||
         llvm::any_of(getOver(), [&](Value under) {
           return llvm::is_contained(other.getOver(), under);
         });
}

/// For each element of a tile the warp that has it; -1 where several do.
static SmallVector<int64_t> warpsOfElements(RankedTensorType tile,
                                            int64_t lanes) {
  auto layout = cast<FragmentAttr>(tile.getEncoding());
  SmallVector<int64_t> owners(tile.getNumElements(), -2);
  for (int64_t thread = 0; thread < layout.getNumThreads(); ++thread)
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      SmallVector<int64_t> place = layout.getThreadOffset(thread),
                           offset = layout.getRegisterOffset(r);
      int64_t &owner = owners[(place[0] + offset[0]) * tile.getDimSize(1) +
                              place[1] + offset[1]];
      owner = owner == -2 || owner == thread / lanes ? thread / lanes : -1;
    }
  return owners;
}

bool RingCreateOp::staysInWarps(int64_t lanes) {
  SmallVector<RankedTensorType> tiles;
  auto add = [&](Type type) {
    auto tile = cast<RankedTensorType>(type);
    if (llvm::is_contained(tiles, tile))
      return true;
    tiles.push_back(tile);
    return isa_and_nonnull<FragmentAttr>(tile.getEncoding());
  };
  for (Operation *user : getRing().getUsers()) {
    if (isa<RingReleaseOp>(user))
      continue;
    if (!isa<RingAcquireOp, RingWaitOp>(user))
      return false;
    for (Operation *use : user->getUsers()) {
      auto put = dyn_cast<RingPutOp>(use);
      auto fetch = dyn_cast<ConvertLayoutOp>(use);
      if (!put && !fetch)
        return false;
      if (!add(put ? put.getTile().getType() : fetch.getType()))
        return false;
    }
  }
  if (tiles.empty() || !isPut())
    return false;
  SmallVector<int64_t> owners = warpsOfElements(tiles.front(), lanes);
  return !llvm::is_contained(owners, -1) &&
         llvm::all_of(tiles, [&](RankedTensorType tile) {
           return warpsOfElements(tile, lanes) == owners;
         });
}

void RingCreateOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getRing(), "ring");
}
void RingAcquireOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSlot(), "slot");
}
void RingIssueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getPending(), "pending");
}
void RingWaitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), "tile");
}
