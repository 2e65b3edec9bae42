//===- RoleRegisters.h - Registers of a producer and of consumers -*- C++ -*-=//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_ROLEREGISTERS_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_ROLEREGISTERS_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

namespace attn {

/// Registers of a thread of each role, where a group of four warps copies
/// beside those that compute (PTX ISA, "setmaxnreg"; what a CTA gets at its
/// launch is what it may distribute).
struct RoleRegisters {
  static constexpr int64_t kGroupThreads = 128;
  /// Rows of a result that these have of one product (PTX ISA, "wgmma").
  static constexpr int64_t kGroupRows = 64;
  /// Of a thread that computes, beside tiles: addresses, rows' numbers, loops.
  static constexpr int64_t kBesideTiles = 24;

  int64_t producer, consumer;
};

/// CTAs that an SM holds at once, of `threads` that compute and so many bytes
/// of shared memory: two at most, where one group of threads leaves registers
/// for that. The second computes while the first waits for what it begins or
/// ends with.
int64_t residentWithRoles(TargetAttr target, int64_t threads,
                          int64_t sharedBytes);

/// The registers of the roles of each of `resident` CTAs of an SM, of `threads`
/// that compute; `producer`: what a schedule gives a thread that copies, or 0.
RoleRegisters roleRegisters(TargetAttr target, int64_t threads,
                            int64_t resident, int64_t producer = 0);

/// Whether a schedule may give a thread that copies so many registers: a
/// multiple of 8 from 24 on (PTX ISA, "setmaxnreg"), at most 64, or 0.
bool isProducerRegisters(int64_t registers);

/// An error at the kernel where it may not.
llvm::LogicalResult checkProducerRegisters(KernelOp kernel, int64_t registers);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_ROLEREGISTERS_H
