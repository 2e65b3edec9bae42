//===- Arch.h - What the emulator is of -------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_EMULATOR_GFX942_ARCH_H
#define ATTN_MLIR_EMULATOR_GFX942_ARCH_H

#include <cstdint>

namespace attn::gfx942 {

/// An architecture: CDNA 3 (MI300X), CDNA 4 (MI355X).
enum class Arch : uint8_t { Gfx942, Gfx950 };
inline constexpr unsigned kArchs = 2;

struct ArchInfo {
  Arch arch;
  const char *name;
  /// EF_AMDGPU_MACH of its code objects.
  uint32_t machine;
  /// The most that a workgroup may have.
  uint32_t ldsBytes;
};

const ArchInfo &infoOf(Arch arch);
/// By EF_AMDGPU_MACH; null where the emulator does not know it.
const ArchInfo *findArch(uint32_t machine);

} // namespace attn::gfx942

#endif // ATTN_MLIR_EMULATOR_GFX942_ARCH_H
