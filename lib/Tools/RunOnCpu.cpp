//===- RunOnCpu.cpp - attn-compile --run ----------------------------------===//

#include "RunOnCpu.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Runtime/FunctionOracle.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;

/// Prints the bound of a row, and what it is made of where the rounding of its
/// scores counts.
static void printBound(double tolerance, double slack, llvm::raw_ostream &os,
                       double largestScore = 0) {
  constexpr double kCounts = 0.01;
  os << llvm::format("%.3g", tolerance);
  if (slack <= kCounts * tolerance)
    return;
  os << llvm::format(" + %.3g for scores", slack);
  if (largestScore > 0)
    os << llvm::format(" up to %.3g", largestScore);
}

/// Prints a report; whether it is within tolerance.
static bool print(StreamableOpInterface op, StringRef kernel,
                  const OracleReport &report, const CpuRunOptions &options,
                  llvm::raw_ostream &os) {
  double tolerance = options.tolerance > 0 ? options.tolerance : usualBound(op);
  bool passed = report.isWithin(tolerance, tolerance);
  os << "kernel @" << kernel
     << llvm::format(": row-wise relative error against float64: "
                     "%.3g (bound ",
                     report.outputError);
  printBound(tolerance, report.outputSlack, os, report.largestScore);
  os << ")";
  if (report.hasLse)
    os << llvm::format(", of the LSE: %.3g", report.lseError);
  if (options.oracle.probe)
    os << (report.exact ? ", exact" : ", NOT exact");
  if (report.outside > tolerance)
    os << llvm::format(", OUTSIDE of what V has by %.3g", report.outside);
  if (!report.guardsIntact)
    os << ", WROTE outside of the result";
  os << (passed ? ": PASS\n" : ": FAIL\n");
  return passed;
}

/// Prints how far a function is from its level-1 form; whether it is within
/// bounds. What was not run is no error.
static bool print(StringRef function, const FunctionReport &report,
                  llvm::raw_ostream &os) {
  os << "function @" << function;
  if (!report.skipped.empty()) {
    os << ": not run as a whole: " << report.skipped << "\n";
    return true;
  }
  StringRef before = ": ";
  auto printError = [&](const FunctionReport::Error &error, StringRef name) {
    if (!error.any)
      return;
    os << before << name << llvm::format(": %.3g (bound ", error.row.error);
    printBound(error.bound, error.row.slack, os);
    os << ")";
    before = ", ";
  };
  printError(report.output, "row-wise relative error against float64");
  printError(report.lse, report.output.any ? "of the LSE" : "error of the LSE");
  if (!report.guardsIntact)
    os << ", WROTE beside its arguments";
  os << (report.isWithin() ? ": PASS\n" : ": FAIL\n");
  return report.isWithin();
}

/// The operations that kernels are compared with.
static SmallVector<StreamableOpInterface> opsOf(ModuleOp module) {
  SmallVector<StreamableOpInterface> ops;
  module.walk([&](StreamableOpInterface op) { ops.push_back(op); });
  return ops;
}

namespace {

/// The level-1 form of a module, in streamable operations, and what
/// `attn-pack-group` makes of it.
class References {
public:
  explicit References(ModuleOp module)
      : plain(expanded(module)), packed(plain->clone()),
        plainOps(opsOf(*plain)) {
    PassManager pm(module.getContext());
    pm.addPass(createAttnPackGroup());
    // Where it is not there, kernels are compared with the plain operations.
    if (succeeded(pm.run(*packed)))
      packedOps = opsOf(*packed);
  }

  ArrayRef<StreamableOpInterface> ops() const { return plainOps; }

  /// The operation that a kernel computes, by its views.
  FailureOr<StreamableOpInterface> of(unsigned i, const LoweredKernel &kernel) {
    std::string why = whyNotKernel(plainOps[i], kernel);
    if (why.empty())
      return plainOps[i];
    if (i < packedOps.size() && whyNotKernel(packedOps[i], kernel).empty())
      return packedOps[i];
    return plainOps[i].emitOpError("is not what kernel @")
           << kernel.name << " computes: " << why;
  }

private:
  static OwningOpRef<ModuleOp> expanded(ModuleOp module) {
    OwningOpRef<ModuleOp> result = module.clone();
    expandComposites(*result);
    return result;
  }

  OwningOpRef<ModuleOp> plain, packed;
  SmallVector<StreamableOpInterface> plainOps, packedOps;
};

} // namespace

/// Whether the results of an operation make sense with those of others alone,
/// as gradients do with the LSE that they belong to.
static bool isPartOfProgram(StreamableOpInterface op) {
  return isa<RowDotOp, AttentionBackwardQueryOp, AttentionBackwardKeyOp,
             AttentionBackwardFusedOp, AttentionBackwardCaptureOp, SumPartsOp>(
      op.getOperation());
}

/// Query heads of a KV head.
static int64_t groupOf(StreamableOpInterface op) {
  for (const StreamAxis &axis : op.getStreamAxes())
    if (axis.name == "group")
      return axis.extent;
  return 1;
}

/// Sizes for an operation that may be the packed form of `plain`, whose queries
/// are those of all heads of a group.
static FailureOr<OracleOptions> optionsFor(StreamableOpInterface op,
                                           StreamableOpInterface plain,
                                           const OracleOptions &options) {
  if (op == plain)
    return options;
  if (failed(resolveExtents(plain, options.sizes)))
    return failure();
  OracleOptions result = options;
  for (const StreamAxis &axis : op.getStreamAxes())
    if (!ShapedType::isDynamic(axis.extent))
      result.sizes.erase(axis.name);
  if (auto queries = result.sizes.find("query"); queries != result.sizes.end())
    queries->second *= groupOf(plain);
  return result;
}

/// Multiplications of an op, and of an element of its views as many as drawing
/// and comparing it takes.
static double multiplicationsOf(StreamableOpInterface op,
                                ArrayRef<int64_t> extents) {
  constexpr double kPerElement = 100;
  double pairs = 1, wholes = 0, elements = 0;
  for (auto [axis, extent] : llvm::zip(op.getStreamAxes(), extents))
    if (axis.kind == AxisKind::Whole)
      wholes += extent;
    else
      pairs *= extent;
  for (unsigned view = 0; view < op.getViewNames().size(); ++view) {
    double count = 1;
    for (int64_t size : viewSizes(op, view, extents))
      count *= size;
    elements += count;
  }
  return pairs * std::max(wholes, 1.0) + kPerElement * elements;
}

/// The multiplications of `op`; fails after a diagnostic if there are more than
/// `maxWork`.
static FailureOr<double> workOf(StreamableOpInterface op,
                                const OracleOptions &oracle, double maxWork) {
  FailureOr<SmallVector<int64_t>> extents = resolveExtents(op, oracle.sizes);
  if (failed(extents))
    return failure();
  double work = multiplicationsOf(op, *extents);
  if (work <= maxWork)
    return work;
  std::string text;
  llvm::raw_string_ostream(text)
      << "takes about " << llvm::format("%.2g", work)
      << " multiplications to be run and compared, "
      << llvm::format("%.2g", work / maxWork)
      << " times the most that are made (--max-work raises it)";
  return op.emitOpError(text);
}

bool attn::computesAtLevel1(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<StreamableOpInterface, CompositeOpInterface, QuantizeOp>(
                   inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult attn::runOnCpu(ModuleOp module, ModuleOp reference,
                             const CpuRunOptions &options,
                             llvm::raw_ostream &os) {
  References references(reference);
  std::vector<LoweredKernel> kernels = findLoweredKernels(module);
  if (kernels.size() != references.ops().size()) {
    module.emitError() << "expected as many kernels as the reference has "
                          "operations, "
                       << references.ops().size() << ", but got "
                       << kernels.size();
    return failure();
  }
  OracleOptions oracle = options.oracle;
  llvm::StringMap<int64_t> argumentSizes = takeArgumentSizes(oracle.sizes);
  SmallVector<StreamableOpInterface> ops;
  std::vector<OracleOptions> optionsOf;
  double work = 0;
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    FailureOr<StreamableOpInterface> op = references.of(i, kernel);
    if (failed(op))
      return failure();
    FailureOr<OracleOptions> own = optionsFor(*op, references.ops()[i], oracle);
    if (failed(own))
      return failure();
    FailureOr<double> ownWork = workOf(*op, *own, options.maxWork);
    if (failed(ownWork))
      return failure();
    ops.push_back(*op);
    optionsOf.push_back(*own);
    work += *ownWork;
  }
  auto compiled = CpuModule::compile(module, cpuOptimisationFor(work));
  if (!compiled) {
    module.emitError() << "the CPU module did not compile: "
                       << llvm::toString(compiled.takeError());
    return failure();
  }
  bool passed = true;
  const LoweredKernel *untold = nullptr;
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    // Its function tells.
    if (kernel.needsFunction || isPartOfProgram(ops[i])) {
      untold = &kernel;
      continue;
    }
    FailureOr<OracleReport> report =
        runOracle(ops[i], **compiled, kernel, optionsOf[i]);
    if (failed(report))
      return failure();
    passed &= print(ops[i], kernel.name, *report, options, os);
  }
  // Probes are for kernels.
  if (oracle.probe && untold)
    return module.emitError() << "expected kernels that run by themselves for "
                                 "probes, but got @"
                              << untold->name;
  if (oracle.probe)
    return success(passed);
  for (auto function : reference.getOps<func::FuncOp>()) {
    // A module of kernels alone has no function.
    if (!computesAtLevel1(function) || !module.lookupSymbol(function.getName()))
      continue;
    FailureOr<FunctionReport> report = runFunctionOracle(
        function, module, **compiled, oracle, argumentSizes, options.tolerance);
    if (failed(report))
      return failure();
    passed &= print(function.getName(), *report, os);
    if (report->skipped.empty())
      untold = nullptr;
  }
  if (untold)
    return module.emitError() << "expected a function that runs kernel @"
                              << untold->name << ", but got none";
  return success(passed);
}
