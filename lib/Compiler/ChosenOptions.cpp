//===- ChosenOptions.cpp - Options over what operations hold --------------===//

#include "ChosenOptions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Support/OptionParsers.h"

using namespace mlir;
using namespace attn;

LogicalResult attn::describeAsked(ModuleOp module,
                                  const CompileOptions &options,
                                  OptionChoice &choice) {
  choice.schedule = options.schedule;
  choice.lower = options.lower;
  ScheduleAttr held;
  module.walk([&](StreamableOpInterface op) {
    held = ScheduleAttr::of(op);
    return WalkResult::interrupt();
  });
  if (!held)
    return success();
  FailureOr<ScheduleAttr> asked =
      scheduleFromOptions(module.getContext(), options.schedule, options.lower,
                          [&]() { return module.emitError(); });
  if (failed(asked))
    return failure();
  choice.schedule = asked->over(held).asOptions(2);
  choice.lower = asked->over(held).asOptions(3);
  return success();
}

LogicalResult attn::overrideChosen(ModuleOp module,
                                   const CompileOptions &options) {
  if (options.alsoSchedule.empty() && options.alsoLower.empty())
    return success();
  FailureOr<ScheduleAttr> also = scheduleFromOptions(
      module.getContext(), options.alsoSchedule, options.alsoLower,
      [&]() { return module.emitError(); });
  if (failed(also))
    return failure();
  module.walk([&](StreamableOpInterface op) {
    if (ScheduleAttr held = ScheduleAttr::of(op))
      ScheduleAttr::set(op, also->over(held));
  });
  return success();
}

std::string attn::loweringInForce(ModuleOp module,
                                  const CompileOptions &options) {
  std::string text;
  for (auto kernel : module.getOps<KernelOp>())
    if (ScheduleAttr held = ScheduleAttr::of(kernel); held && text.empty())
      text = held.asOptions(3);
  if (!options.lower.empty())
    text += (text.empty() ? "" : " ") + options.lower;
  return text;
}

OwningOpRef<ModuleOp> attn::withoutSchedules(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk([](StreamableOpInterface op) { ScheduleAttr::set(op, {}); });
  return copy;
}

OwningOpRef<ModuleOp> attn::withoutFields(ModuleOp module,
                                          ArrayRef<StringRef> fields) {
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk([&](StreamableOpInterface op) {
    if (ScheduleAttr held = ScheduleAttr::of(op))
      ScheduleAttr::set(op, held.without(fields));
  });
  return copy;
}

static bool isHeld(ModuleOp module, StringRef flag) {
  auto holds = [&](StreamableOpInterface op) {
    ScheduleAttr held = ScheduleAttr::of(op);
    return held && held.hasFlag(flag) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  };
  return module.walk(holds).wasInterrupted();
}

bool attn::asksForSplits(ModuleOp module, StringRef schedule) {
  auto asked = createOptions<ScheduleOptions>(schedule);
  return (asked && asked->splitCtas) || isHeld(module, "split_ctas");
}

bool attn::asksForClusters(ModuleOp module, StringRef schedule) {
  auto asked = createOptions<ScheduleOptions>(schedule);
  return (asked && asked->splitCluster) || isHeld(module, "split_cluster");
}
