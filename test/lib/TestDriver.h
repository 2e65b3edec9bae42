//===- TestDriver.h - What the C++ test drivers share -----------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_TESTDRIVER_H
#define ATTN_MLIR_TEST_LIB_TESTDRIVER_H

#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Runtime/CpuKernel.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace attn_test {

/// Counts checks; the closing line is what lit and CI read.
class Tally {
public:
  /// Counts a check; `what` is evaluated and printed where it fails.
  template <typename What> bool check(bool ok, What what) {
    ok ? ++passed : ++failed;
    if (!ok && failed <= kShown)
      llvm::errs() << "FAIL: " << what() << "\n";
    return ok;
  }
  /// Prints the closing line; the exit status.
  int close() const {
    llvm::outs() << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
  }

private:
  static constexpr unsigned kShown = 20;
  unsigned passed = 0, failed = 0;
};

/// Parses `text`, schedules it by `schedule` (options of attn-schedule), and
/// calls `lower` on what remains to be built.
inline mlir::OwningOpRef<mlir::ModuleOp>
prepare(mlir::MLIRContext &context, const std::string &text,
        const std::string &schedule,
        llvm::function_ref<void(mlir::OpPassManager &)> lower) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return {};
  auto options = attn::ScheduleOptions::createFromString(schedule);
  mlir::PassManager pm(&context);
  attn::buildSchedulePipeline(pm, *options);
  lower(pm);
  if (failed(pm.run(*module)))
    return {};
  return module;
}

inline void lowerToCode(mlir::OpPassManager &pm) {
  attn::buildLowerToLoopsPipeline(pm);
  attn::buildLowerToLLVMPipeline(pm);
}

inline void lowerToTrace(mlir::OpPassManager &pm) {
  attn::buildTracePipeline(pm);
  lowerToCode(pm);
}

/// Prepares and compiles; null after a message where that fails. `first` is
/// what the module begins with.
inline std::unique_ptr<attn::CpuModule>
compileBy(mlir::MLIRContext &context, const std::string &text,
          const std::string &schedule,
          llvm::function_ref<void(mlir::OpPassManager &)> lower,
          unsigned level = 2, attn::LoweredKernel *first = nullptr) {
  auto module = prepare(context, text, schedule, lower);
  if (!module) {
    llvm::errs() << "did not lower: " << schedule << "\n" << text;
    return {};
  }
  if (first)
    *first = attn::findLoweredKernels(*module).front();
  auto compiled = attn::CpuModule::compile(*module, level);
  if (compiled)
    return std::move(*compiled);
  llvm::errs() << "did not compile: " << llvm::toString(compiled.takeError())
               << "\n";
  return {};
}

inline std::unique_ptr<attn::CpuModule> compile(mlir::MLIRContext &context,
                                                const std::string &text,
                                                const std::string &schedule,
                                                bool trace) {
  return compileBy(context, text, schedule, trace ? lowerToTrace : lowerToCode);
}

/// All accesses of a traced kernel, CTA after CTA; empty on an error.
inline std::vector<attn::Access>
traceAll(attn::CpuModule &module, llvm::StringRef kernel,
         llvm::ArrayRef<attn::StridedBuffer> views) {
  std::vector<attn::Access> accesses;
  llvm::Expected<int64_t> ctas = module.countCtas(kernel, views, {});
  if (!ctas) {
    llvm::errs() << llvm::toString(ctas.takeError()) << "\n";
    return {};
  }
  if (llvm::Error error =
          module.trace(kernel, views, {}, 0, *ctas,
                       [&](const attn::Access &a) { accesses.push_back(a); }))
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return accesses;
}

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_TESTDRIVER_H
