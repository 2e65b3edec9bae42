//===- TestDialect.h - A streamable op that no pass knows -------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_TESTDIALECT_H
#define ATTN_MLIR_TEST_LIB_TESTDIALECT_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Raise/AttentionLike.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "TestDialect.h.inc"
#define GET_OP_CLASSES
#include "TestOps.h.inc"

namespace attn_test {

/// What attn_test.foreign_attend is, said from outside of its dialect.
void registerExternalModels(mlir::DialectRegistry &registry);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_TESTDIALECT_H
