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

/// Prints the bound of a row, and what it is made of where the rounding of its
/// scores counts.
static void printBound(double tolerance, double slack, double largestScore,
                       llvm::raw_ostream &os) {
  constexpr double kCounts = 0.01;
  if (slack < kCounts * tolerance)
    os << llvm::format("%.3g", tolerance);
  else
    os << llvm::format("%.3g + %.3g for scores up to %.3g", tolerance, slack,
                       largestScore);
}

/// Prints a report; whether it is within tolerance.
static bool print(StreamableOpInterface op, StringRef kernel,
                  const OracleReport &report, const CpuRunOptions &options,
                  llvm::raw_ostream &os) {
  Type element = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  double tolerance =
      options.tolerance > 0 ? options.tolerance : defaultTolerance(element);
  bool passed = report.isWithin(tolerance, tolerance);
  os << "kernel @" << kernel
     << llvm::format(": row-wise relative error against float64: "
                     "%.3g (bound ",
                     report.outputError);
  printBound(tolerance, report.outputSlack, report.largestScore, os);
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
    if (failed(checkKernel(op, kernel)))
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
