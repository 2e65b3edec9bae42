//===- plugin.cpp - The dialect, passes and pipelines for mlir-opt --------===//

#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

/// Once: a tool may be given the plugin for the dialect and for the passes.
static void registerPasses() {
  [[maybe_unused]] static bool once =
      (attn::registerOwnPasses(), attn::registerEmbeddingPasses(), true);
}

/// mlir-opt --load-dialect-plugin=AttnMLIRPlugin.so: the dialect, the
/// passes and the pipelines.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AttnMLIR", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            registry->insert<attn::AttnDialect>();
            attn::registerBufferizableOpInterfaceExternalModels(*registry);
            registerPasses();
          }};
}

/// mlir-opt --load-pass-plugin=AttnMLIRPlugin.so: passes and pipelines.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AttnMLIR", LLVM_VERSION_STRING,
          registerPasses};
}
