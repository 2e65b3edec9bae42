//===- Describe.cpp - A schedule in words ---------------------------------===//

#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNDESCRIBE
#include "attn-mlir/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Writes the sentences of one kernel.
class Describer {
public:
  Describer(KernelOp kernel, raw_ostream &os)
      : kernel(kernel), target(TargetAttr::of(kernel)), os(os) {}

  void run() {
    os << "kernel @" << kernel.getSymName() << " for "
       << target.getName().getValue() << " (" << target.getArch().getValue()
       << ")\n";
    if (GridOp grid = kernel.getGrid())
      describeGrid(grid);
    else
      os << "  grid: lowered to index arithmetic\n";
    describeElements();
    kernel.walk([&](StreamOp stream) { describeStream(stream); });
    Footprint footprint = footprintOf(kernel);
    os << "  footprint: " << footprint.sharedBytes
       << " bytes of shared memory (of " << target.get(Fact::SmemPerBlock)
       << "), " << footprint.registers << " registers (of "
       << target.get(Fact::RegistersPerSM) << "), "
       << residentCtas(target, footprint) << " resident CTA(s) an SM\n";
  }

private:
  static std::string sizeOf(Value size) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    return constant ? std::to_string(*constant) : "dynamic";
  }

  void describeGrid(GridOp grid) {
    os << "  grid: a tile for each of ";
    llvm::interleaveComma(
        llvm::zip(grid.getAxes().getAsRange<StringAttr>(), grid.getSizes()), os,
        [&](auto axis) {
          os << std::get<0>(axis).getValue() << " ("
             << sizeOf(std::get<1>(axis)) << ")";
        });
    os << "\n  order: ";
    OrderAttr order = grid.getOrderOrDefault();
    llvm::interleave(
        order.getDigits(), os,
        [&](StringAttr digit) { os << digit.getValue(); }, ", then ");
    os << " (the last varies fastest)";
    for (StringAttr axis : order.getReversed())
      os << ", " << axis.getValue() << " from the last to the first";
    if (order.getDomains() > 1)
      os << "; each of " << order.getDomains()
         << " L2 domains walks sharing sets of its own";
    if (order.getTogether() > 1)
      os << "; " << order.getTogether() << " sharing sets, then as many others";
    os << "\n  CTAs: ";
    std::string unit = grid.getRun() == 1 ? "tile"
                                          : std::to_string(grid.getRun()) +
                                                " consecutive tiles";
    if (grid.getPersistent())
      os << "at most " << *grid.getPersistent()
         << ", persistent, each taking its next " << unit
         << (grid.getCounter() ? " when it is done with one" : " in turn");
    else
      os << "one for every " << unit;
    os << "\n";
  }

  /// What of the schedule is read from memory, or written there.
  void describeElements() {
    llvm::SetVector<Value> read, written;
    kernel.walk([&](ReadOp op) { read.insert(op.getView()); });
    kernel.walk([&](WriteOp op) { written.insert(op.getView()); });
    listViews("reads elements of", read.getArrayRef());
    listViews("writes elements of", written.getArrayRef());
  }

  void listViews(StringRef what, ArrayRef<Value> views) {
    if (views.empty())
      return;
    os << "  " << what << ": ";
    llvm::interleaveComma(views, os, [&](Value view) {
      auto argument = dyn_cast<BlockArgument>(view);
      ArrayAttr names = kernel.getArgNamesAttr();
      if (argument && names)
        os << cast<StringAttr>(names[argument.getArgNumber()]).getValue();
      else
        os << "a view";
    });
    os << "\n";
  }

  void describeStream(StreamOp stream) {
    unsigned masked = llvm::count(stream.getMasked(), true);
    unsigned segments = stream.getMasked().size();
    os << "  stream: steps of " << stream.getStep() << " over " << segments
       << " segment(s), " << masked << " of them masked; tiles";
    stream.walk([&](LoadOp load) {
      // What a stream inside of this one loads is told there.
      if (load->getParentOfType<StreamOp>() == stream)
        os << " " << load.getTile().getType();
    });
    os << "\n  direction: "
       << stream.getTraversal().describe(stream.getTraversalOperands()) << "\n";
  }

  KernelOp kernel;
  TargetAttr target;
  raw_ostream &os;
};

struct DescribePass : attn::impl::AttnDescribeBase<DescribePass> {
  void runOnOperation() override {
    llvm::errs() << describeSchedule(getOperation());
    markAllAnalysesPreserved();
  }
};

} // namespace

std::string attn::describeSchedule(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Describer(kernel, os).run();
  return text;
}
