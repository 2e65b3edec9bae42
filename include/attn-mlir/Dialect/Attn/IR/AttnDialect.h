//===- AttnDialect.h - The dialect, and names of attributes -----*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNDIALECT_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h.inc"

namespace attn {
/// Attribute of a function that was a kernel: the types of its views, by which
/// a runtime knows how to call it.
/// Entry of a device function's manifest: its code waits for the step before
/// it, and may be launched before that is done.
constexpr llvm::StringLiteral kOverlapsKey = "overlaps";
constexpr llvm::StringLiteral kKernelViewsAttr = "attn.kernel_views";

/// A kernel @k that became a device function lies in the gpu.module @k_device.
constexpr llvm::StringLiteral kDeviceModuleSuffix = "_device";

/// Attribute of a function without a body that stands for a program of a
/// bundle: the symbol of the bundle. It takes the views and the scalars of the
/// program.
constexpr llvm::StringLiteral kProgramAttr = "attn.program";

/// Attribute of a device function: a dictionary with `grid` (an expression),
/// `block` (threads), `shared_bytes`, `parameters`, `align`, `views`, `scalars`
/// and names, as docs/bundle.md describes them.
constexpr llvm::StringLiteral kManifestAttr = "attn.manifest";
} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNDIALECT_H
