//===- MeasuredSchedules.cpp - What tuning files say ----------------------===//

#include "attn-mlir/Tuning/MeasuredSchedules.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// The texts of the files below tuning/, by name.
struct TuningFile {
  StringLiteral name, text;
};

constexpr TuningFile kFiles[] = {
#include "TuningFiles.inc"
};

/// The extent of an axis, if it is static.
std::optional<int64_t> staticExtent(StreamableOpInterface op, StringRef name) {
  for (const StreamAxis &axis : op.getStreamAxes())
    if (axis.name == name && !ShapedType::isDynamic(axis.extent))
      return axis.extent;
  return std::nullopt;
}

using Comparison = VariantAttr::Comparison;

SmallVector<StringRef> factorsOf(const Comparison &part) {
  SmallVector<StringRef> factors;
  part.axis.split(factors, '*');
  return factors;
}

/// What a comparison leaves to be asked at run time.
struct Remainder {
  /// The axes whose extents are not known; the bound of their product, times
  /// the extent of one more, if that is not known.
  SmallVector<StringRef> axes;
  int64_t bound;
  StringRef times;
};

/// A bound that is times an extent that is known.
int64_t boundOf(StreamableOpInterface op, const Comparison &part) {
  int64_t bound = part.bound;
  if (std::optional<int64_t> times = staticExtent(op, part.times))
    if (llvm::MulOverflow(bound, *times, bound))
      bound = std::numeric_limits<int64_t>::max();
  return bound;
}

Remainder remainderOf(StreamableOpInterface op, const Comparison &part) {
  bool isKnown = part.times.empty() || staticExtent(op, part.times);
  Remainder rest{{}, boundOf(op, part), isKnown ? StringRef() : part.times};
  if (!isKnown) {
    rest.axes = factorsOf(part);
    return rest;
  }
  int64_t known = 1;
  for (StringRef axis : factorsOf(part)) {
    std::optional<int64_t> extent = staticExtent(op, axis);
    if (!extent)
      rest.axes.push_back(axis);
    // Beyond what any bound is.
    else if (llvm::MulOverflow(known, *extent, known))
      known = std::numeric_limits<int64_t>::max();
  }
  if (known == 0)
    rest.axes.clear();
  if (rest.axes.empty())
    rest.bound = known;
  else
    rest.bound =
        part.upper ? rest.bound / known : llvm::divideCeil(rest.bound, known);
  return rest;
}

/// Whether a guard holds, if that is known.
std::optional<bool> holds(StreamableOpInterface op, VariantAttr variant) {
  bool known = true;
  for (const Comparison &part : variant.getComparisons()) {
    Remainder rest = remainderOf(op, part);
    known &= rest.axes.empty();
    int64_t bound = boundOf(op, part);
    if (rest.axes.empty() &&
        (part.upper ? rest.bound > bound : rest.bound < bound))
      return false;
  }
  return known ? std::optional(true) : std::nullopt;
}

/// The variant with a guard of what is not known alone.
VariantAttr askedAtRunTime(StreamableOpInterface op, VariantAttr variant) {
  std::string guard;
  for (const Comparison &part : variant.getComparisons()) {
    Remainder rest = remainderOf(op, part);
    if (rest.axes.empty())
      continue;
    guard += (guard.empty() ? "" : " & ") + llvm::join(rest.axes, "*") +
             (part.upper ? "<=" : ">=") + std::to_string(rest.bound);
    if (!rest.times.empty())
      guard += "*" + rest.times.str();
  }
  return VariantAttr::get(variant.getContext(),
                          StringAttr::get(variant.getContext(), guard),
                          variant.getSchedule());
}

/// What of a chip its schedules depend on beside the memory: another that has
/// the same takes them, although nobody measured it.
constexpr Fact kFactsOfSMs[] = {
    Fact::SMs,          Fact::MaxResidentCTAs, Fact::SmemPerSM,
    Fact::SmemPerBlock, Fact::RegistersPerSM,  Fact::SpecialPerClock,
    Fact::FmaPerClock};

bool canStandFor(TargetAttr target, TargetAttr measured) {
  return target.getArch() == measured.getArch() &&
         llvm::all_of(
             kFactsOfSMs,
             [&](Fact f) { return target.get(f) == measured.get(f); }) &&
         llvm::all_of(measured.getCapabilities(), [&](Attribute capability) {
           return target.hasCapability(cast<StringAttr>(capability).getValue());
         });
}

/// Columns of what is streamed and of what stays, together: those axes of which
/// a tile has all. Results stay in registers, so that V counts as much as K at
/// least.
int64_t columnsOf(StreamableOpInterface op) {
  int64_t columns = 0;
  for (const StreamAxis &axis : op.getStreamAxes())
    if (axis.kind == AxisKind::Whole)
      columns += axis.extent;
  auto attention = dyn_cast<AttentionOp>(*op);
  return attention ? std::max(columns, 2 * attention.getValueDim()) : columns;
}

/// Whether K has no more columns than a row is for: Q and K take memory that V,
/// whose sums are in registers, does not.
bool hasKeys(StreamableOpInterface op, TunedOp row) {
  auto half = static_cast<int64_t>(row.getColumns()) / 2;
  auto most = static_cast<int64_t>(row.getKeyColumns().value_or(half));
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AttentionOp, AttentionBackwardKeyOp, AttentionBackwardQueryOp,
            AttentionBackwardFusedOp>([&](auto own) {
        return own.getKey().getType().getShape().back() <= most;
      })
      .Default(true);
}

/// Whether an operation has as many rows as a row of a file is for. What is not
/// known may be any number from the least on, and no bound from above holds.
bool hasRows(StreamableOpInterface op, TunedOp row) {
  int64_t least = row.getRows();
  std::optional<int64_t> most = row.getMostRows();
  return llvm::all_of(op.getStreamAxes(), [&](const StreamAxis &axis) {
    if (axis.kind != AxisKind::Group)
      return true;
    if (ShapedType::isDynamic(axis.extent))
      return !most;
    return axis.extent >= least && (!most || axis.extent <= *most);
  });
}

/// Whether rows of several points of an axis are packed one behind the other.
bool isPacked(StreamableOpInterface op) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  return llvm::any_of(op.getPackedAxes(), [&](const PackedAxis &packed) {
    return axes[packed.axis].kind == AxisKind::Group;
  });
}

bool isCausal(StreamableOpInterface op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AttentionOp, AttentionBackwardKeyOp, AttentionBackwardQueryOp,
            AttentionBackwardFusedOp>([](auto own) {
        return isa_and_nonnull<CausalMaskAttr>(own.getMaskAttr());
      })
      .Default(false);
}

/// Whether each score has an element of its own that is read, such as one of a
/// bias. Of two of them their rings want more room than was measured.
bool readsEachScore(StreamableOpInterface op) {
  auto attention = dyn_cast<AttentionOp>(*op);
  return attention && attention.countReadsOfEachScore() == 1;
}

/// Whether a mask compares numbers that never fall, which bound keys.
bool comparesSorted(StreamableOpInterface op) {
  auto attention = dyn_cast<AttentionOp>(*op);
  return attention && !attention.getKeep().empty() &&
         !attention.getSorted().empty();
}

/// Whether a modification takes the special function unit for each score.
bool takesSpecialFunctions(StreamableOpInterface op) {
  Region *score = llvm::TypeSwitch<Operation *, Region *>(op)
                      .Case<AttentionOp, AttentionBackwardKeyOp,
                            AttentionBackwardQueryOp, AttentionBackwardFusedOp>(
                          [](auto own) { return &own.getScore(); })
                      .Default(nullptr);
  return score && !score->empty() &&
         llvm::any_of(score->getOps(), [](Operation &each) {
           return isa_and_nonnull<math::MathDialect>(each.getDialect()) &&
                  !isa<math::FmaOp, math::AbsFOp, math::AbsIOp,
                       math::CopySignOp, math::FloorOp, math::CeilOp>(each);
         });
}

/// Whether an op can have a schedule: others than the one that was measured may
/// have streams that CTAs cannot share, or lengths by which parts are dealt,
/// which no stated number of them is.
bool canHave(StreamableOpInterface op, ScheduleAttr schedule) {
  if (!op.canSplitOverCtas())
    return !(schedule.hasFlag("split_ctas") ||
             schedule.hasFlag("split_cluster") ||
             schedule.hasFlag("split_last") || schedule.hasFlag("stream_k") ||
             schedule.getNumber("split_length"));
  bool states =
      (schedule.hasFlag("split_ctas") || schedule.hasFlag("split_last")) &&
      schedule.getNumber("splits");
  // Shares are even where streams are equally long.
  return !op.getLengthsView() || !(states || schedule.hasFlag("stream_k"));
}

bool isElementOf(ArrayAttr types, Value tensor) {
  return llvm::is_contained(types.getAsValueRange<TypeAttr>(),
                            getElementTypeOrSelf(tensor.getType()));
}

/// Whether the elements of Q, K and V are those of a row.
bool hasElements(StreamableOpInterface op, TunedOp row) {
  auto attention = dyn_cast<AttentionOp>(op.getOperation());
  bool isCache = attention && getElementTypeOrSelf(attention.getKey()) !=
                                  getElementTypeOrSelf(attention.getQuery());
  std::optional<ArrayAttr> cache = row.getCache();
  return isElementOf(row.getElements(), op->getOperand(0)) &&
         isCache == cache.has_value() &&
         (!isCache || isElementOf(*cache, attention.getKey()));
}

bool isFor(TunedOp row, StreamableOpInterface op) {
  return row.getOp() == op->getName().getStringRef() && hasElements(op, row) &&
         columnsOf(op) <= static_cast<int64_t>(row.getColumns()) &&
         hasKeys(op, row) && hasRows(op, row) &&
         canHave(op, row.getSchedule()) && row.getCausal() == isCausal(op) &&
         (!row.getPacked() || isPacked(op)) &&
         (!row.getReads() || readsEachScore(op)) &&
         (!row.getSpecial() || takesSpecialFunctions(op)) &&
         (!row.getSorted() || comparesSorted(op));
}

/// Whether a program can ask what a variant compares. Products with the number
/// of packed sequences were measured for units that are as long as each other.
/// What a multiple of one axis bounds must be as unknown as that one.
bool canGuard(StreamableOpInterface op, VariantAttr variant) {
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  return llvm::all_of(
      variant.getComparisons(), [&](const VariantAttr::Comparison &part) {
        SmallVector<StringRef> factors = factorsOf(part);
        bool isMultiple = !remainderOf(op, part).times.empty();
        return llvm::none_of(axes, [&](const StreamAxis &axis) {
          return llvm::is_contained(factors, axis.name) &&
                 (axis.surplus != 0 ||
                  (isMultiple && !ShapedType::isDynamic(axis.extent)));
        });
      });
}

/// With variants alone for sizes that are not known yet.
MeasuredSchedule resolve(StreamableOpInterface op, TunedOp row) {
  MeasuredSchedule result{row.getSchedule(), {}, ""};
  for (VariantAttr variant : row.getVariants().getAsRange<VariantAttr>()) {
    if (!canHave(op, variant.getSchedule()))
      continue;
    std::optional<bool> known = holds(op, variant);
    if (!known && canGuard(op, variant))
      result.variants.push_back(askedAtRunTime(op, variant));
    if (!known || !*known)
      continue;
    result.schedule = variant.getSchedule();
    break;
  }
  return result;
}

} // namespace

SmallVector<OwningOpRef<ModuleOp>> attn::builtinTuning(MLIRContext *context) {
  // A test has verified them.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  SmallVector<OwningOpRef<ModuleOp>> files;
  for (const TuningFile &file : kFiles)
    if (auto module = parseSourceString<ModuleOp>(file.text, config, file.name))
      files.push_back(std::move(module));
  return files;
}

std::optional<MeasuredSchedule>
attn::measuredSchedule(StreamableOpInterface op, ArrayRef<ModuleOp> tuning) {
  TargetAttr target = TargetAttr::of(op);
  for (ModuleOp file : tuning) {
    TargetAttr measured = TargetAttr::of(file);
    if (!canStandFor(target, measured))
      continue;
    for (TunedOp row : file.getOps<TunedOp>()) {
      if (!isFor(row, op))
        continue;
      MeasuredSchedule found = resolve(op, row);
      if (target.getFacts() != measured.getFacts())
        found.relatedChip = measured.getName().getValue();
      return found;
    }
  }
  return std::nullopt;
}
