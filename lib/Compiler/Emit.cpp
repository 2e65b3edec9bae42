//===- Emit.cpp - What targets can have code of ---------------------------===//

#include "attn-mlir/Compiler/Emit.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

using namespace mlir;
using namespace attn;

StringRef attn::deviceDialect(ModuleOp module) {
  TargetAttr target = TargetAttr::of(module);
  for (StringRef dialect : {"nvvm", "rocdl"})
    if (target.hasCapability(dialect))
      return dialect;
  return "";
}

LogicalResult attn::checkEmit(ModuleOp module, Emit emit) {
  // A target that nobody asked for is the CPU, too.
  if (isBundle(emit) && module->hasAttr(TargetAttr::kModuleAttr) &&
      TargetAttr::of(module).hasCapability("cpu"))
    return success();
  StringRef wanted, dialect = deviceDialect(module);
  if (emit == Emit::Ptx || emit == Emit::Cubin)
    wanted = "nvvm";
  else if (emit == Emit::Isa || emit == Emit::Hsaco)
    wanted = "rocdl";
  if (!dialect.empty() && (wanted.empty() || wanted == dialect))
    return success();
  return module.emitError()
         << "expected a target with the capability '"
         << (wanted.empty() ? StringRef("nvvm' or 'rocdl") : wanted)
         << "' for this --emit, but got " << TargetAttr::of(module).getName()
         << " (--target, --list-targets)";
}
