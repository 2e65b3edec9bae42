//===- CpuPipelines.h - Level 2 to code for the CPU -------------*- C++ -*-===//
//
// Apart from the other pipelines, so that analyses which run code on the CPU
// can build them, and passes can run these analyses.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_PIPELINES_CPUPIPELINES_H
#define ATTN_MLIR_PIPELINES_CPUPIPELINES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace attn {

/// Level 2, in whatever state the passes left it, to loops on buffers, for the
/// CPU.
void buildLowerToLoopsPipeline(mlir::OpPassManager &pm);

/// The output of buildLowerToLoopsPipeline to the LLVM dialect.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm);

/// Level 2 to what a bundle for the CPU is made of: functions of launches on
/// tensors, and for each kernel a nested module in the LLVM dialect.
void buildLowerToCpuCodePipeline(mlir::OpPassManager &pm);

/// Level 2 to the trace of its accesses, as level 2 (attn-trace).
void buildTracePipeline(mlir::OpPassManager &pm);

} // namespace attn

#endif // ATTN_MLIR_PIPELINES_CPUPIPELINES_H
