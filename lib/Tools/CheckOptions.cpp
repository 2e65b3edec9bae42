//===- CheckOptions.cpp - Options that fit together -----------------------===//

#include "CheckOptions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace attn;

/// The name of an --emit that nothing follows which --run could run; empty
/// for the others.
static StringRef gpuEmit(const CommandLine &options) {
  switch (options.emit) {
  case Emit::Target:
    return options.sequential ? "" : "target without --sequential";
  case Emit::Ptx:
    return "ptx";
  case Emit::Cubin:
    return "cubin";
  case Emit::Isa:
    return "isa";
  case Emit::Hsaco:
    return "hsaco";
  case Emit::Bundle:
  case Emit::Archive:
    return "bundle";
  default:
    return "";
  }
}

static LogicalResult checkRun(const CommandLine &options) {
  if (!options.run)
    return success();
  if (StringRef emit = gpuEmit(options); !emit.empty()) {
    llvm::errs() << "attn-compile: --run expects an --emit other than " << emit
                 << "\n";
    return failure();
  }
  // What is run goes to standard output; the IR goes to a file.
  if (options.emit.getNumOccurrences() > 0 &&
      options.output.getNumOccurrences() == 0) {
    llvm::errs() << "attn-compile: --run with --emit expects a file for the IR "
                    "(-o)\n";
    return failure();
  }
  double tolerance = options.tolerance;
  if (options.tolerance.getNumOccurrences() > 0 &&
      !(tolerance > 0 && std::isfinite(tolerance))) {
    llvm::errs()
        << "attn-compile: --tolerance expects a number above 0, but got "
        << llvm::format("%g", tolerance) << "\n";
    return failure();
  }
  return success();
}

/// What --host goes with.
static LogicalResult checkHost(const CommandLine &options) {
  if (options.emit == Emit::Object && !options.host) {
    llvm::errs() << "attn-compile: --emit=object expects --host\n";
    return failure();
  }
  if (!options.host)
    return success();
  if (options.emit != Emit::Object && options.emit != Emit::LLVM) {
    llvm::errs() << "attn-compile: --host expects --emit=llvm or "
                    "--emit=object\n";
    return failure();
  }
  StringRef other = options.run                                ? "--run"
                    : options.show                             ? "--show"
                    : options.describe                         ? "--describe"
                    : options.sequential                       ? "--sequential"
                    : !options.tuning.empty()                  ? "--tuning"
                    : options.explain != ExplainAs::Nothing    ? "--explain"
                    : options.simulate != SimulateFormat::None ? "--simulate"
                                                               : "";
  if (other.empty())
    return success();
  llvm::errs() << "attn-compile: --host expects no " << other << "\n";
  return failure();
}

LogicalResult attn::checkOptions(const CommandLine &options) {
  StringRef wanting = !options.variants.empty()   ? "--variant"
                      : options.unaligned         ? "--unaligned"
                      : !options.forSizes.empty() ? "--for-sizes"
                                                  : "";
  if (!isBundle(options.emit) && !options.host && !wanting.empty()) {
    llvm::errs() << "attn-compile: " << wanting << " expects --emit=bundle\n";
    return failure();
  }
  if (failed(checkHost(options)))
    return failure();
  return checkRun(options);
}

bool attn::isForGpu(ModuleOp module, const CommandLine &options) {
  switch (options.emit) {
  case Emit::Target:
    return !options.sequential || (!options.run && !options.show);
  case Emit::Ptx:
  case Emit::Cubin:
  case Emit::Isa:
  case Emit::Hsaco:
  case Emit::Bundle:
  case Emit::Archive:
    return true;
  case Emit::LLVM:
    // Loops for the CPU may carry a GPU's target, too.
    return !options.run && !options.show && !options.sequential &&
           !deviceDialect(module).empty() &&
           module
               ->walk([](Operation *op) {
                 return isa<KernelOp, gpu::GPUModuleOp>(op)
                            ? WalkResult::interrupt()
                            : WalkResult::advance();
               })
               .wasInterrupted();
  default:
    return false;
  }
}

LogicalResult attn::parseContents(const CommandLine &options,
                                  ViewContents &contents) {
  for (StringRef text : options.contents) {
    auto [name, list] = text.split('=');
    SmallVector<StringRef> numbers;
    list.split(numbers, ',');
    std::vector<int64_t> values(numbers.size());
    bool valid = !name.empty();
    for (auto [number, value] : llvm::zip(numbers, values))
      valid &= !number.getAsInteger(10, value);
    if (!valid) {
      llvm::errs()
          << "attn-compile: --contents expects view=integers, but got '" << text
          << "'\n";
      return failure();
    }
    if (!contents.try_emplace(name, std::move(values)).second) {
      llvm::errs()
          << "attn-compile: --contents expects each view once, but got "
             "'"
          << name << "' twice\n";
      return failure();
    }
  }
  return success();
}
