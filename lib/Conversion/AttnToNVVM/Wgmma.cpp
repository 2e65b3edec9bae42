//===- Wgmma.cpp - Products by warpgroups ---------------------------------===//
//
// wgmma.mma_async.m64nNk16, of 8-bit elements m64nNk32, with f32 accumulation:
// four warps compute 64 rows; B comes from shared memory, A from there or from
// registers (PTX ISA, "Asynchronous warpgroup level matrix instructions"). The
// NVVM operation has no form with A in registers, so a product is one piece of
// inline assembly: fence, all steps of the sum, commit. Accumulators are its
// results, tied to what goes in, so that ptxas sees one set of registers
// throughout.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

namespace {

/// Columns of A and rows of B in one instruction, in bytes.
constexpr int64_t kStepBytes = 32;

int64_t stepOf(RankedTensorType tile) {
  return kStepBytes / (tile.getElementTypeBitWidth() / 8);
}

/// Rows of an instruction.
constexpr int64_t kRows = 64;

/// What a matrix descriptor says of a tile in shared memory, in units of 16
/// bytes (PTX ISA, "Matrix Descriptor").
class Descriptor {
public:
  /// `byRows`: the summed dimension runs along rows of the tile (K-major).
  Descriptor(RankedTensorType tile, bool byRows)
      : span(sharedOf(tile).getSpan()), rows(tile.getDimSize(0)),
        bytes(tile.getElementTypeBitWidth() / 8), byRows(byRows) {}

  /// Bits 32 to 63: from eight rows to the next, and the swizzle.
  uint32_t high() const {
    uint32_t swizzle = span == 128 ? 1 : span == 64 ? 2 : 3;
    return static_cast<uint32_t>(8 * span / kUnit) | swizzle << 30;
  }
  /// Bits 16 to 31: from panel to panel, where one instruction reads several.
  uint32_t leading() const {
    return byRows ? 0 : static_cast<uint32_t>(rows * span / kUnit) << 16;
  }
  /// From the start of the tile to what step `k` of the sum reads.
  int64_t offset(int64_t k) const {
    if (!byRows)
      return k * (kStepBytes / bytes) * span / kUnit;
    int64_t column = k * kStepBytes;
    return (column / span * rows * span + column % span) / kUnit;
  }
  /// Of the row at which a warpgroup begins, or of the column where the summed
  /// dimension runs down the columns.
  int64_t firstOffset(int64_t first) const {
    if (byRows)
      return first * span / kUnit;
    int64_t byte = first * bytes;
    return (byte / span * rows * span + byte % span) / kUnit;
  }

  static constexpr int64_t kUnit = 16;
  /// Bytes of the memory of a CTA that addresses in descriptors span.
  static constexpr int64_t kMemory = 1 << 18;

private:
  int64_t span, rows, bytes;
  bool byRows;
};

bool isInCluster(Operation *op) {
  auto manifest =
      op->getParentOfType<LLVM::LLVMFuncOp>()->getAttrOfType<DictionaryAttr>(
          kManifestAttr);
  return manifest && manifest.contains("cluster");
}

/// Builds the assembly of one product.
class ProductBuilder {
public:
  ProductBuilder(DotIssueOp op, DotIssueOp::Adaptor adaptor, OpBuilder &b)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()),
        lhs(cast<RankedTensorType>(op.getLhs().getType())),
        rhs(cast<RankedTensorType>(op.getRhs().getType())),
        acc(cast<RankedTensorType>(op.getAcc().getType())),
        groups(groupsOf(acc)) {}

  Value run() {
    auto vector = cast<VectorType>(adaptor.getAcc().getType());
    count = vector.getNumElements();
    addAccumulators();
    int64_t firstA = operands.size() + count;
    addLhs();
    int64_t placeB = operands.size() + count;
    Descriptor b0(rhs, op.getTransposeRhs());
    operands.push_back(address(adaptor.getRhs(), b0, firstColumn(b0)));
    constraints += ",r";
    addDepth();
    std::string text = write(b0, firstA, placeB);
    constraints += ",~{memory}";
    SmallVector<Type> types(count, b.getF32Type());
    auto product = assembly(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        operands, text, constraints);
    return unpack(b, loc, product.getRes(), vector);
  }

  /// The fields of a struct as a vector.
  static Value unpack(OpBuilder &b, Location loc, Value fields,
                      VectorType vector) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      elements.push_back(LLVM::ExtractValueOp::create(b, loc, fields, i));
    return vector::FromElementsOp::create(b, loc, vector, elements);
  }

private:
  /// Warpgroups along the rows and the columns of the result.
  static WarpGrid groupsOf(RankedTensorType acc) {
    WarpGrid warps = warpGrid(acc.getDimSize(0),
                              fragmentOf(acc).getNumThreads() / kWarpThreads);
    return {std::max<int64_t>(warps.down / 4, 1), warps.across};
  }

  /// A sum that starts from zero takes nothing in.
  bool startsFromZero() { return matchPattern(op.getAcc(), m_AnyZeroFloat()); }

  void addAccumulators() {
    for (int64_t i = 0; i < count; ++i)
      constraints += i == 0 ? "=f" : ",=f";
    if (startsFromZero())
      return;
    SmallVector<Value> elements = startOf(adaptor.getAcc());
    for (int64_t i = 0; i < count; ++i)
      constraints += "," + std::to_string(i);
    llvm::append_range(operands, elements);
  }

  /// The elements that a sum starts from. Where one value is that of several,
  /// each gets a register of its own where the value is computed: copies in
  /// front of the product would wait for those that are under way.
  SmallVector<Value> startOf(Value vector) {
    Operation *source = vector.getDefiningOp();
    OpBuilder::InsertionGuard guard(b);
    bool repeats = op.getAcc().getDefiningOp<BroadcastOp>() && source;
    if (repeats)
      b.setInsertionPointAfter(source);
    SmallVector<Value> elements = llvm::to_vector_of<Value>(
        vector::ToElementsOp::create(b, loc, vector).getResults());
    if (!repeats)
      return elements;
    for (Value &element : elements)
      element =
          assembly(b, loc, b.getF32Type(), element, "mov.b32 $0, $1;", "=f,f")
              .getResult(0);
    return elements;
  }

  void addLhs() {
    if (sharedOf(lhs)) {
      Descriptor a(lhs, /*byRows=*/!op.getTransposeLhs());
      ThreadBuilder t{b, loc};
      Value group = t.div(t.thread(), kGroupThreads);
      if (groups.across > 1)
        group = t.rem(group, groups.down);
      operands.push_back(
          address(adaptor.getLhs(), a, t.mul(group, a.firstOffset(kRows))));
      constraints += ",r";
      return;
    }
    auto type = cast<VectorType>(adaptor.getLhs().getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    auto words = VectorType::get({bits / 32}, b.getI32Type());
    Value packed = vector::BitCastOp::create(b, loc, words, adaptor.getLhs());
    auto elements = vector::ToElementsOp::create(b, loc, packed);
    llvm::append_range(operands, elements.getResults());
    for (int64_t i = 0; i < words.getNumElements(); ++i)
      constraints += ",r";
  }

  /// How many columns of A count in the rows of this warpgroup.
  void addDepth() {
    if (!op.getDepth())
      return;
    ThreadBuilder t{b, loc};
    int64_t width = lhs.getDimSize(1);
    auto bound = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    // Above and below this nothing depends on it, nor is it cut off.
    Value depth = arith::MinSIOp::create(b, loc, op.getDepth(), bound(width));
    depth = arith::MaxSIOp::create(b, loc, depth, bound(-kRows * groups.down));
    depth = arith::IndexCastOp::create(b, loc, b.getI32Type(), depth);
    if (op.getDiagonal()) {
      Value group = t.rem(t.div(t.thread(), kGroupThreads), groups.down);
      depth = t.add(depth, t.add(t.mul(group, kRows), kRows - 1));
    }
    placeOfDepth = static_cast<int64_t>(operands.size()) + count;
    operands.push_back(depth);
    constraints += ",r";
  }

  /// Where the columns of a warpgroup begin; null where each has all.
  Value firstColumn(const Descriptor &descriptor) {
    if (groups.across == 1)
      return {};
    ThreadBuilder t{b, loc};
    Value group = t.div(t.div(t.thread(), kGroupThreads), groups.down);
    return t.mul(group,
                 descriptor.firstOffset(acc.getDimSize(1) / groups.across));
  }

  /// The lower half of a descriptor.
  Value address(Value base, const Descriptor &descriptor, Value offset) {
    ThreadBuilder t{b, loc};
    Value place = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), base);
    // In a cluster, the number of the CTA stands above the address in its own
    // memory, and would be taken for other fields.
    if (isInCluster(op))
      place = t.rem(place, Descriptor::kMemory);
    Value low = t.div(place, Descriptor::kUnit);
    if (offset)
      low = t.add(low, offset);
    return t.add(low, descriptor.leading());
  }

  static std::string list(int64_t first, int64_t size) {
    std::string result = "{";
    for (int64_t i = 0; i < size; ++i)
      result += (i ? ", $" : "$") + std::to_string(first + i);
    return result + "}";
  }

  /// Puts a descriptor together: the operand at `place`, `offset` on.
  static std::string assembleDescriptor(StringRef name, int64_t place,
                                        int64_t offset, uint32_t high) {
    std::string low = (name + "l").str();
    return ("add.s32 " + low + ", $" + Twine(place) + ", " + Twine(offset) +
            "; mov.b64 " + name + ", {" + low + ", " + Twine(high) + "};\n")
        .str();
  }

  /// Leaves the steps where no column is left that counts. Behind a branch
  /// registers are handed over anew, as ptxas would do and say (C7519).
  static std::string leaveAt(int64_t column) {
    return "setp.le.s32 none, depth, " + std::to_string(column) +
           "; @none bra.uni TAKEN; wgmma.fence.sync.aligned;\n";
  }

  std::string write(const Descriptor &b0, int64_t firstA, int64_t placeB) {
    bool fromShared = static_cast<bool>(sharedOf(lhs));
    Type type = lhs.getElementType();
    StringRef element = type.isF16()                ? "f16"
                        : type.isBF16()             ? "bf16"
                        : isa<Float8E5M2Type>(type) ? "e5m2"
                                                    : "e4m3";
    bool lhsDown = op.getTransposeLhs();
    int64_t columns = acc.getDimSize(1) / groups.across, step = stepOf(lhs),
            steps = lhs.getDimSize(lhsDown ? 0 : 1) / step;
    // Operands of 8-bit elements are never transposed, and nothing says so.
    bool says = !isFloat8(type);
    std::string text = "{\n";
    // Of all lanes alike, for ptxas too.
    if (placeOfDepth)
      text += ".reg .pred none; .reg .b32 depth;\nshfl.sync.idx.b32 depth, $" +
              std::to_string(*placeOfDepth) + ", 0, 31, -1;\n";
    text += ".reg .pred no, yes; .reg .b32 al, bl; "
            ".reg .b64 a, b;\nsetp.ne.b32 no, 0, 0; "
            "setp.eq.b32 yes, 0, 0;\nwgmma.fence.sync.aligned;\n";
    for (int64_t k = 0; k < steps; ++k) {
      std::string a = "a";
      if (fromShared) {
        Descriptor a0(lhs, /*byRows=*/!lhsDown);
        text += assembleDescriptor("a", firstA, a0.offset(k), a0.high());
      } else {
        a = list(firstA + 4 * k, 4);
      }
      text += assembleDescriptor("b", placeB, b0.offset(k), b0.high());
      // The first step is taken in any case: a sum may start with it.
      if (placeOfDepth && k > 0)
        text += leaveAt(k * step);
      text += ("wgmma.mma_async.sync.aligned.m64n" + Twine(columns) + "k" +
               Twine(step) + ".f32." + element + "." + element + " " +
               list(0, count) + ", " + a + ", b, " +
               (k == 0 && startsFromZero() ? "no" : "yes") + ", 1, 1" +
               (!says || !fromShared ? ""
                : lhsDown            ? ", 1"
                                     : ", 0") +
               (!says                  ? ""
                : op.getTransposeRhs() ? ", 0"
                                       : ", 1") +
               ";\n")
                  .str();
    }
    if (placeOfDepth)
      text += "TAKEN:\nwgmma.fence.sync.aligned;\n";
    return text + "wgmma.commit_group.sync.aligned;\n}";
  }

  DotIssueOp op;
  DotIssueOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  RankedTensorType lhs, rhs, acc;
  WarpGrid groups;
  int64_t count = 0;
  std::optional<int64_t> placeOfDepth;
  SmallVector<Value> operands;
  std::string constraints;
};

struct ProductIssuePattern : OpConversionPattern<DotIssueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotIssueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto acc = cast<RankedTensorType>(op.getAcc().getType());
    MatrixUnitInterface unit = WgmmaAttr::get(op.getContext());
    if (isFloat8(getElementTypeOrSelf(op.getLhs().getType())))
      unit = Wgmma8Attr::get(op.getContext());
    if (MatrixUnitInterface named = op.getUnitAttr(); named && named != unit)
      return op.emitOpError("expected the matrix unit ")
             << unit << ", but got " << named;
    std::string reason =
        whyNotLaidOut(unit, cast<RankedTensorType>(op.getLhs().getType()),
                      cast<RankedTensorType>(op.getRhs().getType()), acc,
                      fragmentOf(acc).getNumThreads() / unit.getLanes(),
                      op.getTransposeLhs());
    if (reason.empty() && unit.sumsAlongRows() && !op.getTransposeRhs())
      reason = "elements that are summed over are no neighbours in memory";
    if (!reason.empty())
      return op.emitOpError("expected a product that wgmma can compute: ")
             << reason;
    rewriter.replaceOp(op, ProductBuilder(op, adaptor, rewriter).run());
    return success();
  }
};

/// The accumulators pass through the wait: no use of them can come before it.
struct ProductWaitPattern : OpConversionPattern<DotWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto vector = cast<VectorType>(adaptor.getProduct().getType());
    auto elements =
        vector::ToElementsOp::create(rewriter, loc, adaptor.getProduct());
    std::string results, ties;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      results += i == 0 ? "=f" : ",=f";
      ties += "," + std::to_string(i);
    }
    SmallVector<Type> types(vector.getNumElements(), rewriter.getF32Type());
    auto wait =
        assembly(rewriter, loc,
                 LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types),
                 elements.getResults(),
                 "wgmma.wait_group.sync.aligned " +
                     std::to_string(op.getOutstanding()) + ";",
                 results + ties + ",~{memory}");
    rewriter.replaceOp(
        op, ProductBuilder::unpack(rewriter, loc, wait.getRes(), vector));
    return success();
  }
};

} // namespace

void attn::populateWgmmaPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<ProductIssuePattern, ProductWaitPattern>(converter,
                                                        patterns.getContext());
}
