//===- MmaSync.cpp - Products by mma.sync ---------------------------------===//
//
// m16n8k16 with f32 accumulation; operands come from shared memory by ldmatrix,
// which takes four 8 x 8 matrices whose rows the lanes name: lanes 0 to 7 those
// of the first matrix, and so on. PTX ISA, "mma.sync.aligned.m16n8k16" and
// "ldmatrix".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kM = 16, kN = 8, kK = 16;

int64_t warpsOf(Operation *op) { return computeThreads(op) / kWarpThreads; }

/// Fetches operands of a warp from one tile in shared memory: four registers at
/// a time, the matrices at (row, column), (row + 8, column), (row, column + 8),
/// (row + 8, column + 8), or, with `acrossFirst`, the second and third
/// exchanged. `threadRow` is added to the row and is a multiple of 8.
class Fetcher {
public:
  Fetcher(OpBuilder &b, Location loc, RankedTensorType type, Value base,
          Value threadRow, bool acrossFirst, bool transpose)
      : b(b), loc(loc), tile(type, ThreadBuilder{b, loc}), base(base),
        layout(transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row) {
    ThreadBuilder t{b, loc};
    Value lane = laneOf(t);
    Value inMatrix = t.rem(lane, 8);
    Value second = t.rem(t.div(lane, 8), 2), third = t.div(lane, 16);
    Value down = acrossFirst ? third : second;
    Value across = acrossFirst ? second : third;
    Value laneRow = t.add(inMatrix, t.mul(down, 8));
    if (threadRow)
      laneRow = t.add(laneRow, threadRow);
    perThread = tile.perThread(laneRow, inMatrix, across);
  }

  SmallVector<Value> fetch(int64_t row, int64_t column) {
    SharedTile::Offset offset = tile.at(perThread, row, column / kMatrix);
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
  NVVM::MMALayout layout;
  llvm::SmallDenseMap<int64_t, Value> addresses;
};

/// Registers of 16-bit elements, two in each.
SmallVector<Value> packed(OpBuilder &b, Location loc, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  auto words = VectorType::get({type.getNumElements() / 2}, b.getI32Type());
  Value cast = vector::BitCastOp::create(b, loc, words, elements);
  return llvm::to_vector_of<Value>(
      vector::ToElementsOp::create(b, loc, cast).getResults());
}

/// Multiplies the tiles of one dot.
class Multiplier {
public:
  Multiplier(DotOp op, DotOp::Adaptor adaptor, OpBuilder &b)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()),
        lhs(cast<RankedTensorType>(op.getLhs().getType())),
        rhs(cast<RankedTensorType>(op.getRhs().getType())),
        result(cast<RankedTensorType>(op.getResult().getType())),
        warps(warpsOf(op)) {}

  Value run() {
    int64_t columns = result.getDimSize(1), depth = lhs.getDimSize(1);
    int64_t rows = result.getDimSize(0) / warps;
    blocks = rows / kM;
    acc = llvm::to_vector_of<Value>(
        vector::ToElementsOp::create(b, loc, adaptor.getAcc()).getResults());
    if (fragmentOf(lhs))
      lhsRegisters = packed(b, loc, adaptor.getLhs());
    else
      lhsTile.emplace(b, loc, lhs, adaptor.getLhs(), firstRow(rows),
                      /*acrossFirst=*/false, /*transpose=*/false);
    // Two columns of matrices at once. Of K stored by rows of n, the matrices
    // along k come first; V is stored by rows of k.
    bool byColumns = op.getTransposeRhs();
    Fetcher rhsTile(b, loc, rhs, adaptor.getRhs(), Value(),
                    /*acrossFirst=*/byColumns, /*transpose=*/!byColumns);
    for (int64_t k = 0; k < depth; k += kK) {
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
    return vector::FromElementsOp::create(b, loc, adaptor.getAcc().getType(),
                                          acc);
  }

private:
  /// A of rows 16 `block` .. of the warp and columns k ..
  SmallVector<Value> lhsOperand(int64_t block, int64_t k) {
    if (lhsTile)
      return lhsTile->fetch(block * kM, k);
    int64_t perBlock = lhs.getDimSize(1) / kK * 4;
    auto slice = ArrayRef(lhsRegisters).slice(block * perBlock + k / kK * 4, 4);
    return llvm::to_vector(slice);
  }

  Value firstRow(int64_t rows) const {
    ThreadBuilder t{b, loc};
    return t.mul(warpOf(t), rows);
  }

  void multiply(int64_t block, int64_t n, ValueRange a, ValueRange bOperand) {
    int64_t first = (block * (result.getDimSize(1) / kN) + n) * 4;
    auto c = MutableArrayRef(acc).slice(first, 4);
    SmallVector<Value> aOperand = llvm::to_vector(a),
                       bValues = llvm::to_vector(bOperand);
    auto type = NVVM::MMATypes::bf16;
    if (lhs.getElementType().isF16()) {
      type = NVVM::MMATypes::f16;
      auto half = VectorType::get({2}, b.getF16Type());
      for (auto *list : {&aOperand, &bValues})
        for (Value &v : *list)
          v = LLVM::BitcastOp::create(b, loc, half, v);
    }
    SmallVector<Type> types(4, b.getF32Type());
    Value product = NVVM::MmaOp::create(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        aOperand, bValues, SmallVector<Value>(c), {kM, kN, kK}, std::nullopt,
        std::nullopt, std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, v] : llvm::enumerate(c))
      v = LLVM::ExtractValueOp::create(b, loc, product, i);
  }

  DotOp op;
  DotOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  RankedTensorType lhs, rhs, result;
  int64_t warps, blocks = 0;
  SmallVector<Value> acc, lhsRegisters;
  std::optional<Fetcher> lhsTile;
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
    if (MatrixUnitInterface unit = op.getUnitAttr();
        unit && !isa<MmaSyncAttr>(unit))
      return op.emitOpError("expected the matrix unit ")
             << MmaSyncAttr::get(op.getContext()) << ", but got " << unit;
    if (!lhs.getElementType().isF16() && !lhs.getElementType().isBF16())
      return op.emitOpError(
                 "expected operands of f16 or bf16 for mma.sync, but got ")
             << lhs.getElementType();
    if (!sharedOf(op.getRhs().getType()))
      return op.emitOpError(
                 "expected a right-hand side in shared memory, but got ")
             << op.getRhs().getType();
    if (rows % (kM * warps) != 0 || result.getDimSize(1) % (2 * kN) != 0 ||
        lhs.getDimSize(1) % kK != 0)
      return op.emitOpError("expected a product of ")
             << kM * warps << " x " << 2 * kN << " x " << kK
             << " or multiples, but got " << rows << " x "
             << result.getDimSize(1) << " x " << lhs.getDimSize(1);
    MLIRContext *context = op.getContext();
    if (fragmentOf(result) !=
        mmaAccumulator(context, rows, result.getDimSize(1), warps))
      return op.emitOpError(
                 "expected a result in the layout of an accumulator, ")
             << mmaAccumulator(context, rows, result.getDimSize(1), warps)
             << ", but got " << result;
    if (sharedOf(lhs) ||
        fragmentOf(lhs) == mmaLhs(context, rows, lhs.getDimSize(1), warps))
      return success();
    return op.emitOpError(
               "expected a left-hand side in shared memory or in the "
               "layout of an A operand, ")
           << mmaLhs(context, rows, lhs.getDimSize(1), warps) << ", but got "
           << lhs;
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
    if (source.getElementTypeBitWidth() == 16 &&
        source.getDimSize(0) % (kM * warps) == 0 &&
        source.getDimSize(1) % kK == 0 &&
        layout == mmaLhs(op.getContext(), source.getDimSize(0),
                         source.getDimSize(1), warps))
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
      for (int64_t k = 0; k < source.getDimSize(1); k += kK)
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
}
