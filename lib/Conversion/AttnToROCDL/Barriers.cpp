//===- Barriers.cpp - Where threads wait for each other -------------------===//
//
// Before a tile is read that was written since the last barrier, and before one
// is written that was read since. What loops bring round counts too. A loop
// gets a barrier in front of it where that saves one within.
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rings that were accessed since the last barrier on some way here.
struct Accesses {
  llvm::SmallDenseSet<Value> read, written;

  bool join(const Accesses &other) {
    size_t before = read.size() + written.size();
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
    return read.size() + written.size() != before;
  }
  bool empty() const { return read.empty() && written.empty(); }
};

/// Operations to put a barrier before.
using Places = llvm::SetVector<Operation *>;

class BarrierPlacement {
public:
  /// Goes through a block, adds the barriers that it needs, and returns what
  /// was accessed at its end.
  Accesses run(Block &block, Accesses state, Places &places) {
    for (Operation &op : block)
      visit(&op, state, places);
    return state;
  }

private:
  static Value ringOf(RingLandOp land) {
    auto issue = land.getPending().getDefiningOp<RingIssueOp>();
    auto acquire =
        issue ? issue.getSlot().getDefiningOp<RingAcquireOp>() : nullptr;
    return acquire ? acquire.getRing() : Value();
  }

  static void need(Operation *op, Accesses &state, Places &places) {
    places.insert(op);
    state = {};
  }

  void visit(Operation *op, Accesses &state, Places &places) {
    if (auto land = dyn_cast<RingLandOp>(op)) {
      Value ring = ringOf(land);
      if (state.read.contains(ring))
        need(op, state, places);
      state.written.insert(ring);
    } else if (auto wait = dyn_cast<RingWaitOp>(op)) {
      if (state.written.contains(wait.getRing()))
        need(op, state, places);
      state.read.insert(wait.getRing());
    } else if (auto release = dyn_cast<RingReleaseOp>(op)) {
      // Reads up to here may be behind a barrier since the wait.
      state.read.insert(release.getRing());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(op, *loop.getBody(), state, places);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      // Its condition is arithmetic.
      visitLoop(op, *loop.getAfterBody(), state, places);
    } else if (isa<TakeOp>(op)) {
      // Ends with a barrier.
      state = {};
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      visitBranch(branch, state, places);
    }
  }

  /// The state after any number of rounds, and the barriers that these need.
  Accesses runLoop(Block &body, const Accesses &before, Places &places) {
    Accesses entry = before;
    while (true) {
      Places found;
      if (!entry.join(run(body, entry, found))) {
        places.insert_range(found);
        return entry;
      }
    }
  }

  void visitLoop(Operation *loop, Block &body, Accesses &state,
                 Places &places) {
    Places within, alone;
    Accesses after = runLoop(body, state, within);
    Accesses afterBarrier = runLoop(body, {}, alone);
    bool pays = !state.empty() && alone.size() < within.size();
    if (pays)
      places.insert(loop);
    places.insert_range(pays ? alone : within);
    state = pays ? afterBarrier : after;
  }

  void visitBranch(scf::IfOp branch, Accesses &state, Places &places) {
    Accesses other = state;
    if (branch.elseBlock())
      other = run(*branch.elseBlock(), state, places);
    state = run(*branch.thenBlock(), state, places);
    state.join(other);
  }
};

} // namespace

void attn::ldsBarrier(OpBuilder &b, Location loc) {
  Attribute local =
      LLVM::MMRATagAttr::get(b.getContext(), "amdgpu-synchronize-as", "local");
  auto fence = [&](LLVM::AtomicOrdering ordering) {
    auto op = LLVM::FenceOp::create(b, loc, ordering, "workgroup");
    op->setAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
  };
  fence(LLVM::AtomicOrdering::release);
  ROCDL::SBarrierOp::create(b, loc);
  fence(LLVM::AtomicOrdering::acquire);
}

void attn::placeBarriers(LLVM::LLVMFuncOp function) {
  Places places;
  BarrierPlacement().run(function.getBody().front(), {}, places);
  for (Operation *op : places) {
    OpBuilder b(op);
    ldsBarrier(b, op->getLoc());
  }
}
