//===- AttnCompileMain.cpp - The attn-compile tool ------------------------===//

#include "attn-mlir/Tools/AttnCompileMain.h"
#include "CheckOptions.h"
#include "CommandLine.h"
#include "NativeTarget.h"
#include "Progress.h"
#include "RunOnCpu.h"
#include "Simulate.h"
#include "WriteCode.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Compiler/CompileBundle.h"
#include "attn-mlir/Compiler/CompileHost.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Raise/Passes.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Serialize/HostCode.h"
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

/// What compilations are told; sizes are still texts.
CompileOptions compileOptions(const CommandLine &options) {
  CompileOptions result;
  result.emit = options.emit;
  result.target = options.target;
  result.facts.assign(options.facts.begin(), options.facts.end());
  result.schedule = options.schedule;
  result.lower = options.lower;
  result.alsoSchedule = options.alsoSchedule;
  result.alsoLower = options.alsoLower;
  result.asked = options.schedule.getNumOccurrences() > 0 ||
                 options.lower.getNumOccurrences() > 0;
  result.variants.assign(options.variants.begin(), options.variants.end());
  result.unaligned = options.unaligned;
  result.choose = options.choose;
  result.ptxas = options.ptxas;
  result.lineInfo = options.lineInfo;
  if (options.maxWork.getNumOccurrences() > 0)
    result.maxWork = static_cast<double>(options.maxWork.getValue());
  result.messagePrefix = "attn-compile: --";
  return result;
}

/// One run of the tool.
class Driver {
public:
  Driver(CommandLine &options, MLIRContext &context, ReferenceFn evaluate)
      : options(options), context(context), evaluate(std::move(evaluate)),
        handler(sources, &context), compilation(compileOptions(options)) {
    // Targets are asked for before any pass has run.
    context.loadDialect<AttnDialect>();
  }

  LogicalResult run() {
    module = parse(options.input, sources);
    if (!module || failed(checkOptions(options)) || failed(raise()) ||
        failed(resolveNative()) || failed(compilation.stateForm()) ||
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
    if (failed(parseSizes("attn-compile: --size",
                          llvm::to_vector(options.sizes), wanted().sizes)) ||
        failed(parseSizes("attn-compile: --for-sizes",
                          llvm::to_vector(options.forSizes),
                          wanted().forSizes)) ||
        failed(parseContents(options, contents)))
      return failure();
    if (options.host)
      return emitHost(*file);
    if (failed(chooseOptions()))
      return failure();
    return isBundle(options.emit) && options.explain == ExplainAs::Nothing &&
                   options.simulate == SimulateFormat::None
               ? emitBundle(*file)
               : runStages(*file);
  }

private:
  CompileOptions &wanted() { return compilation.options; }

  /// Looks for attention in other dialects, where that was asked for.
  LogicalResult raise() {
    if (!options.raise)
      return success();
    PassManager pm(&context);
    pm.addPass(createAttnRaise());
    return pm.run(*module);
  }

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
    if (computesAtLevel1(*reference))
      return success();
    module->emitError()
        << "--run expects a level-1 operation that says what is "
           "computed, here or in a --reference";
    return failure();
  }

  /// All but bundles, from level 1 with its options on.
  LogicalResult runStages(llvm::ToolOutputFile &file) {
    if (failed(rankCandidates()) || failed(compilation.schedule()))
      return failure();
    if (options.explain != ExplainAs::Nothing)
      return explain(file);
    if (options.show)
      show("level 2: how it is scheduled", 0);
    if (options.show || options.describe)
      describe();
    if (options.simulate != SimulateFormat::None)
      return simulate(file);
    write(Emit::Stream, file);
    if (options.emit == Emit::Trace && failed(writeTrace(file)))
      return failure();
    if (isForGpu(*module, options))
      return lowerForGpu(file);
    if (failed(lower(file)))
      return failure();
    return options.run ? execute() : success();
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
    if (failed(compilation.runPipeline(buildTracePipeline)))
      return failure();
    write(Emit::Trace, file);
    std::swap(module, kept);
    return success();
  }

  /// As asked, or chosen; with files of --tuning.
  LogicalResult chooseOptions() {
    SmallVector<OwningOpRef<ModuleOp>> tuning;
    for (StringRef path : options.tuning) {
      tuning.push_back(parse(path, tuningSources.emplace_back()));
      if (!tuning.back())
        return failure();
    }
    return compilation.chooseOptions(
        llvm::map_to_vector(tuning, [](auto &file) { return *file; }));
  }

  LogicalResult rankCandidates() {
    if (options.explain == ExplainAs::Nothing ||
        options.explain == ExplainAs::Svg)
      return success();
    ProgressLine line("predicting candidates");
    return compilation.rankCandidates(line.teller());
  }

  LogicalResult explain(llvm::ToolOutputFile &file) {
    if (failed(compilation.explain(options.explain, file.os())))
      return failure();
    file.keep();
    return success();
  }

  /// --target=native: the module gets the facts of the device.
  LogicalResult resolveNative() {
    if (options.target != "native")
      return success();
    TargetAttr target =
        nativeTarget(&context, [&]() { return module->emitError(); });
    if (!target)
      return failure();
    (*module)->setAttr(TargetAttr::kModuleAttr, target);
    wanted().target.clear();
    return success();
  }

  LogicalResult lowerForGpu(llvm::ToolOutputFile &file) {
    if (failed(checkEmit(*module, options.emit)) ||
        failed(compilation.lowerToTarget()))
      return failure();
    write(Emit::Target, file);
    if (options.emit == Emit::Target)
      return success();
    if (failed(compilation.lowerToDevice()))
      return failure();
    write(Emit::LLVM, file);
    return options.emit == Emit::LLVM ? success()
                                      : writeCode(*module, options, file);
  }

  LogicalResult emitBundle(llvm::ToolOutputFile &file) {
    if (options.emit == Emit::Bundle && options.output == "-") {
      llvm::errs() << "attn-compile: --emit=bundle expects a directory (-o)\n";
      return failure();
    }
    FailureOr<Bundle> bundle = compilation.compile();
    if (failed(bundle))
      return failure();
    if (options.emit == Emit::Bundle)
      return writeBundle(*bundle, *module, options.output);
    file.os() << packBundle(*bundle);
    file.keep();
    return success();
  }

  /// The whole module, whose kernels are a bundle that it holds.
  LogicalResult emitHost(llvm::ToolOutputFile &file) {
    if (failed(compileHost(compilation)))
      return failure();
    write(Emit::LLVM, file);
    if (options.emit == Emit::LLVM)
      return success();
    FailureOr<std::string> object = compileToObject(*module);
    if (failed(object))
      return failure();
    file.os() << *object;
    file.keep();
    return success();
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
    if (failed(compilation.runPipeline(buildLowerToLLVMPipeline)))
      return failure();
    if (options.show)
      show("LLVM dialect, for the CPU", kExcerpt);
    write(Emit::LLVM, file);
    return success();
  }

  /// Level 2 to loops, with --sequential by way of level 3.
  LogicalResult lowerToLoops(llvm::ToolOutputFile &file) {
    if (!options.sequential)
      return compilation.runPipeline(buildLowerToLoopsPipeline);
    if (failed(compilation.lowerToTarget()))
      return failure();
    write(Emit::Target, file);
    if (options.show)
      show("level 3: tiles in rings and registers", 0);
    return compilation.runPipeline(buildSequentialPipeline);
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
    wanted.sizes = this->wanted().sizes;
    wanted.contents = contents;
    wanted.format = options.simulate;
    wanted.drift = options.drift;
    wanted.seed = options.seed;
    wanted.threads = options.threads;
    wanted.maxWork = this->wanted().maxWork;
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
    wanted.oracle.sizes = this->wanted().sizes;
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
  Compilation compilation;
  OwningOpRef<ModuleOp> &module = compilation.module;
  OwningOpRef<ModuleOp> reference;
  /// --contents.
  ViewContents contents;
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
