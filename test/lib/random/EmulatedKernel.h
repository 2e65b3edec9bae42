//===- EmulatedKernel.h - A kernel for gfx942 in the emulator ---*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_EMULATEDKERNEL_H
#define ATTN_MLIR_TEST_LIB_EMULATEDKERNEL_H

#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include "attn-mlir/Runtime/CpuKernel.h"

namespace attn_random {

/// How a kernel is launched.
struct EmulatedLaunch {
  attn::gfx942::Interleaving interleaving = attn::gfx942::Interleaving::Forward;
  uint64_t seed = 1;
  /// Where not 0, rows lie so many bytes apart on the device, with nothing
  /// between them that could be accessed.
  int64_t rowBytes = 0;
};

/// A module that is lowered for AMD GPUs, as a bundle would hold it, without
/// files.
class EmulatedKernel {
public:
  /// Null after a diagnostic.
  static std::unique_ptr<EmulatedKernel> compile(mlir::ModuleOp lowered);

  /// Launches it on copies of the views, and copies these back. A kernel that
  /// does not take the views' strides is an error that says so in
  /// `kUnaligned`.
  llvm::Error run(llvm::ArrayRef<attn::StridedBuffer> views,
                  llvm::ArrayRef<attn::ScalarBytes> scalars,
                  const EmulatedLaunch &launch);

  static constexpr llvm::StringLiteral kUnaligned =
      "the manifest expects other strides";

private:
  std::unique_ptr<attn::gfx942::CodeObject> object;
  std::string name;
  mlir::DictionaryAttr manifest;
};

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_EMULATEDKERNEL_H
