//===- Expand.cpp - Composite operations to programs ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNEXPAND
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct ExpandPass : attn::impl::AttnExpandBase<ExpandPass> {
  using AttnExpandBase::AttnExpandBase;

  void runOnOperation() override {
    if (!form.empty() && failed(stateForm(getOperation(), form)))
      return signalPassFailure();
    getOperation().walk([](AttentionOp op) { op.findValuesInKeys(); });
    getOperation().walk([&](CompositeOpInterface op) {
      if (ScheduleAttr schedule = ScheduleAttr::of(op))
        remarks::emitExpand(op, schedule.getWord("form"),
                            form.empty() ? "attribute" : "option");
    });
    numExpanded += expandComposites(getOperation());
  }
};

} // namespace
