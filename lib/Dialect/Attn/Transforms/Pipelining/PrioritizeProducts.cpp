//===- PrioritizeProducts.cpp - Waves with products go first --------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPRIORITIZEPRODUCTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct PrioritizeProductsPass
    : attn::impl::AttnPrioritizeProductsBase<PrioritizeProductsPass> {
  using AttnPrioritizeProductsBase::AttnPrioritizeProductsBase;

  bool isWanted(DotOp dot) const {
    return products == Products::All ||
           (products == Products::Scores && dot.getTransposeRhs());
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    TargetAttr target = TargetAttr::of(kernel);
    if (!target.hasCapability("wave-priority")) {
      remarks::emitPrioritizeProductsTarget(kernel, target.getName());
      return;
    }
    int64_t raised = 0;
    kernel.walk([&](DotOp dot) {
      if (!isWanted(dot) || dot.getPrioritized())
        return;
      dot.setPrioritized(true);
      ++raised;
    });
    numRaised += raised;
    if (raised)
      remarks::emitPrioritizeProducts(kernel, raised);
    else
      remarks::emitPrioritizeProductsNone(kernel);
  }
};

} // namespace
