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

#endif // ATTN_CONVERSION_PASSES
