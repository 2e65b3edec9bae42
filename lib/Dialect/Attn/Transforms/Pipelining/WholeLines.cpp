//===- WholeLines.cpp - Accesses of whole lines, through shared memory ----===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNWHOLELINES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

constexpr int64_t kLaneBytes = 16, kLineBytes = 128;

/// A load or store of a tile in registers, and how it would be of lines.
struct Access {
  Operation *op;
  RankedTensorType tile;
  ViewType view;
  /// Lanes that have neighbouring 16 bytes of a row, and those that do now.
  int64_t along = 0, before = 0;
  /// Whose memory is free.
  SmallVector<Value> rings = {};
};

class LineAccesses {
public:
  explicit LineAccesses(KernelOp kernel)
      : kernel(kernel), target(TargetAttr::of(kernel)),
        lanes(usualUnit(target).getLanes()) {}

  /// Whether the access became one of lines; there is a remark if not.
  bool store(StoreOp op) {
    Access access{op, cast<RankedTensorType>(op.getTile().getType()),
                  op.getView().getType()};
    if (failed(check(access)))
      return false;
    OpBuilder b(op);
    auto layout = SharedAttr::getWidest(op.getContext(), rowBytes(access.tile));
    Value lines = exchange(b, access, op.getTile(), layout, linesOf(access),
                           [&] { b.setInsertionPointAfter(op); });
    op.getTileMutable().assign(lines);
    return true;
  }

  bool load(LoadOp op) {
    Access access{op, cast<RankedTensorType>(op.getTile().getType()),
                  op.getView().getType()};
    if (failed(check(access)))
      return false;
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    // As products read a tile that streams by.
    bool paired = target.hasCapability("lds-banks-64");
    auto layout = SharedAttr::getWidest(op.getContext(), rowBytes(access.tile),
                                        /*transposed=*/false, !paired, paired);
    op.getTile().setType(linesOf(access));
    Value held = exchange(b, access, op.getTile(), layout, access.tile, [] {});
    op.getTile().replaceUsesWithIf(
        held, [](OpOperand &use) { return !isa<RingPutOp>(use.getOwner()); });
    return true;
  }

private:
  static int64_t rowBytes(RankedTensorType tile) {
    return tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8;
  }

  int64_t warps() const {
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    return threads ? threads.getInt() / lanes : 0;
  }

  RankedTensorType linesOf(const Access &access) const {
    return RankedTensorType::get(
        access.tile.getShape(), access.tile.getElementType(),
        linesOfWarps(access.tile, warps(), lanes, access.along));
  }

  static LogicalResult refuse(const Access &access, StringRef reason) {
    return remarks::emitWholeLinesNot(access.op, reason);
  }

  /// Finds how an access is done by lines, or fails with a remark.
  LogicalResult check(Access &access) {
    RankedTensorType tile = access.tile;
    auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
    if (!layout || tile.getRank() != 2 || tile.getElementTypeBitWidth() != 16)
      return refuse(access, "the tile is not one of 16-bit elements, of rows "
                            "and columns, in registers");
    int64_t columns = access.view.getShape().back();
    if (ShapedType::isDynamic(columns) || columns * 2 % kLaneBytes != 0)
      return refuse(access, "rows of the view are not known to be multiples of "
                            "16 bytes");
    access.along = kLineBytes / kLaneBytes;
    while (rowBytes(tile) % (access.along * kLaneBytes) != 0)
      access.along /= 2;
    access.before = layout.getThreadsPerRow();
    if (access.along <= access.before)
      return refuse(access, "lanes have as many neighbours of a row already");
    if (warps() == 0 ||
        tile.getDimSize(0) % (warps() * (lanes / access.along)) != 0)
      return refuse(access, "warps have fewer rows than lanes would access");
    return findMemory(access);
  }

  /// Rings of streams beside the access: in front of a stream and behind it no
  /// slot is taken.
  LogicalResult findMemory(Access &access) {
    int64_t bytes = 0;
    for (auto ring : kernel.getBody().getOps<RingCreateOp>()) {
      if (!ring.getOver().empty())
        continue;
      for (Operation *user : ring->getUsers())
        if (!isa<RingCreateOp>(user) && !isBeside(user, access.op))
          return refuse(access, "rings have slots that may be taken there");
      access.rings.push_back(ring);
      bytes += slotBytes(ring);
    }
    if (bytes < access.tile.getDimSize(0) * rowBytes(access.tile))
      return refuse(access, "rings have less memory than the tile");
    return success();
  }

  /// Whether `user` is in a stream of the block of `op`.
  static bool isBeside(Operation *user, Operation *op) {
    return isa_and_nonnull<StreamOp>(
        op->getBlock()->findAncestorOpInBlock(*user));
  }

  /// `tile` as one of type `to`, by way of memory with a layout. The slot is
  /// given back where `moveOn` leaves the builder.
  Value exchange(OpBuilder &b, const Access &access, Value tile,
                 SharedAttr layout, RankedTensorType to,
                 llvm::function_ref<void()> moveOn) {
    Location loc = access.op->getLoc();
    auto shared =
        RankedTensorType::get(to.getShape(), to.getElementType(), layout);
    Value ring = createRing(access, shared);
    Value slot = RingAcquireOp::create(
        b, loc, SlotType::get(b.getContext(), shared), ring, /*ahead=*/0);
    RingPutOp::create(b, loc, tile, slot);
    Value full = RingWaitOp::create(b, loc, shared, ring);
    Value result = ConvertLayoutOp::create(b, loc, to, full);
    moveOn();
    RingReleaseOp::create(b, loc, ring);
    remarks::emitWholeLines(access.op, access.along * kLaneBytes,
                            access.before * kLaneBytes);
    return result;
  }

  /// Behind those whose memory it has.
  Value createRing(const Access &access, RankedTensorType tile) {
    RingCreateOp last;
    for (auto ring : kernel.getBody().getOps<RingCreateOp>())
      last = ring;
    OpBuilder b(kernel.getContext());
    b.setInsertionPointAfter(last);
    return RingCreateOp::create(
        b, access.op->getLoc(), RingType::get(b.getContext(), 1, tile),
        IntegerAttr(), /*own_rows=*/false, IntegerAttr(), access.rings);
  }

  KernelOp kernel;
  TargetAttr target;
  int64_t lanes;
};

struct WholeLinesPass : attn::impl::AttnWholeLinesBase<WholeLinesPass> {
  using AttnWholeLinesBase::AttnWholeLinesBase;

  /// Loads of what stays while a stream goes by, in registers.
  static bool stays(LoadOp load) {
    auto tile = cast<RankedTensorType>(load.getTile().getType());
    return tile.getRank() == 2 && !load->getParentOfType<StreamOp>() &&
           load.getBlocks().empty();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!TargetAttr::of(kernel).hasCapability("buffer")) {
      remarks::emitWholeLinesTarget(kernel);
      return;
    }
    SmallVector<Operation *> accesses;
    kernel.walk([&](Operation *op) {
      auto load = dyn_cast<LoadOp>(op);
      if (isa<StoreOp>(op) || (load && of == WholeLines::All && stays(load)))
        accesses.push_back(op);
    });
    LineAccesses lines(kernel);
    for (Operation *op : accesses) {
      auto load = dyn_cast<LoadOp>(op);
      numAccesses += load ? lines.load(load) : lines.store(cast<StoreOp>(op));
    }
  }
};

} // namespace
