//===- IssueDots.cpp - Asynchronous products ------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
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

  /// The unit that a product names, else the fastest of the target that takes
  /// its operands, or the fastest of all.
  static MatrixUnitInterface unitFor(DotOp dot) {
    if (std::optional<MatrixUnitInterface> unit = dot.getUnit())
      return *unit;
    SmallVector<MatrixUnitInterface> units = unitsOf(TargetAttr::of(dot));
    Type element = getElementTypeOrSelf(dot.getLhs().getType());
    const auto *unit = llvm::find_if(units, [&](MatrixUnitInterface other) {
      return other.takesElement(element);
    });
    if (unit != units.end())
      return *unit;
    return units.empty() ? MatrixUnitInterface() : units.front();
  }

  static bool isAsynchronous(MatrixUnitInterface unit) {
    return unit && unit.getCompletion() != Completion::Sequential;
  }

  /// Why a product stays as it is; empty if it need not.
  static std::string whyNot(DotOp dot, MatrixUnitInterface unit) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType()),
         result = cast<RankedTensorType>(dot.getResult().getType());
    std::string reason =
        whyNotLaidOut(unit, lhs, cast<RankedTensorType>(dot.getRhs().getType()),
                      result, warpsOf(result, unit), dot.getTransposeLhs());
    if (!reason.empty())
      return reason;
    bool lhsShared = isa_and_nonnull<SharedAttr>(lhs.getEncoding());
    if (isWrittenByThreads(dot.getRhs()) ||
        (lhsShared && isWrittenByThreads(dot.getLhs())))
      return "operands are not copied by tensor maps";
    return "";
  }

  /// Warps that hold a tile.
  static int64_t warpsOf(RankedTensorType tile, MatrixUnitInterface unit) {
    auto layout = dyn_cast_if_present<FragmentAttr>(tile.getEncoding());
    return layout ? layout.getNumThreads() / unit.getLanes() : 1;
  }

  /// The fastest unit that has a result at once, of the same layouts.
  static void makeSequential(DotOp dot) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType()),
         rhs = cast<RankedTensorType>(dot.getRhs().getType()),
         result = cast<RankedTensorType>(dot.getResult().getType());
    dot.removeUnitAttr();
    for (MatrixUnitInterface unit : unitsOf(TargetAttr::of(dot)))
      if (!isAsynchronous(unit) &&
          whyNotLaidOut(unit, lhs, rhs, result, warpsOf(result, unit),
                        dot.getTransposeLhs())
              .empty()) {
        dot.setUnitAttr(unit);
        return;
      }
  }

  static void issue(DotOp dot, MatrixUnitInterface unit) {
    IRRewriter rewriter(dot);
    auto product = DotIssueOp::create(
        rewriter, dot.getLoc(),
        ProductType::get(dot.getContext(),
                         cast<RankedTensorType>(dot.getResult().getType())),
        dot.getLhs(), dot.getRhs(), dot.getAcc(), /*depth=*/Value(),
        dot.getTransposeRhs(), unit);
    product.setTransposeLhs(dot.getTransposeLhs());
    auto wait = rewriter.replaceOpWithNewOp<DotWaitOp>(
        dot, dot.getResult().getType(), product, /*outstanding=*/0);
    fetchMeanwhile(wait);
  }

  /// What a tile of a ring is read into registers by, if nothing else uses it
  /// and all of that stands in one block: the wait, the reads, the release.
  static SmallVector<Operation *> fetchOf(RingWaitOp tile) {
    SmallVector<Operation *> fetch = {tile};
    for (Operation *op = tile->getNextNode(); op; op = op->getNextNode()) {
      auto release = dyn_cast<RingReleaseOp>(op);
      if (release && release.getRing() == tile.getRing()) {
        fetch.push_back(release);
        return !release.getAfter() && fetch.size() > 2
                   ? fetch
                   : SmallVector<Operation *>();
      }
      if (!llvm::is_contained(op->getOperands(), tile.getTile()))
        continue;
      if (!isa<ConvertLayoutOp>(op))
        return {};
      fetch.push_back(op);
    }
    return {};
  }

  /// Whether threads fill the ring in between, of what they compute.
  static bool isPut(RingWaitOp tile) {
    auto ring = tile.getRing().getDefiningOp<RingCreateOp>();
    return ring && ring.isPut();
  }

  /// Reads what meets the product in registers, such as a bias, while the
  /// product is under way: in front of the wait.
  static void fetchMeanwhile(DotWaitOp wait) {
    SmallVector<RingWaitOp> tiles;
    for (Operation *op = wait->getNextNode(); op && !isa<DotOp>(op);
         op = op->getNextNode())
      if (auto tile = dyn_cast<RingWaitOp>(op))
        tiles.push_back(tile);
    for (RingWaitOp tile : tiles)
      if (!tile.getRows() && !isPut(tile))
        for (Operation *op : fetchOf(tile))
          op->moveBefore(wait);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!hasAsynchronousUnit(TargetAttr::of(kernel))) {
      remarks::emitIssueDotsTarget(kernel);
      return;
    }
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots) {
      MatrixUnitInterface unit = unitFor(dot);
      if (!isAsynchronous(unit)) {
        remarks::emitIssueDotNot(dot, "its matrix unit is not asynchronous");
        continue;
      }
      std::string reason = whyNot(dot, unit);
      if (!reason.empty()) {
        if (dot.getUnit())
          makeSequential(dot);
        remarks::emitIssueDotNot(dot, reason);
        continue;
      }
      issue(dot, unit);
      ++numIssued;
      remarks::emitIssueDot(kernel);
    }
  }
};

} // namespace
