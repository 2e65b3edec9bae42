//===- HostPipelines.h - Functions around launches to LLVM ------*- C++ -*-===//

#ifndef ATTN_MLIR_PIPELINES_HOSTPIPELINES_H
#define ATTN_MLIR_PIPELINES_HOSTPIPELINES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace attn {

/// Functions on tensors that launch programs, and whose other operations
/// bufferize, to the LLVM dialect. Arguments are memrefs of any strides;
/// results are such arguments, behind the others.
void buildLowerHostToLLVMPipeline(mlir::OpPassManager &pm);

} // namespace attn

#endif // ATTN_MLIR_PIPELINES_HOSTPIPELINES_H
