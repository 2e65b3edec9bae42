//===- Passes.td - Conversions out of the dialect -----------*- tablegen -*-===//

#ifndef ATTN_CONVERSION_PASSES
#define ATTN_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAttnStreamToSCF : Pass<"convert-attn-stream-to-scf"> {
  let summary = "Lower streams to loops over segments and tiles";
  let description = [{
    `attn.stream` becomes a loop over its segments around a loop over the tiles
    of a segment. The direction changes start and step, never the body; a
    stream with masked and unmasked segments has one body of each kind, of which
    `scf.if` picks one a segment. In the masked body `attn.mask` becomes a
    select against -inf, in the other it disappears.

    Before: `attn.stream %j step 64 reverse %r over [%a to %b, masked %b to %c] ...`

    After: `scf.for %s = %c0 to %c2 { ... scf.if %masked { scf.for ... } else { scf.for ... } }`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numStreams", "streams", "Streams lowered">];
}

def ConvertAttnToCPU : Pass<"convert-attn-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to functions over a range of CTAs, for the CPU";
  let description = [{
    For a kernel `@k(views, scalars)` whose grid is materialised and whose streams
    are loops, makes

    - `func @k(%begin, %end, memrefs, scalars)`, which runs the CTAs of a range,
      so that threads share a grid by taking ranges, and
    - `func @k_ctas(memrefs, scalars) -> index`, their number.

    Views become memrefs with dynamic strides; tiles stay tensors, and tile
    operations become `linalg`. Dots multiply and add in f32 whatever their element type.
    `attn.touch` becomes a call of `attn_touch(cta, kind, view, 4 offsets,
    bytes)`. `attn.launch` on memrefs becomes calls of the two functions; on tensors
    it stays: bufferize, and run the pass again.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels lowered">];
}

def ConvertAttnToNVVM : Pass<"convert-attn-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower level 3 to device functions for NVIDIA GPUs";
  let description = [{
    Each kernel whose tiles lie in registers and rings becomes a `gpu.module` with
    an `llvm.func`. A thread computes the elements that it holds, as vectors;
    products become `mma.sync.m16n8k16` with operands by `ldmatrix`; rings become
    shared memory with a full and an empty mbarrier a stage, filled through
    tensor maps by one thread or by asynchronous copies of all; exponentials
    become `ex2.approx`. Views become the pointers, sizes, strides and tensor maps
    that are used of them, and `attn.manifest` says which (docs/bundle.md).

    What the target lacks, and shared memory beyond what a CTA may have, is an
    error.

    Before: `%s = attn.dot %q, %k, %zero transpose_rhs : ...`

    After: `nvvm.ldmatrix ...`, `nvvm.mma.sync A[...] B[...] C[...] ...`
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels lowered">];
}

#endif // ATTN_CONVERSION_PASSES
