//===- PrioritizeProducts.cpp - Waves with products go first --------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

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
    auto opts = remark::RemarkOpts::name("priority")
                    .category("attn-prioritize-products")
                    .function(kernel.getSymName());
    TargetAttr target = TargetAttr::of(kernel);
    if (!target.hasCapability("wave-priority")) {
      remark::missed(kernel.getLoc(), opts)
          << "the target has no priorities of waves (the capability "
             "'wave-priority'):"
          << remark::metric("target", target.getName());
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
      remark::passed(kernel.getLoc(), opts)
          << "waves go first while they have products:"
          << remark::metric("products", raised);
    else
      remark::missed(kernel.getLoc(), opts)
          << "no such product without priority";
  }
};

} // namespace
