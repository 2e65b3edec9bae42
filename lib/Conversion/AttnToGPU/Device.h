//===- Device.h - What lowerings to GPUs have in common ---------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_DEVICE_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_DEVICE_H

#include "../Fragments/FragmentsToVectors.h"
#include "../Fragments/SharedTile.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {
class AccumulateOp;
class KernelOp;
class LoadOp;
class RingCreateOp;
class StoreOp;

/// Address spaces that NVPTX and AMDGPU number alike.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3 };

/// Shared memory, as a symbol of the gpu.module.
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

/// A diagnostic where the target of a module lacks one of these capabilities.
mlir::LogicalResult
checkCapabilities(mlir::ModuleOp module,
                  llvm::ArrayRef<llvm::StringRef> capabilities);
/// A diagnostic where a function of outlineKernel wants more bytes of shared
/// memory than a CTA of its target has; `memory` is what the vendor calls it.
mlir::LogicalResult checkSharedBytes(mlir::LLVM::LLVMFuncOp function,
                                     int64_t bytes, llvm::StringRef memory);

/// Makes an llvm.func in a gpu.module of a kernel whose grid is materialised.
/// Views are casts of its parameters (ViewParameters); attn.manifest describes
/// what a launcher passes. What makes it a kernel of a target, and its shared
/// memory, are the caller's. Null after a diagnostic.
mlir::LLVM::LLVMFuncOp outlineKernel(KernelOp kernel);

/// Drops parameters that nothing uses, also from the manifest.
void dropUnusedParameters(mlir::LLVM::LLVMFuncOp function);

/// Sets entries of the manifest of a function.
void addToManifest(
    mlir::LLVM::LLVMFuncOp function,
    llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Attribute>> entries);

/// The views of a function of outlineKernel, by their numbers.
llvm::SmallVector<mlir::Value> viewsOf(mlir::LLVM::LLVMFuncOp function);

/// For the manifest: bytes of which bases and strides of each view are
/// multiples. An element, or what `accessBytes` says that a user moves at once
/// (0: elements).
mlir::ArrayAttr
findAlignments(mlir::LLVM::LLVMFuncOp function,
               llvm::function_ref<int64_t(mlir::Operation *)> accessBytes);

/// Erases views, and the index arithmetic that only they needed.
void eraseViews(mlir::LLVM::LLVMFuncOp function);

/// Indices are 32 bits wide on the device. Sizes, and what is computed from
/// them alone, are at most this, so that sums of two and a constant (below
/// 2^30) fit.
constexpr int64_t kMostIndex = int64_t(1) << 29;
/// A diagnostic where a constant or a static size is beyond that.
mlir::LogicalResult checkIndices(KernelOp kernel);
/// What must hold of sizes for all indices of a kernel to fit: expressions of
/// docs/bundle.md, for the manifest.
mlir::ArrayAttr findLimits(KernelOp kernel);
/// Adds one to the manifest of a function.
void addLimit(mlir::LLVM::LLVMFuncOp function, mlir::Attribute condition);

/// Names of the LLVM intrinsics that compute an f32 in one instruction.
struct MathIntrinsics {
  llvm::StringRef exp2, log2, rcp;
  /// The larger of two, NaN where one is; empty where none does that.
  llvm::StringRef maximum;
  /// LLVM's tanh with `afn` is one instruction (tanh.approx: PTX ISA, "tanh").
  bool hasTanh = false;
  /// |x|, which instructions take as a modifier of an operand; empty: that of
  /// LLVM, which would make a bit mask of it where x comes as bits from a
  /// product.
  llvm::StringRef magnitude = {};
};
/// Lowers math functions of scalars and vectors of f32, by these intrinsics or
/// MLIR's polynomial approximations; a diagnostic where neither can, which
/// names the GPUs of `vendor`.
mlir::LogicalResult lowerMath(mlir::LLVM::LLVMFuncOp function,
                              const MathIntrinsics &intrinsics,
                              llvm::StringRef vendor);

/// The address of zeros in global memory, as many bytes as a thread loads at
/// once: what is outside of a view, where no load stands behind a branch.
mlir::Value zerosAddress(mlir::OpBuilder &b, mlir::Operation *op);
constexpr int64_t kZeroBytes = 16;

/// Makes a number of 32 bits, which all threads of a CTA have loaded, one that
/// the code generator knows to be the same for all.
using UniformFn =
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
/// Reads and writes of single elements; `makeUniform` may be null.
void populateElementPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns,
                             UniformFn makeUniform = {});

/// Elements of views wherever they lie (`attn.gather`).
void populateGatherPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// Barriers of the threads that compute (`attn.barrier`).
void populateBarrierPattern(
    const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
    std::function<void(mlir::OpBuilder &, mlir::Location)> build);

/// The ring that a value of ring type is.
RingCreateOp ringOf(mlir::Value ring);
/// Where a thread counts the slots of `ring` that were released: 0 where `b`
/// stands. A pointer to this address space, which LLVM makes a register.
mlir::Value createRingCounter(mlir::OpBuilder &b, RingCreateOp ring,
                              unsigned addressSpace = 0);

/// The part of a view that a tile is loaded from or stored to. A tile that is
/// stored starts in the view.
class Destination {
public:
  Destination(StoreOp op, mlir::OpBuilder &b);
  Destination(LoadOp op, mlir::OpBuilder &b);
  Destination(AccumulateOp op, mlir::OpBuilder &b);
  Destination(mlir::OpBuilder &b, mlir::Location loc, mlir::Value view,
              mlir::ValueRange offsets, mlir::RankedTensorType tile);

  /// Whether element (i), (i, j) of the tile lies in the view.
  mlir::Value contains(mlir::ValueRange coordinates) const;
  /// Global address of an element.
  mlir::Value address(mlir::ValueRange coordinates) const;
  /// Stores where `inside` holds.
  void store(mlir::Value value, mlir::ValueRange coordinates,
             mlir::Value inside, unsigned alignment);

private:
  /// Takes elements before the start of the view for outside of it, too.
  void checkStarts(mlir::ValueRange offsets);

  mlir::Value wide(int64_t v) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  ViewParameters view;
  int64_t tileRank, elementBytes;
  mlir::Value origin, exists;
  /// What coordinates stay below: what is left of the view from the tile on,
  /// or, where they are counted from `starts` on, its size.
  llvm::SmallVector<mlir::Value> limits, starts;
};

/// A pointer into shared memory, `offset` bytes on.
mlir::Value sharedAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                     const SharedTile::Offset &offset);
/// A pointer `bytes` on; the byte count is a constant or a 32- or 64-bit value.
mlir::Value advance(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                    mlir::Value bytes);
mlir::Value advance(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base,
                    int64_t bytes);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOGPU_DEVICE_H
