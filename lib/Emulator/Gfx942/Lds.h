//===- Lds.h - Local data share with a race detector ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_LDS_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_LDS_H

#include "Instruction.h"
#include "attn-mlir/Emulator/Gfx942/Arch.h"
#include "llvm/ADT/ArrayRef.h"

namespace attn::gfx942 {

/// One wave's access to LDS. Epochs are counts of the barriers that the wave
/// has passed: when the instruction was issued, and when a wait completed it.
/// In between is when the hardware may perform it.
struct LdsAccess {
  const Inst *inst;
  unsigned wave;
  uint32_t issued, completed;
  bool store;
};

/// A workgroup's LDS. A shadow of every dword keeps each wave's last read and
/// write; two accesses of different waves, one of them a write, must not have
/// overlapping epochs.
class Lds {
public:
  void reset(uint32_t bytes, unsigned waves);

  uint32_t size() const { return data.size(); }
  uint8_t *bytes() { return data.data(); }

  /// Checks `size` bytes at `offset` for range, alignment and races, and
  /// records the access. Returns a message, or an empty string.
  std::string check(const LdsAccess &access, uint64_t offset, unsigned size);

private:
  struct Record {
    const Inst *inst = nullptr;
    uint32_t issued = 0, completed = 0;
  };
  struct Shadow {
    // The last epoch of any wave's access; -1: none. Decides most checks.
    int64_t lastWrite = -1, lastAccess = -1;
  };
  std::string checkDword(const LdsAccess &access, uint32_t dword);
  std::string conflict(const LdsAccess &access, uint32_t dword,
                       llvm::ArrayRef<Record> records, bool recordsAreWrites);

  std::vector<uint8_t> data;
  unsigned waves = 0;
  std::vector<Shadow> shadow;
  std::vector<Record> reads, writes; // [dword][wave]
};

/// Cycles that the LDS spends on one access by `active` lanes at byte
/// `addresses`, `size` bytes a lane, and how many of them are bank conflicts.
/// Banks have 4 bytes; lanes meet in phases (docs/emulator.md); lanes that read
/// the same dword share it.
struct LdsCycles {
  unsigned total = 0, conflicts = 0;
};
LdsCycles countLdsCycles(Arch arch, llvm::ArrayRef<uint32_t> addresses,
                         uint64_t active, unsigned size, bool store);

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_LDS_H
