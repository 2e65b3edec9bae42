//===- OptionChoice.cpp - Who chooses a module's options ------------------===//

#include "attn-mlir/Tuning/OptionChoice.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "attn-mlir/Tuning/MeasuredOptions.h"
#include "attn-mlir/Tuning/Passes.h"
#include "attn-mlir/Tuning/SchedulePolicy.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;

namespace {

/// The choice for one module.
class Chooser {
public:
  Chooser(ModuleOp module, const OptionRequest &request)
      : module(module), request(request) {}

  FailureOr<OptionChoice> run() {
    if (takeAttributes() || request.by == Choose::Nobody)
      return choice;
    if (request.by == Choose::Measured && takeMeasured())
      return choice;
    if (request.by == Choose::Model || isModelCalibrated(module)) {
      if (failed(takeModel()))
        return failure();
      return choice;
    }
    takePolicy();
    return choice;
  }

private:
  static remark::RemarkOpts named(StringRef name) {
    return remark::RemarkOpts::name(name).category("attn-compile");
  }

  void from(const char *who) { choice.scheduleFrom = choice.lowerFrom = who; }

  void addVariant(StringRef guard, StringRef schedule, StringRef lower) {
    choice.variants.push_back((guard + ": " + schedule + ": " + lower).str());
  }

  /// Takes the options that the module states, if it does.
  bool takeAttributes() {
    auto held = [&](StringRef name) {
      return dyn_cast_or_null<StringAttr>(module->removeAttr(name));
    };
    StringAttr schedule = held(kScheduleAttr), lower = held(kLowerOptionsAttr);
    if (schedule) {
      choice.schedule = schedule.str();
      choice.scheduleFrom = "attribute";
    }
    if (lower) {
      choice.lower = lower.str();
      choice.lowerFrom = "attribute";
    }
    return schedule || lower;
  }

  /// Takes options that were measured, if any were for this.
  bool takeMeasured() {
    std::optional<MeasuredChoice> measured = measuredOptions(module);
    if (!measured)
      return false;
    choice.schedule = measured->options.schedule;
    choice.lower = measured->options.lower;
    StringRef related = measuredOn(module);
    from(related.empty() ? "measured" : "related");
    if (request.variants)
      for (const MeasuredVariant &variant : measured->variants)
        addVariant(variant.guard, variant.options.schedule,
                   variant.options.lower);
    if (related.empty())
      remark::passed(module->getLoc(), named("measured"))
          << "takes the fastest options that were measured:"
          << remark::metric("schedule", choice.schedule)
          << remark::metric("lower", choice.lower);
    else
      remark::passed(module->getLoc(), named("related"))
          << "takes the options of a chip with the same SMs:"
          << remark::metric("chip", related)
          << remark::metric("schedule", choice.schedule)
          << remark::metric("lower", choice.lower);
    return true;
  }

  /// Variants for lengths that are not known yet.
  bool takeModelByLength() {
    std::string axis = dynamicLength(module);
    if (!request.variants || !request.sizes.empty() || axis.empty())
      return false;
    std::vector<LengthChoice> choices = chooseByLength(module, axis);
    if (choices.empty())
      return false;
    for (const LengthChoice &c : ArrayRef(choices).drop_back())
      addVariant(axis + "<=" + std::to_string(c.upTo), c.schedule, c.lower);
    choice.schedule = choices.back().schedule;
    choice.lower = choices.back().lower;
    from("model");
    return true;
  }

  LogicalResult takeModel() {
    if (takeModelByLength())
      return success();
    SmallVector<std::string> given;
    for (const auto &entry : request.sizes)
      given.push_back((entry.getKey() + "=" + Twine(entry.getValue())).str());
    PassManager pm(module.getContext());
    pm.addPass(createAttnChooseSchedule(
        {given, /*keepViews=*/true, static_cast<int64_t>(request.maxWork)}));
    if (failed(pm.run(module)))
      return failure();
    if (takeAttributes())
      from("model");
    return success();
  }

  /// Takes the schedule that the target's facts ask for, if they do.
  void takePolicy() {
    SchedulePolicy policy = schedulePolicy(module, request.sizes);
    if (policy.schedules.empty())
      return;
    std::optional<SimulatedChoice> best = simulatePolicy(
        module, policy, request.sizes, std::min(kPolicyWork, request.maxWork));
    choice.schedule = best ? best->schedule : policy.schedules.front();
    choice.lower = loweringFor(module, choice.schedule);
    from("policy");
    remark::detail::InFlightRemark remark =
        remark::passed(module->getLoc(), named("policy"));
    remark << "takes the schedule that the target's facts ask for:"
           << remark::metric("schedule", choice.schedule)
           << remark::metric("lower", choice.lower)
           << remark::metric("reason", policy.reason);
    if (best)
      remark << remark::metric("dram-bytes", best->dramBytes)
             << remark::metric("first-schedule", policy.schedules.front())
             << remark::metric("first-dram-bytes", best->firstBytes);
    if (best || !request.variants || policy.guard.empty())
      return;
    addVariant(policy.guard, policy.guarded,
               loweringFor(module, policy.guarded));
    remark << remark::metric("variant", policy.guard)
           << remark::metric("variant-schedule", policy.guarded);
  }

  ModuleOp module;
  const OptionRequest &request;
  OptionChoice choice;
};

} // namespace

FailureOr<OptionChoice> attn::chooseOptions(ModuleOp module,
                                            const OptionRequest &request) {
  return Chooser(module, request).run();
}
