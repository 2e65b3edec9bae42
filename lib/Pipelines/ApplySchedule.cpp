//===- ApplySchedule.cpp - Kernels compiled as their schedules say --------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Pipelines/Passes.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNAPPLYSCHEDULE
#define GEN_PASS_DEF_ATTNAPPLYLOWERING
#include "attn-mlir/Pipelines/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A kernel's schedule with the options that come before it, as options of a
/// pipeline: the last of a name counts. Options are for what computes an
/// operation, not for what deals its parts, merges its states or clears
/// counters.
template <typename Options>
std::unique_ptr<Options> optionsFor(KernelOp kernel, unsigned level,
                                    StringRef before) {
  ScheduleAttr schedule = ScheduleAttr::of(kernel);
  std::string text = schedule ? schedule.asOptions(level) : "";
  StringRef step = kernel.getStep();
  bool computes = step.empty() || step == KernelOp::kSplitStep;
  if (!before.empty() && computes)
    text += ((text.empty() ? "" : " ") + before).str();
  std::unique_ptr<Options> options = createOptions<Options>(text);
  if (!options)
    kernel.emitError() << "expected options of "
                       << (level == 2 ? "attn-schedule" : "attn-to-target")
                       << ", but got '" << text << "'";
  return options;
}

/// Dialects of all passes that the options can ask for: `build` adds them.
template <typename Build>
void collectDialects(DialectRegistry &registry, Build build) {
  OpPassManager all(KernelOp::getOperationName());
  build(all);
  all.getDependentDialects(registry);
}

struct ApplySchedule : attn::impl::AttnApplyScheduleBase<ApplySchedule> {
  using AttnApplyScheduleBase::AttnApplyScheduleBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ScheduleOptions all;
    all.longestFirst = all.persistent = all.inStep = true;
    all.sawtooth = SawtoothMode::Auto;
    all.traversal = TraversalOrder::Rotated;
    collectDialects(registry,
                    [&](OpPassManager &pm) { buildKernelSchedule(pm, all); });
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto parsed = optionsFor<ScheduleOptions>(kernel, 2, overrides);
    if (!parsed)
      return signalPassFailure();
    OpPassManager passes(KernelOp::getOperationName());
    buildKernelSchedule(passes, *parsed);
    if (failed(runPipeline(passes, kernel)))
      return signalPassFailure();
    if (ScheduleAttr schedule = ScheduleAttr::of(kernel))
      ScheduleAttr::set(kernel, schedule.getLevel(3));
  }
};

struct ApplyLowering : attn::impl::AttnApplyLoweringBase<ApplyLowering> {
  using AttnApplyLoweringBase::AttnApplyLoweringBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    TargetOptions all;
    all.optimisticMax = all.twoLevel = all.storeTensors = all.streamReads =
        all.specialize = true;
    all.priority = all.wgmma = Products::All;
    all.wholeLines = WholeLines::All;
    collectDialects(registry,
                    [&](OpPassManager &pm) { buildKernelLowering(pm, all); });
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto parsed = optionsFor<TargetOptions>(kernel, 3, overrides);
    if (!parsed)
      return signalPassFailure();
    OpPassManager passes(KernelOp::getOperationName());
    buildKernelLowering(passes, *parsed);
    if (failed(runPipeline(passes, kernel)))
      return signalPassFailure();
    ScheduleAttr::set(kernel, {});
  }
};

} // namespace
