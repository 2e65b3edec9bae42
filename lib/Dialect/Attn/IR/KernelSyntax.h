//===- KernelSyntax.h - What ops with bodies ask of them --------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_IR_KERNELSYNTAX_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_IR_KERNELSYNTAX_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

namespace attn {

/// Whether a name prints as it is, as a keyword; or, where `punctuation` may be
/// in it, after a percent sign.
inline bool isIdentifier(llvm::StringRef name,
                         llvm::StringRef punctuation = "_") {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [&](char c) {
           return llvm::isAlnum(c) || punctuation.contains(c);
         });
}

/// The body of a grid or of a stream hands nothing on.
inline mlir::LogicalResult verifyEmptyYield(mlir::Operation *op,
                                            mlir::Block &body) {
  if (body.getTerminator()->getNumOperands() == 0)
    return mlir::success();
  return op->emitOpError("expected to yield nothing, but got ")
         << body.getTerminator()->getOperandTypes();
}

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_IR_KERNELSYNTAX_H
