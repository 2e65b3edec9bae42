//===- TransferModelPass.cpp - Print what the transfer model says ---------===//

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Analysis/TransferModel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using llvm::format;

namespace attn {
#define GEN_PASS_DEF_ATTNTRANSFERMODEL
#include "attn-mlir/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct TransferModelPass
    : attn::impl::AttnTransferModelBase<TransferModelPass> {
  using AttnTransferModelBase::AttnTransferModelBase;

  /// H* of an operation, by level of its target.
  LogicalResult printOptimum(StreamableOpInterface op,
                             const llvm::StringMap<int64_t> &sizes) {
    SmallVector<int64_t> extents;
    for (const StreamAxis &axis : op.getStreamAxes()) {
      int64_t extent = axis.extent;
      auto it = sizes.find(axis.name);
      if (ShapedType::isDynamic(extent) && it == sizes.end())
        return op.emitOpError("expected the size of '") << axis.name << "'";
      extents.push_back(ShapedType::isDynamic(extent) ? it->second : extent);
    }
    TransferProblem problem = transferProblem(op, extents);
    auto &os = llvm::errs();
    os << op->getName() << ": axes";
    for (const TransferProblem::Axis &axis : problem.axes)
      os << " " << axis.name << "=" << format("%.0f", axis.extent)
         << (axis.grouped ? " (grouped)" : "");
    os << "; state of " << format("%.0f", problem.state) << " values\n";
    std::optional<OptimalTransfers> optimum = optimalTransfers(problem);
    if (!optimum) {
      os << "  H*: no closed form\n";
      return success();
    }
    os << "  H*(a, M) =";
    for (auto [i, term] : llvm::enumerate(optimum->terms)) {
      os << (i ? " + " : " ") << format("%.6g", term.alpha);
      if (term.beta > 0)
        os << " M^-" << format("%g", term.beta);
    }
    os << " values\n";
    printLevels(op, *optimum);
    return success();
  }

  /// The target as a hierarchy: memory, L2, the registers of SMs. State is f32,
  /// what is transferred has the element type of the first operand.
  void printLevels(StreamableOpInterface op, const OptimalTransfers &optimum) {
    TargetAttr target = TargetAttr::of(op);
    double bytes = getElementTypeOrSelf(op->getOperand(0).getType())
                       .getIntOrFloatBitWidth() /
                   8.0;
    struct Level {
      StringRef name;
      double memory, gbps;
    };
    double l2 = static_cast<double>(target.get(Fact::L2EffectiveBytes)) *
                target.get(Fact::L2Domains);
    const Level levels[] = {
        {"L2", l2 / bytes, static_cast<double>(target.get(Fact::DramGBps))},
        // State in f32: a register a value.
        {"SM", static_cast<double>(target.get(Fact::RegistersPerSM)),
         static_cast<double>(target.get(Fact::L2GBps))}};
    for (const Level &level : levels) {
      double moved = optimum(level.memory) * bytes;
      llvm::errs() << "  " << level.name
                   << ": M = " << format("%.0f", level.memory)
                   << " values, H* = " << format("%.4g", moved * 1e-6)
                   << " MB, " << format("%.4g", moved / level.gbps * 1e-3)
                   << " us at " << format("%.0f", level.gbps) << " GB/s\n";
    }
  }

  /// M and H of a schedule, by running its index arithmetic.
  LogicalResult printSchedule(KernelOp kernel,
                              const llvm::StringMap<int64_t> &sizes) {
    FailureOr<KernelRun> run = runKernel(kernel, sizes);
    if (failed(run))
      return failure();
    TileWork total = run->total();
    double stored = total.storedBytes, loaded = total.loadedBytes;
    auto &os = llvm::errs();
    os << "kernel @" << kernel.getSymName() << ": " << run->ctas.size()
       << " CTAs, " << run->totalVisits() << " groups\n";
    for (const StreamWork &stream : run->streams)
      os << "  stream: s = " << stream.stepSize << ", state " << stream.state
         << " values, scores " << stream.scores << " values; a step loads "
         << format("%.0f", stream.step.loadedBytes) << " bytes\n";
    os << "  M: " << run->streamedTileBytes << " bytes streamed, "
       << run->residentTileBytes << " bytes that stay\n"
       << "  H of the SMs: " << format("%.4g", loaded * 1e-6) << " MB loaded, "
       << format("%.4g", stored * 1e-6) << " MB stored\n"
       << "  H of L2, at least: " << format("%.4g", run->viewBytesRead * 1e-6)
       << " MB read, " << format("%.4g", run->viewBytesWritten * 1e-6)
       << " MB written\n"
       << "  work: " << format("%.6g", total.tensorOps)
       << " operations of products, " << format("%.6g", total.specials)
       << " special functions, " << format("%.6g", total.lanes)
       << " other instructions\n";
    return success();
  }

  void runOnOperation() override {
    auto parsed = parseSizes(sizes, getOperation());
    if (failed(parsed))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](Operation *op) {
      LogicalResult printed = success();
      if (auto streamable = dyn_cast<StreamableOpInterface>(op))
        printed = printOptimum(streamable, *parsed);
      else if (auto kernel = dyn_cast<KernelOp>(op))
        printed = printSchedule(kernel, *parsed);
      return failed(printed) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
