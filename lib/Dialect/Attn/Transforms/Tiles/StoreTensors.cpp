//===- StoreTensors.cpp - Stores by the tensor memory accelerator ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTORETENSORS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct StoreTensorsPass : attn::impl::AttnStoreTensorsBase<StoreTensorsPass> {
  /// Bytes of which strides of a tensor map are multiples.
  static constexpr int64_t kStrideBytes = 16;
  static constexpr int64_t kWarp = 32;

  /// Fails, with a remark, where a store stays as it is.
  static LogicalResult check(StoreOp store, int64_t warps) {
    if (store.getByTensorMap())
      return remarks::emitStoreTensorsAlready(store);
    if (store.getUntil())
      return remarks::emitStoreTensorsUntil(store);
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    if (!store.getScratch() || tile.getRank() != 2 ||
        tile.getElementTypeBitWidth() != 16)
      return remarks::emitStoreTensorsNoScratch(store);
    int64_t rows = tile.getDimSize(0), columns = tile.getDimSize(1);
    if (warps == 0 || rows % (16 * warps) != 0 ||
        tile.getEncoding() !=
            mmaAccumulator(store.getContext(), rows, columns, warps))
      return remarks::emitStoreTensorsFragment(store);
    auto scratch = cast<RankedTensorType>(store.getScratch().getType());
    auto layout = dyn_cast_or_null<SharedAttr>(scratch.getEncoding());
    if (scratch.getShape() != tile.getShape() ||
        scratch.getElementType() != tile.getElementType() || !layout ||
        !layout.isPlain() ||
        layout.getSpan() <
            SharedAttr::getWidest(store.getContext(), columns * 2).getSpan())
      return remarks::emitStoreTensorsShape(store);
    ViewType view = store.getView().getType();
    int64_t last = view.getShape().back();
    if (ShapedType::isDynamic(last) || last * 2 % kStrideBytes != 0)
      return remarks::emitStoreTensorsStride(store);
    for (Operation *user : store.getView().getUsers())
      if (user != store && !isa<DimOp>(user))
        return remarks::emitStoreTensorsView(store);
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!TargetAttr::of(kernel).hasCapability("tma")) {
      remarks::emitStoreTensorsTarget(kernel);
      return;
    }
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    int64_t warps = threads ? threads.getInt() / kWarp : 0;
    kernel.walk([&](StoreOp store) {
      if (failed(check(store, warps)))
        return;
      store.setByTensorMap(true);
      ++numStores;
      remarks::emitStoreTensors(store);
    });
  }
};

} // namespace
