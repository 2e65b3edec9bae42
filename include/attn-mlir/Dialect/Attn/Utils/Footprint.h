//===- Footprint.h - What a tile asks of the target -------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_FOOTPRINT_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_FOOTPRINT_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

namespace attn {
class KernelOp;
class RingCreateOp;
class RingType;

/// Resources that one CTA needs.
struct Footprint {
  /// Bytes of shared memory: tiles that stay (but see kResidentInRegisters),
  /// and a double buffer of those that are streamed.
  int64_t sharedBytes = 0;
  /// 32-bit registers: the state and what a fold holds beside it.
  int64_t registers = 0;
};

/// Stages of a ring of streamed tiles by default: one computed on, one in
/// flight.
constexpr int64_t kDefaultStages = 2;

/// Those that a footprint counts.
constexpr int64_t kFootprintStages = kDefaultStages;

/// Capability of targets that keep the tiles that stay in registers.
constexpr llvm::StringLiteral kResidentInRegisters = "resident-in-registers";

/// The footprint on `target` of one tile of `op`, with `sizes` for its axes.
Footprint footprintOf(TargetAttr target, StreamableOpInterface op,
                      llvm::ArrayRef<int64_t> sizes);

/// Bytes of the tiles of `op` that go by in one step of its stream.
int64_t streamedBytes(StreamableOpInterface op, llvm::ArrayRef<int64_t> sizes);

/// The footprint of a kernel on its target, read off its loads and the values
/// that its streams carry.
Footprint footprintOf(KernelOp kernel);

/// Bytes of the slots of a ring in shared memory, each of which begins at a
/// multiple of 1024: the swizzle repeats every 1024 bytes at most.
int64_t slotBytes(RingType ring);
/// Of those that are in memory.
int64_t slotBytes(RingCreateOp ring);

/// Reports a number of stages that no ring has; 0 stands for the default.
llvm::LogicalResult checkStages(KernelOp kernel, int64_t stages);

/// Bytes of the barriers of a ring: two for each slot.
int64_t barrierBytes(RingType ring);

/// CTAs of this footprint that an SM of the target holds at once, at least 1.
int64_t residentCtas(TargetAttr target, const Footprint &footprint);

/// Whether one CTA fits an SM of the target.
bool fits(TargetAttr target, const Footprint &footprint);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_FOOTPRINT_H
