//===- ROCDLLowering.h - Pieces of the lowering to ROCDL --------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_ROCDLLOWERING_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_ROCDLLOWERING_H

#include "../AttnToGPU/Device.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

namespace attn {

/// Lanes of a wave.
constexpr int64_t kLanes = 64;

/// Address spaces of AMDGPU beside those of AddressSpace (LLVM, "User Guide for
/// AMDGPU Backend", "Address Spaces").
enum AmdAddressSpace : unsigned { kPrivate = 5, kBufferResource = 8 };

/// Bytes of which addresses of loads and stores of several words must be
/// multiples (AMD CDNA 3 ISA, "Memory alignment").
constexpr int64_t kAlignment = 4;

/// Threads of the function around `op`.
int64_t threadsOf(mlir::Operation *op);

/// Makes a function of outlineKernel a kernel for AMD GPUs, with `sharedBytes`
/// of LDS.
void makeAmdKernel(mlir::LLVM::LLVMFuncOp function, int64_t sharedBytes);

/// Hints as what LLVM's scheduler is told.
void populateSchedulingHintPatterns(const mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);
/// Waits for all threads of the CTA, and for their accesses to LDS; loads from
/// global memory may still be under way.
void ldsBarrier(mlir::OpBuilder &b, mlir::Location loc);

/// Keeps accesses of a wave to LDS in order, whichever lanes they are of.
void warpFence(mlir::OpBuilder &b, mlir::Location loc);

/// Where rings lie in LDS: set on each attn.ring.create of a function as an
/// attribute; returns the bytes in all.
int64_t placeRingsInLds(mlir::LLVM::LLVMFuncOp function);

/// An address in LDS, `offset` + `constant` bytes on.
mlir::Value ldsAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value offset,
                  int64_t constant);

/// A tile of a view behind a buffer descriptor (AMD CDNA 3 ISA, "Buffer
/// resource descriptor"): what lies outside of the view is read as zero, by
/// the bounds of the descriptor and of the columns.
class Window {
public:
  /// Of the tile of `shape` at `offsets` of `view`. A tile of rank 1 is one
  /// row. `until` (null: none) ends the view in the tile's first dimension.
  Window(mlir::OpBuilder &b, mlir::Location loc, mlir::Value view,
         mlir::ValueRange offsets, llvm::ArrayRef<int64_t> shape,
         mlir::Value until = {});

  /// `count` elements from (row, column + constant) on, of which the columns
  /// are a multiple, as 32-bit words. Nothing is read unless `exists` (null:
  /// true).
  mlir::Value load(mlir::Value row, mlir::Value column, int64_t constant,
                   int64_t count, mlir::Value exists = {}) const;

  /// The same for 16 bytes a lane, which lie from `to` on in LDS, lane by lane.
  /// `to` is the same for all lanes; rows must not end within the 16 bytes.
  void loadToLds(mlir::Value row, mlir::Value column, mlir::Value to) const;

private:
  /// Where a load begins; outside of the buffer unless `exists`.
  mlir::Value offsetOf(mlir::Value row, mlir::Value start,
                       mlir::Value exists) const;
  /// Zeros in the elements of `words` from `limit` - `column` on.
  mlir::Value clear(mlir::Value words, mlir::Value column) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value descriptor, rowBytes;
  /// Columns of the view from the tile's first on; null where the tile has no
  /// more.
  mlir::Value limit;
  int64_t elementBytes;
  /// Whether rows may end within a load.
  bool ragged;
};

/// Adds to the manifest of `function` which strides of rows Windows of its
/// tiles can have.
void limitRowStrides(mlir::LLVM::LLVMFuncOp function);

/// Neighbouring columns that a lane loads or stores at once of a tile with this
/// layout.
int64_t accessRun(FragmentAttr layout, ViewType view);
/// Loads and stores of tiles in registers.
void populateAccessPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Rings in LDS, filled through registers.
void populateLdsRingPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// Rings in LDS that loads fill past the registers.
void populateCopyToLdsPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
/// States that loads to LDS change nothing that other accesses of the function
/// read or write: barriers and waits stand between those that do. LLVM would
/// wait for all of them before each read.
void separateLoadsToLds(mlir::LLVM::LLVMFuncOp function);
/// 32-bit words that each of `threads` threads has of a copy under way.
int64_t wordsOfCopy(mlir::RankedTensorType tile, int64_t threads);
/// Products by MFMA.
void populateMfmaPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Scores that masks by bounds of columns remove.
void populateBandPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Capability of targets whose FP8 is OCP's.
constexpr llvm::StringLiteral kOcpTypes = "fp8-ocp";
/// Whether a target has instructions that convert f32 to a type of FP8, and
/// multiply it, and for diagnostics those types.
bool convertsToFloat8(TargetAttr target, mlir::Type type);
llvm::StringRef float8TypesOf(TargetAttr target);
/// Conversions of tiles to FP8.
void populateNarrowingPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

/// What the lanes of a wave agree on.
void populateBallotPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// Takes vectors of selects apart, so that few conditions are alive at once.
void splitSelects(mlir::LLVM::LLVMFuncOp function);
/// f32 to bf16 in few instructions; whether one of the target `converts`.
void populateTruncatePatterns(mlir::RewritePatternSet &patterns, bool converts);

/// The value of the lane whose number differs in the bits of `mask`, 16 or 32.
mlir::Value exchangeLanes(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, int64_t mask);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_ROCDLLOWERING_H
