//===- Passes.cpp - Passes and pipelines for MLIR's C API -----------------===//

#include "attn-mlir-c/Passes.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Compiler/Passes.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/Passes.h"
#include "attn-mlir/Raise/Passes.h"
#include "attn-mlir/Tuning/Passes.h"
#include "mlir/CAPI/Pass.h"

using namespace attn;

extern "C" {
#include "attn-mlir/Analysis/Passes.capi.cpp.inc"
#include "attn-mlir/Compiler/Passes.capi.cpp.inc"
#include "attn-mlir/Conversion/Passes.capi.cpp.inc"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.capi.cpp.inc"
#include "attn-mlir/Pipelines/Passes.capi.cpp.inc"
#include "attn-mlir/Raise/Passes.capi.cpp.inc"
#include "attn-mlir/Tuning/Passes.capi.cpp.inc"
}

void mlirRegisterAttnPasses(void) {
  [[maybe_unused]] static bool once =
      (registerOwnPasses(), registerEmbeddingPasses(), true);
}
