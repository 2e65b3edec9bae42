//===- Lowering.h - Pieces of the lowering to NVVM --------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_LOWERING_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_LOWERING_H

#include "../Fragments/FragmentsToVectors.h"
#include "../Fragments/SharedTile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {

/// Address spaces of NVVM.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3 };

/// Dynamic shared memory, as an external symbol of the gpu.module.
constexpr llvm::StringLiteral kSharedMemory = "attn_shared";

/// What stands for a view once the kernel is a function: a cast of these values
/// to the view's type.
struct ViewParameters {
  explicit ViewParameters(mlir::Value view);

  /// Base address (generic pointer).
  mlir::Value pointer;
  /// Pointer to the tensor map, or null.
  mlir::Value map;
  /// 64-bit integers; of a static dimension a constant, and of the last
  /// stride 1.
  llvm::SmallVector<mlir::Value> sizes, strides;
};

/// Threads that hold tiles in the function around `op`: all but a producer's.
int64_t computeThreads(mlir::Operation *op);
/// Waits for each other of these threads.
void computeBarrier(mlir::OpBuilder &b, mlir::Location loc);

/// Branches of the roles of attn.specialize, and marks what the producer does,
/// of which one thread does all.
void lowerRoles(mlir::LLVM::LLVMFuncOp function);
/// Turns as named barriers.
void populateTurnPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Attribute of an operation that one thread alone reaches.
constexpr llvm::StringLiteral kAloneAttr = "attn.alone";

/// Makes an llvm.func in a gpu.module of a kernel whose grid is materialised.
/// Views are casts of its parameters (ViewParameters); attn.manifest describes
/// what a launcher passes. Null after a diagnostic.
mlir::LLVM::LLVMFuncOp outlineKernel(KernelOp kernel);

/// Drops parameters that nothing uses, also from the manifest.
void dropUnusedParameters(mlir::LLVM::LLVMFuncOp function);

/// Where rings lie in shared memory: set on each attn.ring.create of a function
/// as attributes; returns the bytes in all.
int64_t placeRings(mlir::LLVM::LLVMFuncOp function);

/// Rings over mbarriers, filled by tensor maps or by asynchronous copies.
void populateRingPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Products by mma.sync with operands fetched by ldmatrix.
void populateMmaSyncPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// Asynchronous products by wgmma.
void populateWgmmaPatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// Stores, through shared memory or not.
void populateStorePatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// Whether a store may go through its scratch: rows of the view are whole
/// chunks of 16 bytes.
bool storesChunks(StoreOp op);
/// What the threads of a warp agree on.
void populateVotePatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Waits of persistent CTAs for each other.
void populateInStepPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Math functions of scalars and vectors of f32.
void populateMathPatterns(mlir::RewritePatternSet &patterns);

/// A pointer into shared memory, `offset` bytes on.
mlir::Value sharedAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                     const SharedTile::Offset &offset);
/// A pointer `bytes` on; the byte count is a constant or a 32- or 64-bit value.
mlir::Value advance(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                    mlir::Value bytes);
mlir::Value advance(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                    int64_t bytes);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_LOWERING_H
