//===- Footprint.cpp - What a tile asks of the target ---------------------===//

#include "attn-mlir/Target/Footprint.h"
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
    streamed |= axes[i].kind == AxisKind::Stream;
  }
  return {elements, streamed};
}

static int64_t bytesOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

Footprint footprintOf(StreamableOpInterface op, ArrayRef<int64_t> sizes) {
  Footprint result;
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      types.push_back(operand.getType());
  unsigned numInputs = types.size();
  for (auto [i, map] : llvm::enumerate(op.getViewMaps())) {
    auto [elements, streamed] = tileOf(map, axes, sizes);
    if (i < numInputs)
      result.sharedBytes +=
          elements * bytesOf(types[i]) * (streamed ? kFootprintStages : 1);
    else
      result.registers += elements;
  }
  result.registers += op.getFoldTemporaries(sizes);
  return result;
}

Footprint footprintOf(KernelOp kernel) {
  Footprint result;
  kernel.walk([&](LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    bool streamed = load->getParentOfType<StreamOp>() != nullptr;
    result.sharedBytes += tile.getNumElements() * bytesOf(tile) *
                          (streamed ? kFootprintStages : 1);
  });
  kernel.walk([&](StreamOp stream) {
    for (Type type : stream.getResultTypes())
      if (auto tile = dyn_cast<ShapedType>(type))
        result.registers += tile.getNumElements();
    // A dot that starts from a constant is a temporary; others update the
    // state.
    stream.walk([&](DotOp dot) {
      if (matchPattern(dot.getAcc(), m_Constant()))
        result.registers +=
            cast<ShapedType>(dot.getResult().getType()).getNumElements();
    });
  });
  return result;
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
