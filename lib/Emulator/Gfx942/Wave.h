//===- Wave.h - A wave and its workgroup ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_WAVE_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_WAVE_H

#include "Decoder.h"
#include "Lds.h"
#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include "llvm/ADT/Twine.h"
#include <deque>

namespace attn::gfx942 {

inline constexpr unsigned kLanes = 64;
using LaneArray = std::array<uint32_t, kLanes>;

/// What the waves of a workgroup share.
struct Workgroup {
  Arch arch = Arch::Gfx942;
  const Program *program = nullptr;
  GlobalMemory *memory = nullptr;
  Lds lds;
  Counters counters;
  uint64_t codeBase = 0; // device address of the image
  uint32_t scratchBytes = 0;
  Dim3 id;
  /// The first error; the launch stops at it.
  std::string error;
};

/// A vector-memory or LDS instruction that has been issued. It acts when it
/// completes, which is as late as a wait allows.
struct MemOp {
  const Inst *inst = nullptr;
  void (*complete)(Wave &, const MemOp &) = nullptr;
  uint64_t exec = 0;
  uint32_t issued = 0; // barrier epoch
  /// The pending destination, if any.
  uint16_t dst = 0, dstCount = 0;
  /// Bytes a lane of each piece (read2/write2 have two), where it starts, and
  /// for buffers which lanes are in bounds, by dword.
  uint8_t size = 4, pieces = 1;
  uint32_t pieceOffset[2] = {0, 0};
  std::array<uint64_t, 4> inBounds = {~0ull, ~0ull, ~0ull, ~0ull};
  std::array<uint64_t, kLanes> address;
  std::array<LaneArray, 4> data; // stores; dword-wise
  uint32_t ldsBase = 0;          // loads to LDS
};

/// A scalar load that has been issued: complete only after lgkmcnt(0).
struct ScalarLoad {
  const Inst *inst = nullptr;
  uint64_t address = 0;
  uint16_t dst = 0, count = 0;
};

enum class WaveState : uint8_t { Running, AtBarrier, Ended };

class Wave : public WaveRegisters {
public:
  Wave(Workgroup &group, unsigned index) : group(group), index(index) {}

  // Registers.
  uint32_t &vgpr(unsigned r, unsigned lane) override { return v[r][lane]; }
  uint32_t &agpr(unsigned r, unsigned lane) override {
    return v[kFirstAgpr + r][lane];
  }
  uint32_t &sgpr(unsigned r) override { return s[r]; }
  bool &scc() override { return sccBit; }

  uint64_t s64At(unsigned r) const { return s[r] | uint64_t(s[r + 1]) << 32; }
  void setS64At(unsigned r, uint64_t value) {
    s[r] = uint32_t(value);
    s[r + 1] = uint32_t(value >> 32);
  }
  uint64_t exec() const { return s64At(kExec); }
  uint64_t vcc() const { return s64At(kVcc); }

  /// A scalar operand. Integer constants; inline floats as f32 (f64).
  uint32_t read32(const Operand &op) const;
  uint64_t read64(const Operand &op) const;
  void write32(const Operand &op, uint32_t value);
  void write64(const Operand &op, uint64_t value);

  // Mode register, as `s_getreg` reads it.
  bool flushF32In() const { return !(mode >> 4 & 1); }
  bool flushF32Out() const { return !(mode >> 5 & 1); }
  bool dx10Clamp() const { return mode >> 8 & 1; }

  // Execution.
  void fail(const llvm::Twine &message);
  bool failed() const { return !group.error.empty(); }
  /// The instruction that diagnostics name.
  const Inst *current() const { return inst; }
  void setCurrent(const Inst *i) { inst = i; }
  /// Runs at most `budget` instructions, until a barrier, the end or an error.
  uint64_t run(uint64_t budget, bool trace);
  void jump(const Inst &branch);

  // Memory instructions.
  MemOp &issueVmem(const Inst &inst);
  MemOp &issueLds(const Inst &inst);
  void issueScalar(const ScalarLoad &load);
  void waitVmem(unsigned count);
  void waitLgkm(unsigned count);
  void drain() { waitVmem(0), waitLgkm(0); }
  /// Marks the destination of an issued operation as pending, until it
  /// completes.
  void setPending(MemOp &op, unsigned reg, unsigned count, bool vmem);

  alignas(64) std::array<LaneArray, kVectorRegisters> v;
  std::array<uint32_t, kSgprs> s;
  uint32_t mode = 0;
  bool sccBit = false;
  WaveState state = WaveState::Running;
  unsigned pc = 0;    // index in the program
  uint32_t epoch = 0; // barriers passed
  Workgroup &group;
  const unsigned index;
  std::vector<uint8_t> scratch; // [lane][byte]
  /// The lanes that the current vector instruction writes.
  uint64_t laneMask = 0;

private:
  void checkPending(const Inst &inst);
  void checkVectorPending(const Inst &inst, const Operand &op, bool isDef);
  void checkScalarPending(unsigned reg, unsigned count);

  const Inst *inst = nullptr;
  std::deque<MemOp> vmem, ldsQueue;
  std::vector<ScalarLoad> scalarLoads;
  std::array<uint8_t, kVectorRegisters> vmemPending{}, ldsPending{};
  std::array<uint8_t, kSgprs> scalarPending{};
  unsigned vectorsPending = 0;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_WAVE_H
