/*===- Passes.h - Passes and pipelines for MLIR's C API ------------------===*\
|*
|* mlirRegisterAttnPasses() for text pipelines (mlirParsePassPipeline), and of
|* each pass a function that makes it with its defaults, such as
|* mlirCreateAttnConversionConvertAttnToHost(); all are in docs/reference.
|*
\*===---------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_C_PASSES_H
#define ATTN_MLIR_C_PASSES_H

#include "attn-mlir/Analysis/Passes.capi.h.inc"
#include "attn-mlir/Compiler/Passes.capi.h.inc"
#include "attn-mlir/Conversion/Passes.capi.h.inc"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.capi.h.inc"
#include "attn-mlir/Pipelines/Passes.capi.h.inc"
#include "attn-mlir/Raise/Passes.capi.h.inc"
#include "attn-mlir/Tuning/Passes.capi.h.inc"

#ifdef __cplusplus
extern "C" {
#endif

/** Registers all passes and pipelines of the project, once in a process however
    often it is called. */
MLIR_CAPI_EXPORTED void mlirRegisterAttnPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_MLIR_C_PASSES_H */
