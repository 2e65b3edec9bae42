//===- MeasuredOptions.cpp - Options of pipelines that were measured ------===//

#include "attn-mlir/Tuning/MeasuredOptions.h"
#include "attn-mlir/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace attn;

namespace {

#define ATTN_ROLES "wgmma=all specialize overlap ping-pong optimistic-max"
#define ATTN_LONGEST_FIRST "grid-order=naive-head-first longest-first"
#define ATTN_PERSISTENT "persistent resident=1"
#define ATTN_PAIRS "persistent resident=1 pair-tiles"
#define ATTN_TWO_Q " resident-stages=2"
/// Not where D is 128: ptxas places those loops worse, by 2 to 4 %.
#define ATTN_STORE " store-tensors"

/// Up to a number of columns of K and V, summed, with tiles of one length, or
/// of different ones (causal mask).
struct Row {
  int64_t columns;
  MeasuredChoice even, causal;
};

/// Without roles four small CTAs of an SM cover each other's waits, and short
/// ones end together.
constexpr MeasuredVariant kShortCausal64[] = {
    {"query<=2048",
     {"tiles=query=64,key=64 " ATTN_LONGEST_FIRST,
      "wgmma=all optimistic-max" ATTN_STORE}}};

/// The wider tile reads its accumulators less often; short rows would leave
/// more of it empty.
constexpr MeasuredVariant kBySize128[] = {
    {"query<=512",
     {"tiles=query=128,key=128 " ATTN_PERSISTENT,
      ATTN_ROLES ATTN_TWO_Q ATTN_STORE}},
    {"key>=4096",
     {"tiles=query=128,key=160 " ATTN_PERSISTENT, ATTN_ROLES ATTN_TWO_Q}}};
constexpr MeasuredVariant kBySizeCausal128[] = {
    {"query<=512",
     {"tiles=query=128,key=128 " ATTN_PAIRS, ATTN_ROLES ATTN_TWO_Q ATTN_STORE}},
    {"key>=16384",
     {"tiles=query=128,key=160 " ATTN_PAIRS, ATTN_ROLES ATTN_TWO_Q}}};

constexpr MeasuredVariant kShort256[] = {
    {"query<=512",
     {"tiles=query=128,key=64 " ATTN_PERSISTENT, ATTN_ROLES ATTN_STORE}}};
/// Two stages of Q do not fit: with tiles of different length CTAs that wait
/// for one another's Q are better spread by dispatch.
constexpr MeasuredVariant kShortCausal256[] = {
    {"query<=512",
     {"tiles=query=128,key=64 " ATTN_LONGEST_FIRST, ATTN_ROLES ATTN_STORE}},
    {"query<=1024",
     {"tiles=query=128,key=64 " ATTN_PAIRS, ATTN_ROLES ATTN_STORE}}};

/// Measured on an H200 (docs/performance.md, "Hopper's own pipeline").
const Row kWarpgroups[] = {
    {128,
     {{"tiles=query=192,key=128 " ATTN_PERSISTENT,
       ATTN_ROLES ATTN_TWO_Q ATTN_STORE},
      {}},
     {{"tiles=query=192,key=128 " ATTN_PAIRS, ATTN_ROLES ATTN_TWO_Q ATTN_STORE},
      kShortCausal64}},
    {256,
     {{"tiles=query=128,key=128 " ATTN_PERSISTENT, ATTN_ROLES ATTN_TWO_Q},
      kBySize128},
     {{"tiles=query=128,key=128 " ATTN_PAIRS, ATTN_ROLES ATTN_TWO_Q},
      kBySizeCausal128}},
    {320,
     {{"tiles=query=128,key=112 " ATTN_PERSISTENT, ATTN_ROLES}, {}},
     {{"tiles=query=128,key=112 " ATTN_PAIRS, ATTN_ROLES}, {}}},
    {512,
     {{"tiles=query=128,key=80 " ATTN_PERSISTENT, ATTN_ROLES ATTN_STORE},
      kShort256},
     {{"tiles=query=128,key=80 " ATTN_PAIRS, ATTN_ROLES ATTN_STORE},
      kShortCausal256}},
};

/// Fewer queries leave most of a tile's rows empty.
constexpr int64_t kFewestQueries = 64;

/// The extent of an axis, if it is static.
std::optional<int64_t> staticExtent(AttentionOp op, StringRef name) {
  for (const StreamAxis &axis :
       cast<StreamableOpInterface>(*op).getStreamAxes())
    if (axis.name == name && !ShapedType::isDynamic(axis.extent))
      return axis.extent;
  return std::nullopt;
}

/// Whether a guard ("axis<=bound" or "axis>=bound") holds, if that is known.
std::optional<bool> holds(AttentionOp op, StringRef guard) {
  bool atMost = guard.contains("<=");
  auto [axis, text] = guard.split(atMost ? "<=" : ">=");
  int64_t bound = 0;
  std::optional<int64_t> extent = staticExtent(op, axis);
  if (text.getAsInteger(10, bound) || !extent)
    return std::nullopt;
  return atMost ? *extent <= bound : *extent >= bound;
}

/// With variants for sizes that are not known yet alone.
MeasuredChoice resolve(AttentionOp op, MeasuredChoice choice) {
  for (; !choice.variants.empty();
       choice.variants = choice.variants.drop_front()) {
    std::optional<bool> known = holds(op, choice.variants.front().guard);
    if (!known)
      break;
    if (*known)
      return {choice.variants.front().options, {}};
  }
  return choice;
}

bool isSame(const MeasuredChoice &a, const MeasuredChoice &b) {
  return a.options.schedule == b.options.schedule &&
         a.options.lower == b.options.lower &&
         a.variants.data() == b.variants.data() &&
         a.variants.size() == b.variants.size();
}

/// The chip on which all rows were measured.
constexpr StringLiteral kMeasuredOn = "h200";

/// What rows depend on beside the memory: a chip that has the same takes them,
/// although nobody measured it.
constexpr Fact kFactsOfSMs[] = {
    Fact::SMs,          Fact::MaxResidentCTAs, Fact::SmemPerSM,
    Fact::SmemPerBlock, Fact::RegistersPerSM,  Fact::SpecialPerClock,
    Fact::FmaPerClock};

/// Whether facts are those of the chip that was measured: all, or those of SMs.
bool hasMeasuredFacts(TargetAttr target, bool all) {
  const KnownTarget *known = findTarget(kMeasuredOn);
  return known && target.getArch().getValue() == known->arch &&
         llvm::all_of(known->facts, [&](const SourcedFact &f) {
           return (!all && !llvm::is_contained(kFactsOfSMs, f.fact)) ||
                  target.get(f.fact) == f.value;
         });
}

bool isFor(AttentionOp op) {
  TargetAttr target = TargetAttr::of(op);
  Type element = op.getQuery().getType().getElementType();
  std::optional<int64_t> queries = staticExtent(op, "query");
  return hasMeasuredFacts(target, /*all=*/false) &&
         target.hasCapability("wgmma") && target.hasCapability("setmaxnreg") &&
         target.hasCapability("tma") && (element.isF16() || element.isBF16()) &&
         (!queries || *queries >= kFewestQueries);
}

const MeasuredChoice *choiceFor(AttentionOp op) {
  if (!isFor(op))
    return nullptr;
  int64_t columns = op.getKey().getType().getShape().back() +
                    op.getValue().getType().getShape().back();
  for (const Row &row : kWarpgroups)
    if (columns <= row.columns)
      return isa_and_nonnull<CausalMaskAttr>(op.getMaskAttr()) ? &row.causal
                                                               : &row.even;
  return nullptr;
}

} // namespace

std::optional<MeasuredChoice> attn::measuredOptions(ModuleOp module) {
  std::optional<MeasuredChoice> found;
  WalkResult walk = module.walk([&](StreamableOpInterface op) {
    auto attention = dyn_cast<AttentionOp>(*op);
    const MeasuredChoice *row = attention ? choiceFor(attention) : nullptr;
    if (!row)
      return WalkResult::interrupt();
    MeasuredChoice choice = resolve(attention, *row);
    if (found && !isSame(*found, choice))
      return WalkResult::interrupt();
    found = choice;
    return WalkResult::advance();
  });
  return walk.wasInterrupted() ? std::nullopt : found;
}

StringRef attn::measuredOn(ModuleOp module) {
  return hasMeasuredFacts(TargetAttr::of(module), /*all=*/true)
             ? StringRef()
             : StringRef(kMeasuredOn);
}
