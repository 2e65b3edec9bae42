//===- Passes.td - Passes that apply schedules --------------*- tablegen -*-===//

#ifndef ATTN_PIPELINES_PASSES
#define ATTN_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def AttnApplySchedule : Pass<"attn-apply-schedule", "::attn::KernelOp"> {
  let summary = "Run the passes of level 2 that a kernel's schedule asks for";
  let description = [{
    Runs `attn-grid-order`, `attn-persistent`, `attn-keep-in-step` and
    `attn-sawtooth` on a kernel, those that its `#attn.schedule` (attribute
    `attn.schedule`) asks for, with what it says. `overrides`, in the words of the
    pipeline `attn-schedule`, override it field by field. Two kernels of one
    module may differ.

    What is applied is taken off the attribute; fields for level 3 stay.

    Before: `attn.kernel @f(...) attributes {attn.schedule = #attn.schedule<persistent, warps = 8>} {
    ... attn.grid (...) in (...) { ... } }`

    After: `attn.kernel @f(...) attributes {attn.schedule = #attn.schedule<warps = 8>} {
    ... attn.grid (...) in (...) persistent 132 { ... } }`
  }];
  let options = [Option<"overrides", "overrides", "std::string", /*default=*/"\"\"",
                        "Options of attn-schedule, before the kernel's own">];
}

def AttnApplyLowering : Pass<"attn-apply-lowering", "::attn::KernelOp"> {
  let summary = "Run the passes of level 3 as a kernel's schedule says";
  let description = [{
    Runs the passes that make level 3 of a scheduled kernel, from
    `attn-simplify-tiles` to `attn-specialize-warps`, with what its
    `#attn.schedule` says of them, and takes the attribute off. `overrides`, in
    the words of the pipeline `attn-to-target`, override it field by field.

    Before: `attn.kernel @f(...) attributes {attn.schedule = #attn.schedule<warps = 8>} { ... attn.load ... }`

    After: `attn.kernel @f(...) attributes {threads = 256 : i64} { ... attn.ring.create ... }`
  }];
  let options = [Option<"overrides", "overrides", "std::string", /*default=*/"\"\"",
                        "Options of attn-to-target, before the kernel's own">];
}

#endif // ATTN_PIPELINES_PASSES
