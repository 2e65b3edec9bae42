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
