//===- ModuleTraits.cpp - What decides on the options of a module ---------===//

#include "ModuleTraits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Transforms/PackGroup.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

/// The extent of an axis, where it is known.
static std::optional<int64_t> extentOf(const StreamAxis &axis,
                                       const llvm::StringMap<int64_t> &sizes) {
  if (!ShapedType::isDynamic(axis.extent))
    return axis.extent;
  auto it = sizes.find(axis.name);
  return it == sizes.end() ? std::nullopt : std::optional(it->second);
}

/// Bytes of one position of the stream in all operands that have it.
static int64_t streamBytesOf(StreamableOpInterface op) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  int64_t bytes = 0;
  SmallVector<AffineMap> maps = op.getViewMaps();
  unsigned view = 0;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type)
      continue;
    bool contained = op.getContainingView(view) != view;
    AffineMap map = maps[view++];
    if (contained)
      continue;
    int64_t own = type.getElementType().getIntOrFloatBitWidth() / 8;
    bool streamed = false;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (!map.isFunctionOfDim(i))
        continue;
      streamed |= isStreamed(axis.kind);
      if (axis.kind == AxisKind::Whole)
        own *= axis.extent;
    }
    bytes += streamed ? own : 0;
  }
  return bytes;
}

static int64_t warpgroupRegistersOf(StreamableOpInterface op) {
  // A matrix unit of a warpgroup computes so many rows.
  constexpr int64_t kTile = ModuleTraits::kFewestRows;
  SmallVector<int64_t> sizes;
  for (const StreamAxis &axis : op.getStreamAxes())
    sizes.push_back(axis.kind == AxisKind::Whole ? axis.extent
                    : isSingle(axis.kind)        ? 1
                                                 : kTile);
  return (op.getStateElements(sizes) + op.getFoldTemporaries(sizes)) /
         RoleRegisters::kGroupThreads;
}

static ModuleTraits traitsOf(StreamableOpInterface op,
                             const llvm::StringMap<int64_t> &sizes) {
  ModuleTraits own;
  own.target = TargetAttr::of(op);
  auto attention = dyn_cast<AttentionOp>(*op);
  own.attention = attention != nullptr;
  own.uneven =
      attention && (attention.getMaskAttr() || attention.hasMaskRegion());
  auto window = attention
                    ? dyn_cast_or_null<WindowMaskAttr>(attention.getMaskAttr())
                    : WindowMaskAttr();
  own.windowed = window != nullptr;
  own.packs = attention && whyNotPacked(attention).empty();
  own.splits = op.canSplitOverCtas();
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  own.halfPrecision =
      element.isF16() || element.isBF16() || isNvidiaFloat8(element);
  own.streamBytes = streamBytesOf(op);
  own.warpgroupRegisters = warpgroupRegistersOf(op);
  own.sets = 1;
  for (const StreamAxis &axis : op.getStreamAxes()) {
    std::optional<int64_t> extent = extentOf(axis, sizes);
    if (isStreamed(axis.kind)) {
      own.stream = axis.name.str();
      own.streamExtent = extent;
      own.guards = axis.block == 1;
    }
    if (axis.kind == AxisKind::Unit && axis.selectsStream) {
      own.shares = true;
      own.sets = own.sets && extent ? std::optional(*own.sets * *extent)
                                    : std::nullopt;
    }
    if (axis.kind != AxisKind::Group)
      continue;
    own.groups.push_back(axis.name.str());
    if (!ShapedType::isDynamic(axis.extent))
      own.rows = std::min(own.rows, axis.extent);
  }
  return own;
}

std::optional<ModuleTraits>
ModuleTraits::of(ModuleOp module, const llvm::StringMap<int64_t> &sizes) {
  std::optional<ModuleTraits> traits;
  bool mixed = false;
  module.walk([&](StreamableOpInterface op) {
    ModuleTraits own = traitsOf(op, sizes);
    if (!traits) {
      traits = own;
      return;
    }
    mixed |= traits->groups != own.groups || traits->stream != own.stream;
    traits->uneven |= own.uneven;
    traits->windowed &= own.windowed;
    traits->halfPrecision &= own.halfPrecision;
    traits->rows = std::max(traits->rows, own.rows);
    traits->shares &= own.shares;
    traits->packs &= own.packs;
    traits->splits &= own.splits;
    traits->guards &= own.guards;
    traits->streamBytes = std::max(traits->streamBytes, own.streamBytes);
    traits->warpgroupRegisters =
        std::max(traits->warpgroupRegisters, own.warpgroupRegisters);
    if (traits->sets != own.sets)
      traits->sets = std::nullopt;
    if (traits->streamExtent != own.streamExtent)
      traits->streamExtent = std::nullopt;
  });
  if (mixed)
    return std::nullopt;
  return traits;
}

bool ModuleTraits::hasWarpgroups() const {
  return hasAsynchronousUnit(target) && target.hasCapability("setmaxnreg") &&
         target.hasCapability("tma") && attention && halfPrecision;
}

bool ModuleTraits::takesWarpgroups() const {
  return hasWarpgroups() && rows >= kFewestRows;
}

bool ModuleTraits::exceedsWarpgroup() const {
  constexpr int64_t kThreads = RoleRegisters::kGroupThreads;
  return hasWarpgroups() &&
         warpgroupRegisters + RoleRegisters::kBesideTiles >
             roleRegisters(target, kThreads, /*resident=*/1).consumer;
}

Schedules ModuleTraits::ordersFor(ScheduleAttr order) const {
  Schedules orders = {order};
  if (uneven)
    orders.insert(orders.begin(),
                  scheduleOf(order.getContext(), "longest_first").over(order));
  return orders;
}
