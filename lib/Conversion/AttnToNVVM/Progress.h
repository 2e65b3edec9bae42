//===- Progress.h - How far CTAs have got, in memory ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_PROGRESS_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_PROGRESS_H

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"

namespace attn {

/// Where an element lies: the base of the view, and the number of the element
/// in 32 bits. What they are computed from is kept in registers across the
/// stream, which has few; the address itself is not.
llvm::SmallVector<mlir::Value> placeOf(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::Value view,
                                       mlir::ValueRange offsets);

/// Assembly: `text` sees the address of the element as `element`, and the place
/// as $2, or $3 where it has a result, $0.
mlir::Operation *accessElement(mlir::OpBuilder &b, mlir::Location loc,
                               llvm::ArrayRef<mlir::Value> element,
                               mlir::Value place, llvm::StringRef text,
                               bool hasResult = false);

/// What a tile tells others: the place, or one behind all.
mlir::Value placeToTell(const ThreadBuilder &t, ReportProgressOp op);

/// Looks at an element until it is at least a place; returns what it was.
mlir::Value pollElement(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> element, mlir::Value place);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_PROGRESS_H
