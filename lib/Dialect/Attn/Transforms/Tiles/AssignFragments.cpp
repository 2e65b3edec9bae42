//===- AssignFragments.cpp - Tiles into the registers of threads ----------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"
#include "attn-mlir/Dialect/Attn/Utils/WarpChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/IntEqClasses.h"

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

/// Tiles of a kernel that operations connect, so that the layout of one follows
/// from that of another.
struct TileGroup {
  SmallVector<Value> tiles;
  /// Of all tiles but those with one value a column.
  int64_t rows = 0;
  /// Whether some are loaded straight into registers, and whether some are
  /// operands or results of matrix instructions or lie in shared memory, too.
  bool loads = false, matrices = false;
  /// Whether they follow from a product whose result warps may share by columns
  /// (WarpGrid).
  bool shares = false;
  /// One row in one warp.
  bool isFree() const { return loads && !matrices; }
  /// Whether a tile has one value for each column of the others.
  bool isOfColumns(RankedTensorType tile) const {
    return tile.getRank() == 2 && tile.getDimSize(0) == 1 && rows > 1;
  }
};

/// The groups of a kernel, in the order of their first operations.
class TileGroups {
public:
  explicit TileGroups(KernelOp kernel) {
    kernel.walk([&](Operation *op) { connect(op); });
    ids.compress();
    groups.resize(ids.getNumClasses());
    for (Value tile : tiles) {
      TileGroup &group = of(tile);
      group.tiles.push_back(tile);
      RankedTensorType type = plainTile(tile.getType());
      if (type.getRank() > 0)
        group.rows = std::max(group.rows, type.getDimSize(0));
    }
    kernel.walk([&](Operation *op) { describe(op); });
  }

  TileGroup &of(Value tile) { return groups[ids[numbers.lookup(tile)]]; }
  MutableArrayRef<TileGroup> get() { return groups; }

private:
  void connect(Operation *op) {
    SmallVector<Value> touched(op->getOperands());
    llvm::append_range(touched, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        llvm::append_range(touched, block.getArguments());
        if (block.mightHaveTerminator())
          llvm::append_range(touched, block.getTerminator()->getOperands());
      }
    Value first;
    for (Value value : touched) {
      if (!plainTile(value.getType()))
        continue;
      unsigned number = numberOf(value);
      // Tiles that are shown have nothing to do with each other.
      if (!first || isa<ExchangeOp>(op))
        first = value;
      else
        ids.join(numbers.lookup(first), number);
    }
  }

  unsigned numberOf(Value tile) {
    auto [it, isNew] = numbers.try_emplace(tile, tiles.size());
    if (isNew) {
      tiles.push_back(tile);
      ids.grow(tiles.size());
    }
    return it->second;
  }

  void describe(Operation *op) {
    for (Value result : op->getResults())
      if (plainTile(result.getType())) {
        of(result).loads |= isa<LoadOp>(op);
        of(result).matrices |= isa<DotOp, ConvertLayoutOp>(op);
        auto dot = dyn_cast<DotOp>(op);
        of(result).shares |= dot && dot.getTransposeLhs();
      }
  }

  SmallVector<Value> tiles;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::IntEqClasses ids;
  SmallVector<TileGroup> groups;
};

struct AssignFragmentsPass
    : attn::impl::AttnAssignFragmentsBase<AssignFragmentsPass> {
  using AttnAssignFragmentsBase::AttnAssignFragmentsBase;

  /// Checks the shapes of tiles and finds the rows of each group, or gives a
  /// diagnostic.
  LogicalResult findRows(KernelOp kernel, TileGroups &groups) {
    WalkResult result = kernel.walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (plainTile(value.getType()) &&
            failed(checkTile(op, value, groups.of(value))))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkTile(Operation *op, Value value, TileGroup &group) {
    RankedTensorType tile = plainTile(value.getType());
    if (tile.getRank() < 1 || tile.getRank() > 2)
      return op->emitOpError("expected tiles of rank 1 or 2, but got ") << tile;
    if (!hasOneValue(op))
      return op->emitOpError("expected tile constants of one value, but got ")
             << cast<arith::ConstantOp>(op).getValue();
    if (tile.getDimSize(0) != group.rows && !group.isOfColumns(tile))
      return op->emitOpError("expected tiles of ")
             << group.rows
             << " rows, as the others that it depends on, but got " << tile;
    if (tile.getRank() == 2 && tile.getDimSize(1) % columns() != 0)
      return op->emitOpError("expected tiles with a multiple of ")
             << columns() << " columns, but got " << tile;
    return success();
  }

  /// Rows of the tiles that say how many warps there are: those of matrix
  /// instructions, if any. Failure after a diagnostic where these differ.
  static FailureOr<int64_t> leadingRows(KernelOp kernel, TileGroups &groups,
                                        bool free) {
    int64_t rows = 0;
    for (TileGroup &group : groups.get()) {
      if (group.isFree() != free || group.rows == 0 || group.shares)
        continue;
      Value tile = group.tiles.front();
      if (rows != 0 && group.rows != rows)
        return (tile.getDefiningOp() ? tile.getDefiningOp() : kernel)
                   ->emitOpError("expected tiles of ")
               << rows << " rows, as the others of the kernel, but got "
               << tile.getType();
      rows = group.rows;
    }
    return rows;
  }

  /// Threads hold different elements of a constant: they must be the same.
  static bool hasOneValue(Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    return !constant || isa<SplatElementsAttr>(constant.getValue());
  }

  /// Whether a kernel without a stream or a product moves what it loads.
  static bool isMoved(LoadOp load) {
    return !load->getParentOfType<KernelOp>()
                .walk([](Operation *op) {
                  return isa<StreamOp, DotOp>(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Neighbouring columns that a lane has at least where no product says more:
  /// whole words of what goes from memory into registers, and of FP8, which is
  /// words there, on the way back.
  static int64_t leastColumns(KernelOp kernel) {
    constexpr int64_t kWordBits = 32;
    int64_t least = 1;
    kernel.walk([&](StoreOp store) {
      Type element = getElementTypeOrSelf(store.getTile());
      if (isFloat8(element))
        least = kWordBits / element.getIntOrFloatBitWidth();
    });
    kernel.walk([&](LoadOp load) {
      auto tile = cast<RankedTensorType>(load.getTile().getType());
      if (tile.getRank() == 2 && (isDirect(load) || isMoved(load)))
        least = std::max(least, kWordBits / tile.getElementTypeBitWidth());
    });
    return least;
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

  /// Columns of the rows of which tiles of one value a row are.
  int64_t columnsOf(const TileGroup &group) const {
    for (Value value : group.tiles)
      if (RankedTensorType tile = plainTile(value.getType());
          tile.getRank() == 2)
        return tile.getDimSize(1);
    return lanes();
  }

  FragmentAttr layoutOf(RankedTensorType tile, const TileGroup &group,
                        int64_t count, bool free, int64_t columns,
                        InterleaveOp interleaved) {
    int64_t rows = group.rows,
            width = tile.getRank() == 2 ? tile.getDimSize(1) : columns;
    FragmentAttr matrix =
        interleaved ? layoutOf(interleaved, rows, width, count)
        : free ? rowsOfWarps(&getContext(), rows, width, count, lanes(), least)
               : unit.getAccumulator(rows, width, count);
    if (group.isOfColumns(tile))
      return matrix.getColumnSlice();
    return tile.getRank() == 2 ? matrix : matrix.getRowSlice();
  }

  FragmentAttr layoutOf(InterleaveOp op, int64_t rows, int64_t columns,
                        int64_t warps) {
    auto group = static_cast<int64_t>(op.getGroup());
    if (group == InterleaveOp::kGroup)
      return unitOfOperands().getLhs(rows, columns, warps);
    return mmaGroups(&getContext(), rows, columns, warps, group);
  }

  /// Which unit says how tiles lie that are interleaved: where no product takes
  /// them, they are to be stored, as operands of FP8 lie.
  MatrixUnitInterface unitOfOperands() const {
    MLIRContext *context = unit.getContext();
    if (unit.takesElement(Float8E4M3FNType::get(context)))
      return unit;
    return MmaSync8Attr::get(context);
  }

  /// What a tile is in the order of, where it is interleaved, or computed of
  /// what is, element by element.
  static InterleaveOp interleavingOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::TruncFOp>(op))
      return interleavingOf(op->getOperand(0));
    return dyn_cast_if_present<InterleaveOp>(op);
  }

  void assign(Value value, const TileGroup &group, int64_t count, bool free,
              int64_t columns) {
    RankedTensorType tile = plainTile(value.getType());
    auto type = RankedTensorType::get(
        tile.getShape(), tile.getElementType(),
        layoutOf(tile, group, count, free, columns, interleavingOf(value)));
    value.setType(type);
    ++numTiles;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(
          DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
    }
  }

  /// A kernel that only stores what it loads as columns has as many threads as
  /// there are blocks. Whether it is one; failure after a diagnostic.
  FailureOr<bool> assignBlocks(KernelOp kernel) {
    SmallVector<StoreColumnsOp> stores;
    kernel.walk([&](StoreColumnsOp store) { stores.push_back(store); });
    if (stores.empty())
      return false;
    auto load = stores.front().getTile().getDefiningOp<LoadOp>();
    if (stores.size() > 1 || !load || !load.getTile().hasOneUse())
      return stores.front()->emitOpError(
                 "expected to be the only one of its kernel, of a tile that is "
                 "loaded for it"),
             failure();
    auto tile = cast<RankedTensorType>(load.getTile().getType());
    FragmentAttr layout =
        blocksOfThreads(&getContext(), tile.getDimSize(0), tile.getDimSize(1));
    int64_t threads = layout.getNumThreads();
    if (threads % lanes() != 0 ||
        threads > lanes() * mostWarps(TargetAttr::of(kernel)))
      return stores.front()->emitOpError(
                 "expected blocks of 16 x 16 for whole warps, but got ")
                 << tile,
             failure();
    load.getTile().setType(
        RankedTensorType::get(tile.getShape(), tile.getElementType(), layout));
    ++numTiles;
    kernel->setAttr(KernelOp::kThreadsAttr,
                    OpBuilder(kernel).getI64IntegerAttr(threads));
    remarks::emitAssignFragments(kernel, threads / lanes(), tile.getDimSize(0));
    return true;
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    unit = findUnit(kernel);
    FailureOr<bool> hasBlocks = assignBlocks(kernel);
    if (failed(hasBlocks))
      return signalPassFailure();
    if (*hasBlocks)
      return;
    least = leastColumns(kernel);
    TileGroups groups(kernel);
    if (failed(findRows(kernel, groups)))
      return signalPassFailure();
    if (groups.get().empty()) {
      remarks::emitAssignFragmentsNone(kernel);
      // What computes indices alone is for one warp.
      if (writesElements(kernel))
        kernel->setAttr(KernelOp::kThreadsAttr,
                        OpBuilder(kernel).getI64IntegerAttr(lanes()));
      return;
    }
    bool allFree = llvm::all_of(
        groups.get(), [](TileGroup &group) { return group.isFree(); });
    FailureOr<int64_t> rows = leadingRows(kernel, groups, allFree);
    if (failed(rows))
      return signalPassFailure();
    // Who asks for warps asks for those of matrix instructions, where rows are
    // enough.
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    int64_t count = threads   ? threads.getInt() / lanes()
                    : allFree ? rowWarps(*rows)
                              : defaultWarps(kernel, *rows, unit),
            most = mostWarps(TargetAttr::of(kernel));
    bool free =
        allFree && (!threads || (count > 0 && *rows % (16 * count) != 0));
    if (count < 1 || count > most || (!free && *rows % (16 * count) != 0)) {
      emitError(kernel.getLoc())
          << "expected 1 to " << most
          << " warps of a multiple of 16 rows each, but got " << count
          << " warps for " << *rows << " rows";
      return signalPassFailure();
    }
    for (TileGroup &group : groups.get())
      if (group.shares && failed(checkShared(group, count)))
        return signalPassFailure();
    for (TileGroup &group : groups.get()) {
      int64_t columns = columnsOf(group);
      for (Value tile : group.tiles)
        assign(tile, group, count, group.isFree() && (!allFree || free),
               columns);
    }
    kernel->setAttr(KernelOp::kThreadsAttr,
                    OpBuilder(kernel).getI64IntegerAttr(lanes() * count));
    remarks::emitAssignFragments(kernel, count, *rows);
  }

  /// Whether so many warps can share each result of the group.
  static LogicalResult checkShared(const TileGroup &group, int64_t count) {
    WarpGrid grid = warpGrid(group.rows, count);
    for (Value value : group.tiles) {
      RankedTensorType tile = plainTile(value.getType());
      if (tile.getRank() == 2 && grid.down * grid.across == count &&
          group.rows % (16 * grid.down) == 0 &&
          tile.getDimSize(1) % (16 * grid.across) == 0)
        continue;
      return emitError(value.getLoc())
             << "expected tiles that " << count
             << " warps can share by 16 rows and columns, or multiples, but "
                "got "
             << tile;
    }
    return success();
  }

  /// The unit whose layouts tiles have: all that products name share them.
  static MatrixUnitInterface findUnit(KernelOp kernel) {
    MatrixUnitInterface unit = usualUnit(TargetAttr::of(kernel));
    kernel.walk([&](DotOp dot) {
      unit = unitOf(dot);
      return WalkResult::interrupt();
    });
    return unit;
  }

  int64_t lanes() const { return unit.getLanes(); }
  /// What columns of tiles are a multiple of.
  int64_t columns() const { return std::min<int64_t>(unit.getColumns(), 16); }

  MatrixUnitInterface unit;
  int64_t least = 1;
};

} // namespace
