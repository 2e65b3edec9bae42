//===- StreamReads.cpp - Elements of each score as a tile that streams ----===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTREAMREADS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct StreamReadsPass : attn::impl::AttnStreamReadsBase<StreamReadsPass> {
  /// Dimensions and extent of a box of a tensor map (CUDA driver API,
  /// cuTensorMapEncodeTiled).
  static constexpr unsigned kMostDims = 5;
  static constexpr int64_t kMostExtent = 256;
  /// Rows of a tile and columns in shared memory are a multiple of this.
  static constexpr int64_t kGranule = 16;

  /// Whether the rows and columns of the tile are neighbours along the last two
  /// dimensions of the view.
  static bool isPartOfView(GatherOp gather) {
    auto rank = gather.getIndices().size();
    if (rank < 2)
      return false;
    for (auto [dim, index] : llvm::enumerate(gather.getIndices())) {
      auto iota = index.getDefiningOp<IotaOp>();
      bool isOwn = dim + 2 >= rank;
      if (isa<RankedTensorType>(index.getType()) != isOwn ||
          (isOwn && (!iota || iota.getDim() != dim + 2 - rank)))
        return false;
    }
    return true;
  }

  /// Where the tile begins, along each dimension of the view.
  static SmallVector<Value> offsetsOf(GatherOp gather) {
    return llvm::map_to_vector(gather.getIndices(), [](Value index) {
      auto iota = index.getDefiningOp<IotaOp>();
      return iota ? iota.getStart() : index;
    });
  }

  /// A producer runs ahead: it knows the position, and what was there before
  /// the stream.
  static bool isKnownAhead(GatherOp gather, StreamOp stream) {
    return gather->getBlock() == &stream.getBody().front() &&
           llvm::all_of(offsetsOf(gather), [&](Value offset) {
             return offset == stream.getPosition() ||
                    !stream.getBody().isAncestor(offset.getParentRegion());
           });
  }

  /// Fails, with a remark, where a gather stays as it is.
  static LogicalResult check(GatherOp gather) {
    auto stream = gather->getParentOfType<StreamOp>();
    auto tile = dyn_cast<RankedTensorType>(gather.getElements().getType());
    auto view = dyn_cast<ViewType>(gather.getSource().getType());
    if (!stream || !view || !tile || tile.getRank() != 2 ||
        !isPartOfView(gather) || !isKnownAhead(gather, stream))
      return remarks::emitStreamReadsScattered(gather);
    if (tile.getElementTypeBitWidth() != 16 || view.getRank() > kMostDims ||
        llvm::any_of(tile.getShape(), [](int64_t size) {
          return size % kGranule != 0 || size > kMostExtent;
        }))
      return remarks::emitStreamReadsShape(gather);
    for (Operation *user : gather.getSource().getUsers()) {
      auto other = dyn_cast<GatherOp>(user);
      if (!isa<DimOp>(user) &&
          !(other && other.getElements().getType() == tile &&
            isPartOfView(other)))
        return remarks::emitStreamReadsView(gather);
    }
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<GatherOp> gathers;
    kernel.walk([&](GatherOp gather) { gathers.push_back(gather); });
    if (gathers.empty())
      return;
    if (!TargetAttr::of(kernel).hasCapability("tma")) {
      remarks::emitStreamReadsTarget(kernel);
      return;
    }
    llvm::erase_if(gathers,
                   [](GatherOp gather) { return failed(check(gather)); });
    for (GatherOp gather : gathers) {
      OpBuilder b(gather);
      Value tile =
          LoadOp::create(b, gather.getLoc(), gather.getElements().getType(),
                         gather.getSource(), offsetsOf(gather));
      remarks::emitStreamReads(gather);
      gather.getElements().replaceAllUsesWith(tile);
      gather.erase();
      ++numReads;
    }
  }
};

} // namespace
