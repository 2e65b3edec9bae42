//===- Attn.h - The attn dialect --------------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTN_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTN_H

#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h.inc"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h.inc"

#include "attn-mlir/Dialect/Attn/IR/AttnAttrInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h.inc"

#include "attn-mlir/Dialect/Attn/IR/AttnOpInterfaces.h.inc"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {
class GridOp;

/// Attribute of a function that was a kernel: the types of its views, by which
/// a runtime knows how to call it.
constexpr llvm::StringLiteral kKernelViewsAttr = "attn.kernel_views";

/// A kernel @k that became a device function lies in the gpu.module @k_device.
constexpr llvm::StringLiteral kDeviceModuleSuffix = "_device";

/// Attribute of a device function: a dictionary with `grid` (an expression),
/// `block` (threads), `shared_bytes`, `parameters`, `align`, `views`, `scalars`
/// and names, as docs/bundle.md describes them.
constexpr llvm::StringLiteral kManifestAttr = "attn.manifest";

/// Checks the shapes and element types of lhs x rhs (^T) added to acc, for an
/// operation that computes it.
llvm::LogicalResult verifyProduct(mlir::Operation *op, mlir::Type lhs,
                                  mlir::Type rhs, mlir::Type acc,
                                  bool transposeRhs);

/// attn.advance as `arith` and `math` without a branch, whatever the layout of
/// its rows.
void populateDecomposeAdvance(mlir::RewritePatternSet &patterns);
} // namespace attn

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTN_H
