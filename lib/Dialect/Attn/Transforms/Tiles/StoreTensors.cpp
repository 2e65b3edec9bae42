//===- StoreTensors.cpp - Stores by the tensor memory accelerator ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

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

  /// Why a store stays as it is, or nothing.
  static StringRef whyNot(StoreOp store, int64_t warps) {
    if (store.getByTensorMap())
      return "it is one already";
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    if (!store.getScratch() || tile.getRank() != 2 ||
        tile.getElementTypeBitWidth() != 16)
      return "no tile of 16-bit elements goes through shared memory";
    int64_t rows = tile.getDimSize(0), columns = tile.getDimSize(1);
    if (warps == 0 || rows % (16 * warps) != 0 ||
        tile.getEncoding() !=
            mmaAccumulator(store.getContext(), rows, columns, warps))
      return "its tile is no accumulator with whole rows in each warp";
    auto scratch = cast<RankedTensorType>(store.getScratch().getType());
    if (scratch != RankedTensorType::get(
                       tile.getShape(), tile.getElementType(),
                       SharedAttr::getWidest(store.getContext(), columns * 2)))
      return "the memory that it goes through is of another shape";
    ViewType view = store.getView().getType();
    int64_t last = view.getShape().back();
    if (ShapedType::isDynamic(last) || last * 2 % kStrideBytes != 0)
      return "rows of the view are no multiples of 16 bytes";
    for (Operation *user : store.getView().getUsers())
      if (user != store && !isa<DimOp>(user))
        return "the view is accessed by others, too";
    return "";
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto opts = remark::RemarkOpts::name("stored")
                    .category("attn-store-tensors")
                    .function(kernel.getSymName());
    if (!TargetAttr::of(kernel).hasCapability("tma")) {
      remark::missed(kernel.getLoc(), opts)
          << "the target has no tensor memory accelerator";
      return;
    }
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    int64_t warps = threads ? threads.getInt() / kWarp : 0;
    kernel.walk([&](StoreOp store) {
      StringRef reason = whyNot(store, warps);
      if (!reason.empty()) {
        remark::missed(store.getLoc(), opts) << reason.str();
        return;
      }
      store.setByTensorMap(true);
      ++numStores;
      remark::passed(store.getLoc(), opts)
          << "each warp's rows are stored by the tensor memory accelerator";
    });
  }
};

} // namespace
