//===- EmulatedProgram.h - A program for gfx942 in the emulator -*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_EMULATEDPROGRAM_H
#define ATTN_MLIR_TEST_LIB_EMULATEDPROGRAM_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/CpuKernel.h"

struct AttnBundle;

namespace attn_random {

/// A module that is lowered for AMD GPUs, as a bundle that the launcher opened:
/// all kernels of its one function, and their workspace. The device is the
/// emulator behind HIP's interface.
class EmulatedProgram {
public:
  /// Null after a diagnostic.
  static std::unique_ptr<EmulatedProgram> compile(mlir::ModuleOp lowered);
  EmulatedProgram() = default;
  ~EmulatedProgram();
  EmulatedProgram(const EmulatedProgram &) = delete;
  EmulatedProgram &operator=(const EmulatedProgram &) = delete;

  /// Launches it on copies of the views of `op`, in a workspace full of NaN,
  /// and copies these back. Waves are interleaved as `seed` says. A program
  /// that does not take the views' strides is an error that says so in
  /// EmulatedKernel::kUnaligned.
  llvm::Error run(attn::StreamableOpInterface op,
                  llvm::ArrayRef<attn::StridedBuffer> views,
                  llvm::ArrayRef<attn::ScalarBytes> scalars, uint64_t seed);

private:
  AttnBundle *bundle = nullptr;
};

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_EMULATEDPROGRAM_H
