//===- ChooseSchedule.cpp - Schedules by the model ------------------------===//
//
// Every candidate is scheduled by the pipeline itself, and its level 2 is
// predicted: there is no second description of what the passes would make.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "Workshop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Tuning/Passes.h"
#include "attn-mlir/Tuning/Remarks.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Format.h"
#include <limits>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNCHOOSESCHEDULE
#include "attn-mlir/Tuning/Passes.h.inc"
} // namespace attn

using namespace attn;

Lowering attn::loweringOf(const TargetOptions &options) {
  Lowering lowering;
  lowering.warpgroups = options.wgmma != Products::None;
  lowering.specialized = options.specialize;
  lowering.overlap = options.specialize && options.overlap;
  lowering.pingPong = options.specialize && options.pingPong;
  lowering.producerRegisters = options.producerRegisters;
  lowering.optimisticMax = options.optimisticMax;
  lowering.tensorStores = options.storeTensors;
  if (options.stages)
    lowering.stages = options.stages;
  lowering.residentStages = options.residentStages;
  lowering.warps = options.warps;
  return lowering;
}

FailureOr<Lowering> attn::loweringOf(StringRef options) {
  std::unique_ptr<TargetOptions> parsed = createOptions<TargetOptions>(options);
  if (!parsed)
    return failure();
  return loweringOf(*parsed);
}

/// How many states a kernel merges: the first dimension of each.
static int64_t mergedStates(KernelOp kernel,
                            const llvm::StringMap<int64_t> &sizes) {
  auto state = cast<ViewType>(kernel.getArgument(0).getType());
  for (const DynamicDim &dim : dynamicDims(kernel))
    if (dim.view == 0 && dim.dim == 0)
      return sizes.lookup(dim.name);
  return state.getShape().front();
}

/// Whether a kernel merges parts that a kernel before it dealt: a deal, the
/// parts and their merge stand in a row.
static bool readsDealt(KernelOp merge) {
  auto split = dyn_cast_or_null<KernelOp>(merge->getPrevNode());
  auto deal =
      split ? dyn_cast_or_null<KernelOp>(split->getPrevNode()) : KernelOp();
  return deal && deal.getStep() == KernelOp::kDealStep;
}

std::optional<SplitCost>
attn::splitCostOf(KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
                  const KernelRun &run, const Prediction &prediction) {
  if (run.exchangedBytes > 0)
    return SplitCost{run.clusterCtas, 0, prediction.mergeSeconds,
                     /*inCluster=*/true};
  if (!run.merges)
    return std::nullopt;
  return SplitCost{mergedStates(kernel, sizes), run.viewBytesRead,
                   prediction.seconds, /*inCluster=*/false, readsDealt(kernel)};
}

LogicalResult attn::addWrites(KernelOp kernel,
                              const llvm::StringMap<int64_t> &sizes,
                              ViewContents &contents) {
  if (kernel.getStep() != KernelOp::kDealStep &&
      kernel.getStep() != KernelOp::kOrderStep)
    return success();
  return runWrites(kernel, sizes, contents);
}

namespace {

/// Predicts candidates.
class Predictor {
public:
  Predictor(ModuleOp module, const llvm::StringMap<int64_t> &sizes)
      : workshop(module), sizes(sizes) {}

  /// The work of one schedule; 0 where it fails.
  double workOf(const ScheduleCandidate &candidate) {
    ScopedDiagnosticHandler handler(&workshop.getContext(),
                                    [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module = workshop.scheduled(candidate.schedule);
    double work = 0;
    if (module)
      for (auto kernel : module->getOps<KernelOp>()) {
        FailureOr<WorkEstimate> estimate =
            estimateWork(kernel, completeSizes(kernel, sizes));
        // Streams are counted in one step.
        if (succeeded(estimate))
          work += WorkEstimate::kAccessesPerVisit * estimate->visits;
      }
    return work;
  }

  /// Predicts candidates of one schedule.
  void evaluate(MutableArrayRef<ScheduleCandidate> candidates) {
    std::string problem = "the pipeline fails";
    ScopedDiagnosticHandler handler(&workshop.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      problem = diagnostic.str();
                                      return success();
                                    });
    auto reject = [&] {
      for (ScheduleCandidate &candidate : candidates)
        candidate.rejected = problem;
    };
    OwningOpRef<ModuleOp> module =
        workshop.scheduled(candidates.front().schedule);
    if (!module)
      return reject();
    problem = kNoPartsFree.str();
    if (mergesOnePart(*module))
      return reject();
    StringRef traversal = candidates.front().schedule.getWord("sawtooth");
    bool mayTurn =
        !traversal.empty() && traversal != stringifyEnum(SawtoothMode::Off);
    ViewContents contents;
    for (auto kernel : module->getOps<KernelOp>()) {
      llvm::StringMap<int64_t> own = completeSizes(kernel, sizes);
      FailureOr<KernelRun> run = runKernel(kernel, own, contents);
      if (failed(run) || failed(addWrites(kernel, own, contents)))
        return reject();
      problem = whyNotInClusters(*run, TargetAttr::of(kernel)).str();
      if (!problem.empty())
        return reject();
      problem = "the traversal never turns for these sizes";
      if (mayTurn && !run->merges && !turns(*run))
        return reject();
      TrafficMemo memo;
      for (ScheduleCandidate &candidate : candidates)
        add(candidate, kernel, *run, memo);
    }
  }

private:
  static constexpr StringLiteral kNoPartsFree =
      "no CTAs are free for parts of a stream";

  /// Why the clusters of a kernel that has some are none to choose; else empty.
  static StringRef whyNotInClusters(const KernelRun &run, TargetAttr target) {
    if (run.exchangedBytes == 0)
      return "";
    if (run.clusterCtas <= 1)
      return kNoPartsFree;
    // What a bundle has two kernels for (SplitVariants.cpp).
    int64_t clusters = run.ctas.size() / run.clusterCtas;
    return clusters > target.get(Fact::MaxClusters)
               ? "more streams than clusters of the largest size at once"
               : "";
  }

  /// A split into one part costs a merge and gains nothing.
  bool mergesOnePart(ModuleOp module) {
    return llvm::any_of(module.getOps<KernelOp>(), [&](KernelOp kernel) {
      return kernel.getStep() == KernelOp::kMergeStep &&
             mergedStates(kernel, completeSizes(kernel, sizes)) <= 1;
    });
  }

  static bool turns(const KernelRun &run) {
    return llvm::any_of(run.walks, [](const Walk &w) { return w.reverse; });
  }

  void add(ScheduleCandidate &candidate, KernelOp kernel, const KernelRun &run,
           TrafficMemo &memo) {
    TargetAttr target = TargetAttr::of(kernel);
    Lowering lowering = *loweringOf(candidate.schedule.asOptions(3));
    std::string misfit = resourcesOf(run, target, lowering).misfit;
    if (!misfit.empty())
      candidate.rejected = misfit;
    // What is out is not predicted: that takes most of the time.
    if (!candidate.rejected.empty())
      return;
    Prediction prediction = predict(run, target, lowering, &memo);
    candidate.seconds += prediction.seconds;
    if (std::optional<SplitCost> split =
            splitCostOf(kernel, completeSizes(kernel, sizes), run, prediction))
      candidate.split = split;
    if (prediction.seconds > candidate.prediction.seconds)
      candidate.prediction = std::move(prediction);
  }

  Workshop workshop;
  const llvm::StringMap<int64_t> &sizes;
};

} // namespace

/// Candidates of one schedule of level 2, which stand together.
static std::vector<MutableArrayRef<ScheduleCandidate>>
groupBySchedule(MutableArrayRef<ScheduleCandidate> candidates) {
  std::vector<MutableArrayRef<ScheduleCandidate>> groups;
  for (size_t begin = 0, end; begin < candidates.size(); begin = end) {
    ScheduleAttr first = candidates[begin].schedule.getLevel(2);
    for (end = begin + 1; end < candidates.size() &&
                          candidates[end].schedule.getLevel(2) == first;)
      ++end;
    groups.push_back(candidates.slice(begin, end - begin));
  }
  return groups;
}

double attn::rankingWork(ModuleOp module, const llvm::StringMap<int64_t> &sizes,
                         bool keepViews) {
  std::vector<ScheduleCandidate> candidates =
      enumerateSchedules(module, keepViews);
  Predictor predictor(module, sizes);
  auto groups = groupBySchedule(candidates);
  // Of the first one that fits: what does not is no work, and says nothing of
  // the others.
  double work = 0;
  for (size_t i = 0; i < groups.size() && work == 0; ++i)
    work = predictor.workOf(groups[i].front());
  return work * groups.size();
}

std::vector<ScheduleCandidate>
attn::rankSchedules(ModuleOp module, const llvm::StringMap<int64_t> &sizes,
                    bool keepViews, double maxWork,
                    const ProgressFn &progress) {
  std::vector<ScheduleCandidate> candidates =
      enumerateSchedules(module, keepViews);
  if (double work = rankingWork(module, sizes, keepViews); work > maxWork) {
    for (ScheduleCandidate &candidate : candidates)
      candidate.rejected = tooMuchWork("all schedules", work, maxWork);
    return candidates;
  }
  Predictor predictor(module, sizes);
  auto groups = groupBySchedule(candidates);
  for (auto [i, group] : llvm::enumerate(groups)) {
    predictor.evaluate(group);
    if (progress)
      progress((i + 1.0) / groups.size());
  }
  // Of equals the one that is listed first.
  std::vector<std::tuple<bool, double, size_t>> order;
  for (auto [i, candidate] : llvm::enumerate(candidates))
    order.push_back({!candidate.rejected.empty(), candidate.seconds, i});
  llvm::sort(order);
  std::vector<ScheduleCandidate> ranked;
  for (auto [rejected, seconds, i] : order)
    ranked.push_back(std::move(candidates[i]));
  return ranked;
}

std::string attn::dynamicLength(ModuleOp module) {
  std::string name;
  bool several = false;
  module.walk([&](StreamableOpInterface op) {
    for (const StreamAxis &axis : op.getStreamAxes()) {
      if (axis.kind != AxisKind::Group)
        continue;
      several |= !ShapedType::isDynamic(axis.extent) ||
                 (!name.empty() && name != axis.name);
      name = axis.name.str();
    }
  });
  return several ? "" : name;
}

std::vector<LengthChoice> attn::chooseByLength(ModuleOp module,
                                               StringRef axis) {
  constexpr int64_t kShortest = 512, kRows = 16384;
  std::vector<LengthChoice> choices;
  for (int64_t length = kShortest; length <= kRows; length *= 2) {
    llvm::StringMap<int64_t> sizes;
    sizes["batch"] = kRows / length;
    sizes[axis] = length;
    module.walk([&](StreamableOpInterface op) {
      for (const StreamAxis &other : op.getStreamAxes())
        if (isStreamed(other.kind))
          sizes[other.name] = length;
    });
    std::vector<ScheduleCandidate> ranked =
        rankSchedules(module, sizes, /*keepViews=*/false);
    if (ranked.empty() || !ranked.front().rejected.empty())
      return {};
    const ScheduleCandidate &best = ranked.front();
    if (!choices.empty() && choices.back().schedule == best.schedule)
      choices.back().upTo = length;
    else
      choices.push_back({length, best.schedule});
  }
  choices.back().upTo = 0;
  return choices;
}

std::string attn::reasonFor(const ScheduleCandidate &best,
                            const ScheduleCandidate &other) {
  const Prediction &b = best.prediction, &o = other.prediction;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto share = [](double x) { return llvm::format("%.1f %%", 100 * x); };
  struct Difference {
    double size;
    std::function<void()> say;
  };
  double cycles = std::max(b.cycles, 1.0);
  Difference differences[] = {
      {(o.slotWork - b.slotWork) / cycles,
       [&] {
         os << "less work on the last SM (" << llvm::format("%.0f", b.slotWork)
            << " of " << llvm::format("%.0f", o.slotWork) << " cycles)";
       }},
      {(o.slotSteps - b.slotSteps) / std::max(b.slotSteps, 1.0) / 10,
       [&] {
         os << "fewer steps (" << b.slotSteps << " of " << o.slotSteps << ")";
       }},
      {o.idle - b.idle,
       [&] {
         os << "SMs idle " << share(b.idle) << " of the time, not "
            << share(o.idle);
       }},
      {(o.dramSeconds - b.dramSeconds) / best.prediction.seconds,
       [&] { os << "less memory traffic"; }},
  };
  Difference *first =
      llvm::max_element(differences, [](const auto &x, const auto &y) {
        return x.size < y.size;
      });
  if (first->size > 1e-4)
    first->say();
  else
    os << "less time between tiles and steps";
  return text;
}

namespace {

struct ChooseSchedulePass
    : attn::impl::AttnChooseScheduleBase<ChooseSchedulePass> {
  using AttnChooseScheduleBase::AttnChooseScheduleBase;

  void report(ArrayRef<ScheduleCandidate> ranked) {
    const ScheduleCandidate &best = ranked.front();
    auto micro = [](double seconds) {
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.1f", seconds * 1e6);
      return text;
    };
    std::optional<StringRef> second, secondLower, secondMicro, loss;
    std::string texts[4];
    if (ranked.size() > 1 && ranked[1].rejected.empty()) {
      second = texts[0] = ranked[1].schedule.asOptions(2);
      secondLower = texts[1] = ranked[1].schedule.asOptions(3);
      secondMicro = texts[2] = micro(ranked[1].seconds);
      loss = texts[3] = reasonFor(best, ranked[1]);
    }
    remarks::emitChooseModel(getOperation(), best.schedule.asOptions(2),
                             best.schedule.asOptions(3), micro(best.seconds),
                             boundName(best.prediction.bound), second,
                             secondLower, secondMicro, loss);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StreamableOpInterface> ops;
    module.walk([&](StreamableOpInterface op) { ops.push_back(op); });
    if (llvm::any_of(ops, [](auto op) { return ScheduleAttr::of(op); })) {
      remarks::emitChooseHasSchedule(module);
      return;
    }
    if (maxWork < 1) {
      module.emitError("'attn-choose-schedule' expects max-work of 1 to ")
          << std::numeric_limits<int64_t>::max() << ", but got "
          << maxWork.getValue();
      return signalPassFailure();
    }
    auto parsed = parseSizes(sizes, getOperation());
    if (failed(parsed))
      return signalPassFailure();
    std::vector<ScheduleCandidate> ranked =
        rankSchedules(module, *parsed, keepViews, maxWork);
    if (ranked.empty()) {
      remarks::emitChooseNothing(module);
      return;
    }
    numCandidates += ranked.size();
    numRejected += llvm::count_if(
        ranked, [](const auto &c) { return !c.rejected.empty(); });
    if (!ranked.front().rejected.empty()) {
      remarks::emitChooseNothingFits(module, ranked.front().rejected);
      return;
    }
    report(ranked);
    for (StreamableOpInterface op : ops)
      ScheduleAttr::set(op, ranked.front().schedule);
  }
};

} // namespace
