//===- Hsaco.h - Device functions to machine code for AMD GPUs --*- C++ -*-===//

#ifndef ATTN_MLIR_SERIALIZE_HSACO_H
#define ATTN_MLIR_SERIALIZE_HSACO_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace attn {

/// What the metadata of a code object says of its kernels, the most of each
/// (LLVM, "User Guide for AMDGPU Backend", "Code Object V5 Metadata").
struct HsacoReport {
  /// Registers of a lane (accumulation registers are among `vgprs`) and of a
  /// wave.
  int64_t vgprs = 0, agprs = 0, sgprs = 0;
  /// Bytes of LDS of a CTA, and of scratch memory of a thread.
  int64_t ldsBytes = 0, scratchBytes = 0;
  /// Registers that were spilled: to scratch memory, and to lanes of VGPRs.
  int64_t vgprSpills = 0, sgprSpills = 0;
};

/// A code object that HIP's runtime loads.
struct Hsaco {
  std::string code;
  HsacoReport report;
};

/// Makes assembly of a gpu.module in the LLVM dialect, in process, for an
/// architecture ("gfx942"). Fails after a diagnostic.
mlir::FailureOr<std::string> translateToIsa(mlir::gpu::GPUModuleOp module,
                                            llvm::StringRef arch);

/// Makes a code object, in process, with registers for two waves of a SIMD
/// unless that takes scratch memory. Fails after a diagnostic.
mlir::FailureOr<Hsaco> compileToHsaco(mlir::gpu::GPUModuleOp module,
                                      llvm::StringRef arch);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_HSACO_H
