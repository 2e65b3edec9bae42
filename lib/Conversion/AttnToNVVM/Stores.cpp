//===- Stores.cpp - Tiles back to global memory ---------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;

/// 16-bit columns of a chunk of 16 bytes.
static constexpr int64_t kChunkColumns = 8;

bool attn::storesChunks(StoreOp op) {
  auto type = cast<RankedTensorType>(op.getTile().getType());
  int64_t last = op.getView().getType().getShape().back();
  return op.getScratch() && type.getRank() == 2 &&
         type.getElementTypeBitWidth() == 16 && !ShapedType::isDynamic(last) &&
         last % kChunkColumns == 0;
}

Value attn::readThreadAgain(OpBuilder &b, Location loc) {
  auto read = assembly(b, loc, b.getI32Type(), {}, "mov.u32 $0, %tid.x;", "=r");
  read->setAttr(kReadsThreadAttr, b.getUnitAttr());
  return read.getResult(0);
}

namespace {

using Runs = SmallVector<int64_t>;

/// Whether all columns of the tile lie in the view.
template <typename Op> bool hasAllColumns(Op op) {
  int64_t last = op.getView().getType().getShape().back();
  std::optional<int64_t> offset = getConstantIntValue(op.getOffsets().back());
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  return tile.getRank() == 2 && offset && !ShapedType::isDynamic(last) &&
         *offset >= 0 && *offset + tile.getDimSize(1) <= last;
}

/// The first registers of what goes to the view at once; those in one group lie
/// in the view together or not at all.
template <typename Op>
SmallVector<Runs> groupRuns(Op op, FragmentAttr layout, int64_t run) {
  bool wholeRows = hasAllColumns(op);
  llvm::MapVector<int64_t, Runs> groups;
  for (int64_t r = 0; r < layout.getNumRegisters(); r += run)
    groups[wholeRows ? layout.getRegisterOffset(r).front() : r].push_back(r);
  return llvm::to_vector(llvm::make_second_range(groups));
}

/// What a thread holds of a tile, and where it goes.
struct HeldElements {
  ThreadBuilder t;
  FragmentAttr layout;
  const Destination &destination;
  SmallVector<Value> first;
  ValueRange elements;
  int64_t run;
  /// Of FP8 several may be one value.
  int64_t inValue = 1;

  SmallVector<Value> coordinatesOf(int64_t r) const {
    SmallVector<Value> coordinates;
    for (auto [base, offset] : llvm::zip(first, layout.getRegisterOffset(r)))
      coordinates.push_back(t.add(base, offset));
    return coordinates;
  }
  /// Those of neighbouring columns from a register on.
  ValueRange from(int64_t r) const {
    return elements.slice(r / inValue, run / inValue);
  }
};

/// Words of FP8, four numbers each, as what runs of so many consist of, and how
/// many numbers are one of these.
std::pair<Value, int64_t> asRuns(OpBuilder &b, Location loc, Value words,
                                 int64_t run) {
  constexpr int64_t kInWord = 4;
  if (run % kInWord == 0)
    return {words, kInWord};
  int64_t count = cast<VectorType>(words.getType()).getNumElements();
  auto bytes = VectorType::get({count * kInWord}, b.getI8Type());
  return {vector::BitCastOp::create(b, loc, bytes, words), 1};
}

/// Lets each thread write the elements that it holds: `write` builds what goes
/// to the view for registers that lie in it together, within the condition that
/// they do.
template <typename Op, typename Write>
LogicalResult writeHeld(Op op, Value tile, ConversionPatternRewriter &rewriter,
                        Write write) {
  FragmentAttr layout = fragmentOf(op.getTile().getType());
  if (!layout)
    return rewriter.notifyMatchFailure(op, "tile is not in registers");
  Location loc = op.getLoc();
  ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
  Destination destination(op, rewriter);
  SmallVector<Value> first;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    first.push_back(t.threadOffset(layout, dim));
  Value owner = t.ownsFirstCopy(layout);
  int64_t run = columnsAtOnce(op), inValue = 1;
  if (isFloat8(getElementTypeOrSelf(op.getTile())))
    std::tie(tile, inValue) = asRuns(rewriter, loc, tile, run);
  auto elements = vector::ToElementsOp::create(rewriter, loc, tile);
  HeldElements held{t,   layout, destination, first, elements.getResults(),
                    run, inValue};
  for (ArrayRef<int64_t> together : groupRuns(op, layout, held.run)) {
    SmallVector<Value> start = held.coordinatesOf(together.front());
    Value inside = t.both(owner, destination.contains(start));
    auto writes = scf::IfOp::create(rewriter, loc, inside);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(writes.thenBlock());
    write(held, together, start);
  }
  rewriter.eraseOp(op);
  return success();
}

/// Each thread stores the elements that it holds, neighbouring columns
/// together.
struct DirectStorePattern : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    return writeHeld(
        op, adaptor.getTile(), rewriter,
        [&](const HeldElements &held, ArrayRef<int64_t> together, ValueRange) {
          unsigned bytes = held.run * op.getView().getType().getElementBytes();
          for (int64_t r : together)
            LLVM::StoreOp::create(
                rewriter, loc, several(rewriter, loc, held.from(r)),
                held.destination.address(held.coordinatesOf(r)), bytes);
        });
  }

private:
  static Value several(OpBuilder &b, Location loc, ValueRange values) {
    if (values.size() == 1)
      return values.front();
    auto type = VectorType::get({static_cast<int64_t>(values.size())},
                                values.front().getType());
    return vector::FromElementsOp::create(b, loc, type, values);
  }
};

/// Each thread adds what it holds, neighbouring columns together, where the
/// memory is: PTX ISA, "red".
struct AccumulatePattern : OpConversionPattern<AccumulateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AccumulateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    return writeHeld(
        op, adaptor.getTile(), rewriter,
        [&](const HeldElements &held, ArrayRef<int64_t> together,
            ValueRange start) {
          // Of one row, whose columns are neighbours.
          int64_t bytes = op.getView().getType().getElementBytes(),
                  first = held.layout.getRegisterOffset(together.front())[1];
          Value address = held.destination.address(start);
          for (int64_t r : together) {
            int64_t columns = held.layout.getRegisterOffset(r)[1] - first;
            add(rewriter, loc, advance(rewriter, loc, address, columns * bytes),
                held.from(r));
          }
        });
  }

private:
  static void add(OpBuilder &b, Location loc, Value address,
                  ValueRange values) {
    SmallVector<Value> operands{address};
    llvm::append_range(operands, values);
    std::string list, constraints = "l";
    for (size_t i = 0; i < values.size(); ++i) {
      list += (i ? ", $" : "$") + std::to_string(i + 1);
      constraints += ",f";
    }
    bool single = values.size() == 1;
    std::string text = single ? "red.global.add.f32 [$0], " + list + ";"
                              : "red.global.add.v" +
                                    std::to_string(values.size()) +
                                    ".f32 [$0], {" + list + "};";
    assembly(b, loc, {}, operands, text, constraints + ",~{memory}");
  }
};

/// Through shared memory, so that lanes store whole chunks of 16 bytes of
/// neighbouring columns. Each warp rearranges its own rows.
struct StagedStorePattern : OpConversionPattern<StoreOp> {
  StagedStorePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    FragmentAttr layout = fragmentOf(type);
    if (!storesChunks(op) || !layout || !isAccumulator(op, type, layout))
      return rewriter.notifyMatchFailure(op, "no whole chunks of columns");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
    auto scratch = cast<RankedTensorType>(op.getScratch().getType());
    auto shared = RankedTensorType::get(
        type.getShape(), type.getElementType(),
        SharedAttr::getWidest(op.getContext(), type.getDimSize(1) * 2));
    // Rows of another layout lie in the same memory: each is its warp's.
    if (scratch.getShape() == shared.getShape() &&
        scratch.getElementType() == shared.getElementType() &&
        sharedOf(scratch).isPlain())
      shared = scratch;
    int64_t warps = computeThreads(op) / kWarpThreads,
            rows = type.getDimSize(0) / warps;
    // Where the memory held rows of the same place, only this warp read them.
    if (scratch == shared)
      NVVM::SyncWarpOp::create(rewriter, loc, t.constant(-1));
    else
      computeBarrier(rewriter, loc);
    writeFragments(adaptor.getTile(), layout, shared, adaptor.getScratch(), t);
    NVVM::SyncWarpOp::create(rewriter, loc, t.constant(-1));
    writeRows(op, shared, adaptor.getScratch(), rows, t);
    // The next copy into this memory is asynchronous.
    if (TargetAttr::of(op).hasCapability("tma"))
      NVVM::FenceProxyOp::create(
          rewriter, loc, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(op.getContext(),
                                     NVVM::SharedSpace::shared_cta));
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool isAccumulator(StoreOp op, RankedTensorType type,
                            FragmentAttr layout) {
    int64_t warps = computeThreads(op) / kWarpThreads,
            rows = type.getDimSize(0);
    return rows % (16 * warps) == 0 &&
           type.getDimSize(1) % kChunkColumns == 0 &&
           layout ==
               mmaAccumulator(op.getContext(), rows, type.getDimSize(1), warps);
  }

  /// Pairs of neighbouring columns, 4 bytes at a time.
  static void writeFragments(Value elements, FragmentAttr layout,
                             RankedTensorType shared, Value base,
                             ThreadBuilder t) {
    OpBuilder &b = t.b;
    Location loc = t.loc;
    SharedTile tile(shared, t);
    auto words =
        VectorType::get({layout.getNumRegisters() / 2}, b.getI32Type());
    auto packed = vector::ToElementsOp::create(
        b, loc, vector::BitCastOp::create(b, loc, words, elements));
    Value row = t.threadOffset(layout, 0);
    Value column = t.threadOffset(layout, 1);
    Value perThread =
        t.add(tile.perThread(row, t.rem(row, 8), Value()), t.mul(column, 2));
    for (int64_t r = 0; r < layout.getNumRegisters(); r += 2) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      LLVM::StoreOp::create(
          b, loc, packed.getResult(r / 2),
          sharedAt(b, loc, base, tile.at(perThread, offset[0], offset[1] / 8)));
    }
  }

  static void writeRows(StoreOp op, RankedTensorType shared, Value base,
                        int64_t rows, ThreadBuilder t) {
    OpBuilder &b = t.b;
    Location loc = op.getLoc();
    SharedTile tile(shared, t);
    Destination destination(op, b);
    int64_t chunks = shared.getDimSize(1) / kChunkColumns;
    Value firstRow = t.mul(warpOf(t), rows);
    auto wide = VectorType::get({4}, b.getI32Type());
    for (int64_t first = 0; first < rows * chunks; first += 32) {
      Value number = t.add(laneOf(t), first);
      Value row = t.add(firstRow, t.div(number, chunks));
      Value chunk = t.rem(number, chunks);
      Value panel = t.div(chunk, tile.chunksPerPanel());
      Value local = tile.perThread(row, t.rem(row, 8),
                                   t.rem(chunk, tile.chunksPerPanel()));
      Value place = t.add(local, t.mul(panel, tile.rows() * tile.panelBytes()));
      SmallVector<Value> coordinates{row, t.mul(chunk, 8)};
      Value data =
          LLVM::LoadOp::create(b, loc, wide, advance(b, loc, base, place), 16);
      destination.store(data, coordinates, destination.contains(coordinates),
                        16);
    }
  }
};

} // namespace

void attn::populateStorePatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<AccumulatePattern, DirectStorePattern, StagedStorePattern>(
      converter, patterns.getContext());
}
