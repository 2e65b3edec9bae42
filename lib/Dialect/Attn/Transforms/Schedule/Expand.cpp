//===- Expand.cpp - Composite operations to programs ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNEXPAND
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct ExpandPass : attn::impl::AttnExpandBase<ExpandPass> {
  void runOnOperation() override {
    numExpanded += expandComposites(getOperation());
  }
};

} // namespace
