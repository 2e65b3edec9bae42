//===- NativeTarget.h - The GPU of this machine as a target -----*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_NATIVETARGET_H
#define ATTN_MLIR_LIB_TOOLS_NATIVETARGET_H

#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

namespace attn {

/// The first GPU of this machine, by the launcher (attnDeviceFacts): the known
/// target that it is, or, under the name "native", the nearest known target of
/// its architecture with the facts that the device states. Null after a
/// diagnostic.
TargetAttr
nativeTarget(mlir::MLIRContext *context,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_NATIVETARGET_H
