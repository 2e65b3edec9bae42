//===- MmaSync.cpp - Products by mma.sync ---------------------------------===//
//
// m16n8k16 with f32 accumulation, or m16n8k32 of 8-bit elements, whose operands
// have the same bytes; they come from shared memory by ldmatrix, which takes
// four matrices of 8 x 16 bytes whose rows the lanes name: lanes 0 to 7 those
// of the first matrix, and so on. PTX ISA, "mma.sync.aligned.m16n8k16",
// "m16n8k32", "Block scaling for mma.sync" and "ldmatrix".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace attn;

namespace {

/// Columns of A and rows of B of an instruction, in bytes.
constexpr int64_t kM = 16, kN = 8, kStepBytes = 32;
/// Elements of 16 bits of a row of A.
constexpr int64_t kDepth = kStepBytes / 2;

int64_t bytesOf(RankedTensorType tile) {
  return tile.getElementTypeBitWidth() / 8;
}
/// The same in elements.
int64_t stepOf(RankedTensorType tile) { return kStepBytes / bytesOf(tile); }

/// The A operand of an instruction for elements of this tile.
FragmentAttr lhsLayout(RankedTensorType tile, int64_t warps) {
  int64_t rows = tile.getDimSize(0), columns = tile.getDimSize(1);
  MLIRContext *context = tile.getContext();
  return bytesOf(tile) == 1 ? mmaLhs8(context, rows, columns, warps)
                            : mmaLhs(context, rows, columns, warps);
}

int64_t warpsOf(Operation *op) { return computeThreads(op) / kWarpThreads; }

/// One instruction on words of two elements of 16 bits each; `c` is added to,
/// and becomes the result.
void multiply16(OpBuilder &b, Location loc, bool isF16, ValueRange lhs,
                ValueRange rhs, MutableArrayRef<Value> c) {
  SmallVector<Value> a(lhs), words(rhs);
  auto type = isF16 ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  if (isF16) {
    auto half = VectorType::get({2}, b.getF16Type());
    for (auto *list : {&a, &words})
      for (Value &v : *list)
        v = LLVM::BitcastOp::create(b, loc, half, v);
  }
  SmallVector<Type> types(4, b.getF32Type());
  Value product = NVVM::MmaOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), a, words,
      SmallVector<Value>(c), {kM, kN, kDepth}, std::nullopt, std::nullopt,
      std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [i, v] : llvm::enumerate(c))
    v = LLVM::ExtractValueOp::create(b, loc, product, i);
}

/// Fetches operands of a warp from one tile in shared memory: four registers at
/// a time, the matrices at (row, column), (row + 8, column), those 16 bytes of
/// columns on, or, with `acrossFirst`, the second and third
/// exchanged; with `interleaved` the second and fourth matrix have the rows
/// between those of the first and third. `threadRow` is added to the row and is
/// a multiple of 8; `threadColumn` (null: 0) to the column, and is a multiple
/// of more columns than those that `fetch` is asked for.
class Fetcher {
public:
  Fetcher(OpBuilder &b, Location loc, RankedTensorType type, Value base,
          Value threadRow, bool acrossFirst, bool transpose,
          Value threadColumn = {}, bool interleaved = false)
      : b(b), loc(loc), tile(type, ThreadBuilder{b, loc}), base(base),
        matrixColumns(SharedTile::kChunkBytes / bytesOf(type)),
        layout(transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row) {
    ThreadBuilder t{b, loc};
    Value lane = laneOf(t);
    Value inMatrix = t.rem(lane, 8);
    Value second = t.rem(t.div(lane, 8), 2), third = t.div(lane, 16);
    Value down = acrossFirst ? third : second;
    Value across = acrossFirst ? second : third;
    Value laneRow = interleaved ? t.add(t.mul(inMatrix, 2), down)
                                : t.add(inMatrix, t.mul(down, 8));
    Value swizzleRow = interleaved ? t.rem(laneRow, 8) : inMatrix;
    if (threadRow)
      laneRow = t.add(laneRow, threadRow);
    if (!threadColumn) {
      perThread = tile.perThread(laneRow, swizzleRow, across);
      return;
    }
    Value chunk = t.div(threadColumn, matrixColumns),
          panel = t.div(chunk, tile.chunksPerPanel());
    perThread =
        tile.perThread(laneRow, swizzleRow,
                       t.add(across, t.rem(chunk, tile.chunksPerPanel())));
    this->base = advance(b, loc, base, t.mul(panel, tile.panelDistance()));
  }

  SmallVector<Value> fetch(int64_t row, int64_t column) {
    SharedTile::Offset offset = tile.at(perThread, row, column / matrixColumns);
    // Few offsets differ in more than the constant.
    Value &flipped = addresses[offset.flip];
    if (!flipped)
      flipped = sharedAt(b, loc, base, {perThread, offset.flip, 0});
    SmallVector<Type> types(4, b.getI32Type());
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        advance(b, loc, flipped, offset.constant), 4, layout,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> registers;
    for (int64_t i = 0; i < 4; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
    return registers;
  }

private:
  OpBuilder &b;
  Location loc;
  SharedTile tile;
  Value base, perThread;
  int64_t matrixColumns;
  NVVM::MMALayout layout;
  llvm::SmallDenseMap<int64_t, Value> addresses;
};

/// Registers of elements of less than 32 bits.
SmallVector<Value> packed(OpBuilder &b, Location loc, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  auto words = VectorType::get({bits / 32}, b.getI32Type());
  Value cast = vector::BitCastOp::create(b, loc, words, elements);
  return llvm::to_vector_of<Value>(
      vector::ToElementsOp::create(b, loc, cast).getResults());
}

/// Fetches A operands of #attn.mma_sync_widening from a tile of 16-bit elements
/// in shared memory: a lane has four neighbours of each row.
class WideningLhs {
public:
  WideningLhs(OpBuilder &b, Location loc, RankedTensorType type, Value base,
              Value warpRow)
      : b(b), loc(loc), tile(type, ThreadBuilder{b, loc}), base(base) {
    ThreadBuilder t{b, loc};
    Value lane = laneOf(t), row = t.div(lane, 4), quarter = t.rem(lane, 4);
    Value chunk = tile.perThread(t.add(warpRow, row), row, t.div(quarter, 2));
    perThread = t.add(chunk, t.mul(t.rem(quarter, 2), kHalfChunk));
  }

  SmallVector<Value> fetch(int64_t row, int64_t column) {
    auto [low, high] = fetchRow(row, column);
    auto [lowBelow, highBelow] = fetchRow(row + kN, column);
    return {low, lowBelow, high, highBelow};
  }

private:
  static constexpr int64_t kHalfChunk = SharedTile::kChunkBytes / 2;

  std::array<Value, 2> fetchRow(int64_t row, int64_t column) {
    SharedTile::Offset offset =
        tile.at(perThread, row, column * 2 / SharedTile::kChunkBytes);
    Value address =
        advance(b, loc, sharedAt(b, loc, base, {perThread, offset.flip, 0}),
                offset.constant);
    Value words = LLVM::LoadOp::create(
        b, loc, VectorType::get({2}, b.getI32Type()), address, kHalfChunk);
    auto each = vector::ToElementsOp::create(b, loc, words);
    return exchangeHalves(b, loc, each.getResult(0), each.getResult(1));
  }

  OpBuilder &b;
  Location loc;
  SharedTile tile;
  Value base, perThread;
};

/// Multiplies the tiles of one dot.
class Multiplier {
public:
  Multiplier(DotOp op, DotOp::Adaptor adaptor, OpBuilder &b)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()),
        lhs(cast<RankedTensorType>(op.getLhs().getType())),
        rhs(cast<RankedTensorType>(op.getRhs().getType())),
        result(cast<RankedTensorType>(op.getResult().getType())),
        warps(warpsOf(op)),
        isMx(isa_and_nonnull<MmaSyncMxAttr>(op.getUnitAttr())) {}

  Value run() {
    WarpGrid grid = warpGrid(result.getDimSize(0), warps);
    columns = result.getDimSize(1) / grid.across;
    int64_t depth = op.getDepth(), rows = result.getDimSize(0) / grid.down;
    blocks = rows / kM;
    acc = llvm::to_vector_of<Value>(
        vector::ToElementsOp::create(b, loc, adaptor.getAcc()).getResults());
    if (fragmentOf(lhs))
      lhsRegisters = packed(b, loc, adaptor.getLhs());
    else if (isWidening())
      wideningLhs.emplace(b, loc, lhs, adaptor.getLhs(), firstRow(grid, rows));
    else if (op.getTransposeLhs())
      lhsTile.emplace(b, loc, lhs, adaptor.getLhs(), Value(),
                      /*acrossFirst=*/true, /*transpose=*/true,
                      firstRow(grid, rows));
    else
      lhsTile.emplace(b, loc, lhs, adaptor.getLhs(), firstRow(grid, rows),
                      /*acrossFirst=*/false, /*transpose=*/false);
    if (isWidening())
      multiplyWidening(depth);
    else
      multiplyAlike(grid, depth);
    return vector::FromElementsOp::create(b, loc, adaptor.getAcc().getType(),
                                          acc);
  }

private:
  bool isWidening() const {
    return lhs.getElementType() != rhs.getElementType();
  }

  void multiplyAlike(const WarpGrid &grid, int64_t depth) {
    // Two columns of matrices at once. Of K stored by rows of n, the matrices
    // along k come first; V is stored by rows of k.
    bool byColumns = op.getTransposeRhs();
    Fetcher rhsTile(b, loc, rhs, adaptor.getRhs(), Value(),
                    /*acrossFirst=*/byColumns, /*transpose=*/!byColumns,
                    firstColumn(grid));
    for (int64_t k = 0; k < depth; k += stepOf(lhs)) {
      SmallVector<SmallVector<Value>> a;
      for (int64_t block = 0; block < blocks; ++block)
        a.push_back(lhsOperand(block, k));
      for (int64_t n = 0; n < columns; n += 2 * kN) {
        SmallVector<Value> both =
            byColumns ? rhsTile.fetch(n, k) : rhsTile.fetch(k, n);
        for (int64_t half = 0; half < 2; ++half)
          for (int64_t block = 0; block < blocks; ++block)
            multiply(block, n / kN + half, a[block],
                     ValueRange(both).slice(2 * half, 2));
      }
    }
  }

  /// A fetch has four words of 16 rows and 32 columns of the right-hand side:
  /// those of even rows and of odd ones, of 16 columns and of the next. A word
  /// has four columns of one row, or two of two rows, where it is transposed.
  void multiplyWidening(int64_t depth) {
    constexpr int64_t kColumns = 32;
    bool byColumns = op.getTransposeRhs();
    Fetcher rhsTile(b, loc, rhs, adaptor.getRhs(), Value(),
                    /*acrossFirst=*/false, /*transpose=*/!byColumns,
                    /*threadColumn=*/{}, /*interleaved=*/true);
    Type from = rhs.getElementType(), to = lhs.getElementType();
    for (int64_t column = 0; column < rhs.getDimSize(1); column += kColumns)
      for (int64_t row = 0; row < rhs.getDimSize(0); row += kM) {
        SmallVector<Value> words = rhsTile.fetch(row, column);
        for (int64_t half : {0, 1}) {
          auto even = widenFloat8(b, loc, words[2 * half], from, to);
          auto odd = widenFloat8(b, loc, words[2 * half + 1], from, to);
          int64_t next = column + half * kM, n = byColumns ? row : next,
                  k = byColumns ? next : row;
          std::array<std::array<Value, 2>, 2> operands{even, odd};
          if (!byColumns)
            std::swap(operands[0][1], operands[1][0]);
          for (int64_t block = 0; block < blocks; ++block)
            for (int64_t i : {0, 1})
              multiply(block, n / kN + i, lhsOperand(block, k), operands[i]);
        }
      }
  }

  /// A of rows 16 `block` .. of the warp and columns k ..
  SmallVector<Value> lhsOperand(int64_t block, int64_t k) {
    if (wideningLhs) {
      SmallVector<Value> &known = fetched[{block, k}];
      if (known.empty())
        known = wideningLhs->fetch(block * kM, k);
      return known;
    }
    if (lhsTile)
      return op.getTransposeLhs() ? lhsTile->fetch(k, block * kM)
                                  : lhsTile->fetch(block * kM, k);
    int64_t step = stepOf(lhs), perBlock = lhs.getDimSize(1) / step * 4;
    auto slice =
        ArrayRef(lhsRegisters).slice(block * perBlock + k / step * 4, 4);
    return llvm::to_vector(slice);
  }

  /// Of the warp, which has so many.
  Value firstRow(const WarpGrid &grid, int64_t rows) const {
    ThreadBuilder t{b, loc};
    Value warp = grid.across > 1 ? t.rem(warpOf(t), grid.down) : warpOf(t);
    return t.mul(warp, rows);
  }

  /// Of the right-hand side; null where each warp has all.
  Value firstColumn(const WarpGrid &grid) const {
    if (grid.across == 1)
      return {};
    ThreadBuilder t{b, loc};
    return t.mul(t.div(warpOf(t), grid.down), columns);
  }

  void multiply(int64_t block, int64_t n, ValueRange a, ValueRange bOperand) {
    int64_t first = (block * (columns / kN) + n) * 4;
    auto c = MutableArrayRef(acc).slice(first, 4);
    if (bytesOf(lhs) == 1) {
      Value product =
          isMx ? multiplyMx(a, bOperand, c) : multiply8(a, bOperand, c);
      for (auto [i, v] : llvm::enumerate(c))
        v = LLVM::ExtractValueOp::create(b, loc, product, i);
      return;
    }
    multiply16(b, loc, lhs.getElementType().isF16(), a, bOperand, c);
  }

  /// With a scale of 1 for each row of A and column of B: all lanes hold the
  /// same bytes, so that it does not matter which of them are read.
  Value multiplyMx(ValueRange a, ValueRange bOperand, ValueRange c) {
    constexpr int32_t kOnes = 0x7f7f7f7f; // Of ue8m0.
    Value ones = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(kOnes)),
          first = LLVM::ConstantOp::create(b, loc, b.getI16IntegerAttr(0));
    auto type = isa<Float8E5M2Type>(lhs.getElementType())
                    ? NVVM::MMATypes::e5m2
                    : NVVM::MMATypes::e4m3;
    SmallVector<Type> types(4, b.getF32Type());
    return NVVM::MmaBlockScaleOp::create(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), a,
        bOperand, c, ones, first, first, ones, first, first,
        {kM, kN, kStepBytes}, std::array{type, type}, NVVM::ScaleVecSize::X1,
        NVVM::BlockScaleFormat::UE8M0, NVVM::MMABlockScaleKind::MXF8F6F4);
  }

  /// nvvm.mma.sync has no form of 8-bit floats.
  Value multiply8(ValueRange a, ValueRange bOperand, ValueRange c) {
    SmallVector<Value> operands(a);
    llvm::append_range(operands, bOperand);
    llvm::append_range(operands, c);
    StringRef element =
        isa<Float8E5M2Type>(lhs.getElementType()) ? "e5m2" : "e4m3";
    std::string text =
        ("mma.sync.aligned.m16n8k32.row.col.f32." + element + "." + element +
         ".f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, "
         "$13};")
            .str();
    SmallVector<Type> types(4, b.getF32Type());
    return assembly(b, loc,
                    LLVM::LLVMStructType::getLiteral(b.getContext(), types),
                    operands, text, "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3",
                    /*hasSideEffects=*/false)
        .getResult(0);
  }

  DotOp op;
  DotOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  RankedTensorType lhs, rhs, result;
  int64_t warps, blocks = 0, columns = 0;
  bool isMx;
  SmallVector<Value> acc, lhsRegisters;
  std::optional<Fetcher> lhsTile;
  std::optional<WideningLhs> wideningLhs;
  /// What it has fetched, by block and column.
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> fetched;
};

struct DotPattern : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(check(op)))
      return failure();
    rewriter.replaceOp(op, Multiplier(op, adaptor, rewriter).run());
    return success();
  }

  static LogicalResult check(DotOp op) {
    auto lhs = cast<RankedTensorType>(op.getLhs().getType()),
         result = cast<RankedTensorType>(op.getResult().getType());
    int64_t rows = result.getDimSize(0), warps = warpsOf(op);
    MatrixUnitInterface wanted = MmaSyncAttr::get(op.getContext());
    auto rhs = cast<RankedTensorType>(op.getRhs().getType());
    if (isFloat8(lhs.getElementType()) &&
        isa_and_nonnull<MmaSyncMxAttr>(op.getUnitAttr()))
      wanted = MmaSyncMxAttr::get(op.getContext());
    else if (isFloat8(lhs.getElementType()))
      wanted = MmaSync8Attr::get(op.getContext());
    else if (isFloat8(rhs.getElementType()))
      wanted = MmaSyncWideningAttr::get(op.getContext());
    if (MatrixUnitInterface unit = op.getUnitAttr(); unit && unit != wanted)
      return op.emitOpError("expected the matrix unit ")
             << wanted << ", but got " << unit;
    if (!wanted.takesElements(lhs.getElementType(), rhs.getElementType()))
      return op.emitOpError("expected operands of ")
             << asText(elementsOf(wanted)) << " for mma.sync, but got "
             << lhs.getElementType();
    if (wanted.sumsAlongRows() && !op.getTransposeRhs())
      return op.emitOpError("expected `transpose_rhs` of 8-bit elements, which "
                            "are summed over where they are neighbours");
    if (op.getTransposeLhs()) {
      std::string reason = whyNotLaidOut(
          wanted, lhs, cast<RankedTensorType>(op.getRhs().getType()), result,
          warps, /*transposeLhs=*/true);
      if (reason.empty() && !op.getTransposeRhs())
        return success();
      return op.emitOpError("expected a product that mma.sync can compute: ")
             << (reason.empty() ? "both sides are transposed" : reason);
    }
    if (isFloat8(rhs.getElementType()) && !isFloat8(lhs.getElementType())) {
      std::string reason = whyNotLaidOut(wanted, lhs, rhs, result, warps,
                                         /*transposeLhs=*/false);
      if (reason.empty())
        return success();
      return op.emitOpError("expected a product that ")
             << wanted << " can compute, but " << reason;
    }
    int64_t step = stepOf(lhs);
    if (!sharedOf(op.getRhs().getType()))
      return op.emitOpError(
                 "expected a right-hand side in shared memory, but got ")
             << op.getRhs().getType();
    if (rows % (kM * warps) != 0 || result.getDimSize(1) % (2 * kN) != 0 ||
        lhs.getDimSize(1) % step != 0)
      return op.emitOpError("expected a product of ")
             << kM * warps << " x " << 2 * kN << " x " << step
             << " or multiples, but got " << rows << " x "
             << result.getDimSize(1) << " x " << lhs.getDimSize(1);
    MLIRContext *context = op.getContext();
    if (fragmentOf(result) !=
        mmaAccumulator(context, rows, result.getDimSize(1), warps))
      return op.emitOpError(
                 "expected a result in the layout of an accumulator, ")
             << mmaAccumulator(context, rows, result.getDimSize(1), warps)
             << ", but got " << result;
    if (sharedOf(lhs) || fragmentOf(lhs) == lhsLayout(lhs, warps))
      return success();
    return op.emitOpError(
               "expected a left-hand side in shared memory or in the "
               "layout of an A operand, ")
           << lhsLayout(lhs, warps) << ", but got " << lhs;
  }
};

/// Sums of what 16 bits hold as products with a matrix of quarters: each of the
/// four threads of a row has a quarter of the sum. Weights in the layout of an
/// accumulator are A operands as they are.
struct SumByProductsPattern : OpConversionPattern<ReduceRegistersOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReduceRegistersOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    auto extended = op.getTile().getDefiningOp<arith::ExtFOp>();
    if (!op.getByProducts() || op.getKind() != ReduceKind::Sum || !extended)
      return failure();
    int64_t rows = type.getDimSize(0), warps = warpsOf(op);
    auto element = getElementTypeOrSelf(extended.getIn().getType());
    if ((!element.isBF16() && !element.isF16()) || rows % (kM * warps) != 0 ||
        type.getDimSize(1) % kDepth != 0 ||
        fragmentOf(type) !=
            mmaAccumulator(op.getContext(), rows, type.getDimSize(1), warps))
      return rewriter.notifyMatchFailure(op, "weights are no A operands");
    Location loc = op.getLoc();
    SmallVector<Value> words =
        packed(rewriter, loc, rewriter.getRemappedValue(extended.getIn()));
    int64_t blocks = rows / (kM * warps), steps = type.getDimSize(1) / kDepth;
    SmallVector<Value> sums;
    for (int64_t block = 0; block < blocks; ++block)
      llvm::append_range(
          sums, sumBlock(rewriter, loc, element.isBF16(),
                         ArrayRef(words).slice(block * steps * 4, steps * 4)));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, getTypeConverter()->convertType(op.getType()), sums);
    return success();
  }

private:
  /// Two chains of products, which wait for each other half as often.
  static constexpr unsigned kChains = 2;

  /// The sums of a thread's two rows.
  static SmallVector<Value> sumBlock(OpBuilder &b, Location loc, bool isBF16,
                                     ArrayRef<Value> words) {
    ThreadBuilder t{b, loc};
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    SmallVector<SmallVector<Value>> chains(
        std::min<size_t>(kChains, words.size() / 4),
        SmallVector<Value>(4, zero));
    Value quarters = t.constant(isBF16 ? 0x3e803e80 : 0x34003400);
    for (size_t k = 0; k < words.size() / 4; ++k)
      multiply16(b, loc, !isBF16, words.slice(4 * k, 4), {quarters, quarters},
                 chains[k % chains.size()]);
    SmallVector<Value> sums{chains[0][0], chains[0][2]};
    for (ArrayRef<Value> chain : ArrayRef(chains).drop_front()) {
      sums[0] = arith::AddFOp::create(b, loc, sums[0], chain[0]);
      sums[1] = arith::AddFOp::create(b, loc, sums[1], chain[2]);
    }
    return sums;
  }
};

/// From shared memory to registers, element by element; A operands by ldmatrix.
struct FetchPattern : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    FragmentAttr layout = fragmentOf(op.getType());
    if (!sharedOf(source) || !layout)
      return failure();
    int64_t warps = warpsOf(op);
    Value result;
    if (source.getElementTypeBitWidth() <= 16 &&
        source.getDimSize(0) % (kM * warps) == 0 &&
        source.getDimSize(1) % stepOf(source) == 0 &&
        layout == lhsLayout(source, warps))
      result = fetchMatrices(op, adaptor.getSource(), warps, rewriter);
    else
      result = fetchElements(op, adaptor.getSource(), layout, rewriter);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Value fetchMatrices(ConvertLayoutOp op, Value base, int64_t warps,
                      OpBuilder &b) const {
    Location loc = op.getLoc();
    auto source = cast<RankedTensorType>(op.getSource().getType());
    ThreadBuilder t{b, loc};
    int64_t rows = source.getDimSize(0) / warps;
    Fetcher tile(b, loc, source, base, t.mul(warpOf(t), rows),
                 /*acrossFirst=*/false, /*transpose=*/false);
    SmallVector<Value> words;
    for (int64_t block = 0; block < rows / kM; ++block)
      for (int64_t k = 0; k < source.getDimSize(1); k += stepOf(source))
        llvm::append_range(words, tile.fetch(block * kM, k));
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Value packed = vector::FromElementsOp::create(
        b, loc,
        VectorType::get({static_cast<int64_t>(words.size())}, b.getI32Type()),
        words);
    return vector::BitCastOp::create(b, loc, type, packed);
  }

  Value fetchElements(ConvertLayoutOp op, Value base, FragmentAttr layout,
                      OpBuilder &b) const {
    Location loc = op.getLoc();
    auto source = cast<RankedTensorType>(op.getSource().getType());
    ThreadBuilder t{b, loc};
    SharedTile tile(source, t);
    Value row = t.threadOffset(layout, 0), column = t.threadOffset(layout, 1);
    SmallVector<Value> elements;
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      SmallVector<int64_t> offset = layout.getRegisterOffset(r);
      Value address =
          tile.element(t.add(row, offset[0]), t.add(column, offset[1]));
      elements.push_back(LLVM::LoadOp::create(b, loc, source.getElementType(),
                                              advance(b, loc, base, address)));
    }
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    return vector::FromElementsOp::create(b, loc, type, elements);
  }
};

} // namespace

void attn::populateMmaSyncPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<DotPattern, FetchPattern>(converter, patterns.getContext());
  // Before the one that adds.
  patterns.add<SumByProductsPattern>(converter, patterns.getContext(),
                                     PatternBenefit(2));
}
