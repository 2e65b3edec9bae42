//===- AttnCompileMain.cpp - The attn-compile tool ------------------------===//

#include "attn-mlir/Tools/AttnCompileMain.h"
#include "CheckOptions.h"
#include "ChosenOptions.h"
#include "CommandLine.h"
#include "Explain.h"
#include "NativeTarget.h"
#include "Progress.h"
#include "RunOnCpu.h"
#include "Simulate.h"
#include "SplitVariants.h"
#include "WriteCode.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "attn-mlir/Tuning/OptionChoice.h"
#include "attn-mlir/Tuning/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>
#include <deque>

using namespace mlir;
using namespace attn;

namespace {

/// One run of the tool.
class Driver {
public:
  Driver(CommandLine &options, MLIRContext &context, ReferenceFn evaluate)
      : options(options), context(context), evaluate(std::move(evaluate)),
        handler(sources, &context) {
    // Targets are asked for before any pass has run.
    context.loadDialect<AttnDialect>();
  }

  LogicalResult run() {
    module = parse(options.input, sources);
    if (!module || failed(checkOptions(options)) || failed(resolveNative()) ||
        (options.run && failed(findReference())))
      return failure();
    std::string error;
    // A bundle is a directory.
    auto file = openOutputFile(
        options.emit == Emit::Bundle ? "-" : options.output.getValue(), &error);
    if (!file) {
      llvm::errs() << "attn-compile: " << error << "\n";
      return failure();
    }
    if (options.show)
      show("level 1: what is computed", 0);
    write(Emit::Attn, *file);
    if (options.emit == Emit::Attn && !options.run && !options.show)
      return success();
    if (failed(parseSizes(options, sizes)) ||
        failed(parseContents(options, contents)) || failed(chooseOptions()) ||
        failed(lowerVariants()) || failed(rankCandidates()) ||
        (options.unaligned && failed(lowerUnaligned())))
      return failure();
    if (options.emit == Emit::Bundle &&
        asksForSplits(*module, options.schedule))
      chosenInput = module->clone();
    if (failed(schedule(options.schedule)))
      return failure();
    if (options.explain != ExplainAs::Nothing)
      return explain(*file);
    if (options.show)
      show("level 2: how it is scheduled", 0);
    if (options.show || options.describe)
      describe();
    if (options.simulate != SimulateFormat::None)
      return simulate(*file);
    write(Emit::Stream, *file);
    if (options.emit == Emit::Trace && failed(writeTrace(*file)))
      return failure();
    if (isForGpu(*module, options))
      return lowerForGpu(*file);
    if (failed(lower(*file)))
      return failure();
    return options.run ? execute() : success();
  }

private:
  OwningOpRef<ModuleOp> parse(StringRef path, llvm::SourceMgr &sources) {
    std::string error;
    auto buffer = openInputFile(path, &error);
    if (!buffer) {
      llvm::errs() << "attn-compile: " << error << "\n";
      return {};
    }
    sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
    return parseSourceFile<ModuleOp>(sources, &context);
  }

  /// Level-1 ops that say what the kernels compute, in order.
  LogicalResult findReference() {
    if (options.reference.empty())
      reference = module->clone();
    else
      reference = parse(options.reference, referenceSources);
    if (!reference)
      return failure();
    if (reference
            ->walk(
                [](StreamableOpInterface) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return success();
    module->emitError()
        << "--run expects a level-1 operation that says what is "
           "computed, here or in a --reference";
    return failure();
  }

  template <typename Build>
  LogicalResult pipeline(Build build, bool verify = true) {
    PassManager pm(&context);
    pm.enableVerifier(verify);
    build(pm);
    return pm.run(*module);
  }

  /// Writes the module, if this is the stage to emit. What --run and --show
  /// print goes to standard output: with them, only a file is written.
  void write(Emit stage, llvm::ToolOutputFile &file) {
    bool wanted = (!options.run && !options.show) ||
                  options.output.getNumOccurrences() > 0;
    if (stage != options.emit || !wanted)
      return;
    module->print(file.os());
    file.os() << "\n";
    file.keep();
  }

  /// A trace has no numbers: made of a copy, so that the module can go on.
  LogicalResult writeTrace(llvm::ToolOutputFile &file) {
    OwningOpRef<ModuleOp> kept = module->clone();
    if (failed(pipeline(buildTracePipeline)))
      return failure();
    write(Emit::Trace, file);
    std::swap(module, kept);
    return success();
  }

  /// Options of both pipelines and variants: as asked, or chosen. Operations
  /// hold what is chosen; what is asked comes before what they hold.
  LogicalResult chooseOptions() {
    bool asked = options.schedule.getNumOccurrences() > 0 ||
                 options.lower.getNumOccurrences() > 0 ||
                 !options.variants.empty();
    if (asked) {
      choice.variants.assign(options.variants.begin(), options.variants.end());
      choice.scheduleFrom = choice.lowerFrom = "option";
      return describeAsked(*module, options, choice);
    }
    if (failed(setTarget()))
      return failure();
    OptionRequest request;
    request.by = options.choose;
    request.sizes = sizes;
    request.variants = options.emit == Emit::Bundle;
    request.maxWork = maxWork();
    SmallVector<OwningOpRef<ModuleOp>> tuning;
    for (StringRef path : options.tuning) {
      tuning.push_back(parse(path, tuningSources.emplace_back()));
      if (!tuning.back())
        return failure();
      request.tuning.push_back(*tuning.back());
    }
    FailureOr<OptionChoice> chosen = attn::chooseOptions(*module, request);
    if (failed(chosen))
      return failure();
    choice = std::move(*chosen);
    return overrideChosen(*module, options);
  }

  /// What a page compares with; the input is still level 1.
  LogicalResult rankCandidates() {
    if (options.explain == ExplainAs::Nothing ||
        options.explain == ExplainAs::Svg)
      return success();
    if (failed(setTarget()))
      return failure();
    double work = rankingWork(*module, sizes, /*keepViews=*/false);
    if (work > maxWork())
      return module->emitError(
          tooMuchWork("the candidates of --explain", work, maxWork()));
    ProgressLine line("predicting candidates");
    candidates = rankSchedules(*module, sizes, /*keepViews=*/false, maxWork(),
                               line.teller());
    return success();
  }

  /// Of --simulate and --explain.
  double maxWork() const {
    return options.maxWork.getNumOccurrences() > 0 ? options.maxWork.getValue()
                                                   : kDefaultMaxWork;
  }

  LogicalResult explain(llvm::ToolOutputFile &file) {
    Explanation e{
        *module,          choice.schedule, choice.lower, choice.scheduleFrom,
        choice.lowerFrom, options.lower,   sizes,        std::move(candidates)};
    // Input that is scheduled may hold its lowering.
    std::string held = loweringInForce(*module, options);
    if (e.lower.empty() && !held.empty()) {
      e.lower = held;
      e.lowerFrom = "attribute";
    }
    if (failed(writeExplanation(e, options.explain, file.os())))
      return failure();
    file.keep();
    return success();
  }

  /// --target=native: the module gets the facts of the device.
  LogicalResult resolveNative() {
    if (targetName != "native")
      return success();
    TargetAttr target =
        nativeTarget(&context, [&]() { return module->emitError(); });
    if (!target)
      return failure();
    (*module)->setAttr(TargetAttr::kModuleAttr, target);
    targetName.clear();
    return success();
  }

  LogicalResult setTarget() {
    if (targetName.empty() && options.facts.empty())
      return success();
    SmallVector<std::string> facts(options.facts.begin(), options.facts.end());
    return pipeline([&](OpPassManager &pm) {
      pm.addPass(createAttnSetTarget({targetName, facts}));
    });
  }

  /// Options of attn-to-target with those of --also-lower, which win.
  std::string withAlso(StringRef text) {
    StringRef also = options.alsoLower;
    return also.empty() ? text.str() : (text + " " + also).str();
  }

  /// Options of a pipeline, as --`flag` gives them; null after a message.
  template <typename Options>
  static std::unique_ptr<Options>
  parseOptions(StringRef flag, StringRef pipeline, StringRef text) {
    std::unique_ptr<Options> parsed = Options::createFromString(text);
    if (!parsed)
      llvm::errs() << "attn-compile: --" << flag << " expects options of the "
                   << pipeline << " pipeline, but got '" << text << "'\n";
    return parsed;
  }

  LogicalResult schedule(StringRef text) {
    std::unique_ptr<ScheduleOptions> parsed =
        parseOptions<ScheduleOptions>("schedule", "attn-schedule", text);
    if (!parsed)
      return failure();
    if (!targetName.empty())
      parsed->target = targetName;
    for (const std::string &fact : options.facts)
      parsed->overrides.push_back(fact);
    return pipeline(
        [&](OpPassManager &pm) { buildSchedulePipeline(pm, *parsed); });
  }

  LogicalResult lowerForGpu(llvm::ToolOutputFile &file) {
    if (failed(checkEmit(*module, options.emit)) ||
        failed(lowerToTarget(options.lower)))
      return failure();
    write(Emit::Target, file);
    if (options.emit == Emit::Target)
      return success();
    if (failed(lowerToDevice()))
      return failure();
    write(Emit::LLVM, file);
    if (options.emit == Emit::LLVM)
      return success();
    return options.emit == Emit::Bundle ? emitBundle()
                                        : writeCode(*module, options, file);
  }

  /// Scheduled level 2 to level 3. What is on a later level stays as it is.
  /// `smallChunks`: whatever the options, with copies of 4 bytes.
  LogicalResult lowerToTarget(StringRef text, bool smallChunks = false) {
    std::unique_ptr<TargetOptions> parsed =
        parseOptions<TargetOptions>("lower", "attn-to-target", withAlso(text));
    if (!parsed)
      return failure();
    // Level 3 is GPUs'.
    if (deviceDialect(*module).empty() && options.emit == Emit::Bundle)
      return success();
    if (smallChunks) {
      parsed->copy = CopyKind::Async;
      parsed->chunk = 4;
    }
    return pipeline(
        [&](OpPassManager &pm) { buildTargetPipeline(pm, *parsed); });
  }

  /// Level 3 to the LLVM dialect. Verified once, at the end: device code is
  /// thousands of operations.
  LogicalResult lowerToDevice() {
    // What was read from --emit=llvm stays as it is.
    if (module->getOps<KernelOp>().empty())
      return success();
    if (deviceDialect(*module).empty())
      return pipeline(buildLowerToCpuCodePipeline);
    return failure(failed(pipeline(
                       [&](OpPassManager &pm) {
                         if (deviceDialect(*module) == "rocdl")
                           buildLowerToROCDLPipeline(pm);
                         else
                           buildLowerToNVVMPipeline(pm);
                         // ptxas optimizes nothing that has more than lines.
                         if (options.lineInfo)
                           pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(
                               {LLVM::DIEmissionKind::DebugDirectivesOnly}));
                       },
                       /*verify=*/false)) ||
                   failed(verify(*module)));
  }

  LogicalResult lowerVariant(ModuleOp input, StringRef level2, StringRef level3,
                             bool smallChunks = false) {
    module = input.clone();
    return failure(failed(schedule(level2)) ||
                   failed(lowerToTarget(level3, smallChunks)) ||
                   failed(lowerToDevice()));
  }

  /// Adds variants for sizes for which fewer CTAs share a stream than the
  /// module is for.
  LogicalResult addFewer(ModuleOp input, StringRef level2, StringRef level3,
                         StringRef guard) {
    auto lower = [&](ModuleOp changed,
                     StringRef options) -> FailureOr<OwningOpRef<ModuleOp>> {
      OwningOpRef<ModuleOp> asked = std::move(module);
      LogicalResult lowered = lowerVariant(changed, options, level3);
      std::swap(asked, module);
      return failed(lowered) ? FailureOr<OwningOpRef<ModuleOp>>(failure())
                             : std::move(asked);
    };
    return addSplitVariants(input, level2, guard, lower, module, variants);
  }

  /// Compiles the input once for each --variant.
  LogicalResult lowerVariants() {
    OwningOpRef<ModuleOp> input = std::move(module);
    for (StringRef text : choice.variants) {
      SmallVector<StringRef> parts;
      text.split(parts, ':');
      if (parts.size() != 3) {
        llvm::errs() << "attn-compile: --variant expects 'guard: schedule: "
                        "lower', but got '"
                     << text << "'\n";
        return failure();
      }
      OwningOpRef<ModuleOp> plain = withoutSchedules(*input);
      if (failed(lowerVariant(*plain, parts[1].trim(), parts[2].trim())) ||
          failed(setGuard(*module, parts[0].trim())) ||
          failed(addFewer(*plain, parts[1].trim(), parts[2].trim(),
                          parts[0].trim())))
        return failure();
      variants.push_back(std::move(module));
    }
    module = std::move(input);
    return success();
  }

  /// Compiles the input once more, for what tensor maps cannot address.
  LogicalResult lowerUnaligned() {
    OwningOpRef<ModuleOp> input = std::move(module);
    if (failed(lowerVariant(*withoutSchedules(*input), options.schedule,
                            options.lower, /*smallChunks=*/true)))
      return failure();
    fallback = std::move(module);
    module = std::move(input);
    return success();
  }

  LogicalResult emitBundle() {
    if (options.output == "-") {
      llvm::errs() << "attn-compile: --emit=bundle expects a directory (-o)\n";
      return failure();
    }
    if (chosenInput && failed(addFewer(*chosenInput, options.schedule,
                                       options.lower, /*guard=*/"")))
      return failure();
    SmallVector<ModuleOp> modules;
    for (OwningOpRef<ModuleOp> &variant : variants)
      modules.push_back(*variant);
    modules.push_back(*module);
    if (fallback)
      modules.push_back(*fallback);
    return writeBundle(modules, {options.output, options.ptxas});
  }

  LogicalResult lower(llvm::ToolOutputFile &file) {
    bool toLLVM = options.run || options.show || options.emit == Emit::LLVM;
    if (!toLLVM && options.emit != Emit::Loops)
      return success();
    // Buffers are not bufferized twice: input from --emit=loops goes on here.
    bool lowered = !module
                        ->walk([](Operation *op) {
                          return op->getName().getDialectNamespace() == "attn"
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!lowered && failed(lowerToLoops(file)))
      return failure();
    if (options.show)
      show("loops on buffers, for the CPU", kExcerpt);
    write(Emit::Loops, file);
    if (!toLLVM)
      return success();
    if (failed(pipeline(buildLowerToLLVMPipeline)))
      return failure();
    if (options.show)
      show("LLVM dialect, for the CPU", kExcerpt);
    write(Emit::LLVM, file);
    return success();
  }

  /// Level 2 to loops, with --sequential by way of level 3.
  LogicalResult lowerToLoops(llvm::ToolOutputFile &file) {
    if (!options.sequential)
      return pipeline(buildLowerToLoopsPipeline);
    if (failed(lowerToTarget(options.lower)))
      return failure();
    write(Emit::Target, file);
    if (options.show)
      show("level 3: tiles in rings and registers", 0);
    return pipeline(buildSequentialPipeline);
  }

  /// Prints the module, or its first lines.
  void show(StringRef title, unsigned limit) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    llvm::outs() << "//===- " << title << "\n";
    bool cut = limit && lines.size() > limit;
    for (StringRef line :
         ArrayRef(lines).take_front(cut ? limit : lines.size()))
      llvm::outs() << line << "\n";
    if (cut)
      llvm::outs() << "// ... " << lines.size() - limit
                   << " more lines (--emit prints them all)\n";
    llvm::outs() << "\n";
  }

  void describe() {
    llvm::outs() << "//===- the schedule in words\n";
    module->walk(
        [](KernelOp kernel) { llvm::outs() << describeSchedule(kernel); });
    llvm::outs() << "\n";
  }

  /// Prints what the L2 of the target makes of the kernels.
  LogicalResult simulate(llvm::ToolOutputFile &file) {
    SimulateOptions wanted;
    wanted.sizes = sizes;
    wanted.contents = contents;
    wanted.format = options.simulate;
    wanted.drift = options.drift;
    wanted.seed = options.seed;
    wanted.threads = options.threads;
    wanted.maxWork = maxWork();
    if (options.resident.getNumOccurrences() > 0)
      wanted.resident = options.resident;
    wanted.curve.assign(options.curve.begin(), options.curve.end());
    if (failed(simulateKernels(*module, wanted, file.os())))
      return failure();
    file.keep();
    return success();
  }

  /// Runs the kernels and prints how far they are from the reference.
  LogicalResult execute() {
    CpuRunOptions wanted;
    wanted.oracle.sizes = sizes;
    wanted.oracle.contents = contents;
    wanted.oracle.scalars.assign(options.scalars.begin(),
                                 options.scalars.end());
    wanted.oracle.seed = options.seed;
    wanted.oracle.probe = options.probe;
    wanted.oracle.threads = options.threads;
    wanted.oracle.reference = evaluate;
    wanted.tolerance = options.tolerance;
    if (options.maxWork.getNumOccurrences() > 0)
      wanted.maxWork = options.maxWork;
    return runOnCpu(*module, *reference, wanted, llvm::outs());
  }

  /// Lines that are shown of levels that run to hundreds.
  static constexpr unsigned kExcerpt = 40;

  CommandLine &options;
  MLIRContext &context;
  ReferenceFn evaluate;
  llvm::SourceMgr sources, referenceSources;
  std::deque<llvm::SourceMgr> tuningSources;
  /// Shows the line of a diagnostic, in whichever file it is.
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module, reference;
  /// --target, unless resolveNative has set it.
  std::string targetName = options.target;
  /// What chooseOptions chose.
  OptionChoice choice;
  /// --size.
  llvm::StringMap<int64_t> sizes;
  /// --contents.
  ViewContents contents;
  /// For --explain.
  std::vector<ScheduleCandidate> candidates;
  /// Lowered for the guards of --variant.
  SmallVector<OwningOpRef<ModuleOp>> variants;
  /// Level 1 with its schedules, where streams are split over CTAs.
  OwningOpRef<ModuleOp> chosenInput;
  /// Lowered for --unaligned.
  OwningOpRef<ModuleOp> fallback;
};

} // namespace

/// Compiles again and again, in a context of its own each time.
static int benchmark(CommandLine &options, DialectRegistry &registry,
                     const ReferenceFn &reference) {
  std::vector<double> seconds;
  for (unsigned i = 0; i < options.benchmark; ++i) {
    auto begin = std::chrono::steady_clock::now();
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.printOpOnDiagnostic(false);
    if (failed(Driver(options, context, reference).run()))
      return 1;
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  llvm::sort(seconds);
  llvm::errs() << llvm::format("median %.4f s, least %.4f s\n",
                               seconds[seconds.size() / 2], seconds.front());
  return 0;
}

int attn::attnCompileMain(int argc, char **argv, DialectRegistry &registry,
                          ReferenceFn reference) {
  for (int i = 1; i < argc; ++i)
    if (StringRef(argv[i]).trim('-') == "list-targets") {
      printTargets(llvm::outs());
      return 0;
    }
  llvm::InitLLVM initLLVM(argc, argv);
  CommandLine options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "attn-compile: attention in, schedules, code and results out\n");
  if (options.input.getNumOccurrences() == 0 &&
      llvm::sys::Process::StandardInIsUserInput()) {
    llvm::errs() << "attn-compile: expected a file, or '-' for standard input; "
                    "usage: attn-compile <input.mlir> [options], see --help\n";
    return 1;
  }
  // A kernel is compiled on one thread.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (options.remarks) {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = categories.failed =
        categories.analysis = "attn.*";
    (void)remark::enableOptimizationRemarks(
        context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
        categories,
        /*printAsEmitRemarks=*/true);
  }
  if (options.benchmark > 0)
    return benchmark(options, registry, reference);
  return succeeded(Driver(options, context, reference).run()) ? 0 : 1;
}
