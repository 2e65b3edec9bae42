//===- CodeObject.h - A code object (hsaco) ---------------------*- C++ -*-===//
//
// Reads what a loader of AMD's runtime reads: the ELF image, the kernel
// descriptors (`<name>.kd`) and the metadata note. Formats: LLVM's "User Guide
// for AMDGPU Backend", sections "Code Object Metadata" and "Kernel Descriptor".
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_EMULATOR_GFX942_CODEOBJECT_H
#define ATTN_MLIR_EMULATOR_GFX942_CODEOBJECT_H

#include "attn-mlir/Emulator/Gfx942/Arch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace attn::gfx942 {

/// One explicit or hidden kernel argument, from the metadata.
struct KernelArgument {
  std::string name;
  /// "global_buffer", "by_value", "hidden_block_count_x", ...
  std::string valueKind;
  /// Bytes from the start of the kernel-argument segment.
  uint32_t offset = 0;
  uint32_t size = 0;

  bool hidden() const {
    return llvm::StringRef(valueKind).starts_with("hidden");
  }
};

/// A kernel: its descriptor's fields (sizes in bytes) and its arguments.
struct KernelInfo {
  std::string name;
  /// Virtual addresses in the image: the first instruction, and the extent of
  /// the function's symbol.
  uint64_t entry = 0, codeBegin = 0, codeEnd = 0;
  uint32_t ldsBytes = 0, scratchBytes = 0, kernargBytes = 0;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, preload = 0;
  std::vector<KernelArgument> arguments;

  /// VGPRs before the first AGPR in the unified file (ACCUM_OFFSET).
  unsigned accumOffset() const { return ((rsrc3 & 0x3f) + 1) * 4; }
  /// VGPRs and AGPRs allocated to a wave.
  unsigned vectorRegisters() const { return ((rsrc1 & 0x3f) + 1) * 8; }
};

/// A loaded code object. Immutable.
class CodeObject {
public:
  /// Loads an ELF file in memory. Errors: not a code object of a known
  /// architecture, a relocation that a loader would have to apply, a malformed
  /// descriptor or note.
  static llvm::Expected<std::unique_ptr<CodeObject>> load(llvm::StringRef elf,
                                                          llvm::StringRef name);

  /// A kernel that is only code, at virtual address 0: for tests of
  /// instructions.
  static std::unique_ptr<CodeObject> fromCode(llvm::ArrayRef<uint8_t> code,
                                              KernelInfo info,
                                              Arch arch = Arch::Gfx942);

  Arch arch() const { return architecture; }

  llvm::ArrayRef<KernelInfo> kernels() const { return kernelList; }
  /// Errors where there is no such kernel, naming those there are.
  llvm::Expected<const KernelInfo *> find(llvm::StringRef kernel) const;
  /// The loaded segments from virtual address 0.
  llvm::ArrayRef<uint8_t> image() const { return imageBytes; }

private:
  CodeObject() = default;
  Arch architecture = Arch::Gfx942;
  std::vector<uint8_t> imageBytes;
  std::vector<KernelInfo> kernelList;
  friend class CodeObjectReader;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_EMULATOR_GFX942_CODEOBJECT_H
