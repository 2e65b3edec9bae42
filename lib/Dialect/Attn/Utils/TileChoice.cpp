//===- TileChoice.cpp - Tiles that fit a target ---------------------------===//

#include "attn-mlir/Dialect/Attn/Utils/TileChoice.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/Utils/MeasuredTiles.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace attn;

namespace {

/// Chooses the tile sizes of one op: what is asked, else the largest default
/// that fits the target.
class TileChooser {
public:
  TileChooser(StreamableOpInterface op, const TileSizes &asked, bool eachResult)
      : op(op), axes(op.getStreamAxes()), asked(asked), eachResult(eachResult),
        target(TargetAttr::of(op)) {}

  FailureOr<TileChoice> choose() {
    if (streamsSteps()) {
      SmallVector<int64_t> sizes = sizesFor(kRowsOfSteps, 1, /*onlyFree=*/true);
      if (fits(target, footprint(sizes)))
        return TileChoice{sizes, /*fromTable=*/false};
    }
    for (int64_t resident : {2, 1})
      for (MeasuredTile tile : measuredTiles(target, op)) {
        SmallVector<int64_t> sizes =
            sizesFor(tile.group, tile.stream, /*onlyFree=*/true);
        Footprint own = footprint(sizes);
        if (fits(target, own) && residentCtas(target, own) >= resident)
          return TileChoice{sizes, /*fromTable=*/true};
      }
    // Largest first; a tile has no use for rows beyond the extent.
    for (auto [group, stream] : kDefaults) {
      SmallVector<int64_t> sizes = sizesFor(group, stream, /*onlyFree=*/true);
      if (fits(target, footprint(sizes)))
        return TileChoice{sizes, /*fromTable=*/false};
    }
    return explainMisfit();
  }

private:
  static constexpr std::pair<int64_t, int64_t> kDefaults[] = {
      {128, 128}, {128, 64}, {64, 64}, {64, 32}, {32, 32}, {16, 16}};
  /// What streams steps does little with what it loads: small tiles, so that
  /// many CTAs load.
  static constexpr int64_t kRowsOfSteps = 4;

  Footprint footprint(ArrayRef<int64_t> sizes) {
    Footprint all = footprintOf(target, op, sizes);
    if (!eachResult)
      return all;
    int64_t sum = 0, most = 0;
    for (AffineMap map : op.getStateMaps()) {
      int64_t elements = 1;
      for (AffineExpr expr : map.getResults())
        elements *= sizes[cast<AffineDimExpr>(expr).getPosition()];
      sum += elements;
      most = std::max(most, elements);
    }
    all.registers -= sum - most;
    return all;
  }

  bool streamsSteps() {
    unsigned streamed = innermostStreamed(axes);
    return streamed < axes.size() && axes[streamed].kind == AxisKind::Steps &&
           op.loadsStepsAhead();
  }

  /// What head dimensions are padded to a multiple of: instructions take 32
  /// bytes of a row.
  int64_t wholeGranule() {
    int64_t granule = tileGranule(target);
    bool narrow = llvm::any_of(op->getOperandTypes(), [](Type type) {
      return isFloat8(getElementTypeOrSelf(type));
    });
    return narrow && granule > 1 ? 2 * granule : granule;
  }

  /// The largest tile up to `size` that divides a block: a multiple of what
  /// matrix units take at once, where there is one.
  static int64_t dividing(int64_t block, int64_t size) {
    if (size < kGranularity)
      return std::gcd(block, size);
    for (int64_t own = size / kGranularity * kGranularity; own > 0;
         own -= kGranularity)
      if (block % own == 0)
        return own;
    return std::gcd(block, kGranularity);
  }

  /// The largest tile up to `size` that is a part of a block of the axis, or
  /// several whole ones; else the smallest of these.
  static int64_t inBlock(const StreamAxis &axis, int64_t size) {
    if (axis.tileBlock != 0)
      return dividing(axis.tileBlock, size);
    if (axis.block == 1)
      return size;
    for (int64_t own = size / kGranularity * kGranularity; own > 0;
         own -= kGranularity)
      if (axis.block % own == 0 || own % axis.block == 0)
        return own;
    return std::lcm(axis.block, kGranularity);
  }

  SmallVector<int64_t> sizesFor(int64_t group, int64_t stream, bool onlyFree) {
    SmallVector<int64_t> sizes;
    for (const StreamAxis &axis : axes) {
      int64_t size = isSingle(axis.kind) ? 1
                     : axis.kind == AxisKind::Whole
                         // Loads beyond the view are zero: padding is free.
                         ? llvm::alignTo(axis.extent, wholeGranule())
                         : axis.kind == AxisKind::Group ? group : stream;
      if (isTiled(axis)) {
        auto given = asked.find(axis.name);
        if (given != asked.end())
          size = onlyFree ? given->second : std::min(size, given->second);
        else if (!ShapedType::isDynamic(axis.extent))
          size = std::min<int64_t>(
              size, llvm::alignTo(std::clamp<int64_t>(axis.extent, 1, size),
                                  kGranularity));
      }
      sizes.push_back(inBlock(axis, size));
    }
    return sizes;
  }

  /// Reports that what was asked does not fit, and the largest tile that does.
  LogicalResult explainMisfit() {
    auto [group, stream] = std::begin(kDefaults)[std::size(kDefaults) - 1];
    SmallVector<int64_t> tried = sizesFor(group, stream, /*onlyFree=*/true);
    Footprint own = footprint(tried);
    InFlightDiagnostic diag =
        op.emitOpError("tile ")
        << describe(tried) << " asks for " << own.sharedBytes
        << " bytes of shared memory and " << own.registers
        << " registers; target " << target.getName() << " has "
        << target.get(Fact::SmemPerBlock) << " bytes a CTA and "
        << target.get(Fact::RegistersPerSM) << " registers an SM; ";
    SmallVector<int64_t> best = largestLegal(tried);
    if (best.empty())
      diag << "no tile of this operation fits";
    else
      diag << "the largest legal tile is " << describe(best);
    return diag;
  }

  /// The tile of most elements, no larger than `tried` along any axis, that
  /// fits; empty if there is none.
  SmallVector<int64_t> largestLegal(ArrayRef<int64_t> tried) {
    int64_t maxGroup = 1, maxStream = 1, bestArea = 0, stream = 0;
    for (auto [axis, size] : llvm::zip(axes, tried)) {
      if (axis.kind == AxisKind::Group)
        maxGroup = std::max(maxGroup, size);
      if (axis.kind == AxisKind::Stream)
        maxStream = std::max(maxStream, size);
    }
    SmallVector<int64_t> best;
    auto larger = [](int64_t s) {
      return s < kGranularity ? s + 1 : s + kGranularity;
    };
    // A smaller group never needs a smaller stream: one walk over both.
    for (int64_t group = step(maxGroup); group > 0; group = step(group - 1)) {
      while (larger(stream) <= step(maxStream) &&
             fits(target, footprint(sizesFor(group, larger(stream),
                                             /*onlyFree=*/false))))
        stream = larger(stream);
      if (group * stream <= bestArea)
        continue;
      bestArea = group * stream;
      best = sizesFor(group, stream, /*onlyFree=*/false);
    }
    return best;
  }

  /// The largest candidate size up to `size`: multiples of 16, then all.
  static int64_t step(int64_t size) {
    return size > kGranularity ? size / kGranularity * kGranularity : size;
  }

  std::string describe(ArrayRef<int64_t> sizes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        llvm::make_filter_range(llvm::zip(axes, sizes),
                                [](auto p) { return isTiled(std::get<0>(p)); }),
        os, [&](auto p) { os << std::get<0>(p).name << "=" << std::get<1>(p); },
        ",");
    return text;
  }

  static constexpr int64_t kGranularity = 16;

  StreamableOpInterface op;
  SmallVector<StreamAxis> axes;
  const TileSizes &asked;
  bool eachResult;
  TargetAttr target;
};

} // namespace

FailureOr<TileChoice> attn::chooseTile(StreamableOpInterface op,
                                       const TileSizes &asked,
                                       bool eachResult) {
  return TileChooser(op, asked, eachResult).choose();
}
