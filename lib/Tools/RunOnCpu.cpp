//===- RunOnCpu.cpp - attn-compile --run ----------------------------------===//

#include "RunOnCpu.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;

/// The bound of the project for rows of this element type.
static double defaultTolerance(Type type) {
  return type.isBF16() ? 1e-2 : type.isF16() ? 2e-3 : 1e-5;
}

/// Prints a report; whether it is within tolerance.
static bool print(StreamableOpInterface op, StringRef kernel,
                  const OracleReport &report, const CpuRunOptions &options,
                  llvm::raw_ostream &os) {
  Type element = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  double tolerance =
      options.tolerance > 0 ? options.tolerance : defaultTolerance(element);
  bool passed = report.outputError <= tolerance &&
                report.lseError <= tolerance && report.guardsIntact &&
                report.exact;
  os << "kernel @" << kernel
     << llvm::format(": row-wise relative error against float64: "
                     "%.3g (bound %.3g)",
                     report.outputError, tolerance);
  if (report.hasLse)
    os << llvm::format(", of the LSE: %.3g", report.lseError);
  if (options.oracle.probe)
    os << (report.exact ? ", exact" : ", NOT exact");
  if (!report.guardsIntact)
    os << ", WROTE outside of the result";
  os << (passed ? ": PASS\n" : ": FAIL\n");
  return passed;
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

static LogicalResult checkWork(StreamableOpInterface op,
                               const CpuRunOptions &options) {
  FailureOr<SmallVector<int64_t>> extents =
      resolveExtents(op, options.oracle.sizes);
  if (failed(extents))
    return failure();
  double work = multiplicationsOf(op, *extents);
  if (work <= options.maxWork)
    return success();
  std::string text;
  llvm::raw_string_ostream(text)
      << "wants about " << llvm::format("%.2g", work)
      << " multiplications to be run and compared, "
      << llvm::format("%.2g", work / options.maxWork)
      << " times the most that are made (--max-work raises it)";
  return op.emitOpError(text);
}

LogicalResult attn::runOnCpu(ModuleOp module,
                             ArrayRef<StreamableOpInterface> ops,
                             const CpuRunOptions &options,
                             llvm::raw_ostream &os) {
  std::vector<LoweredKernel> kernels = findLoweredKernels(module);
  if (kernels.size() != ops.size()) {
    module.emitError() << "wants as many kernels as the reference has "
                          "operations, "
                       << ops.size() << ", got " << kernels.size();
    return failure();
  }
  for (auto [op, kernel] : llvm::zip(ops, kernels))
    if (failed(checkKernel(op, kernel)) || failed(checkWork(op, options)))
      return failure();
  auto compiled = CpuModule::compile(module, options.optimise);
  if (!compiled) {
    module.emitError() << "the CPU module did not compile: "
                       << llvm::toString(compiled.takeError());
    return failure();
  }
  bool passed = true;
  for (auto [op, kernel] : llvm::zip(ops, kernels)) {
    FailureOr<OracleReport> report =
        runOracle(op, **compiled, kernel.name, options.oracle);
    if (failed(report))
      return failure();
    passed &= print(op, kernel.name, *report, options, os);
  }
  return success(passed);
}
