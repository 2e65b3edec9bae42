//===- Passes.td - Passes that compile bundles --------------*- tablegen -*-===//

#ifndef ATTN_COMPILER_PASSES
#define ATTN_COMPILER_PASSES

include "mlir/Pass/PassBase.td"

def AttnEmbedPrograms : Pass<"attn-embed-programs", "::mlir::ModuleOp"> {
  let summary = "Compile modules of programs to bundles that the module holds";
  let description = [{
    A nested module that programs are declared to be of (`attn-outline-programs`) is compiled as
    `attn-compile --emit=archive` would, and becomes a constant of that name: the bundle
    (docs/bundle.md), for the target that the nested module or the one around has.

    Does nothing to a module that declares no programs, and leaves bundles that are embedded.

    Before: `module @attn_programs attributes {attn.target = ...} { func.func @f_attention(...) { attn.attention ... } }`

    After: `llvm.mlir.global internal constant @attn_programs("manifest.json...")`
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", /*default=*/"\"\"",
           "attn-compile: --schedule">,
    Option<"lower", "lower", "std::string", /*default=*/"\"\"",
           "attn-compile: --lower">,
    Option<"ptxas", "ptxas", "std::string", /*default=*/"\"\"",
           "attn-compile: --ptxas">
  ];
  let statistics = [
    Statistic<"numBundles", "bundles", "Modules compiled">,
    Statistic<"numBytes", "bytes", "Bytes of bundles">
  ];
}

def AttnSerializeKernels : Pass<"attn-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Device functions to gpu.binary";
  let description = [{
    Each `gpu.module` of a kernel in the LLVM dialect becomes a `gpu.binary` of that name with one object: a code
    object for AMD GPUs, a cubin or, where no ptxas is found, PTX for NVIDIA's; the same bytes as in
    a bundle. What launches it (`convert-attn-launch-to-gpu`) stays.

    Does nothing to modules without kernels.

    Before: `gpu.module @k_device { llvm.func @k(...) attributes {attn.manifest = ...} ... }`

    After: `gpu.binary @k_device [#gpu.object<#rocdl.target<chip = "gfx942">, bin = "...">]`
  }];
  let options = [Option<"ptxas", "ptxas", "std::string", /*default=*/"\"\"",
                        "attn-compile: --ptxas">];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels serialized">];
}

#endif // ATTN_COMPILER_PASSES
