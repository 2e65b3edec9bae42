//===- Passes.td - Passes that look at a schedule -----------*- tablegen -*-===//

#ifndef ATTN_ANALYSIS_PASSES
#define ATTN_ANALYSIS_PASSES

include "mlir/Pass/PassBase.td"

def AttnTrace : Pass<"attn-trace", "::attn::KernelOp"> {
  let summary = "Slice a kernel to its index arithmetic and its accesses";
  let description = [{
    Replaces every `attn.load` and `attn.store` of a kernel whose grid is
    materialised by `attn.touch`, and drops the tiles, so that only the loops,
    the index arithmetic and the order of accesses are left. Lowered for the
    CPU and run, it is the trace that property tests, the cache simulator and
    descriptions read: the schedule's own code, not a second description of it.

    Before: `%t = attn.load %k[%b, %h, %j, %c0] : ... -> tensor<64x128xbf16>`

    After: `attn.touch load %k[%b, %h, %j, %c0] tile [64, 128] by %cta : ...`
  }];
  let statistics = [Statistic<"numTouches", "touches", "Accesses traced">];
}

def AttnDescribe : Pass<"attn-describe", "::attn::KernelOp"> {
  let summary = "Print the schedule of each kernel in words";
  let description = [{
    Prints to standard error what is grouped and what is streamed, the tile sizes, the order of
    the grid, the CTAs, and the direction of the streams. Changes nothing.
  }];
}

def AttnTransferModel : Pass<"attn-transfer-model", "::mlir::ModuleOp"> {
  let summary = "Print how much data an algorithm and a schedule move";
  let description = [{
    Prints to standard error, after "FlashAttention on a Napkin": for every
    streamable operation the least transfers H*(a, M) as a sum of powers of the
    memory M, and their values for the levels of the target; for every kernel the
    memory M and the transfers H of its tiles, by running its index arithmetic, and
    the work of products, special functions and other instructions. Changes
    nothing.

    `sizes` gives the extents of dynamic axes (`sizes=query=4096,key=4096`), of a
    kernel also by view and dimension (`k.2=4096`).
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let options = [
    ListOption<"sizes", "sizes", "std::string",
               "Sizes of dynamic axes, as axis=size">
  ];
}

#endif // ATTN_ANALYSIS_PASSES
