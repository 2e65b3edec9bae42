//===- Derivatives.h - Derivatives of regions of scalars --------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_DERIVATIVES_H
#define ATTN_LIB_DIALECT_ATTN_IR_DERIVATIVES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace attn {

/// The first operation of a block of scalars whose result changes with an
/// argument in a way that no rule says the derivative of; null if there is
/// none. Of a captured tensor what changes is what is read of it.
mlir::Operation *findWithoutDerivative(mlir::Block &body, unsigned argument);

/// Makes a block that yields one number yield as the second its derivative with
/// respect to an argument. Every operation has a rule.
void appendDerivative(mlir::Block &body, unsigned argument);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_DERIVATIVES_H
