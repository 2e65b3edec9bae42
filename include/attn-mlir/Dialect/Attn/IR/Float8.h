//===- Float8.h - The FP8 types ---------------------------------*- C++ -*-===//
//
// What the 8-bit types of Attn_Float8 hold, in one place.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_FLOAT8_H
#define ATTN_MLIR_DIALECT_ATTN_IR_FLOAT8_H

#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// Whether tiles and views may be of this type, and it is one of FP8.
inline bool isFloat8(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type,
                   mlir::Float8E4M3FNUZType>(type);
}

/// Whether NVIDIA GPUs multiply it.
inline bool isNvidiaFloat8(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

/// The largest finite number of an FP8 type (OCP OFP8 1.0; AMD CDNA 3 ISA, "FP8
/// and BF8": 448, 57344 and 240).
inline double largestOfFloat8(mlir::Type type) {
  const llvm::fltSemantics &semantics =
      llvm::cast<mlir::FloatType>(type).getFloatSemantics();
  return llvm::APFloat::getLargest(semantics).convertToDouble();
}

/// The largest n of which 2^n is a number of the type: numbers up to 1 are
/// multiplied by it before they are rounded, so that most of them are no
/// subnormal numbers.
inline int64_t binadesOfFloat8(mlir::Type type) {
  return llvm::ilogb(llvm::APFloat::getLargest(
      llvm::cast<mlir::FloatType>(type).getFloatSemantics()));
}

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_FLOAT8_H
