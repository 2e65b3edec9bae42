//===- Footprint.cpp - What a tile asks of the target ---------------------===//

#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn {

/// Elements of the tile that `map` selects, and whether it is streamed.
static std::pair<int64_t, bool> tileOf(AffineMap map, ArrayRef<StreamAxis> axes,
                                       ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  bool streamed = false;
  for (unsigned i = 0; i < axes.size(); ++i) {
    if (!map.isFunctionOfDim(i))
      continue;
    elements *= sizes[i];
    streamed |= isStreamed(axes[i].kind);
  }
  return {elements, streamed};
}

static int64_t bytesOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

/// Whether a tile is one value for each place along a streamed axis: such goes
/// straight into registers where nothing copies 4 bytes to shared memory.
static bool isOfPlaces(TargetAttr target, AffineMap map,
                       ArrayRef<StreamAxis> axes) {
  int64_t along = 0;
  for (unsigned i = 0; i < axes.size(); ++i)
    along += map.isFunctionOfDim(i) && !isSingle(axes[i].kind);
  return along == 1 && target.hasCapability(kResidentInRegisters);
}

/// Counts a tile that stays while the stream goes by: in shared memory, or in
/// registers where the target keeps it there.
static void addResident(Footprint &footprint, TargetAttr target,
                        int64_t bytes) {
  if (target.hasCapability(kResidentInRegisters))
    footprint.registers += llvm::divideCeil(bytes, 4);
  else
    footprint.sharedBytes += bytes;
}

/// Calls `body` for each tile that is held: its map, bytes, and whether it is
/// streamed.
static void
forCopiedTiles(StreamableOpInterface op, ArrayRef<int64_t> sizes,
               llvm::function_ref<void(AffineMap, int64_t, bool)> body) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  SmallVector<AffineMap> maps = op.getViewMaps();
  unsigned view = 0;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    auto [elements, streamed] = tileOf(maps[view], axes, sizes);
    // Of elements that are read one by one no tiles are held, nor of what is
    // added to.
    bool addedTo = llvm::any_of(op.getContributions(),
                                [&](Contribution c) { return c.view == view; });
    bool contained = op.getContainingView(view) != view;
    if (!op.readsElements(view) && !addedTo && !contained)
      body(maps[view], elements * bytesOf(operand.getType()), streamed);
    ++view;
  }
}

int64_t streamedBytes(StreamableOpInterface op, ArrayRef<int64_t> sizes) {
  int64_t result = 0;
  forCopiedTiles(op, sizes, [&](AffineMap, int64_t bytes, bool streamed) {
    result += streamed ? bytes : 0;
  });
  return result;
}

Footprint footprintOf(TargetAttr target, StreamableOpInterface op,
                      ArrayRef<int64_t> sizes) {
  Footprint result;
  forCopiedTiles(op, sizes, [&](AffineMap map, int64_t bytes, bool streamed) {
    if (streamed && isOfPlaces(target, map, op.getStreamAxes()))
      result.registers += llvm::divideCeil(bytes, 4);
    else if (streamed)
      result.sharedBytes += kFootprintStages * bytes;
    else
      addResident(result, target, bytes);
  });
  result.registers += op.getStateElements(sizes) + op.getFoldTemporaries(sizes);
  return result;
}

/// What one stream of a kernel holds beside its state: the tiles that pass by,
/// and the dots that start from a constant (others update the state).
static Footprint transientsOf(StreamOp stream) {
  Footprint result;
  stream.walk([&](LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    int64_t bytes = tile.getNumElements() * bytesOf(tile);
    if (isDirect(load))
      result.registers += llvm::divideCeil(bytes, 4);
    else
      result.sharedBytes += kFootprintStages * bytes;
  });
  stream.walk([&](DotOp dot) {
    if (matchPattern(dot.getAcc(), m_Constant()))
      result.registers +=
          cast<ShapedType>(dot.getResult().getType()).getNumElements();
  });
  return result;
}

Footprint footprintOf(KernelOp kernel) {
  Footprint result, transients;
  TargetAttr target = TargetAttr::of(kernel);
  kernel.walk([&](LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    int64_t bytes = tile.getNumElements() * bytesOf(tile);
    if (load->getParentOfType<StreamOp>())
      return;
    if (isDirect(load))
      result.registers += llvm::divideCeil(bytes, 4);
    else
      addResident(result, target, bytes);
  });
  kernel.walk([&](ExchangeOp op) { result.sharedBytes += op.getBytes(); });
  kernel.walk([&](StreamOp stream) {
    // What runs around another carries the same state.
    if (stream->getParentOfType<StreamOp>())
      return;
    for (Type type : stream.getResultTypes())
      if (auto tile = dyn_cast<ShapedType>(type))
        result.registers += tile.getNumElements();
    // Streams of one kernel run one after the other.
    Footprint own = transientsOf(stream);
    transients.sharedBytes = std::max(transients.sharedBytes, own.sharedBytes);
    transients.registers = std::max(transients.registers, own.registers);
  });
  result.sharedBytes += transients.sharedBytes;
  result.registers += transients.registers;
  return result;
}

int64_t slotBytes(RingType ring) {
  constexpr int64_t kSlotUnit = 1024;
  RankedTensorType tile = ring.getTile();
  return ring.getStages() *
         llvm::alignTo(SharedAttr::getNumBytes(tile), kSlotUnit);
}

int64_t slotBytes(RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  return slotBytes(type) / type.getStages() * ring.getNumSlots();
}

LogicalResult checkStages(KernelOp kernel, int64_t stages) {
  if (stages >= 0 && stages <= 64)
    return success();
  return emitError(kernel.getLoc())
         << "expected 1 to 64 stages, or 0 for the default, but got " << stages;
}

int64_t barrierBytes(RingType ring) {
  constexpr int64_t kBarriers = 2, kBarrierBytes = 8;
  return kBarriers * kBarrierBytes * ring.getStages();
}

int64_t residentCtas(TargetAttr target, const Footprint &footprint) {
  int64_t resident = target.get(Fact::MaxResidentCTAs);
  if (footprint.sharedBytes)
    resident =
        std::min(resident, target.get(Fact::SmemPerSM) / footprint.sharedBytes);
  if (footprint.registers)
    resident = std::min(resident,
                        target.get(Fact::RegistersPerSM) / footprint.registers);
  return std::max<int64_t>(resident, 1);
}

bool fits(TargetAttr target, const Footprint &footprint) {
  return footprint.sharedBytes <= target.get(Fact::SmemPerBlock) &&
         footprint.registers <= target.get(Fact::RegistersPerSM);
}

} // namespace attn
