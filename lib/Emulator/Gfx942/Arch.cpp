//===- Arch.cpp - What the emulator is of ---------------------------------===//
//
// Machines and bytes of LDS: LLVM's "User Guide for AMDGPU Backend", tables
// "AMDGPU ELF Header e_flags" and "AMDGPU Processors"; those of gfx950 as in
// AMD ROCm documentation, AMD GPU specifications (MI355X).
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Emulator/Gfx942/Arch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace attn::gfx942;

static constexpr ArchInfo kInfos[kArchs] = {
    {Arch::Gfx942, "gfx942", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942,
     64 * 1024},
    {Arch::Gfx950, "gfx950", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950,
     160 * 1024}};

const ArchInfo &attn::gfx942::infoOf(Arch arch) {
  return kInfos[static_cast<unsigned>(arch)];
}

const ArchInfo *attn::gfx942::findArch(uint32_t machine) {
  const auto *it = llvm::find_if(
      kInfos, [&](const ArchInfo &info) { return info.machine == machine; });
  return it == std::end(kInfos) ? nullptr : it;
}
