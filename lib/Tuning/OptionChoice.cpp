//===- OptionChoice.cpp - Who chooses a module's options ------------------===//

#include "attn-mlir/Tuning/OptionChoice.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "attn-mlir/Tuning/MeasuredSchedules.h"
#include "attn-mlir/Tuning/Passes.h"
#include "attn-mlir/Tuning/Remarks.h"
#include "attn-mlir/Tuning/SchedulePolicy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace mlir;
using namespace attn;

SmallVector<StreamableOpInterface> attn::operationsOf(ModuleOp module) {
  SmallVector<StreamableOpInterface> ops;
  module.walk([&](StreamableOpInterface op) { ops.push_back(op); });
  return ops;
}

namespace {

/// The choice for one operation: the only one of `module`.
class Chooser {
public:
  Chooser(ModuleOp module, StreamableOpInterface op,
          const OptionRequest &request, ArrayRef<ModuleOp> tuning)
      : module(module), op(op), request(request), tuning(tuning) {}

  FailureOr<OptionChoice> run() {
    if (takeAttribute("attribute") || request.by == Choose::Nobody)
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
  void from(const char *who) { choice.scheduleFrom = choice.lowerFrom = who; }

  void addVariant(StringRef guard, ScheduleAttr schedule) {
    choice.variants.push_back({guard.str(), {schedule}});
  }

  void take(ScheduleAttr schedule, const char *who) {
    ScheduleAttr::set(op, schedule);
    choice.schedule = schedule.asOptions(2);
    choice.lower = schedule.asOptions(3);
    from(who);
  }

  /// Takes the schedule that the operation states, if it does.
  bool takeAttribute(const char *who) {
    ScheduleAttr schedule = ScheduleAttr::of(op);
    if (!schedule)
      return false;
    take(schedule, who);
    return true;
  }

  /// Takes a schedule that was measured, if any was for this.
  bool takeMeasured() {
    std::optional<MeasuredSchedule> measured = measuredSchedule(op, tuning);
    if (!measured)
      return false;
    StringRef related = measured->relatedChip;
    take(measured->schedule, related.empty() ? "measured" : "related");
    if (request.variants)
      for (VariantAttr variant : measured->variants)
        addVariant(variant.getGuard().getValue(), variant.getSchedule());
    if (related.empty())
      remarks::emitOptionsMeasured(op, choice.schedule, choice.lower);
    else
      remarks::emitOptionsRelated(op, related, choice.schedule, choice.lower);
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
    take(choices.back().schedule, "model");
    for (const LengthChoice &c : ArrayRef(choices).drop_back())
      addVariant(axis + "<=" + std::to_string(c.upTo), c.schedule);
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
        {given, /*keepViews=*/false, static_cast<int64_t>(request.maxWork)}));
    if (failed(pm.run(module)))
      return failure();
    takeAttribute("model");
    return success();
  }

  /// Takes the schedule that the target's facts ask for, if they do.
  void takePolicy() {
    SchedulePolicy policy = schedulePolicy(module, request.sizes);
    if (policy.schedules.empty())
      return;
    std::optional<SimulatedChoice> best = simulatePolicy(
        module, policy, request.sizes, std::min(kPolicyWork, request.maxWork));
    ScheduleAttr first = policy.schedules.front();
    take(withLowering(module, best ? best->schedule : first), "policy");
    bool varies = !best && request.variants && !policy.guard.empty();
    if (varies)
      addVariant(policy.guard, withLowering(module, policy.guarded));
    report(policy, best, varies);
  }

  void report(const SchedulePolicy &policy,
              const std::optional<SimulatedChoice> &best, bool varies) {
    std::optional<int64_t> bytes, firstBytes;
    std::optional<StringRef> first, variant, variantSchedule;
    std::string firstText, variantText;
    if (best) {
      bytes = best->dramBytes;
      first = firstText = policy.schedules.front().asOptions(2);
      firstBytes = best->firstBytes;
    }
    if (varies) {
      variant = policy.guard;
      variantSchedule = variantText = policy.guarded.asOptions(2);
    }
    remarks::emitOptionsPolicy(op, choice.schedule, choice.lower, policy.reason,
                               bytes, first, firstBytes, variant,
                               variantSchedule);
  }

  ModuleOp module;
  StreamableOpInterface op;
  const OptionRequest &request;
  ArrayRef<ModuleOp> tuning;
  OptionChoice choice;
};

/// A module with nothing but a copy of one operation, whose operands are
/// arguments of a function.
OwningOpRef<ModuleOp> isolate(StreamableOpInterface op) {
  OpBuilder b(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, op.getLoc());
  (*module)->setAttr(TargetAttr::kModuleAttr, TargetAttr::of(op));
  b.setInsertionPointToEnd(module->getBody());
  auto type = b.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  auto function = func::FuncOp::create(b, op.getLoc(), "one", type);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToEnd(body);
  IRMapping map;
  map.map(op->getOperands(), body->getArguments());
  Operation *copy = b.clone(*op, map);
  func::ReturnOp::create(b, op.getLoc(), copy->getResults());
  return module;
}

/// Chooses for one of several operations.
FailureOr<OptionChoice> chooseAlone(StreamableOpInterface op,
                                    const OptionRequest &request,
                                    ArrayRef<ModuleOp> tuning) {
  OwningOpRef<ModuleOp> module = isolate(op);
  StreamableOpInterface copy = operationsOf(*module).front();
  FailureOr<OptionChoice> choice =
      Chooser(*module, copy, request, tuning).run();
  if (succeeded(choice))
    ScheduleAttr::set(op, ScheduleAttr::of(copy));
  return choice;
}

/// More of them than this are not made: each is compiled.
constexpr size_t kMostVariants = 8;

std::string bothHold(StringRef one, StringRef other) {
  if (one.empty() || other.empty())
    return (one + other).str();
  return (one + " & " + other).str();
}

/// What several operations have by sizes, together. `each` is what each has,
/// tried in that order and the unguarded one last, and so is the result: the
/// first whose guard holds has for each operation the first whose guard does.
/// An operation that would make them too many has what it holds for all sizes.
std::vector<GuardedSchedules>
combine(ArrayRef<std::vector<GuardedSchedules>> each) {
  std::vector<GuardedSchedules> all(1);
  for (ArrayRef<GuardedSchedules> choices : each) {
    std::vector<GuardedSchedules> longer;
    if (all.size() * choices.size() > kMostVariants)
      choices = choices.take_back();
    for (const GuardedSchedules &before : all)
      for (const GuardedSchedules &choice : choices) {
        GuardedSchedules &next = longer.emplace_back(before);
        next.guard = bothHold(before.guard, choice.guard);
        next.schedules.append(choice.schedules);
      }
    all = std::move(longer);
  }
  // The last is what operations hold.
  all.pop_back();
  return all;
}

bool areOfOneFunction(ArrayRef<StreamableOpInterface> ops) {
  return llvm::all_of(ops, [&](StreamableOpInterface op) {
    return op->getParentOp() == ops.front()->getParentOp();
  });
}

/// The files of the library for a module: what was measured on its chip comes
/// before what was on another with the same SMs.
SmallVector<OwningOpRef<ModuleOp>> builtinTuningFor(ModuleOp module) {
  SmallVector<OwningOpRef<ModuleOp>> files = builtinTuning(module.getContext());
  if (TargetAttr target = TargetAttr::of(module))
    std::stable_partition(
        files.begin(), files.end(), [&](const OwningOpRef<ModuleOp> &file) {
          return TargetAttr::of(*file).getName() == target.getName();
        });
  return files;
}

} // namespace

FailureOr<OptionChoice> attn::chooseOptions(ModuleOp module,
                                            const OptionRequest &request) {
  SmallVector<OwningOpRef<ModuleOp>> builtin;
  if (request.by == Choose::Measured)
    builtin = builtinTuningFor(module);
  SmallVector<ModuleOp> tuning(request.tuning);
  for (OwningOpRef<ModuleOp> &file : builtin)
    tuning.push_back(*file);
  // A copy of one operation knows nothing of its operands.
  module.walk([](AttentionOp op) { op.findValuesInKeys(); });
  SmallVector<StreamableOpInterface> ops = operationsOf(module);
  if (ops.size() == 1)
    return Chooser(module, ops.front(), request, tuning).run();
  OptionChoice all;
  std::vector<std::vector<GuardedSchedules>> each;
  for (auto [i, op] : llvm::enumerate(ops)) {
    FailureOr<OptionChoice> one = chooseAlone(op, request, tuning);
    if (failed(one))
      return failure();
    each.push_back(one->variants);
    each.back().push_back({"", {ScheduleAttr::of(op)}});
    if (i == 0) {
      all = *one;
      all.variants.clear();
    }
    if (all.scheduleFrom != one->scheduleFrom)
      all.scheduleFrom = all.lowerFrom = "several";
  }
  if (areOfOneFunction(ops))
    all.variants = combine(each);
  return all;
}
