//===- ScheduleModel.cpp - Predicted resources and time -------------------===//

#include "attn-mlir/Analysis/ScheduleModel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PriorityQueue.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <queue>

using namespace mlir;

namespace attn {

namespace {

//===----------------------------------------------------------------------===//
// Calibrated constants. Each is of one set of measurements, on one H200
// (docs/notebooks/transfer-model.md, "Calibration"); none is of a figure or a
// shape.
//===----------------------------------------------------------------------===//

/// Cycles over the sum of those of instructions and of tensor cores: kernels
/// with roles that overlap, and others.
constexpr double kOverlapped = 0.9, kPlain = 1.05;
/// Cycles of waits and barriers of four warps at every step of a stream, with
/// roles and without; and of a CTA whose warps do one thing after the other.
constexpr double kStepGroup = 76, kStepGroupPlain = 125, kStepAlone = 250;
/// Time of exponentials on one warp a scheduler over that on several.
constexpr double kExpAlone = 2.2;
/// Between the tiles of a CTA: the time of the store, in which the pipeline
/// runs empty and fills again (also by the tensor memory accelerator), and of
/// the load of what stays where nothing covers it, each over that of an even
/// share of the memory's bandwidth.
constexpr double kStored = 1.1, kStoredByTma = 1.03, kLoaded = 1.14;
/// Cycles until a CTA has started, alone on its SM or beside others.
constexpr double kCtaStart = 1800, kCtaStartShared = 1700;
/// mma.sync against asynchronous products on chips that have both.
constexpr double kSynchronousRate = 0.65;
/// Instruction slots that a cycle of shared memory takes, where every warp
/// reads all of a tile into its registers.
constexpr double kIssueOfShared = 0.5;
/// Seconds of a launch.
constexpr double kLaunch = 0.5e-6;
/// Seconds from the end of a kernel that stores states to the first work of the
/// one that merges them: 17.6 us with and 12.4 us without a merge of 16 states
/// (docs/notebooks/performance.md, "Decoding"), less what the model says of the
/// merge itself.
constexpr double kMergeLaunch = 3.5e-6;
/// Seconds from the last step of a cluster's streams to the first of its merge:
/// its barriers, and the way of states from SM to SM. 17.7 us by two kernels
/// and 14.5 us by clusters (docs/notebooks/performance.md, "Decoding"), less
/// what the model says of the rest.
constexpr double kExchange = 1e-6;
/// Registers of a thread beside accumulators: addresses, row maxima, barriers.
constexpr int64_t kOtherRegisters = 30;
/// Share of the data sheet's bandwidth that copies reach (4.22 of 4.8 TB/s).
constexpr double kDramShare = 0.88;
/// Bytes a second that one SM reads from memory, with two or three stages under
/// way: 16 queries of 16896 keys by the 64 SMs of eight clusters (30.6 us).
constexpr double kSmDramRate = 42e9;

//===----------------------------------------------------------------------===//
// Facts of the architecture that level 3 uses
//===----------------------------------------------------------------------===//

constexpr int64_t kWarp = 32, kGroupThreads = RoleRegisters::kGroupThreads,
                  kMostRegisters = 255;
/// Parts of an SM with a scheduler and a share of its units each, on which a
/// warp stays (CUDA C++ Programming Guide; four SIMDs of a CU of CDNA 3).
constexpr double kPartitions = 4;
/// Rows of a warp in products of warpgroups.
constexpr int64_t kRowsPerWarp = 16;
/// Bytes that an SM reads from shared memory in a cycle: 32 banks of 4 bytes
/// (CUDA C++ Programming Guide; LDS of CDNA 3 likewise).
constexpr double kSharedBytesPerCycle = 128;
/// What registers of a thread are a multiple of.
constexpr int64_t kRegisterUnit = 8;

/// How often a thread holds its scores: weights, 16 bits each, wait for their
/// product beside the next scores; where nothing bounds its registers, scores
/// stay beside their exponentials for the case that the maximum rose.
double copiesOfScores(const Lowering &lowering) {
  if (lowering.overlap)
    return 1.5;
  return lowering.optimisticMax ? 2 : 1;
}

int64_t defaultWarps(const KernelRun &run, const Lowering &lowering) {
  if (lowering.warps)
    return lowering.warps;
  int64_t rows = std::max<int64_t>(run.rows, kRowsPerWarp);
  return std::max<int64_t>(
      1, rows / (lowering.warpgroups ? kRowsPerWarp : 2 * kRowsPerWarp));
}

} // namespace

/// Options are for what computes, not for what merges: a warp for each row of
/// a tile.
static Lowering loweringFor(const KernelRun &run, const Lowering &asked) {
  if (!run.merges)
    return asked;
  constexpr int64_t kMostWarps = 16;
  Lowering lowering;
  lowering.warps = std::clamp<int64_t>(run.rows, 1, kMostWarps);
  return lowering;
}

StringRef boundName(Bound bound) {
  constexpr StringLiteral kNames[] = {"tensor",  "exp", "issue",
                                      "latency", "L2",  "DRAM"};
  return kNames[static_cast<unsigned>(bound)];
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

Resources resourcesOf(const KernelRun &run, TargetAttr target,
                      const Lowering &asked) {
  Lowering lowering = loweringFor(run, asked);
  Resources r;
  bool inRegisters = target.hasCapability("resident-in-registers");
  // What merges has its tiles in registers.
  r.sharedBytes =
      run.merges
          ? 0
          : run.exchangedBytes + lowering.stages * run.streamedTileBytes +
                (inRegisters ? 0
                             : lowering.residentStages * run.residentTileBytes);
  r.sharedLimit = target.get(Fact::SmemPerBlock);
  double held = inRegisters ? run.residentTileBytes / 4.0 : 0;
  for (const StreamWork &stream : run.streams) {
    double scores = stream.scores * copiesOfScores(lowering);
    held = std::max(held, scores + stream.state);
  }
  int64_t perSm = target.get(Fact::RegistersPerSM);
  r.consumerThreads = kWarp * defaultWarps(run, lowering);
  auto perThread = [&] {
    return static_cast<int64_t>(held / r.consumerThreads) + kOtherRegisters;
  };
  // By default as many warps as the accumulators want.
  while (!lowering.warps && !lowering.warpgroups &&
         perThread() > kMostRegisters && r.consumerThreads < 512)
    r.consumerThreads *= 2;
  r.registers = perThread();
  r.threads = r.consumerThreads + (lowering.specialized ? kGroupThreads : 0);
  r.resident = target.get(Fact::MaxResidentCTAs);
  // What the system keeps of each CTA's share (1 KiB on NVIDIA GPUs).
  int64_t reserved =
      target.get(Fact::SmemPerSM) - target.get(Fact::SmemPerBlock);
  if (r.sharedBytes)
    r.resident = std::min(r.resident, target.get(Fact::SmemPerSM) /
                                          (r.sharedBytes + reserved));
  int64_t withRoles =
      residentWithRoles(target, r.consumerThreads, r.sharedBytes);
  r.registerLimit =
      lowering.specialized
          ? roleRegisters(target, r.consumerThreads, withRoles,
                          lowering.producerRegisters)
                .consumer
          : std::min(kMostRegisters, perSm / std::max<int64_t>(r.threads, 1));
  if (r.sharedBytes > r.sharedLimit)
    r.misfit = "expected " + std::to_string(r.sharedBytes) +
               " bytes of shared memory of " + std::to_string(r.sharedLimit);
  else if (r.registers > r.registerLimit)
    r.misfit = "expected " + std::to_string(r.registers) +
               " registers a thread of " + std::to_string(r.registerLimit);
  int64_t used = lowering.specialized
                     ? perSm / withRoles
                     : llvm::alignTo(r.registers, kRegisterUnit) * r.threads;
  r.resident = std::max<int64_t>(std::min(r.resident, perSm / used), 1);
  return r;
}

//===----------------------------------------------------------------------===//
// L2
//===----------------------------------------------------------------------===//

namespace {

/// What one L2 domain reads in one wave.
struct WaveData {
  /// Bytes of a walk, and its direction, by data.
  llvm::MapVector<uint64_t, std::pair<int64_t, bool>> walks;
  double bytes = 0;
};

/// Bytes that a wave misses, after the wave before it.
double missesOf(const WaveData &wave, const WaveData &before, double capacity) {
  double missed = 0;
  for (auto &[data, walk] : wave.walks) {
    auto [bytes, reverse] = walk;
    auto it = before.walks.find(data);
    double kept = 0;
    if (it != before.walks.end()) {
      double share = capacity / std::max(before.bytes, 1.0);
      // A walk the other way begins with what was read last; the same way, only
      // what fits as a whole is still there.
      if (share >= 1)
        kept = std::min<double>(bytes, it->second.first);
      else if (reverse != it->second.second)
        kept = share * std::min<double>(bytes, it->second.first);
    }
    missed += bytes - kept;
  }
  return missed;
}

} // namespace

std::vector<L2Traffic> trafficOf(const KernelRun &run, TargetAttr target,
                                 int64_t slots) {
  int64_t domains = target.get(Fact::L2Domains);
  int64_t chunk = target.get(Fact::DispatchChunk);
  double capacity = target.get(Fact::L2EffectiveBytes);
  std::vector<L2Traffic> result(domains);
  // Waves in the order of time: of CTAs, then of what each does in turn.
  // Of each, the domains that have work: on large chips few have any.
  std::map<std::pair<int64_t, int64_t>, std::map<int64_t, WaveData>> waves;
  for (const Walk &walk : run.walks) {
    auto &wave = waves[{walk.cta / std::max<int64_t>(slots, 1), walk.round}];
    int64_t domain = walk.cta / chunk % domains;
    WaveData &data = wave[domain];
    auto [it, inserted] =
        data.walks.insert({walk.data, {walk.bytes, walk.reverse}});
    data.bytes += inserted
                      ? walk.bytes
                      : std::max<int64_t>(0, walk.bytes - it->second.first);
    it->second.first = std::max(it->second.first, walk.bytes);
    result[domain].requestedBytes += walk.bytes;
  }
  std::map<int64_t, WaveData> before;
  for (auto &[time, wave] : waves) {
    for (auto &[domain, data] : wave)
      result[domain].missedBytes += missesOf(data, before[domain], capacity);
    before = std::move(wave);
  }
  // What is not streamed is read once, and stays nobody's.
  for (auto [number, cta] : llvm::enumerate(run.ctas)) {
    L2Traffic &own = result[number / chunk % domains];
    own.requestedBytes += run.visit.loadedBytes * cta.visits;
    own.missedBytes += run.visit.loadedBytes * cta.visits;
    own.writtenBytes +=
        run.visit.storedBytes * cta.visits + run.merge.storedBytes * cta.merges;
  }
  return result;
}

L2Traffic Prediction::totalTraffic() const {
  L2Traffic total;
  for (const L2Traffic &domain : traffic) {
    total.requestedBytes += domain.requestedBytes;
    total.missedBytes += domain.missedBytes;
    total.writtenBytes += domain.writtenBytes;
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {

/// Rates of one SM, a cycle.
struct Rates {
  Rates(TargetAttr target, const Lowering &lowering)
      : tensor(target.get(Fact::TensorGflops) * 1e3 / target.get(Fact::SMs) /
               target.get(Fact::ClockMHz)),
        special(target.get(Fact::SpecialPerClock)),
        lanes(target.get(Fact::FmaPerClock)),
        dramBytes(target.get(Fact::DramGBps) * 1e3 * kDramShare /
                  target.get(Fact::SMs) / target.get(Fact::ClockMHz)) {
    if (!lowering.warpgroups && hasAsynchronousUnit(target))
      tensor *= kSynchronousRate;
  }
  double tensor, special, lanes, dramBytes;

  double tensorCycles(const TileWork &w) const { return w.tensorOps / tensor; }
  double expCycles(const TileWork &w) const { return w.specials / special; }
  double issueCycles(const TileWork &w) const {
    return (w.lanes + w.specials) / lanes;
  }
};

/// Cycles of CTAs on a slot of an SM that `resident` share.
class SlotModel {
public:
  SlotModel(const KernelRun &run, const Rates &rates, const Lowering &lowering,
            const Resources &resources, int64_t resident, bool persistent)
      : run(run), rates(rates), lowering(lowering), resident(resident),
        groups(std::max(1.0, resources.consumerThreads /
                                 static_cast<double>(kGroupThreads))),
        copies(lowering.warpgroups ? 0 : resources.consumerThreads / kWarp),
        partitions(shareOf(resources.consumerThreads)),
        allPartitions(shareOf(resident * resources.consumerThreads)) {
    bool covered = resident > 1 || (persistent && lowering.residentStages > 1);
    double stored = lowering.tensorStores ? kStoredByTma : kStored;
    visitCycles = stored * run.visit.storedBytes / rates.dramBytes;
    if (!covered)
      visitCycles += kLoaded * run.visit.loadedBytes / rates.dramBytes;
    if (!persistent)
      visitCycles += resident > 1 ? kCtaStartShared : kCtaStart;
    tileMergeCycles = stored * run.merge.storedBytes / rates.dramBytes;
    for (const StreamWork &stream : run.streams)
      stepCycles.push_back(
          {step(stream, stream.step), step(stream, stream.maskedStep)});
  }

  /// Without what is behind exchanges.
  double cyclesOf(const CtaRun &cta) const {
    return visitCycles * cta.visits + streamCycles(cta, /*onChip=*/false);
  }

  /// Behind exchanges: the merge of its share of tiles.
  double mergeCyclesOf(const CtaRun &cta) const {
    return tileMergeCycles * cta.merges + streamCycles(cta, /*onChip=*/true);
  }

  /// The part of these cycles that work explains, before efficiencies.
  double workOf(const CtaRun &cta) const {
    double cycles = 0;
    for (auto [i, stream] : llvm::enumerate(run.streams))
      cycles +=
          together(workOf(stream, stream.step)) * cta.steps[i] +
          together(workOf(stream, stream.maskedStep)) * cta.maskedSteps[i];
    return cycles;
  }

private:
  double streamCycles(const CtaRun &cta, bool onChip) const {
    double cycles = 0;
    for (auto [i, stream] : llvm::enumerate(run.streams))
      if (stream.onChip == onChip)
        cycles += stepCycles[i].first * cta.steps[i] +
                  stepCycles[i].second * cta.maskedSteps[i];
    return cycles;
  }

  /// What is left of a step where the maximum of the tiles before serves: no
  /// maximum over the scores, and no scaling of what is carried.
  TileWork workOf(const StreamWork &stream, TileWork step) const {
    if (lowering.optimisticMax && !stream.onChip)
      step.lanes -= stream.scores + stream.state;
    return step;
  }

  double together(const TileWork &w) const {
    return rates.issueCycles(w) + rates.tensorCycles(w) +
           kIssueOfShared * copies * w.loadedBytes / kSharedBytesPerCycle;
  }

  double step(const StreamWork &stream, const TileWork &asked) const {
    TileWork w = workOf(stream, asked);
    double tensor = rates.tensorCycles(w), exp = rates.expCycles(w);
    if (lowering.overlap && !stream.onChip) {
      // A group's own products, then its softmax, while others have theirs; a
      // step takes longer than either, since neither fills the other's gaps.
      double chain = (tensor + kExpAlone * exp) / groups;
      double joined = std::cbrt(std::pow(kOverlapped * together(w), 3) +
                                std::pow(chain, 3));
      return std::max({joined, tensor, exp}) + kStepGroup * groups;
    }
    // One after the other, beside what other CTAs do.
    double alone = (tensor + std::max(exp, rates.issueCycles(w))) / partitions +
                   kStepAlone;
    double shared =
        std::max({kPlain * together(w), tensor, exp}) / allPartitions +
        kStepGroupPlain * groups;
    return std::max(alone, resident * shared);
  }

  /// Share of the SM's partitions that this many threads have warps on.
  static double shareOf(int64_t threads) {
    return std::min(1.0, threads / kWarp / kPartitions);
  }

  const KernelRun &run;
  const Rates &rates;
  const Lowering &lowering;
  int64_t resident;
  double groups;
  /// Warps that read every tile of the stream from shared memory.
  double copies;
  /// Share of an SM's partitions that a CTA works on, and all its CTAs do.
  double partitions, allPartitions;
  double visitCycles, tileMergeCycles;
  SmallVector<std::pair<double, double>, 2> stepCycles;
};

/// Clusters of so many CTAs that run at once, with one CTA on an SM.
int64_t clustersAtOnce(TargetAttr target, int64_t ctas) {
  // Two neighbours are a cluster anywhere; larger ones leave SMs over.
  if (ctas <= 2)
    return target.get(Fact::SMs) / std::max<int64_t>(ctas, 1);
  return target.get(Fact::MaxClusters) * target.get(Fact::MaxClusterCTAs) /
         ctas;
}

/// Slots for CTAs of which an SM holds `resident`: a multiple of those of a
/// cluster.
int64_t slotsFor(const KernelRun &run, TargetAttr target, int64_t resident) {
  int64_t clusters = clustersAtOnce(target, run.clusterCtas);
  return std::max<int64_t>(clusters * resident, 1) * run.clusterCtas;
}

/// CTAs on slots in the order of dispatch, each to the slot that is free first;
/// those of a cluster together, which end when the last of them does.
void fillSlots(Prediction &p, const KernelRun &run, const SlotModel &model,
               double clockHz) {
  struct Slot {
    double cycles = 0, work = 0, steps = 0, visits = 0;
    /// Of the last cluster.
    double merge = 0;
    bool operator>(const Slot &other) const { return cycles > other.cycles; }
  };
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
  for (int64_t i = 0; i < p.slots / run.clusterCtas; ++i)
    slots.push({});
  double busy = 0;
  for (ArrayRef<CtaRun> left = run.ctas; !left.empty();) {
    ArrayRef<CtaRun> cluster = left.take_front(run.clusterCtas);
    left = left.drop_front(cluster.size());
    Slot slot = slots.top();
    slots.pop();
    double cycles = 0, merge = 0;
    for (const CtaRun &cta : cluster) {
      busy += model.cyclesOf(cta) + model.mergeCyclesOf(cta);
      cycles = std::max(cycles, model.cyclesOf(cta));
      merge = std::max(merge, model.mergeCyclesOf(cta));
    }
    if (run.clusterCtas > 1)
      merge += kExchange * clockHz * cluster.front().visits;
    slot.cycles += cycles + merge;
    slot.merge = merge;
    slot.work += model.workOf(cluster.front());
    slot.visits += cluster.front().visits;
    for (auto [steps, masked] :
         llvm::zip(cluster.front().steps, cluster.front().maskedSteps))
      slot.steps += steps + masked;
    slots.push(slot);
  }
  Slot last;
  for (; !slots.empty(); slots.pop())
    last = slots.top();
  p.cycles = last.cycles;
  p.slotWork = last.work;
  p.slotSteps = last.steps;
  p.slotVisits = last.visits;
  p.computeSeconds = last.cycles / clockHz;
  p.mergeSeconds = last.merge / clockHz;
  p.idle =
      last.cycles > 0 ? std::max(0.0, 1 - busy / (last.cycles * p.slots)) : 0;
}

Bound boundOf(const Prediction &p) {
  double compute = std::max({p.tensorCycles, p.expCycles, p.issueCycles});
  // While a cluster merges, nothing is read.
  double streaming = p.computeSeconds - p.mergeSeconds;
  if (p.readSeconds > std::max({p.dramSeconds, p.l2Seconds, streaming}))
    return Bound::Latency;
  if (p.dramSeconds >= streaming && p.dramSeconds >= p.l2Seconds)
    return Bound::Dram;
  if (p.l2Seconds >= streaming)
    return Bound::L2;
  // Less than half of the cycles have work for the busiest unit.
  if (compute < p.cycles / 2)
    return Bound::Latency;
  if (p.tensorCycles == compute)
    return Bound::Tensor;
  return p.expCycles == compute ? Bound::Exp : Bound::Issue;
}

} // namespace

Prediction predict(const KernelRun &run, TargetAttr target,
                   const Lowering &asked, TrafficMemo *memo) {
  Lowering lowering = loweringFor(run, asked);
  Prediction p;
  p.resources = resourcesOf(run, target, lowering);
  p.ctas = run.ctas.size();
  p.visits = run.totalVisits();
  int64_t sms = target.get(Fact::SMs);
  // Few CTAs lie on SMs of their own.
  int64_t resident = std::clamp<int64_t>(
      llvm::divideCeil(p.ctas, slotsFor(run, target, /*resident=*/1)), 1,
      p.resources.resident);
  p.slots = slotsFor(run, target, resident);
  p.waves = static_cast<double>(p.visits) / p.slots;
  bool persistent = p.visits > p.ctas && p.ctas <= p.slots;
  Rates rates(target, lowering);
  fillSlots(p, run,
            SlotModel(run, rates, lowering, p.resources, resident, persistent),
            target.get(Fact::ClockMHz) * 1e6);
  TileWork total = run.total() * (1.0 / sms);
  p.tensorCycles = rates.tensorCycles(total);
  p.expCycles = rates.expCycles(total);
  p.issueCycles = rates.issueCycles(total);
  TrafficMemo own;
  TrafficMemo &known = memo ? *memo : own;
  auto [entry, unknown] = known.try_emplace(p.slots);
  if (unknown)
    entry->second = trafficOf(run, target, p.slots);
  p.traffic = entry->second;
  L2Traffic traffic = p.totalTraffic();
  p.l2Seconds = (traffic.requestedBytes + traffic.writtenBytes) /
                (target.get(Fact::L2GBps) * 1e9);
  p.dramSeconds = (traffic.missedBytes + traffic.writtenBytes) /
                  (target.get(Fact::DramGBps) * 1e9 * kDramShare);
  int64_t readers = std::clamp<int64_t>(p.ctas, 1, p.slots / resident);
  p.readSeconds = traffic.missedBytes / (kSmDramRate * readers);
  p.seconds = (run.merges ? kMergeLaunch : kLaunch) +
              std::max(p.computeSeconds,
                       p.mergeSeconds + std::max({p.l2Seconds, p.dramSeconds,
                                                  p.readSeconds}));
  p.bound = boundOf(p);
  return p;
}

} // namespace attn
