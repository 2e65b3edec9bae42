//===- Counters.h - What an emulated launch counts --------------*- C++ -*-===//

#ifndef ATTN_MLIR_EMULATOR_GFX942_COUNTERS_H
#define ATTN_MLIR_EMULATOR_GFX942_COUNTERS_H

#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <vector>

namespace attn::gfx942 {

/// Classes of wave instructions. `Transcendental` are VALU instructions at a
/// quarter of the rate (exp, log, rcp, rsq, sqrt, sin, cos), counted here only.
enum class InstClass : uint8_t {
  Mfma,
  Valu,
  Transcendental,
  Salu,
  Branch,
  Lds,
  Vmem,
  Scratch,
  Smem,
  Barrier,
  Waitcnt,
  Other,
};
inline constexpr unsigned kInstClasses = 12;

/// The name of a class in the JSON form ("mfma", "valu", ...).
const char *instClassName(InstClass c);

/// Sums over all waves of a launch.
struct Counters {
  std::array<uint64_t, kInstClasses> instructions{};
  uint64_t waves = 0, workgroups = 0;
  /// How often waves executed each `s_barrier` of the code, in the order of the
  /// text; a deleted one counts, too. One at 0 is not tested by the launch.
  std::vector<uint64_t> barrierExecutions;
  /// Multiply-adds of MFMA times two.
  uint64_t mfmaFlops = 0;
  /// Bytes that active lanes loaded and stored (an access out of a V#'s bounds
  /// moves none), and 128-byte cache lines touched, each once per instruction.
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0;
  uint64_t globalLoadLines = 0, globalStoreLines = 0;
  uint64_t ldsReadBytes = 0, ldsWriteBytes = 0;
  /// Cycles of the LDS that accesses take, and those among them that distinct
  /// dwords of one bank within one phase cost (docs/emulator.md has the
  /// phases).
  uint64_t ldsCycles = 0, ldsConflictCycles = 0, ldsWriteConflictCycles = 0;

  uint64_t &of(InstClass c) { return instructions[static_cast<unsigned>(c)]; }
  uint64_t of(InstClass c) const {
    return instructions[static_cast<unsigned>(c)];
  }
  uint64_t total() const;
  void add(const Counters &other);
  llvm::json::Value toJSON() const;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_EMULATOR_GFX942_COUNTERS_H
