//===- Lds.cpp - Local data share with a race detector --------------------===//

#include "Lds.h"
#include "attn-mlir/Emulator/Gfx942/GlobalMemory.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

using namespace attn::gfx942;
using namespace llvm;

void Lds::reset(uint32_t bytes, unsigned waveCount) {
  data.resize(bytes);
  for (uint32_t i = 0; i < bytes; ++i)
    data[i] = uint8_t(kPoison >> (8 * (i % 4)));
  waves = waveCount;
  size_t dwords = (bytes + 3) / 4;
  shadow.assign(dwords, Shadow());
  reads.assign(dwords * waves, Record());
  writes.assign(dwords * waves, Record());
}

std::string Lds::conflict(const LdsAccess &access, uint32_t dword,
                          ArrayRef<Record> records, bool recordsAreWrites) {
  for (unsigned wave = 0; wave < waves; ++wave) {
    const Record &other = records[dword * waves + wave];
    if (wave == access.wave || !other.inst || other.completed < access.issued ||
        access.completed < other.issued)
      continue;
    auto label = [](bool store, unsigned w, const Inst &inst) {
      return (store ? "write by wave " : "read by wave ") + std::to_string(w) +
             " at pc 0x" + utohexstr(inst.pc, true) + " '" + inst.text + "'";
    };
    return "race on LDS bytes " + std::to_string(dword * 4) + ".." +
           std::to_string(dword * 4 + 3) + ": " +
           label(access.store, access.wave, *access.inst) + " and " +
           label(recordsAreWrites, wave, *other.inst) +
           " have no barrier between them";
  }
  return {};
}

std::string Lds::checkDword(const LdsAccess &access, uint32_t dword) {
  Shadow &s = shadow[dword];
  std::string message;
  if (s.lastWrite >= access.issued)
    message = conflict(access, dword, writes, /*recordsAreWrites=*/true);
  if (message.empty() && access.store && s.lastAccess >= access.issued)
    message = conflict(access, dword, reads, /*recordsAreWrites=*/false);
  int64_t last = access.completed;
  s.lastAccess = std::max(s.lastAccess, last);
  if (access.store)
    s.lastWrite = std::max(s.lastWrite, last);
  auto &records = access.store ? writes : reads;
  records[dword * waves + access.wave] = {access.inst, access.issued,
                                          access.completed};
  return message;
}

std::string Lds::check(const LdsAccess &access, uint64_t offset,
                       unsigned size) {
  unsigned alignment = size == 12 ? 16 : size;
  if (offset % alignment != 0)
    return "misaligned LDS access: " + std::to_string(size) + " bytes at " +
           std::to_string(offset) + ", but expected a multiple of " +
           std::to_string(alignment);
  if (offset > data.size() || size > data.size() - offset)
    return "LDS access out of range: " + std::to_string(size) + " bytes at " +
           std::to_string(offset) + " of " + std::to_string(data.size());
  for (uint32_t dword = offset / 4; dword <= (offset + size - 1) / 4; ++dword) {
    std::string message = checkDword(access, dword);
    if (!message.empty())
      return message;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Bank conflicts
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned kBanks = 32;

/// Cycles of one phase: the most distinct dwords that one bank has to serve.
class Phase {
public:
  void add(uint32_t dword) {
    auto &bank = banks[dword % kBanks];
    if (std::find(bank.begin(), bank.end(), dword) == bank.end())
      bank.push_back(dword);
  }
  unsigned cycles() const {
    size_t most = 0;
    for (const auto &bank : banks)
      most = std::max(most, bank.size());
    return most;
  }

private:
  std::array<SmallVector<uint32_t, 4>, kBanks> banks;
};

} // namespace

/// The lanes of phase `phase`. 4-byte accesses: 32 consecutive lanes; 8-byte:
/// 16; 16-byte: 8, of which reads take four from each half of a group of 32
/// lanes.
static SmallVector<unsigned, 32> lanesOfPhase(unsigned phase, unsigned size,
                                              bool store) {
  SmallVector<unsigned, 32> lanes;
  if (size == 16 && !store) {
    // 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27.
    static const unsigned second[4] = {20, 16, 28, 24};
    unsigned base = phase / 4 * 32;
    for (unsigned i = 0; i < 4; ++i)
      lanes.push_back(base + phase % 4 * 4 + i);
    for (unsigned i = 0; i < 4; ++i)
      lanes.push_back(base + second[phase % 4] + i);
    return lanes;
  }
  unsigned count = size == 16 ? 8 : size == 8 ? 16 : 32;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(phase * count + i);
  return lanes;
}

LdsCycles attn::gfx942::countLdsCycles(ArrayRef<uint32_t> addresses,
                                       uint64_t active, unsigned size,
                                       bool store) {
  unsigned width = size > 8 ? 16 : std::max(size, 4u);
  unsigned phases = 2 * width / 4;
  LdsCycles result;
  for (unsigned p = 0; p < phases; ++p) {
    Phase phase;
    for (unsigned lane : lanesOfPhase(p, width, store))
      if (active >> lane & 1)
        for (unsigned byte = 0; byte < size; byte += 4)
          phase.add((addresses[lane] + byte) / 4);
    unsigned cycles = phase.cycles();
    result.total += cycles;
    result.conflicts += cycles ? cycles - 1 : 0;
  }
  return result;
}
