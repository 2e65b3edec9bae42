//===- DropTarget.cpp - Modules without anything of the dialect -----------===//

#include "attn-mlir/Conversion/DropTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

using namespace mlir;
using namespace attn;

void attn::dropUnusedTarget(ModuleOp module) {
  bool left = module
                  ->walk([&](Operation *op) {
                    return isa_and_nonnull<AttnDialect>(op->getDialect()) ||
                                   op->hasAttr(kManifestAttr)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted();
  if (!left)
    module->removeAttr(TargetAttr::kModuleAttr);
}
