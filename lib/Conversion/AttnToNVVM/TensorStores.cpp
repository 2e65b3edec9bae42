//===- TensorStores.cpp - Stores by the tensor memory accelerator ---------===//
//
// Each warp writes its rows to shared memory, where they lie as a tensor map
// reads them, by stmatrix; one lane starts the copies, and waits until they
// have read the memory, which is lent. PTX ISA, "stmatrix" and
// "cp.async.bulk.tensor".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// Writes the rows of a warp: pairs of neighbouring columns are one register.
class MatrixWriter {
public:
  MatrixWriter(ThreadBuilder t, FragmentAttr layout, RankedTensorType shared,
               Value base, Value firstRow)
      : t(t), shared(shared), base(base), tile(shared, t), firstRow(firstRow) {
    for (int64_t r = 0; r < layout.getNumRegisters(); r += 2) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      wordAt[{offset[0], offset[1]}] = r / 2;
    }
  }

  void write(ValueRange words, int64_t rows) const {
    int64_t columns = shared.getDimSize(1);
    Value lane = perThread();
    for (int64_t row = 0; row < rows; row += 2 * kMatrix)
      for (int64_t column = 0; column < columns; column += 2 * kMatrix) {
        SmallVector<Value> sources;
        for (int64_t c : {column, column + kMatrix})
          for (int64_t r : {row, row + kMatrix})
            sources.push_back(words[wordAt.lookup({r, c})]);
        store(sources, tile.at(lane, row, column / kMatrix));
      }
  }

private:
  /// Lanes name the rows of one matrix after the other: those at (row, column),
  /// (row + 8, column), and the two that lie 8 columns on, in the same panel,
  /// which is a multiple of 16 columns.
  Value perThread() const {
    Value inMatrix = t.rem(laneOf(t), kMatrix);
    Value matrix = t.div(laneOf(t), kMatrix);
    Value row =
        t.add(t.add(firstRow, inMatrix), t.mul(t.rem(matrix, 2), kMatrix));
    return tile.perThread(row, inMatrix, t.div(matrix, 2));
  }

  void store(ValueRange sources, const SharedTile::Offset &offset) const {
    NVVM::StMatrixOp::create(
        t.b, t.loc, sharedAt(t.b, t.loc, base, offset), sources,
        NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(t.b.getContext(), kMatrix, kMatrix),
        NVVM::LdStMatrixEltType::B16);
  }

  ThreadBuilder t;
  RankedTensorType shared;
  Value base;
  SharedTile tile;
  Value firstRow;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> wordAt;
};

struct TensorStorePattern : OpConversionPattern<StoreOp> {
  TensorStorePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/3) {}

  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!op.getByTensorMap() || !layout)
      return rewriter.notifyMatchFailure(op, "not by a tensor map");
    Location loc = op.getLoc();
    auto shared = cast<RankedTensorType>(op.getScratch().getType());
    int64_t warps = computeThreads(op) / kWarpThreads;
    int64_t rows = shared.getDimSize(0) / warps;
    if (shared.getDimSize(0) % (2 * kMatrix * warps) != 0 ||
        layout != mmaAccumulator(op.getContext(), shared.getDimSize(0),
                                 shared.getDimSize(1), warps))
      return op.emitOpError(
                 "expected an accumulator with whole rows in each of ")
             << warps << " warps for `by_tensor_map`, but got " << layout;
    ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
    Value firstRow = t.mul(warpOf(t), rows);
    auto words =
        VectorType::get({layout.getNumRegisters() / 2}, rewriter.getI32Type());
    auto packed = vector::ToElementsOp::create(
        rewriter, loc,
        vector::BitCastOp::create(rewriter, loc, words, adaptor.getTile()));
    // Other lanes have read these rows.
    NVVM::SyncWarpOp::create(rewriter, loc, t.constant(-1));
    MatrixWriter(t, layout, shared, adaptor.getScratch(), firstRow)
        .write(packed.getResults(), rows);
    NVVM::FenceProxyOp::create(
        rewriter, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    NVVM::SyncWarpOp::create(rewriter, loc, t.constant(-1));
    Value elected =
        NVVM::ElectSyncOp::create(rewriter, loc, rewriter.getI1Type(), Value());
    scf::IfOp::create(rewriter, loc, elected, [&](OpBuilder &b, Location) {
      copy(b, op, SharedTile(shared, t), adaptor.getScratch(), firstRow);
      scf::YieldOp::create(b, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// One copy a panel; what lies outside of the view is not written.
  static void copy(OpBuilder &b, StoreOp op, const SharedTile &tile, Value base,
                   Value firstRow) {
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    Value map = ViewParameters(op.getView()).map;
    Value mine = advance(b, loc, base, t.mul(firstRow, tile.panelBytes()));
    for (int64_t panel = 0; panel < tile.numPanels(); ++panel) {
      SmallVector<Value> coordinates;
      for (Value offset : op.getOffsets())
        coordinates.push_back(t.narrow(offset));
      std::reverse(coordinates.begin(), coordinates.end());
      coordinates[0] = t.add(coordinates[0], panel * tile.panelColumns());
      coordinates[1] = t.add(coordinates[1], firstRow);
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, loc, map,
          advance(b, loc, mine, panel * tile.rows() * tile.panelBytes()),
          coordinates, /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, uint32_t(0), b.getUnitAttr());
  }
};

} // namespace

bool attn::writesMatrices(Operation *op, FragmentAttr layout,
                          RankedTensorType shared) {
  int64_t warps = computeThreads(op) / kWarpThreads;
  return TargetAttr::of(op).hasCapability("tma") &&
         shared.getElementTypeBitWidth() == 16 && sharedOf(shared).isPlain() &&
         shared.getDimSize(0) % (2 * kMatrix * warps) == 0 &&
         shared.getDimSize(1) % (2 * kMatrix) == 0 &&
         layout == mmaAccumulator(op->getContext(), shared.getDimSize(0),
                                  shared.getDimSize(1), warps);
}

void attn::writeMatrices(ThreadBuilder t, FragmentAttr layout,
                         RankedTensorType shared, Value elements, Value base,
                         int64_t warps) {
  int64_t rows = shared.getDimSize(0) / warps;
  auto words =
      VectorType::get({layout.getNumRegisters() / 2}, t.b.getI32Type());
  auto packed = vector::ToElementsOp::create(
      t.b, t.loc, vector::BitCastOp::create(t.b, t.loc, words, elements));
  MatrixWriter(t, layout, shared, base, t.mul(warpOf(t), rows))
      .write(packed.getResults(), rows);
}

void attn::populateTensorStorePatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<TensorStorePattern>(converter, patterns.getContext());
}
