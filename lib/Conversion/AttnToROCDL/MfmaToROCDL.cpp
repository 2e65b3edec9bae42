//===- MfmaToROCDL.cpp - Products by MFMA ---------------------------------===//
//
// Computed transposed, C^T = B^T A^T (mfmaTile). Operands have four elements
// along the summed dimension in a lane; two instructions share one load of
// eight, of which the first takes the first four: which elements of the summed
// dimension an instruction takes is free, if both operands agree. Of FP8 one
// instruction takes the eight. AMD CDNA 3 ISA, "Matrix Arithmetic
// Instructions".
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

namespace {

/// Priorities of waves, of 0 to 3 (AMD CDNA 3 ISA, "S_SETPRIO").
constexpr int16_t kUsual = 0, kRaised = 1;

int64_t wavesOf(Operation *op) { return threadsOf(op) / kLanes; }

/// Elements of operands as LLVM has them: of FP8 it has bytes.
Type elementOf(RankedTensorType tile) {
  Type element = tile.getElementType();
  return isFloat8(element) ? IntegerType::get(element.getContext(), 8)
                           : element;
}

/// Rows, and as many columns, of an instruction, and how many elements it sums
/// over.
struct Instruction {
  int64_t size, depth;

  static std::optional<Instruction> of(MatrixUnitInterface unit) {
    if (auto mfma = dyn_cast_or_null<MfmaAttr>(unit))
      return Instruction{mfma.getSize(), mfma.getDepth()};
    if (auto mfma = dyn_cast_or_null<Mfma8Attr>(unit))
      return Instruction{mfma.getSize(), mfma.getDepth()};
    return std::nullopt;
  }
  /// Whether it is one of 16-bit elements that only gfx950 has.
  bool isDeep() const { return size * depth > 256; }
};

/// Where a lane reads in a tile in LDS: a place of its own, and from there by
/// rows and chunks that all lanes have alike.
class LanePlace {
public:
  static constexpr int64_t kHalf = 8;

  LanePlace(OpBuilder &b, Location loc, RankedTensorType type, Value base)
      : b(b), loc(loc), t{b, loc}, tile(type, t), base(base) {}

  bool exchangesHalves() const { return tile.exchangesHalves(); }

  void begin(Value row, Value chunk) {
    perThread = tile.perThread(row, t.rem(row, tile.swizzleRows()), chunk);
  }
  /// The second half of the chunk, where `half` is 1.
  void enterHalf(Value half) {
    Value bytes = t.mul(half, kHalf);
    perThread = tile.exchangesHalves() ? t.bitXor(perThread, bytes)
                                       : t.add(perThread, bytes);
  }

  SharedTile::Offset at(int64_t row, int64_t chunk) const {
    SharedTile::Offset at = tile.atRow(perThread, row);
    at.flip ^= chunk % tile.chunksPerPanel() * SharedTile::kChunkBytes;
    at.constant += chunk / tile.chunksPerPanel() * tile.panelDistance();
    return at;
  }

  Value address(const SharedTile::Offset &at) {
    // Few addresses differ in more than the constant.
    Value &flipped = addresses[at.flip];
    if (!flipped)
      flipped = t.add(base, t.bitXor(perThread, t.constant(at.flip)));
    return ldsAt(b, loc, flipped, at.constant);
  }

private:
  OpBuilder &b;
  Location loc;
  ThreadBuilder t;
  SharedTile tile;
  Value base, perThread;
  llvm::SmallDenseMap<int64_t, Value> addresses;
};

/// What the lanes of a wave read of a tile in LDS whose rows, as they lie
/// there, are rows of an operand: `vector` consecutive elements each.
class OperandReader {
public:
  /// `row`: of the lane, disjoint in its bits from the rows given to read.
  OperandReader(OpBuilder &b, Location loc, RankedTensorType type, Value base,
                MfmaBlock block, int64_t vector, Value row)
      : b(b), loc(loc), place(b, loc, type, base), vector(vector),
        element(elementOf(type)),
        inChunk(SharedTile::kChunkBytes * 8 / element.getIntOrFloatBitWidth()) {
    ThreadBuilder t{b, loc};
    Value lane = t.rem(t.thread(), kLanes);
    Value group = t.div(lane, static_cast<int64_t>(block));
    // A lane has a chunk, or half of one.
    place.begin(row, vector == inChunk ? group : t.div(group, 2));
    if (vector != inChunk)
      place.enterHalf(t.rem(group, 2));
  }

  /// The elements from column `k`, beyond the lane's, of row `row`.
  Value read(int64_t row, int64_t k) {
    SharedTile::Offset at = place.at(row, k / inChunk);
    if (vector != inChunk || !place.exchangesHalves())
      return load(at, vector);
    Value first = load(at, 4);
    at.flip ^= LanePlace::kHalf;
    return vector::ShuffleOp::create(b, loc, first, load(at, 4),
                                     ArrayRef<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  }

private:
  Value load(SharedTile::Offset at, int64_t count) {
    return LLVM::LoadOp::create(
        b, loc, VectorType::get({count}, element), place.address(at),
        static_cast<unsigned>(count * element.getIntOrFloatBitWidth() / 8));
  }

  OpBuilder &b;
  Location loc;
  LanePlace place;
  int64_t vector;
  Type element;
  int64_t inChunk;
};

/// Row of B^T, among those of accumulator 0, that row `m` of an operand is
/// (mfmaOperandRow).
Value operandRow(ThreadBuilder t, MfmaBlock block, int64_t resultVector,
                 Value m) {
  if (resultVector != 8)
    return m;
  if (block == MfmaBlock::Small)
    return t.add(t.mul(t.div(m, 4), 8), t.rem(m, 4));
  // Bits 2 and 3 change places.
  Value low = t.rem(m, 4), high = t.mul(t.div(m, 16), 16);
  Value second = t.rem(t.div(m, 4), 2), third = t.rem(t.div(m, 8), 2);
  return t.add(t.add(low, high), t.add(t.mul(second, 8), t.mul(third, 4)));
}

/// Reads the same elements of a tile that lies by rows of what is summed over,
/// where instructions transpose what they read (AMD CDNA 4 ISA, section 11.4):
/// of 16 lanes, four after four have the columns of one row, four each, and
/// every lane gets one column of the four rows.
class TransposingReader {
public:
  TransposingReader(OpBuilder &b, Location loc, RankedTensorType type,
                    Value base, MfmaBlock block, int64_t vector,
                    int64_t resultVector)
      : b(b), loc(loc), place(b, loc, type, base), vector(vector),
        type(VectorType::get({kEach}, type.getElementType())) {
    ThreadBuilder t{b, loc};
    auto size = static_cast<int64_t>(block);
    Value lane = t.rem(t.thread(), kLanes);
    Value row = t.add(t.mul(t.div(lane, size), vector),
                      t.div(t.rem(lane, kTogether), kEach));
    Value m = t.add(t.mul(t.div(t.rem(lane, size), kTogether), kTogether),
                    t.mul(t.rem(lane, kEach), kEach));
    Value column = operandRow(t, block, resultVector, m);
    place.begin(row, t.div(column, kColumnsOfChunk));
    place.enterHalf(t.rem(t.div(column, kEach), 2));
  }

  /// The elements from `k`, beyond the lane's, of row `n` of B^T.
  Value read(int64_t n, int64_t k) {
    Value first = load(n, k);
    if (vector == kEach)
      return first;
    return vector::ShuffleOp::create(b, loc, first, load(n, k + kEach),
                                     ArrayRef<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  }

private:
  /// Lanes that exchange what they read; elements that one reads and gets.
  static constexpr int64_t kTogether = 16, kEach = 4, kColumnsOfChunk = 8;

  Value load(int64_t n, int64_t k) {
    SharedTile::Offset at = place.at(k, n / kColumnsOfChunk);
    at.flip ^= n / kEach % 2 * LanePlace::kHalf;
    return ROCDL::ds_read_tr16_b64::create(b, loc, type, place.address(at));
  }

  OpBuilder &b;
  Location loc;
  LanePlace place;
  int64_t vector;
  VectorType type;
};

/// The same where nothing transposes: elements of one column are read one by
/// one.
class ColumnReader {
public:
  /// `row`: as for OperandReader; `byRows`: it is a row of the tile, too.
  ColumnReader(OpBuilder &b, Location loc, RankedTensorType type, Value base,
               MfmaBlock block, int64_t vector, Value row, bool byRows)
      : b(b), loc(loc), t{b, loc}, tile(type, t), base(base), vector(vector),
        element(elementOf(type)), row(row), byRows(byRows) {
    Value lane = t.rem(t.thread(), kLanes);
    first = t.mul(t.div(lane, static_cast<int64_t>(block)), vector);
  }

  /// The elements from `k`, beyond the lane's, of row `n` of B^T.
  Value read(int64_t n, int64_t k) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector; ++i) {
      Value summed = t.add(first, k + i), kept = t.add(row, n);
      Value offset =
          byRows ? tile.element(kept, summed) : tile.element(summed, kept);
      elements.push_back(LLVM::LoadOp::create(
          b, loc, element, ldsAt(b, loc, t.add(base, offset), /*constant=*/0),
          element.getIntOrFloatBitWidth() / 8));
    }
    return vector::FromElementsOp::create(
        b, loc, VectorType::get({vector}, element), elements);
  }

private:
  OpBuilder &b;
  Location loc;
  ThreadBuilder t;
  SharedTile tile;
  Value base;
  int64_t vector;
  Type element;
  Value row, first;
  bool byRows;
};

/// Multiplies the tiles of one dot.
class Multiplier {
public:
  Multiplier(DotOp op, DotOp::Adaptor adaptor, Instruction unit, OpBuilder &b)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()), t{b, loc},
        lhs(cast<RankedTensorType>(op.getLhs().getType())),
        rhs(cast<RankedTensorType>(op.getRhs().getType())),
        result(cast<RankedTensorType>(op.getResult().getType())), unit(unit),
        block(static_cast<MfmaBlock>(unit.size)), size(unit.size),
        groups(kLanes / size), elements(unit.depth / groups) {}

  Value run() {
    int64_t depth = lhs.getDimSize(1), columns = result.getDimSize(1);
    vector = mfmaVector(block, depth);
    resultVector = mfmaVector(block, columns);
    rowBlocks = result.getDimSize(0) / wavesOf(op) / size;
    perAccumulator = size * size / kLanes;
    openOperands();
    splitAccumulators();
    for (int64_t k = 0; k < depth; k += groups * vector)
      multiplyDepth(k);
    return joinAccumulators();
  }

private:
  Value lane() { return t.rem(t.thread(), kLanes); }

  void openRhs() {
    Value row = operandRow(t, block, resultVector, t.rem(lane(), size));
    if (sharedOf(rhs).getTransposed() != op.getTransposeRhs())
      rhsTile.emplace(b, loc, rhs, adaptor.getRhs(), block, vector, row);
    else if (!op.getTransposeRhs() && rhs.getElementTypeBitWidth() == 16 &&
             TargetAttr::of(op).hasCapability(kLdsTranspose))
      rhsTransposed.emplace(b, loc, rhs, adaptor.getRhs(), block, vector,
                            resultVector);
    else
      rhsColumns.emplace(b, loc, rhs, adaptor.getRhs(), block, vector, row,
                         op.getTransposeRhs());
  }

  /// The elements from `k`, beyond the lane's, of row `n` of B^T.
  Value rhsOperand(int64_t n, int64_t k) {
    if (rhsTile)
      return rhsTile->read(n, k);
    return rhsTransposed ? rhsTransposed->read(n, k) : rhsColumns->read(n, k);
  }

  void openOperands() {
    openRhs();
    if (fragmentOf(lhs))
      return;
    Value wave = t.div(t.thread(), kLanes);
    Value row = t.add(t.mul(wave, rowBlocks * size), t.rem(lane(), size));
    lhsTile.emplace(b, loc, lhs, adaptor.getLhs(), block, vector, row);
  }

  int64_t numAccumulators() const {
    return rowBlocks * (result.getDimSize(1) / size);
  }
  /// Row of B^T in LDS at which accumulator `n` of a row block starts.
  int64_t firstRow(int64_t n) const {
    if (block == MfmaBlock::Small && resultVector == 8)
      return n / 2 * 32 + mfmaOperandRow(block, resultVector, 0, n % 2);
    return n * size;
  }

  Value slice(Value source, int64_t first, int64_t count) {
    return vector::ExtractStridedSliceOp::create(
        b, loc, source, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  }

  /// The registers of an accumulator follow each other in the tile's.
  void splitAccumulators() {
    for (int64_t i = 0; i < numAccumulators(); ++i)
      accumulators.push_back(
          slice(adaptor.getAcc(), i * perAccumulator, perAccumulator));
  }

  Value joinAccumulators() {
    Type type = adaptor.getAcc().getType();
    Value joined = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, part] : llvm::enumerate(accumulators))
      joined = vector::InsertStridedSliceOp::create(
          b, loc, part, joined,
          ArrayRef<int64_t>{static_cast<int64_t>(i) * perAccumulator},
          ArrayRef<int64_t>{1});
    return joined;
  }

  /// The part of A from column k on, of one block of rows.
  Value lhsOperand(int64_t rowBlock, int64_t k) {
    if (lhsTile)
      return lhsTile->read(rowBlock * size, k);
    int64_t perBlock = lhs.getDimSize(1) / groups;
    return slice(adaptor.getLhs(), rowBlock * perBlock + k / groups, vector);
  }

  void multiplyDepth(int64_t k) {
    SmallVector<Value> a;
    for (int64_t row = 0; row < rowBlocks; ++row)
      a.push_back(lhsOperand(row, k));
    int64_t perRow = result.getDimSize(1) / size;
    SmallVector<Value> operands;
    for (int64_t n = 0; n < perRow; ++n)
      operands.push_back(rhsOperand(firstRow(n), k));
    // Products into one accumulator stand apart: each waits for the last.
    for (int64_t part = 0; part < vector; part += elements)
      for (int64_t n = 0; n < perRow; ++n)
        for (int64_t row = 0; row < rowBlocks; ++row) {
          Value &acc = accumulators[row * perRow + n];
          acc = multiply(slice(operands[n], part, elements),
                         slice(a[row], part, elements), acc);
        }
  }

  Value multiply(Value left, Value right, Value acc) {
    Type element = lhs.getElementType();
    // The older intrinsics of bf16 take integers, those of FP8 one.
    Type bits = isFloat8(element) ? Type(b.getI64Type())
                : element.isBF16() && !unit.isDeep()
                    ? VectorType::get({elements}, b.getI16Type())
                    : Type();
    if (bits) {
      left = LLVM::BitcastOp::create(b, loc, bits, left);
      right = LLVM::BitcastOp::create(b, loc, bits, right);
    }
    Value zero = t.constant(0);
    OperationState product(
        loc,
        isFloat8(element) ? nameOfFloat8(element) : nameOf(element.isF16()),
        {left, right, acc, zero, zero, zero}, {acc.getType()}, {});
    return b.create(product)->getResult(0);
  }

  StringRef nameOfFloat8(Type element) const {
    bool large = block == MfmaBlock::Large;
    if (isa<Float8E5M2Type>(element))
      return large ? ROCDL::mfma_f32_32x32x16_bf8_bf8::getOperationName()
                   : ROCDL::mfma_f32_16x16x32_bf8_bf8::getOperationName();
    return large ? ROCDL::mfma_f32_32x32x16_fp8_fp8::getOperationName()
                 : ROCDL::mfma_f32_16x16x32_fp8_fp8::getOperationName();
  }

  /// The operation that stands for the instruction.
  StringRef nameOf(bool half) const {
    bool large = block == MfmaBlock::Large;
    if (unit.isDeep())
      return large ? (half ? ROCDL::mfma_f32_32x32x16_f16::getOperationName()
                           : ROCDL::mfma_f32_32x32x16_bf16::getOperationName())
                   : (half ? ROCDL::mfma_f32_16x16x32_f16::getOperationName()
                           : ROCDL::mfma_f32_16x16x32_bf16::getOperationName());
    return large ? (half ? ROCDL::mfma_f32_32x32x8f16::getOperationName()
                         : ROCDL::mfma_f32_32x32x8bf16_1k::getOperationName())
                 : (half ? ROCDL::mfma_f32_16x16x16f16::getOperationName()
                         : ROCDL::mfma_f32_16x16x16bf16_1k::getOperationName());
  }

  DotOp op;
  DotOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  ThreadBuilder t;
  RankedTensorType lhs, rhs, result;
  Instruction unit;
  MfmaBlock block;
  /// Rows of a block; groups of lanes that share them; elements of an operand
  /// in a lane.
  int64_t size, groups, elements;
  /// Consecutive elements of a lane, of operands and of the result.
  int64_t vector = 0, resultVector = 0;
  int64_t rowBlocks = 0, perAccumulator = 0;
  SmallVector<Value> accumulators;
  std::optional<OperandReader> lhsTile, rhsTile;
  std::optional<TransposingReader> rhsTransposed;
  std::optional<ColumnReader> rhsColumns;
};

struct DotPattern : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<MatrixUnitInterface> unit = check(op);
    if (failed(unit))
      return failure();
    Location loc = op.getLoc();
    if (op.getPrioritized())
      ROCDL::SetPrioOp::create(rewriter, loc, kRaised);
    Value result =
        Multiplier(op, adaptor, *Instruction::of(*unit), rewriter).run();
    if (op.getPrioritized())
      ROCDL::SetPrioOp::create(rewriter, loc, kUsual);
    rewriter.replaceOp(op, result);
    return success();
  }

  /// The unit that the product names, else the one of gfx942, or of FP8 of the
  /// target, whose layout the result has, if any.
  static MatrixUnitInterface findUnit(DotOp op, RankedTensorType result) {
    if (MatrixUnitInterface unit = op.getUnitAttr())
      return Instruction::of(unit) ? unit : nullptr;
    bool fnuz = !TargetAttr::of(op).hasCapability(kOcpTypes);
    Type element = getElementTypeOrSelf(op.getLhs().getType());
    for (int64_t size : {32, 16}) {
      MatrixUnitInterface unit =
          isFloat8(element)
              ? MatrixUnitInterface(Mfma8Attr::get(op.getContext(), size, fnuz))
              : MfmaAttr::get(op.getContext(), size, 256 / size);
      if (hasLayoutOf(unit, result, wavesOf(op)))
        return unit;
    }
    return nullptr;
  }

  static bool hasLayoutOf(MatrixUnitInterface unit, RankedTensorType result,
                          int64_t waves) {
    int64_t rows = result.getDimSize(0), columns = result.getDimSize(1);
    return rows % (unit.getRows() * waves) == 0 &&
           columns % unit.getColumns() == 0 &&
           result.getEncoding() == unit.getAccumulator(rows, columns, waves);
  }

  /// Types that instructions of the target multiply, and diagnostics.
  static LogicalResult checkElement(DotOp op, Type element) {
    TargetAttr target = TargetAttr::of(op);
    if (element.isF16() || element.isBF16() ||
        (isFloat8(element) && convertsToFloat8(target, element)))
      return success();
    return op.emitOpError("expected operands of f16, bf16 or ")
           << float8TypesOf(target) << " for MFMA of " << target.getName()
           << ", but got " << element;
  }

  static FailureOr<MatrixUnitInterface> check(DotOp op) {
    auto lhs = cast<RankedTensorType>(op.getLhs().getType()),
         rhs = cast<RankedTensorType>(op.getRhs().getType()),
         result = cast<RankedTensorType>(op.getResult().getType());
    if (failed(checkElement(op, lhs.getElementType())))
      return failure();
    MatrixUnitInterface unit = findUnit(op, result);
    if (op.getUnit() && !unit)
      return op.emitOpError("expected a matrix unit #attn.mfma, but got ")
             << op.getUnitAttr();
    if (unit && !unit.takesElements(lhs.getElementType(), rhs.getElementType()))
      return op.emitOpError("expected operands of ")
             << asText(elementsOf(unit)) << " for " << unit << ", but got "
             << lhs.getElementType() << " and " << rhs.getElementType();
    if (!unit || !hasLayoutOf(unit, result, wavesOf(op)))
      return op.emitOpError("expected a result in the layout of an MFMA "
                            "accumulator over ")
             << wavesOf(op) << " waves, but got " << result;
    int64_t depth = std::max<int64_t>(unit.getDepth(), 16);
    if (lhs.getDimSize(1) % depth != 0)
      return op.emitOpError("expected a multiple of ")
             << depth << " elements to sum over, but got " << lhs.getDimSize(1);
    if (!sharedOf(rhs))
      return op.emitOpError("expected a right-hand side in LDS, but got ")
             << rhs;
    SharedAttr left = sharedOf(lhs);
    if (left ? !left.getTransposed()
             : fragmentOf(lhs) == unit.getLhs(lhs.getDimSize(0),
                                              lhs.getDimSize(1), wavesOf(op)))
      return unit;
    return op.emitOpError("expected a left-hand side in LDS by rows, or in the "
                          "layout of an MFMA operand, but got ")
           << lhs;
  }
};

} // namespace

void attn::populateMfmaPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<DotPattern>(converter, patterns.getContext());
}
