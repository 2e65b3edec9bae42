/*===- Dialect.h - The dialect for MLIR's C API --------------------------===*\
|*
|* For embedders that link the same MLIR (docs/embedding.md): the dialect's
|* handle, what its passes need of others, and its attributes and types. Errors
|* are diagnostics of the context, behind which a null object is returned
|* (mlirAttributeIsNull).
|*
\*===---------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_C_DIALECT_H
#define ATTN_MLIR_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__attn__() */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Attn, attn);

/** Registers the dialect, every upstream dialect that its passes read or make,
    and the interfaces by which these bufferize and become LLVM. */
MLIR_CAPI_EXPORTED void
mlirAttnRegisterAllDialects(MlirDialectRegistry registry);

/*===----------------------------------------------------------------------===*\
|* Targets
\*===----------------------------------------------------------------------===*/

/** The known target of a name ("h200", "mi300x", "cpu"), the attribute
    `attn.target` of a module. */
MLIR_CAPI_EXPORTED MlirAttribute mlirAttnTargetAttrGet(MlirContext context,
                                                       MlirStringRef name);
MLIR_CAPI_EXPORTED bool mlirAttributeIsAAttnTarget(MlirAttribute attribute);

/** The value of a fact ("sms"); -1 where there is none of that name. */
MLIR_CAPI_EXPORTED int64_t mlirAttnTargetAttrGetFact(MlirAttribute target,
                                                     MlirStringRef fact);
MLIR_CAPI_EXPORTED bool
mlirAttnTargetAttrHasCapability(MlirAttribute target, MlirStringRef capability);

/*===----------------------------------------------------------------------===*\
|* Masks
\*===----------------------------------------------------------------------===*/

/** Which corner of the score matrix the diagonal starts in. */
typedef enum MlirAttnMaskAlign {
  MlirAttnMaskAlignTopLeft = 0,
  MlirAttnMaskAlignBottomRight = 1
} MlirAttnMaskAlign;

MLIR_CAPI_EXPORTED MlirAttribute
mlirAttnCausalMaskAttrGet(MlirContext context, MlirAttnMaskAlign align);

/** Keys from `left` before to `right` behind a query's position; -1: no bound
   on that side. */
MLIR_CAPI_EXPORTED MlirAttribute mlirAttnWindowMaskAttrGet(
    MlirContext context, int64_t left, int64_t right, MlirAttnMaskAlign align);

/** Whether it is a mask of any kind. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsAAttnMask(MlirAttribute attribute);

/*===----------------------------------------------------------------------===*\
|* Schedules
\*===----------------------------------------------------------------------===*/

/** The attribute `attn.schedule` of an operation, by options of the pipelines
    attn-schedule ("tiles=query=128,key=64 persistent") and attn-to-target
    ("warps=8"). */
MLIR_CAPI_EXPORTED MlirAttribute mlirAttnScheduleAttrGet(MlirContext context,
                                                         MlirStringRef schedule,
                                                         MlirStringRef lower);
MLIR_CAPI_EXPORTED bool mlirAttributeIsAAttnSchedule(MlirAttribute attribute);

/*===----------------------------------------------------------------------===*\
|* Types
\*===----------------------------------------------------------------------===*/

/** `!attn.view`: what kernels and programs take. Dynamic sizes are
    mlirShapedTypeGetDynamicSize(). */
MLIR_CAPI_EXPORTED MlirType mlirAttnViewTypeGet(intptr_t rank,
                                                const int64_t *shape,
                                                MlirType element);
MLIR_CAPI_EXPORTED bool mlirTypeIsAAttnView(MlirType type);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_MLIR_C_DIALECT_H */
