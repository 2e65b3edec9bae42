//===- Harness.h - Runs a few instructions on one wave ----------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_EMULATOR_UNIT_HARNESS_H
#define ATTN_MLIR_TEST_EMULATOR_UNIT_HARNESS_H

#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include "llvm/ADT/bit.h"
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace emulator_test {

using attn::gfx942::Arch;
using attn::gfx942::CodeObject;
using attn::gfx942::Counters;
using attn::gfx942::Dim3;
using attn::gfx942::kPoison;
using attn::gfx942::LaunchOptions;
using attn::gfx942::Machine;
using attn::gfx942::WaveRegisters;

/// Registers outside of s0..s101 in `WaveRegisters::sgpr`.
enum : unsigned { kVccLo = 106, kM0 = 124, kExecLo = 126 };

/// Counts checks; the closing line is what lit reads.
class Tally {
public:
  bool check(bool ok, const std::string &what);
  int close() const;

private:
  unsigned passed = 0, failed = 0;
};
Tally &tally();

/// The machine code of `text`, ended by s_endpgm. Ends the process where it
/// does not assemble: a mistake of the test.
std::vector<uint8_t> assemble(const std::string &text,
                              Arch arch = Arch::Gfx942);

/// A kernel of one snippet: all 512 vector registers, denormals kept, no user
/// SGPRs.
struct Snippet {
  std::string text;
  Arch arch = Arch::Gfx942;
  /// What `text` is assembled for; `arch` where there is none.
  std::optional<Arch> assembledFor = std::nullopt;
  unsigned waves = 1;
  uint32_t ldsBytes = 0, scratchBytes = 0;
  /// FLOAT_DENORM_MODE_16_64 (upper two bits) and _32.
  unsigned denormMode = 0xf;
  LaunchOptions options;
  Machine *machine = nullptr; // one of its own where null

  /// Runs it; the error's text, or an empty string. `counters` may be null.
  std::string run(Counters *counters = nullptr) const;
};

/// The names of the instructions of every snippet that ran so far.
std::set<std::string> &testedInstructions();

using Registers = std::function<void(WaveRegisters &)>;

/// Runs `text` on one wave between `before` and `after`; a launch error fails
/// `text`.
void runWave(const std::string &text, Registers before, Registers after,
             Arch arch = Arch::Gfx942);
/// An instruction on the same operands in every lane.
struct OperandCase {
  const char *text; // v0 = op of v1, v2, v3
  uint32_t a, b, c, result;
};
/// Sets what `c` is on: v0 is 0xcccccccc, so that what is kept of it shows.
void setOperands(WaveRegisters &w, const OperandCase &c);
/// Runs a case and checks v0 of the first and the last lane.
void runCase(const OperandCase &c, Arch arch = Arch::Gfx942);
/// Expects the launch of `snippet` to stop with a message that holds `part`.
void expectError(Snippet snippet, const std::string &part);

inline float asFloat(uint32_t x) { return llvm::bit_cast<float>(x); }
inline uint32_t asBits(float x) { return llvm::bit_cast<uint32_t>(x); }
std::string hex(uint64_t x);

inline uint64_t pairOf(WaveRegisters &w, unsigned r) {
  return w.sgpr(r) | uint64_t(w.sgpr(r + 1)) << 32;
}
inline void setPair(WaveRegisters &w, unsigned r, uint64_t x) {
  w.sgpr(r) = uint32_t(x);
  w.sgpr(r + 1) = uint32_t(x >> 32);
}

/// Products of matrices, each operand filled through its layout (Mfma.cpp).
void testMfmaOfGfx950();

// One function for each group of tests.
void testScalar();
void testVectorInteger();
void testVectorFloat();
void testConversions();
void testFloat8Formats();
void testCompares();
void testModifiers();
void testLanes();
void testPacked();
void testMfma();
void testLds();
void testVectorMemory();
void testScalarMemory();
void testWidths();
void testErrors();
void testGfx950();

} // namespace emulator_test

#endif // ATTN_MLIR_TEST_EMULATOR_UNIT_HARNESS_H
