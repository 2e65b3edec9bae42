//===- plugin.cpp - The dialect and its passes for the stock mlir-opt -----===//

#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/Transforms/BufferizableOpInterfaceImpl.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

static void registerPasses() {
  attn::registerAttnAnalysisPasses();
  attn::registerAttnConversionPasses();
  attn::registerAttnTransformsPasses();
}

/// mlir-opt --load-dialect-plugin=AttnMLIRPlugin.so: the dialect and the
/// passes.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AttnMLIR", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            registry->insert<attn::AttnDialect>();
            attn::registerBufferizableOpInterfaceExternalModels(*registry);
            registerPasses();
          }};
}

/// mlir-opt --load-pass-plugin=AttnMLIRPlugin.so: the passes.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AttnMLIR", LLVM_VERSION_STRING,
          registerPasses};
}
