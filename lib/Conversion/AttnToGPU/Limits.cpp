//===- Limits.cpp - Sizes for which 32 bits are enough --------------------===//
//
// Indices have 32 bits on the device. The manifest says up to which sizes that
// is enough: of each axis, and of what a kernel computes from sizes alone
// (numbers of tiles, rows of packed heads), which the host computes in 64 bits.
// What depends on the CTA or on the position in a stream stays below these: a
// coordinate of the grid, a row of a tile. Rings count tiles in 32 bits, too,
// of which a persistent CTA has as many as its visits stream.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

namespace {

/// Numbers from `least` to `most`. Those of indices are at most kMostIndex, so
/// that one operation on two of them does not leave 64 bits.
struct Range {
  int64_t least, most;

  Range clamped() const {
    return {std::clamp(least, -kMostIndex, kMostIndex),
            std::clamp(most, -kMostIndex, kMostIndex)};
  }
  int64_t magnitude() const { return std::max(-least, most); }
};

Range operator*(Range x, Range y) {
  auto [least, most] = std::minmax(
      {x.least * y.least, x.least * y.most, x.most * y.least, x.most * y.most});
  return {least, most};
}

/// Of a quotient: that of what is not negative by the least divisor.
Range divide(Range x, Range y, bool up) {
  if (x.least < 0 || y.least < 0)
    return {-x.magnitude(), x.magnitude()};
  int64_t divisor = std::max<int64_t>(y.least, 1);
  return {0, (x.most + (up ? divisor - 1 : 0)) / divisor};
}

/// Tiles of a stream that one CTA passes through a ring, at most.
constexpr int64_t kMostRingTiles = int64_t(1) << 30;

/// Collects the limits of one kernel.
class LimitBuilder {
public:
  explicit LimitBuilder(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}

  ArrayAttr run() {
    limitAxes();
    // Where coordinates are known, for there are none, a CTA would compute
    // everything from sizes alone.
    if (hasNoCtas())
      return b.getArrayAttr(limits.getArrayRef());
    kernel.walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
          op->getResult(0).getType().isIndex())
        if (Attribute expression = expressions.find(op->getResult(0)))
          limit(expression);
    });
    kernel.walk([&](CtasOp ctas) { limitRings(ctas); });
    return b.getArrayAttr(limits.getArrayRef());
  }

private:
  /// Whether the types say that there is no tile.
  bool hasNoCtas() {
    bool any = false, none = true;
    kernel.walk([&](CtasOp ctas) {
      any = true;
      none &= matchPattern(ctas.getCount(), m_Zero());
    });
    return any && none;
  }

  void limitAxes() {
    auto names = kernel->getAttrOfType<ArrayAttr>(KernelOp::kDimNamesAttr);
    llvm::DenseSet<StringRef> seen;
    for (BlockArgument argument : kernel.getArguments()) {
      auto view = dyn_cast<ViewType>(argument.getType());
      for (unsigned dim = 0; view && dim < view.getRank(); ++dim) {
        if (!ShapedType::isDynamic(view.getShape()[dim]))
          continue;
        int64_t number = viewNumber(argument);
        StringRef axis =
            names ? cast<StringAttr>(cast<ArrayAttr>(names[number])[dim])
                        .getValue()
                  : "";
        // Dimensions of one axis agree.
        if (!axis.empty() && !seen.insert(axis).second)
          continue;
        add("le",
            b.getArrayAttr({b.getStringAttr("size"),
                            b.getI64IntegerAttr(number),
                            b.getI64IntegerAttr(dim)}),
            kMostIndex);
      }
    }
  }

  /// Whether a loop around takes tiles from a counter. Others go through the
  /// tiles of a stream in parts (attn-integer-maxima).
  static bool isFromCounter(Operation *op) {
    for (auto loop = op->getParentOfType<scf::WhileOp>(); loop;
         loop = loop->getParentOfType<scf::WhileOp>())
      if (!loop.getAfterBody()->getOps<TakeOp>().empty())
        return true;
    return false;
  }

  /// Where as many CTAs as fit take the tiles of a grid in turn, or from a
  /// counter: then one may take all.
  void limitRings(CtasOp ctas) {
    auto parts = dyn_cast_or_null<ArrayAttr>(expressions.find(ctas.getCount()));
    if (!parts || parts[0] != b.getStringAttr("min"))
      return;
    Attribute inTurn =
        b.getArrayAttr({b.getStringAttr("ceildiv"), parts[1], parts[2]});
    ctas.walk([&](RingIssueOp issue) {
      auto stream = issue->getParentOfType<scf::ForOp>();
      auto argument = dyn_cast<BlockArgument>(issue.getView());
      bool fromCounter = stream && isFromCounter(stream);
      if (!argument || !stream ||
          !(fromCounter || stream->getParentOfType<scf::ForOp>()))
        return;
      Attribute visits = fromCounter ? parts[1] : inTurn;
      int64_t row = issue.getView().getType().getRank() - 2;
      int64_t size = issue.getView().getType().getShape()[row];
      Attribute rows = b.getI64IntegerAttr(size);
      if (ShapedType::isDynamic(size))
        rows = b.getArrayAttr({b.getStringAttr("size"),
                               b.getI64IntegerAttr(viewNumber(argument)),
                               b.getI64IntegerAttr(row)});
      int64_t rowsOfTile = issue.getSlot().getType().getTile().getDimSize(0);
      add("le", b.getArrayAttr({b.getStringAttr("mul"), visits, rows}),
          kMostRingTiles * rowsOfTile);
    });
  }

  void limit(Attribute expression) {
    Range range = compute(expression);
    if (range.most > kMostIndex)
      add("le", expression, kMostIndex);
    if (range.least < -kMostIndex)
      add("ge", expression, -kMostIndex);
  }

  void add(StringRef comparison, Attribute expression, int64_t bound) {
    limits.insert(b.getArrayAttr(
        {b.getStringAttr(comparison), expression, b.getI64IntegerAttr(bound)}));
  }

  /// Of an expression that is within its limits.
  Range rangeOf(Attribute expression) {
    auto known = ranges.find(expression);
    if (known != ranges.end())
      return known->second;
    Range range = compute(expression).clamped();
    ranges[expression] = range;
    return range;
  }

  /// Of an expression whose operands are within their limits.
  Range compute(Attribute expression) {
    if (auto number = dyn_cast<IntegerAttr>(expression))
      return {number.getInt(), number.getInt()};
    auto parts = cast<ArrayAttr>(expression);
    StringRef name = cast<StringAttr>(parts[0]).getValue();
    if (name == "size")
      return {0, kMostIndex};
    Range x = rangeOf(parts[1]), y = rangeOf(parts[2]);
    if (name == "add")
      return {x.least + y.least, x.most + y.most};
    if (name == "sub")
      return {x.least - y.most, x.most - y.least};
    if (name == "mul")
      return x * y;
    if (name == "floordiv" || name == "ceildiv")
      return divide(x, y, name == "ceildiv");
    if (name == "rem") {
      int64_t most = std::min(x.magnitude(), y.magnitude());
      return {x.least < 0 ? -most : 0, most};
    }
    if (name == "min")
      return {std::min(x.least, y.least), std::min(x.most, y.most)};
    if (name == "max")
      return {std::max(x.least, y.least), std::max(x.most, y.most)};
    if (name == "select") {
      Range z = rangeOf(parts[3]);
      return {std::min(y.least, z.least), std::max(y.most, z.most)};
    }
    // Comparisons, and their conjunctions.
    return {0, 1};
  }

  KernelOp kernel;
  Builder b;
  SizeExpressions expressions;
  llvm::DenseMap<Attribute, Range> ranges;
  llvm::SetVector<Attribute> limits;
};

} // namespace

ArrayAttr attn::findLimits(KernelOp kernel) {
  return LimitBuilder(kernel).run();
}

void attn::addLimit(LLVM::LLVMFuncOp function, Attribute condition) {
  auto manifest = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  llvm::SetVector<Attribute> all;
  if (auto limits = manifest.getAs<ArrayAttr>("limits"))
    all.insert_range(limits);
  all.insert(condition);
  addToManifest(function, {{"limits", ArrayAttr::get(function.getContext(),
                                                     all.getArrayRef())}});
}
