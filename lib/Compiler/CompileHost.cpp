//===- CompileHost.cpp - A module with attention among other operations ---===//

#include "attn-mlir/Compiler/CompileHost.h"
#include "attn-mlir/Compiler/Passes.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/HostPipelines.h"
#include "attn-mlir/Raise/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace attn;

void attn::buildEmbedPipeline(OpPassManager &pm, CompileOptions options) {
  if (!options.target.empty() || !options.facts.empty()) {
    SmallVector<std::string> facts(options.facts.begin(), options.facts.end());
    pm.addPass(createAttnSetTarget({options.target, facts}));
  }
  // The target is the module's now, and the programs' with it.
  options.target.clear();
  options.facts.clear();
  pm.addPass(createAttnRaise());
  pm.addPass(createAttnExpand());
  pm.addPass(createAttnOutlinePrograms());
  pm.addPass(createAttnEmbedPrograms(std::move(options)));
}

void attn::exportFunction(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(context));
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  for (BlockArgument argument : function.getArguments())
    if (unsigned number = argument.getArgNumber();
        isa<TensorType>(argument.getType()) &&
        !function.getArgAttr(number, writable))
      function.setArgAttr(number, writable, BoolAttr::get(context, false));
}

static void exportFunctions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      attn::exportFunction(function);
}

/// Private functions are no symbols of the object: others may have the same.
static void keepInside(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function.isPrivate() && !function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
}

LogicalResult attn::compileHost(Compilation &compilation) {
  exportFunctions(*compilation.module);
  if (failed(compilation.runPipeline([&](OpPassManager &pm) {
        buildEmbedPipeline(pm, compilation.options);
        buildLowerHostToLLVMPipeline(pm);
      })))
    return failure();
  keepInside(*compilation.module);
  return success();
}
