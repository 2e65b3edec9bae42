//===- Takes.h - Numbers from counters, one for a CTA -----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_TAKES_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_TAKES_H

#include "Device.h"

namespace attn {
class TakeOp;

/// Attribute of a take: where in shared memory the number goes to the threads
/// of the CTA.
constexpr llvm::StringLiteral kTakenPlaceAttr = "attn.place";
/// Bytes that it takes there.
constexpr int64_t kTakenBytes = 16;

/// Places what takes without roles hand to the threads of a CTA behind `bytes`
/// of shared memory; returns the bytes in all.
int64_t placeTakes(mlir::LLVM::LLVMFuncOp function, int64_t bytes);

/// The next number, of 32 bits, for one thread; outside of the view the
/// largest.
mlir::Value takeNumber(mlir::OpBuilder &b, TakeOp op);

/// What differs from one target to the other.
struct TakeHooks {
  /// An address in shared memory.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, int64_t place)>
      shared;
  /// Waits for the threads that take together.
  std::function<void(mlir::OpBuilder &, mlir::Location)> barrier;
  /// May be null.
  UniformFn makeUniform;
};
void populateTakePatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns, TakeHooks hooks);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_TAKES_H
