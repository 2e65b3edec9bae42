//===- AssignFragments.cpp - Tiles into the registers of threads ----------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNASSIGNFRAGMENTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Tiles that are values of the kernel and have no layout yet.
RankedTensorType plainTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && !tile.getEncoding() ? tile : RankedTensorType();
}

struct AssignFragmentsPass
    : attn::impl::AttnAssignFragmentsBase<AssignFragmentsPass> {
  using AttnAssignFragmentsBase::AttnAssignFragmentsBase;

  /// Rows of all tiles of the kernel, or failure after a diagnostic.
  FailureOr<int64_t> findRows(KernelOp kernel) {
    int64_t rows = 0;
    WalkResult result = kernel.walk([&](Operation *op) {
      for (Type type : op->getResultTypes()) {
        RankedTensorType tile = plainTile(type);
        if (!tile)
          continue;
        if (tile.getRank() < 1 || tile.getRank() > 2) {
          op->emitOpError("expected tiles of rank 1 or 2, but got ") << tile;
          return WalkResult::interrupt();
        }
        if (!hasOneValue(op)) {
          op->emitOpError("expected tile constants of one value, but got ")
              << cast<arith::ConstantOp>(op).getValue();
          return WalkResult::interrupt();
        }
        if (rows == 0)
          rows = tile.getDimSize(0);
        if (tile.getDimSize(0) != rows) {
          op->emitOpError("expected tiles of ")
              << rows << " rows, as the others of the kernel, but got " << tile;
          return WalkResult::interrupt();
        }
        if (tile.getRank() == 2 && tile.getDimSize(1) % columns() != 0) {
          op->emitOpError("expected tiles with a multiple of ")
              << columns() << " columns, but got " << tile;
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return rows;
  }

  /// Threads hold different elements of a constant: they must be the same.
  static bool hasOneValue(Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    return !constant || isa<SplatElementsAttr>(constant.getValue());
  }

  /// About 32 rows a warp, which use each B fragment twice; 4 warps if there
  /// are rows enough for them.
  int64_t defaultWarps(int64_t rows) {
    int64_t blocks = rows / 16, best = 1;
    for (int64_t warps = 1; warps <= maxWarps() && warps <= blocks; ++warps)
      if (blocks % warps == 0 && (warps <= 4 || rows / warps > 32 || best == 1))
        best = warps;
    return best;
  }

  /// Registers that accumulators and what is computed of them take in all
  /// threads: one tile of each shape.
  static int64_t countRegisters(KernelOp kernel) {
    llvm::SmallSetVector<Type, 4> tiles;
    kernel.walk([&](DotOp dot) { tiles.insert(dot.getResult().getType()); });
    int64_t registers = 0;
    for (Type type : tiles)
      registers += cast<ShapedType>(type).getNumElements();
    return registers;
  }

  /// More warps where a thread would hold more than it has registers for.
  int64_t defaultWarps(KernelOp kernel, int64_t rows) {
    int64_t warps = defaultWarps(rows), registers = countRegisters(kernel);
    while (registers / (lanes() * warps) > mostHeld() &&
           2 * warps <= maxWarps() && rows % (32 * warps) == 0)
      warps *= 2;
    return warps;
  }

  /// Large blocks where all tiles consist of them.
  static MfmaBlock findBlock(KernelOp kernel, int64_t rowsPerWarp) {
    bool large = rowsPerWarp % 32 == 0;
    kernel.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (RankedTensorType tile = plainTile(type))
          large &= tile.getRank() != 2 || tile.getDimSize(1) % 32 == 0;
    });
    return large ? MfmaBlock::Large : MfmaBlock::Small;
  }

  /// Whether tiles are loaded straight into registers, and no matrix
  /// instruction or ring asks for a layout: then a row lies in one warp.
  static bool hasFreeLayout(KernelOp kernel) {
    bool loads = false;
    WalkResult result = kernel.walk([&](Operation *op) {
      loads |= isa<LoadOp>(op);
      return isa<DotOp, RingCreateOp>(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
    });
    return loads && !result.wasInterrupted();
  }

  static bool writesElements(KernelOp kernel) {
    return kernel.walk([](WriteOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// A warp a row, up to some.
  static int64_t rowWarps(int64_t rows) {
    constexpr int64_t kMostWarps = 8;
    int64_t warps = std::min(rows, kMostWarps);
    while (rows % warps != 0)
      --warps;
    return warps;
  }

  FragmentAttr layoutOf(RankedTensorType tile, int64_t count) {
    int64_t rows = tile.getDimSize(0),
            width = tile.getRank() == 2 ? tile.getDimSize(1) : lanes();
    FragmentAttr matrix =
        free    ? rowsOfWarps(&getContext(), rows, width, count, lanes())
        : block ? mfmaTile(&getContext(), *block, rows, width, count)
                : mmaAccumulator(&getContext(), rows, width, count);
    return tile.getRank() == 2 ? matrix : matrix.getRowSlice();
  }

  void assign(Value value, int64_t count) {
    RankedTensorType tile = plainTile(value.getType());
    if (!tile)
      return;
    auto type = RankedTensorType::get(tile.getShape(), tile.getElementType(),
                                      layoutOf(tile, count));
    value.setType(type);
    ++numTiles;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(
          DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
    }
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    mfma = TargetAttr::of(kernel).hasCapability("mfma");
    block.reset();
    if (failed(checkOptions(kernel)))
      return signalPassFailure();
    FailureOr<int64_t> rows = findRows(kernel);
    if (failed(rows))
      return signalPassFailure();
    if (*rows == 0) {
      remarks::emitAssignFragmentsNone(kernel);
      // What computes indices alone is for one warp.
      if (writesElements(kernel))
        kernel->setAttr(KernelOp::kThreadsAttr,
                        OpBuilder(kernel).getI64IntegerAttr(lanes()));
      return;
    }
    free = !warps && rowsPerWarp == 0 && hasFreeLayout(kernel);
    int64_t count = warps             ? warps.getValue()
                    : rowsPerWarp > 0 ? *rows / rowsPerWarp
                    : free            ? rowWarps(*rows)
                                      : defaultWarps(kernel, *rows);
    if (count < 1 || count > maxWarps() ||
        (!free && *rows % (16 * count) != 0)) {
      emitError(kernel.getLoc())
          << "expected 1 to " << maxWarps()
          << " warps of a multiple of 16 rows each, but got " << count
          << " warps for " << *rows << " rows";
      return signalPassFailure();
    }
    if (mfma && !free)
      block = findBlock(kernel, *rows / count);
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        assign(result, count);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          assign(argument, count);
    });
    kernel->setAttr(KernelOp::kThreadsAttr,
                    OpBuilder(kernel).getI64IntegerAttr(lanes() * count));
    remarks::emitAssignFragments(
        kernel, count, warps || rowsPerWarp ? "option" : "default", *rows);
  }

  /// Threads of a CTA are 1024 at most.
  int64_t lanes() const { return mfma ? 64 : 32; }
  LogicalResult checkOptions(KernelOp kernel) {
    int64_t most = maxWarps(), mostRows = int64_t(1) << 20;
    if (warps < 0 || warps > most)
      return emitError(kernel.getLoc())
             << "expected 1 to " << most
             << " warps, or 0 for the default, but got " << warps.getValue();
    if (rowsPerWarp < 0 || rowsPerWarp > mostRows)
      return emitError(kernel.getLoc())
             << "expected 1 to " << mostRows
             << " rows a warp, or 0 for the default, but got "
             << rowsPerWarp.getValue();
    return success();
  }

  int64_t maxWarps() const { return 1024 / lanes(); }
  /// What operands and addresses leave of the registers of a thread: 255, or
  /// 512 with accumulators among them.
  int64_t mostHeld() const { return mfma ? 320 : 208; }
  /// Columns of an accumulator: of m16n8k16, or of 16x16x16.
  int64_t columns() const { return mfma ? 16 : 8; }

  /// Free: of layouts of matrix instructions.
  bool mfma = false, free = false;
  std::optional<MfmaBlock> block;
};

} // namespace
