//===- AttnTarget.td - What a schedule is made for ---------*- tablegen -*-===//

#ifndef ATTN_TARGET
#define ATTN_TARGET

include "attn-mlir/Dialect/Attn/IR/AttnBase.td"

def Attn_TargetAttr : Attn_Attr<"Target", "target"> {
  let summary = "Facts about the hardware that a schedule is made for";
  let description = [{
    Facts, never decisions. The table of known targets, with the source of each
    figure, is printed by `attn-opt --list-targets`. The short form
    `#attn.target<"gb10">` takes all facts from the table; facts that are given
    override it, and an unknown name must give them all. Facts are printed in
    full, so that the IR does not depend on the table.

    Example: `#attn.target<"gb10", sms = 40>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$arch,
                        "::mlir::DictionaryAttr":$facts,
                        "::mlir::ArrayAttr":$capabilities);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Name of the module attribute that holds the target.
    static constexpr ::llvm::StringLiteral kModuleAttr = "attn.target";

    /// The value of a fact. Every target has a value for every fact.
    int64_t get(::attn::Fact fact) const;

    /// Whether the target has a capability ("mma.sync", "tma", ...).
    bool hasCapability(::llvm::StringRef capability) const;

    /// A copy with one fact changed.
    ::attn::TargetAttr with(::attn::Fact fact, int64_t value) const;

    /// The known target of this name, or null after a diagnostic that names the
    /// nearest known ones.
    static ::attn::TargetAttr
    lookup(::mlir::MLIRContext *context, ::llvm::StringRef name,
           ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);

    /// The target of the enclosing module, or the generic CPU.
    static ::attn::TargetAttr of(::mlir::Operation *op);
  }];
}

#endif // ATTN_TARGET
