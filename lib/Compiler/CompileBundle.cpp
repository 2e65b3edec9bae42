//===- CompileBundle.cpp - A module to a bundle, stage by stage -----------===//

#include "attn-mlir/Compiler/CompileBundle.h"
#include "ChosenOptions.h"
#include "SplitVariants.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Support/OptionParsers.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace attn;

LogicalResult
Compilation::runPipeline(function_ref<void(OpPassManager &)> build,
                         bool verify) {
  PassManager pm(module->getContext());
  pm.enableVerifier(verify);
  build(pm);
  return pm.run(*module);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Options of a pipeline, as --`flag` gives them; null after a message.
template <typename Options>
static std::unique_ptr<Options> parseOptions(StringRef prefix, StringRef flag,
                                             StringRef pipeline,
                                             StringRef text) {
  std::unique_ptr<Options> parsed = createOptions<Options>(text);
  if (!parsed)
    optionErrors() << prefix << flag << " expects options of the " << pipeline
                   << " pipeline, but got '" << text << "'\n";
  return parsed;
}

LogicalResult attn::parseSizes(StringRef flag, ArrayRef<std::string> texts,
                               llvm::StringMap<int64_t> &sizes) {
  for (StringRef text : texts) {
    auto [name, number] = text.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value)) {
      optionErrors() << flag << " expects axis=integer, but got '" << text
                     << "'\n";
      return failure();
    }
    if (!sizes.try_emplace(name, value).second) {
      optionErrors() << flag << " expects each axis once, but got '" << name
                     << "' twice\n";
      return failure();
    }
  }
  return success();
}

/// "guard: schedule: lower"
static LogicalResult splitVariant(StringRef text, StringRef prefix,
                                  SmallVectorImpl<StringRef> &parts) {
  text.split(parts, ':');
  if (parts.size() != 3) {
    optionErrors() << prefix
                   << "variant expects 'guard: schedule: lower', but got '"
                   << text << "'\n";
    return failure();
  }
  for (StringRef &part : parts)
    part = part.trim();
  return success();
}

LogicalResult Compilation::setTarget() {
  if (options.target.empty() && options.facts.empty())
    return success();
  SmallVector<std::string> facts(options.facts.begin(), options.facts.end());
  return runPipeline([&](OpPassManager &pm) {
    pm.addPass(createAttnSetTarget({options.target, facts}));
  });
}

/// What is wrong with other options is said where they are applied.
static std::string formOf(StringRef schedule) {
  auto asked = createOptions<ScheduleOptions>(schedule);
  return asked ? asked->form.getValue() : "";
}

LogicalResult Compilation::stateForm() {
  std::string form = formOf(options.schedule);
  return form.empty() ? success() : attn::stateForm(*module, form);
}

LogicalResult Compilation::chooseOptions(ArrayRef<ModuleOp> tuning) {
  // Each kernel of a program has a schedule of its own.
  if (failed(runPipeline([&](OpPassManager &pm) {
        pm.addPass(createAttnExpand({formOf(options.schedule)}));
      })))
    return failure();
  if (options.asked || !options.variants.empty()) {
    choice.scheduleFrom = choice.lowerFrom = "option";
    return describeAsked(*module, options, choice);
  }
  if (failed(setTarget()))
    return failure();
  OptionRequest request;
  request.by = options.choose;
  request.sizes = options.sizes;
  request.variants = isBundle(options.emit);
  request.maxWork = options.maxWork;
  request.tuning.assign(tuning.begin(), tuning.end());
  FailureOr<OptionChoice> chosen = attn::chooseOptions(*module, request);
  if (failed(chosen))
    return failure();
  choice = std::move(*chosen);
  return overrideChosen(*module, options);
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

LogicalResult Compilation::rankCandidates(const ProgressFn &progress) {
  if (failed(setTarget()))
    return failure();
  double work = rankingWork(*module, options.sizes, /*keepViews=*/false);
  if (work > options.maxWork)
    return module->emitError(
        tooMuchWork("the candidates of --explain", work, options.maxWork));
  candidates = rankSchedules(*module, options.sizes, /*keepViews=*/false,
                             options.maxWork, progress);
  return success();
}

LogicalResult Compilation::explain(ExplainAs how, llvm::raw_ostream &os) {
  Explanation e{
      *module,          choice.schedule, choice.lower,  choice.scheduleFrom,
      choice.lowerFrom, options.lower,   options.sizes, std::move(candidates)};
  // Input that is scheduled may hold its lowering.
  std::string held = loweringInForce(*module, options);
  if (e.lower.empty() && !held.empty()) {
    e.lower = held;
    e.lowerFrom = "attribute";
  }
  return writeExplanation(e, how, os);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// What comes later wins.
static std::string followedBy(StringRef text, StringRef also) {
  return also.empty() ? text.str() : (text + " " + also).str();
}

LogicalResult Compilation::schedule(StringRef text) {
  std::unique_ptr<ScheduleOptions> parsed = parseOptions<ScheduleOptions>(
      options.messagePrefix, "schedule", "attn-schedule",
      followedBy(text, options.alsoSchedule));
  if (!parsed)
    return failure();
  if (!options.target.empty())
    parsed->target = options.target;
  for (const std::string &fact : options.facts)
    parsed->overrides.push_back(fact);
  return runPipeline(
      [&](OpPassManager &pm) { buildSchedulePipeline(pm, *parsed); });
}

LogicalResult Compilation::schedule() {
  if (isBundle(options.emit) && asksForSplits(*module, options.schedule))
    chosenInput = module->clone();
  return schedule(options.schedule);
}

/// `smallChunks`: whatever the options, with copies of 4 bytes.
LogicalResult Compilation::lowerToTarget(StringRef text, bool smallChunks) {
  std::unique_ptr<TargetOptions> parsed = parseOptions<TargetOptions>(
      options.messagePrefix, "lower", "attn-to-target",
      followedBy(text, options.alsoLower));
  if (!parsed)
    return failure();
  // Level 3 is GPUs'.
  if (deviceDialect(*module).empty() && isBundle(options.emit))
    return success();
  if (smallChunks) {
    parsed->copy = CopyKind::Async;
    parsed->chunk = 4;
  }
  return runPipeline(
      [&](OpPassManager &pm) { buildTargetPipeline(pm, *parsed); });
}

LogicalResult Compilation::lowerToTarget() {
  return lowerToTarget(options.lower, /*smallChunks=*/false);
}

LogicalResult Compilation::lowerToDevice() {
  // What was read from --emit=llvm stays as it is.
  if (module->getOps<KernelOp>().empty())
    return success();
  StringRef dialect = deviceDialect(*module);
  if (dialect.empty())
    return runPipeline(buildLowerToCpuCodePipeline);
  auto build = [&](OpPassManager &pm) {
    if (dialect == "rocdl")
      buildLowerToROCDLPipeline(pm);
    else
      buildLowerToNVVMPipeline(pm);
    // ptxas optimizes nothing that has more than lines.
    if (options.lineInfo)
      pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(
          {LLVM::DIEmissionKind::DebugDirectivesOnly}));
  };
  return failure(failed(runPipeline(build, /*verify=*/false)) ||
                 failed(verify(*module)));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

LogicalResult Compilation::lowerVariant(ModuleOp input, StringRef level2,
                                        StringRef level3, bool smallChunks) {
  module = input.clone();
  return failure(failed(schedule(level2)) ||
                 failed(lowerToTarget(level3, smallChunks)) ||
                 failed(lowerToDevice()));
}

/// Adds variants for sizes for which fewer CTAs share a stream than the module
/// is for.
LogicalResult Compilation::addFewer(ModuleOp input, StringRef level2,
                                    StringRef level3, StringRef guard) {
  auto lower = [&](ModuleOp changed,
                   StringRef text) -> FailureOr<OwningOpRef<ModuleOp>> {
    OwningOpRef<ModuleOp> asked = std::move(module);
    LogicalResult lowered = lowerVariant(changed, text, level3);
    std::swap(asked, module);
    return failed(lowered) ? FailureOr<OwningOpRef<ModuleOp>>(failure())
                           : std::move(asked);
  };
  return addSplitVariants(input, level2, guard, lower, module, variants);
}

LogicalResult Compilation::lowerGuarded(ModuleOp input, StringRef level2,
                                        StringRef level3, StringRef guard) {
  if (failed(lowerVariant(input, level2, level3)) ||
      failed(setGuard(*module, guard)) ||
      failed(addFewer(input, level2, level3, guard)))
    return failure();
  variants.push_back(std::move(module));
  return success();
}

LogicalResult Compilation::lowerVariant(ModuleOp input,
                                        const GuardedSchedules &variant) {
  OwningOpRef<ModuleOp> scheduled = input.clone();
  for (auto [op, schedule] :
       llvm::zip_equal(operationsOf(*scheduled), variant.schedules))
    ScheduleAttr::set(op, schedule);
  if (failed(overrideChosen(*scheduled, options)))
    return failure();
  return lowerGuarded(*scheduled, "", "", variant.guard);
}

LogicalResult Compilation::lowerVariant(ModuleOp input, StringRef text) {
  SmallVector<StringRef> parts;
  if (failed(splitVariant(text, options.messagePrefix, parts)))
    return failure();
  return lowerGuarded(*withoutSchedules(input), parts[1], parts[2], parts[0]);
}

/// Of variants, leaves the first whose guard holds; those before it, or all,
/// are excluded from what is compiled.
template <typename Variant>
LogicalResult
Compilation::keepFirst(std::vector<Variant> &all,
                       function_ref<std::string(const Variant &)> guardOf) {
  std::vector<Variant> tried = std::move(all);
  all.clear();
  for (const Variant &variant : tried) {
    std::string guard = guardOf(variant);
    FailureOr<bool> holds = guardHolds(*module, guard, options.forSizes);
    if (failed(holds))
      return failure();
    if (*holds) {
      all = {variant};
      selected = guard;
      return success();
    }
    excluded.push_back(guard);
  }
  return success();
}

LogicalResult Compilation::selectForSizes() {
  if (options.forSizes.empty())
    return success();
  // Guards speak of axes, which the one variant that is left may not name.
  stateViews(*module);
  for (const std::string &text : options.variants) {
    SmallVector<StringRef> parts;
    if (failed(splitVariant(text, options.messagePrefix, parts)))
      return failure();
  }
  if (!options.variants.empty())
    return keepFirst<std::string>(
        options.variants, [](const std::string &text) {
          return StringRef(text).split(':').first.trim().str();
        });
  return keepFirst<GuardedSchedules>(
      choice.variants, [](const GuardedSchedules &v) { return v.guard; });
}

LogicalResult Compilation::lowerVariants() {
  if (failed(selectForSizes()))
    return failure();
  OwningOpRef<ModuleOp> input = std::move(module);
  for (StringRef text : options.variants)
    if (failed(lowerVariant(*input, text)))
      return failure();
  for (const GuardedSchedules &variant : choice.variants)
    if (failed(lowerVariant(*input, variant)))
      return failure();
  if (options.unaligned && failed(lowerUnaligned(*input)))
    return failure();
  module = std::move(input);
  return success();
}

/// Compiles the input once more, for what tensor maps cannot address.
LogicalResult Compilation::lowerUnaligned(ModuleOp input) {
  if (failed(lowerVariant(*withoutSchedules(input), options.schedule,
                          options.lower, /*smallChunks=*/true)))
    return failure();
  fallback = std::move(module);
  return success();
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// What others than --for-sizes would take is theirs.
LogicalResult Compilation::keepToSizes(ArrayRef<ModuleOp> modules) {
  for (ModuleOp lowered : modules)
    for (const std::string &guard : excluded)
      if (failed(excludeGuard(lowered, guard)))
        return failure();
  if (!fallback || !selected)
    return success();
  return setGuard(*fallback, *selected);
}

FailureOr<Bundle> Compilation::makeBundle() {
  if (chosenInput && !selected &&
      failed(addFewer(*chosenInput, options.schedule, options.lower,
                      /*guard=*/"")))
    return failure();
  SmallVector<ModuleOp> modules;
  for (OwningOpRef<ModuleOp> &variant : variants)
    modules.push_back(*variant);
  if (!selected)
    modules.push_back(*module);
  if (fallback)
    modules.push_back(*fallback);
  if (failed(keepToSizes(modules)))
    return failure();
  return compileBundle(modules, options.ptxas);
}

FailureOr<Bundle> Compilation::compile() {
  if (failed(lowerVariants()))
    return failure();
  if (!selected &&
      (failed(schedule()) || failed(checkEmit(*module, options.emit)) ||
       failed(lowerToTarget()) || failed(lowerToDevice())))
    return failure();
  return makeBundle();
}
