//===- ComputingRoles.h - Several roles of those who compute ----*- C++ -*-===//

#ifndef ATTN_TRANSFORMS_PIPELINING_COMPUTINGROLES_H
#define ATTN_TRANSFORMS_PIPELINING_COMPUTINGROLES_H

#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "mlir/Support/LLVM.h"

namespace attn {

/// How many roles the products of a region have: the last of them and one.
unsigned countComputingRoles(mlir::Region &region);

/// Says of each operation of a region with effects whose it is, by an attribute
/// that keepComputingRole takes away; fails with an error where it is not one
/// role's.
mlir::LogicalResult markComputingRoles(mlir::Region &region);

/// Leaves in a region what one role does.
mlir::LogicalResult keepComputingRole(mlir::Region &region, unsigned role);

} // namespace attn

#endif // ATTN_TRANSFORMS_PIPELINING_COMPUTINGROLES_H
