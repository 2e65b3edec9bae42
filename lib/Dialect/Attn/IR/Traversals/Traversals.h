//===- Traversals.h - What traversals share ---------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_IR_TRAVERSALS_TRAVERSALS_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_IR_TRAVERSALS_TRAVERSALS_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"
#include <string>

namespace attn {

/// Fails after a diagnostic where operands have other types than `own`, with
/// an i1 behind them where `mayReverse` allows one.
llvm::LogicalResult verifyTraversalOperands(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    mlir::TypeRange types, llvm::ArrayRef<mlir::Type> own, bool mayReverse);

/// The operand behind `own` operands, or null.
mlir::Value operandBehind(mlir::ValueRange operands, unsigned own);

/// The view of numbers, of i32 or i64, that operand `place` is, or null.
ViewType listAt(mlir::TypeRange types, unsigned place);

/// `words`, and that the direction alternates where `backward` is there.
std::string withDirection(llvm::StringRef words, mlir::Value backward);

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_IR_TRAVERSALS_TRAVERSALS_H
