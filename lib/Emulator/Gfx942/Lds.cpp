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

constexpr unsigned kMostBanks = 64;

/// How the lanes of a wave meet in an access. Phases take lanes four by four,
/// in this order in either half of the wave.
struct Phasing {
  unsigned lanes = 32; // of a phase
  unsigned banks = 32;
  std::array<uint8_t, 8> quads = {0, 1, 2, 3, 4, 5, 6, 7};

  /// The n-th lane, in the order of phases.
  unsigned laneAt(unsigned n) const {
    return n / 32 * 32 + quads[n % 32 / 4] * 4u + n % 4;
  }
};

/// Cycles of one phase: the most distinct dwords that one bank has to serve.
class Phase {
public:
  explicit Phase(unsigned bankCount) : bankCount(bankCount) {}
  void clear() {
    for (auto &bank : banks)
      bank.clear();
  }
  void add(uint32_t dword) {
    auto &bank = banks[dword % bankCount];
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
  unsigned bankCount;
  std::array<SmallVector<uint32_t, 4>, kMostBanks> banks;
};

} // namespace

/// Of an access of `width` bytes (4, 8, 12, 16) a lane on gfx942; also of
/// writes, and of reads of 12 bytes, on gfx950.
static Phasing phasingOfHalf(unsigned width, bool store) {
  Phasing phasing;
  phasing.lanes = width > 8 ? 8 : 128 / width;
  // 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27.
  if (width > 8 && !store)
    phasing.quads = {0, 5, 1, 4, 2, 7, 3, 6};
  return phasing;
}

/// Of a read on gfx950, which has twice the banks for it.
static Phasing phasingOfFullRead(unsigned width) {
  Phasing phasing;
  phasing.lanes = 256 / width;
  phasing.banks = kMostBanks;
  // 0-3 with 12-15, 20-23 and 24-27; 4-7 with 8-11, 16-19 and 28-31.
  if (width == 16)
    phasing.quads = {0, 3, 5, 6, 1, 2, 4, 7};
  return phasing;
}

static Phasing phasingOf(Arch arch, unsigned size, bool store) {
  unsigned width = std::max(size, 4u);
  if (arch == Arch::Gfx950 && !store && width != 12)
    return phasingOfFullRead(width);
  return phasingOfHalf(width, store);
}

LdsCycles attn::gfx942::countLdsCycles(Arch arch, ArrayRef<uint32_t> addresses,
                                       uint64_t active, unsigned size,
                                       bool store) {
  Phasing phasing = phasingOf(arch, size, store);
  Phase phase(phasing.banks);
  LdsCycles result;
  for (unsigned first = 0; first < addresses.size(); first += phasing.lanes) {
    phase.clear();
    for (unsigned n = first; n < first + phasing.lanes; ++n) {
      unsigned lane = phasing.laneAt(n);
      if (active >> lane & 1)
        for (unsigned byte = 0; byte < size; byte += 4)
          phase.add((addresses[lane] + byte) / 4);
    }
    unsigned cycles = phase.cycles();
    result.total += cycles;
    result.conflicts += cycles ? cycles - 1 : 0;
  }
  return result;
}
