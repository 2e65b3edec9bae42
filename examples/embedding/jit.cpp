//===- jit.cpp - A compiler that links the same MLIR, in C++ --------------===//
//
// jit TARGET: compiles a function with attention for TARGET and runs it in this
// process by MLIR's execution engine. What is not attention goes the project's
// way, in whose place an embedder has its own. Queries are zeros, so that each
// row of the result is the mean of the rows of V, twice.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir-c/Host.h"
#include "attn-mlir/Compiler/CompileHost.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Pipelines/HostPipelines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"
#include <cmath>
#include <cstdio>
#include <vector>

using namespace mlir;

static constexpr char kModule[] = R"(
func.func @f(%q: tensor<1x2x?x64xf32>, %k: tensor<1x2x?x64xf32>,
             %v: tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32>
    attributes {llvm.emit_c_interface} {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>)
      -> tensor<1x2x?x64xf32>
  %r = arith.addf %o, %o : tensor<1x2x?x64xf32>
  return %r : tensor<1x2x?x64xf32>
})";

/// Attention is ours; what is behind it could be an embedder's own pipeline.
static LogicalResult lower(ModuleOp module, llvm::StringRef target) {
  attn::CompileOptions options;
  options.target = target.str();
  PassManager pm(module.getContext());
  attn::buildEmbedPipeline(pm, options);
  attn::buildLowerHostToLLVMPipeline(pm);
  return pm.run(module);
}

namespace {
using Array = StridedMemRefType<float, 4>;

constexpr int64_t kHeads = 2, kRows = 50, kFeatures = 64;

/// Memory of a contiguous array.
struct Memory {
  std::vector<float> values = std::vector<float>(kHeads * kRows * kFeatures);
  Array array() {
    return {values.data(),
            values.data(),
            0,
            {1, kHeads, kRows, kFeatures},
            {kHeads * kRows * kFeatures, kRows * kFeatures, kFeatures, 1}};
  }
};
} // namespace

static int run(ExecutionEngine &engine) {
  Memory query, value, result;
  for (size_t i = 0; i < value.values.size(); ++i)
    value.values[i] = static_cast<float>(i / kFeatures % kRows);
  Array q = query.array(), v = value.array(), r = result.array();
  const AttnHostHooks *hooks = nullptr;
  Array *qp = &q, *kp = &q, *vp = &v, *rp = &r;
  int32_t status = -1;
  void *arguments[] = {&hooks, &qp, &kp, &vp, &rp, &status};
  if (llvm::Error error = engine.invokePacked("_mlir_ciface_f", arguments)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  if (status != ATTN_SUCCESS) {
    std::fprintf(stderr, "status %d: %s\n", int(status), attnLastError());
    return 1;
  }
  float worst = 0;
  for (float found : result.values)
    worst = std::fmax(worst, std::fabs(found - (kRows - 1)));
  std::printf("twice the mean of rows: off by %.1e\n", double(worst));
  return worst < 1e-3f ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: jit TARGET\n");
    return 2;
  }
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  attn::registerDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(kModule, &context);
  if (!module || failed(lower(*module, argv[1])))
    return 1;
  auto engine = ExecutionEngine::create(*module);
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << "\n";
    return 1;
  }
  return run(**engine);
}
