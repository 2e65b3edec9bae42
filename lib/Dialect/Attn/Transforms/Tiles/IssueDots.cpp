//===- IssueDots.cpp - Asynchronous products ------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {
#define GEN_PASS_DEF_ATTNISSUEDOTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// Whether the tensor memory accelerator writes a tile in shared memory: what
/// threads write, asynchronous products do not see.
bool isWrittenByThreads(Value tile) {
  auto wait = tile.getDefiningOp<RingWaitOp>();
  auto ring = wait ? wait.getRing().getDefiningOp<RingCreateOp>() : nullptr;
  return !ring || ring.getCopier() != CopyKind::Tensor;
}

struct IssueDotsPass : attn::impl::AttnIssueDotsBase<IssueDotsPass> {
  using AttnIssueDotsBase::AttnIssueDotsBase;

  /// Why a product stays as it is; empty if it need not.
  std::string whyNot(DotOp dot) {
    if (products == Products::Scores && !dot.getTransposeRhs())
      return "only scores are asked for";
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    std::string reason =
        whyNotWgmma(lhs, cast<RankedTensorType>(dot.getRhs().getType()),
                    cast<RankedTensorType>(dot.getResult().getType()));
    if (!reason.empty())
      return reason;
    bool lhsShared = isa_and_nonnull<SharedAttr>(lhs.getEncoding());
    if (isWrittenByThreads(dot.getRhs()) ||
        (lhsShared && isWrittenByThreads(dot.getLhs())))
      return "operands are not copied by tensor maps";
    return "";
  }

  void issue(DotOp dot) {
    IRRewriter rewriter(dot);
    auto product = DotIssueOp::create(
        rewriter, dot.getLoc(),
        ProductType::get(dot.getContext(),
                         cast<RankedTensorType>(dot.getResult().getType())),
        dot.getLhs(), dot.getRhs(), dot.getAcc(), dot.getTransposeRhs());
    rewriter.replaceOpWithNewOp<DotWaitOp>(dot, dot.getResult().getType(),
                                           product, /*outstanding=*/0);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (products == Products::None ||
        !TargetAttr::of(kernel).hasCapability("wgmma")) {
      remarks::emitIssueDotsTarget(kernel);
      return;
    }
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots) {
      std::string reason = whyNot(dot);
      if (!reason.empty()) {
        remarks::emitIssueDotNot(dot, reason);
        continue;
      }
      issue(dot);
      ++numIssued;
      remarks::emitIssueDot(kernel);
    }
  }
};

} // namespace
