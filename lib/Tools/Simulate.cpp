//===- Simulate.cpp - attn-compile --simulate -----------------------------===//

#include "Simulate.h"
#include "Progress.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;

/// More would be no machine.
static constexpr int64_t kMost = int64_t(1) << 24;

static LogicalResult checkSimulation(ModuleOp module,
                                     const SimulateOptions &options) {
  if (options.drift < 0 || options.drift > kMost)
    return module.emitError("--drift expects 0 to ")
           << kMost << ", but got " << options.drift;
  if (options.resident && (*options.resident < 1 || *options.resident > kMost))
    return module.emitError("--resident expects 1 to ")
           << kMost << ", but got " << *options.resident;
  for (int64_t bytes : options.curve)
    if (bytes < 0)
      return module.emitError("--l2-curve expects sizes of 0 or more, but got ")
             << bytes;
  return success();
}

/// Before anything runs. What is not index arithmetic alone has no estimate:
/// its trace ends where it is too long.
static LogicalResult checkWork(KernelOp kernel,
                               const SimulateOptions &options) {
  double work = 0;
  {
    ScopedDiagnosticHandler quiet(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
    FailureOr<WorkEstimate> estimate =
        estimateWork(kernel, options.sizes, options.contents);
    if (succeeded(estimate))
      work =
          estimate->work() + (options.curve.empty() ? 0 : estimate->accesses);
  }
  if (work > options.maxWork)
    return kernel.emitOpError(
        tooMuchWork("a simulation", work, options.maxWork));
  return success();
}

static FailureOr<CacheReport> simulate(KernelOp kernel,
                                       const SimulateOptions &options,
                                       std::vector<int64_t> &curve) {
  if (failed(checkWork(kernel, options)))
    return failure();
  auto tracer = KernelTracer::compile(kernel);
  if (failed(tracer))
    return failure();
  ProgressLine tracing("tracing @" + kernel.getSymName().str());
  auto trace = (*tracer)->trace(options.sizes, options.threads, options.maxWork,
                                tracing.teller(), options.contents);
  if (failed(trace))
    return failure();
  CacheConfig config = CacheConfig::of(kernel);
  config.drift = options.drift;
  config.seed = options.seed;
  config.threads = options.threads;
  if (options.resident)
    config.resident = *options.resident;
  if (failed(checkMachine(kernel, config, *trace)))
    return failure();
  if (!options.curve.empty())
    curve = missCurve(*trace, config, options.curve);
  ProgressLine line("simulating @" + kernel.getSymName().str());
  config.progress = line.teller();
  CacheReport report = simulateCache(*trace, config);
  report.config.progress = {};
  return report;
}

static void printCurve(const CacheReport &report, ArrayRef<int64_t> sizes,
                       ArrayRef<int64_t> misses, raw_ostream &os) {
  for (auto [bytes, missed] : llvm::zip(sizes, misses))
    os << "  with " << bytes
       << " bytes of L2 a domain: " << missed / report.config.sectorBytes
       << " sectors miss\n";
}

/// Whether a size that is stated is one of a kernel.
static bool hasSize(KernelOp kernel, StringRef name) {
  if (llvm::is_contained(dynamicSizes(kernel), name))
    return true;
  auto [view, dim] = name.rsplit('.');
  ArrayAttr names = kernel.getArgNamesAttr();
  return !dim.empty() && names &&
         llvm::is_contained(names.getAsValueRange<StringAttr>(), view);
}

/// Of several kernels each takes the sizes that it has; one takes them all, and
/// says which are none of its own.
static FailureOr<SimulateOptions> optionsFor(KernelOp kernel, ModuleOp module,
                                             const SimulateOptions &options) {
  SimulateOptions own = options;
  auto kernels = llvm::to_vector(module.getOps<KernelOp>());
  if (kernels.size() == 1)
    return own;
  for (const auto &entry : options.sizes) {
    auto has = [&](KernelOp other) { return hasSize(other, entry.getKey()); };
    if (llvm::none_of(kernels, has))
      return module.emitError("no kernel has a size '")
                 << entry.getKey() << "'",
             failure();
    if (!has(kernel))
      own.sizes.erase(entry.getKey());
  }
  return own;
}

/// Runs what deals the parts of streams, so that the kernels behind it read
/// what it writes.
static LogicalResult runDeal(KernelOp kernel, const SimulateOptions &options,
                             ViewContents &contents, raw_ostream &os) {
  if (failed(runWrites(kernel, options.sizes, contents)))
    return failure();
  if (options.format == SimulateFormat::Text)
    os << "kernel @" << kernel.getSymName()
       << ": run, for what it writes is read by the kernels behind it\n";
  return success();
}

LogicalResult attn::simulateKernels(ModuleOp module,
                                    const SimulateOptions &options,
                                    raw_ostream &os) {
  if (failed(checkSimulation(module, options)))
    return failure();
  module.getContext()->loadDialect<scf::SCFDialect>();
  llvm::json::Array reports;
  ViewContents contents = options.contents;
  for (auto kernel : module.getOps<KernelOp>()) {
    std::vector<int64_t> misses;
    FailureOr<SimulateOptions> own = optionsFor(kernel, module, options);
    if (failed(own))
      return failure();
    own->contents = contents;
    if (kernel.getStep() == KernelOp::kClearStep ||
        kernel.getStep() == KernelOp::kArrangeStep ||
        kernel.getStep() == AppendCacheOp::kStep ||
        kernel.getStep() == QuantizeOp::kStep)
      continue;
    if (kernel.getStep() == KernelOp::kDealStep ||
        kernel.getStep() == KernelOp::kOrderStep) {
      if (failed(runDeal(kernel, *own, contents, os)))
        return failure();
      continue;
    }
    FailureOr<CacheReport> report = simulate(kernel, *own, misses);
    if (failed(report))
      return failure();
    if (options.format == SimulateFormat::Text) {
      os << "kernel @" << kernel.getSymName() << ": L2 of "
         << TargetAttr::of(kernel).getName().getValue() << "\n";
      report->print(os);
      printCurve(*report, options.curve, misses, os);
      continue;
    }
    llvm::json::Value value = report->toJson();
    llvm::json::Object &object = *value.getAsObject();
    object["kernel"] = kernel.getSymName();
    object["target"] = TargetAttr::of(kernel).getName().getValue();
    llvm::json::Array curve;
    for (auto [bytes, missed] : llvm::zip(options.curve, misses))
      curve.push_back(
          llvm::json::Object{{"l2_bytes", bytes},
                             {"misses", missed / report->config.sectorBytes}});
    object["curve"] = std::move(curve);
    reports.push_back(std::move(value));
  }
  if (options.format == SimulateFormat::Json)
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(reports))) << "\n";
  return success();
}
