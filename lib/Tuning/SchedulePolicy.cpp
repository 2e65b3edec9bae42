//===- SchedulePolicy.cpp - Schedules that a target's facts ask for -------===//

#include "attn-mlir/Tuning/SchedulePolicy.h"
#include "ModuleTraits.h"
#include "Workshop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Simulation/CacheSimulator.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <string>

using namespace mlir;
using namespace attn;

namespace {

constexpr StringLiteral kAlternating = "persistent, sawtooth = auto";
constexpr StringLiteral kAlternatingPairs =
    "persistent, pair_tiles, sawtooth = auto";
constexpr StringLiteral kSwizzledBlockFirst =
    "grid_order = swizzled_block_first";
/// All sets of a row of tiles before the next row.
constexpr StringLiteral kBlockFirst = "grid_order = naive_block_first";

/// Several L2 domains: tiles that share K and V go to one of them, one set of
/// tiles after the other. Under a mask the long tiles start first.
Schedules forDomains(MLIRContext *context, const ModuleTraits &traits) {
  ScheduleAttr alternating = scheduleOf(context, kAlternating);
  Schedules result;
  for (StringRef order : {kSwizzledHeadFirst, kSwizzledBlockFirst}) {
    Schedules orders = traits.ordersFor(scheduleOf(context, order));
    llvm::append_range(result, orders);
    for (ScheduleAttr own : llvm::reverse(orders))
      result.push_back(alternating.over(own));
  }
  // Sets that are fewer than domains lie in several of them in any case.
  if (traits.sets && *traits.sets >= traits.target.get(Fact::L2Domains))
    return result;
  ScheduleAttr blockFirst = scheduleOf(context, kBlockFirst);
  llvm::append_range(result, Schedules{blockFirst, alternating.over(blockFirst),
                                       scheduleOf(context, ""), alternating});
  if (!traits.uneven)
    return result;
  ScheduleAttr pairs = scheduleOf(context, kAlternatingPairs);
  llvm::append_range(result, Schedules{pairs, pairs.over(blockFirst)});
  return result;
}

/// Whether one set of tiles streams more than the L2 holds, if that is known.
std::optional<bool> exceedsCache(const ModuleTraits &traits) {
  if (!traits.streamExtent)
    return std::nullopt;
  return *traits.streamExtent * traits.streamBytes >
         traits.target.get(Fact::L2EffectiveBytes);
}

/// One L2 domain: the direction of streams alternates where the cache does not
/// hold them. Windows of all sets fit together where whole streams do not.
Schedules forOneDomain(MLIRContext *context, const ModuleTraits &traits) {
  auto of = [&](StringRef fields) { return scheduleOf(context, fields); };
  ScheduleAttr blockFirst = of(kBlockFirst);
  Schedules plain = {of(""), blockFirst};
  if (traits.windowed)
    std::swap(plain[0], plain[1]);
  Schedules alternating = {of(kAlternating)};
  if (traits.uneven) {
    plain.push_back(of("grid_order = naive_head_first, longest_first"));
    alternating.push_back(of(kAlternatingPairs));
  }
  alternating.push_back(of(kAlternating).over(blockFirst));
  bool alternates = !traits.windowed && exceedsCache(traits).value_or(false);
  Schedules result = alternates ? alternating : plain;
  llvm::append_range(result, alternates ? plain : alternating);
  return result;
}

/// Whether CTAs share a stream: where a tile has few rows, a set of tiles is
/// one CTA, and sets are fewer than SMs, or not known. Then sizes decide how
/// many CTAs share one, and a bundle has a variant for those that ask for no
/// split.
bool sharesStreams(const ModuleTraits &traits) {
  // The merge takes as long as reading fewer (docs/notebooks/performance.md,
  // "Few queries of a long cache").
  constexpr int64_t kShortest = 2048;
  if (!traits.splits || traits.windowed || !traits.isDecoding())
    return false;
  if (traits.sets && 2 * *traits.sets > traits.target.get(Fact::SMs))
    return false;
  return !traits.streamExtent || *traits.streamExtent >= kShortest;
}

/// The split, by the schedule that facts ask for without one.
void shareStreams(SchedulePolicy &policy, const ModuleTraits &traits) {
  ScheduleAttr plain = policy.schedules.front();
  StringRef split = traits.packs ? "pack_group, split_ctas" : "split_ctas";
  policy.schedules = {scheduleOf(plain.getContext(), split).over(plain)};
  policy.reason += "; tiles of few rows leave SMs idle, so that CTAs share a "
                   "stream";
  policy.guard.clear();
  policy.guarded = {};
}

/// From how many keys on one set of tiles streams more than the L2 holds.
int64_t keysBeyondCache(const ModuleTraits &traits) {
  constexpr int64_t kStep = 1024;
  return llvm::alignTo(traits.target.get(Fact::L2EffectiveBytes) /
                               std::max<int64_t>(traits.streamBytes, 1) +
                           1,
                       kStep);
}

} // namespace

/// The policy where each stream has one CTA.
static SchedulePolicy unsplitPolicy(ModuleOp module,
                                    const std::optional<ModuleTraits> &traits) {
  SchedulePolicy policy;
  if (!traits || traits->groups.empty() || !traits->shares ||
      traits->streamBytes == 0)
    return policy;
  MLIRContext *context = module.getContext();
  llvm::raw_string_ostream reason(policy.reason);
  int64_t domains = traits->target.get(Fact::L2Domains);
  int64_t held = traits->target.get(Fact::L2EffectiveBytes);
  if (domains > 1) {
    policy.schedules = forDomains(context, *traits);
    reason << domains << " L2 domains: tiles that share what they stream go to "
           << "one of them";
    return policy;
  }
  policy.schedules = forOneDomain(context, *traits);
  std::optional<bool> exceeds = exceedsCache(*traits);
  reason << "an L2 that holds " << held << " bytes, of which a set of tiles "
         << "streams " << traits->streamBytes << " for each of ";
  if (exceeds)
    reason << *traits->streamExtent << " positions";
  else
    reason << "a number of positions that is not known";
  // Each variant of each kernel is compiled, and no one streams so many keys
  // past a CPU.
  bool runsOnCpu = traits->target.hasCapability("cpu");
  if (!exceeds && !traits->windowed && traits->guards && !runsOnCpu) {
    policy.guard =
        traits->stream + ">=" + std::to_string(keysBeyondCache(*traits));
    policy.guarded =
        scheduleOf(context, traits->uneven ? kAlternatingPairs : kAlternating);
  }
  return policy;
}

/// The policy where a state has more columns than a warpgroup has registers
/// for: a second one has the rest. Heads of a group are rows of a tile, and
/// CTAs share streams, as far as that is possible, and rows may be few.
static SchedulePolicy wideStatePolicy(ModuleOp module,
                                      const ModuleTraits &traits) {
  SchedulePolicy policy;
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
  bool mayBeFew = traits.isDecoding() || traits.rows == kUnknown;
  std::string fields = traits.packs ? "pack_group, " : "";
  if (mayBeFew && traits.splits && !traits.windowed)
    fields += "split_ctas, ";
  fields += "wgmma = all, specialize";
  policy.schedules = {scheduleOf(module.getContext(), fields)};
  llvm::raw_string_ostream(policy.reason)
      << "a state of " << traits.warpgroupRegisters
      << " registers a thread of one warpgroup, so that two share its columns";
  return policy;
}

SchedulePolicy attn::schedulePolicy(ModuleOp module,
                                    const llvm::StringMap<int64_t> &sizes) {
  std::optional<ModuleTraits> traits = ModuleTraits::of(module, sizes);
  if (traits && !traits->groups.empty() && traits->exceedsWarpgroup())
    return wideStatePolicy(module, *traits);
  SchedulePolicy policy = unsplitPolicy(module, traits);
  if (!policy.schedules.empty() && sharesStreams(*traits))
    shareStreams(policy, *traits);
  return policy;
}

namespace {

/// What all kernels of a module read from memory and write there, in bytes.
struct Traffic {
  int64_t bytes = 0, distinct = 0;
};

std::optional<double> workOf(ModuleOp module,
                             const llvm::StringMap<int64_t> &sizes) {
  double work = 0;
  for (auto kernel : module.getOps<KernelOp>()) {
    FailureOr<WorkEstimate> estimate = estimateWork(kernel, sizes);
    if (failed(estimate))
      return std::nullopt;
    work += estimate->work();
  }
  return work;
}

std::optional<Traffic> simulatedTraffic(ModuleOp module,
                                        const llvm::StringMap<int64_t> &sizes) {
  Traffic traffic;
  for (auto kernel : module.getOps<KernelOp>()) {
    auto tracer = KernelTracer::compile(kernel);
    if (failed(tracer))
      return std::nullopt;
    FailureOr<AccessTrace> trace = (*tracer)->trace(sizes);
    if (failed(trace))
      return std::nullopt;
    CacheConfig config = CacheConfig::of(kernel);
    if (failed(checkMachine(kernel, config, *trace)))
      return std::nullopt;
    CacheReport report = simulateCache(*trace, config);
    traffic.bytes += report.total.dramReads + report.total.dramWrites;
    traffic.distinct += report.distinctBytes;
  }
  return traffic;
}

/// Where sizes are known, the simulator says whether alternation pays, not the
/// condition of attn-sawtooth.
ScheduleAttr decided(ScheduleAttr schedule) {
  if (schedule.getWord("sawtooth") != stringifyEnum(SawtoothMode::Auto))
    return schedule;
  return scheduleOf(schedule.getContext(), "sawtooth = force").over(schedule);
}

} // namespace

std::optional<SimulatedChoice>
attn::simulatePolicy(ModuleOp module, const SchedulePolicy &policy,
                     const llvm::StringMap<int64_t> &sizes, double maxWork) {
  // What is so small has no schedule that matters.
  constexpr int64_t kShareOfCache = 16;
  int64_t small =
      TargetAttr::of(module).get(Fact::L2EffectiveBytes) / kShareOfCache;
  Workshop workshop(module);
  workshop.getContext().loadAllAvailableDialects();
  ScopedDiagnosticHandler quiet(&workshop.getContext(),
                                [](Diagnostic &) { return success(); });
  std::optional<SimulatedChoice> best;
  for (auto [i, listed] : llvm::enumerate(policy.schedules)) {
    ScheduleAttr schedule = decided(listed);
    OwningOpRef<ModuleOp> scheduled = workshop.scheduled(schedule);
    // A schedule that does not suit the module is none of its candidates.
    if (!scheduled && i > 0)
      continue;
    if (!scheduled)
      return std::nullopt;
    if (i == 0) {
      std::optional<double> work = workOf(*scheduled, sizes);
      if (!work || *work * policy.schedules.size() > maxWork)
        return std::nullopt;
    }
    std::optional<Traffic> traffic = simulatedTraffic(*scheduled, sizes);
    if (!traffic || (i == 0 && traffic->distinct <= small))
      return std::nullopt;
    if (i == 0)
      best = {schedule, traffic->bytes, traffic->bytes};
    else if (traffic->bytes < best->dramBytes)
      best = {schedule, traffic->bytes, best->firstBytes};
  }
  return best;
}

ScheduleAttr attn::withLowering(ModuleOp module, ScheduleAttr schedule) {
  // By default four warps have 32 rows each, and next to no register left.
  constexpr int64_t kRows = 128;
  TargetAttr target = TargetAttr::of(module);
  if (unitsOf(target).empty())
    return schedule;
  Workshop workshop(module);
  ScopedDiagnosticHandler quiet(&workshop.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> scheduled = workshop.scheduled(schedule);
  bool wants = static_cast<bool>(scheduled);
  if (wants)
    scheduled->walk([&](Operation *op) {
      if (auto grid = dyn_cast<GridOp>(op))
        wants &= grid.getPersistent().has_value();
      else if (auto dot = dyn_cast<DotOp>(op))
        wants &= dot.getResult().getType().getDimSize(0) % kRows == 0 &&
                 !getElementTypeOrSelf(dot.getLhs().getType()).isF32();
    });
  return wants ? scheduleOf(module.getContext(), "warps = 8").over(schedule)
               : schedule;
}
