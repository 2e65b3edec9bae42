//===- Machine.h - A functional emulator of AMD GPUs ------------*- C++ -*-===//
//
// Executes the machine code of a code object: all waves of all workgroups, with
// the checks of docs/emulator.md (waits, races, bounds). It models no time.
// Sources: "AMD Instinct MI300 Instruction Set Architecture" (CDNA3), and, for
// gfx950, "AMD CDNA 4 Instruction Set Architecture".
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_EMULATOR_GFX942_MACHINE_H
#define ATTN_MLIR_EMULATOR_GFX942_MACHINE_H

#include "attn-mlir/Emulator/Gfx942/CodeObject.h"
#include "attn-mlir/Emulator/Gfx942/Counters.h"
#include "attn-mlir/Emulator/Gfx942/GlobalMemory.h"
#include <functional>
#include <optional>

namespace attn::gfx942 {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// The order in which a workgroup's waves are run. `Forward` and `Reverse` run
/// a wave until it waits at a barrier or ends, lowest or highest wave first
/// (and workgroup); `Random` picks a wave for every few instructions.
enum class Interleaving { Forward, Reverse, Random };

/// A wave's registers, for tests that set them before the first instruction and
/// read them after the last.
class WaveRegisters {
public:
  virtual ~WaveRegisters() = default;
  virtual uint32_t &vgpr(unsigned index, unsigned lane) = 0;
  virtual uint32_t &agpr(unsigned index, unsigned lane) = 0;
  /// By number as the ISA encodes them: 106 is VCC_LO, 124 M0, 126 EXEC_LO.
  virtual uint32_t &sgpr(unsigned index) = 0;
  virtual bool &scc() = 0;
};

struct LaunchOptions {
  Interleaving interleaving = Interleaving::Forward;
  uint64_t seed = 0;
  /// Deletes the n-th `s_barrier` (`s_waitcnt`) of the kernel's code, from 0,
  /// in the order of the text: for tests that something notices.
  std::optional<unsigned> dropBarrier, dropWait;
  /// An error after so many wave instructions: a loop without end.
  uint64_t maxInstructions = uint64_t(1) << 36;
  /// Prints every instruction of this wave (of workgroup 0) to stderr.
  std::optional<unsigned> traceWave;
  /// Called for every wave before its first and after its last instruction.
  std::function<void(WaveRegisters &)> beforeWave, afterWave;
};

/// The static instructions of a kernel, for mutation tests and reports.
struct CodeSummary {
  unsigned instructions = 0, barriers = 0, waits = 0;
  /// The disassembly, one line each: address, text.
  std::vector<std::string> text;
  /// Each instruction's name, without the suffix of its encoding.
  std::vector<std::string> names;
  /// Instructions that the emulator has no semantics for: "pc: text".
  std::vector<std::string> unsupported;
};

/// A device: memory, and launches on it.
class Machine {
public:
  /// The names of all instructions that have semantics, sorted.
  static std::vector<std::string> instructions();

  Machine();
  ~Machine();

  GlobalMemory &memory();

  /// Runs `kernel` on `grid` workgroups of `block` work-items to the end.
  /// `kernargs` holds the explicit arguments in the layout of the metadata;
  /// hidden ones (block counts, group sizes, ...) are filled in. Errors:
  /// anything of docs/emulator.md's list; the message names kernel, workgroup,
  /// wave, pc and instruction. Memory then holds what was stored so far.
  llvm::Expected<Counters> launch(const CodeObject &object,
                                  llvm::StringRef kernel, Dim3 grid, Dim3 block,
                                  llvm::ArrayRef<uint8_t> kernargs,
                                  uint32_t dynamicLds = 0,
                                  const LaunchOptions &options = {});

  /// Decodes `kernel` without running it.
  llvm::Expected<CodeSummary> summarize(const CodeObject &object,
                                        llvm::StringRef kernel);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_EMULATOR_GFX942_MACHINE_H
