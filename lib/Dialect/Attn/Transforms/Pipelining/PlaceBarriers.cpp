//===- PlaceBarriers.cpp - Where threads wait for each other --------------===//
//
// Before a tile is read that was written since the last barrier, and before one
// is written that was read since. What loops bring round counts too. A loop
// gets a barrier in front of it where that saves one within.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPLACEBARRIERS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

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
  /// Of a target whose warps have `lanes`.
  explicit BarrierPlacement(int64_t lanes) : lanes(lanes) {}

  /// Goes through a block, adds the barriers that it needs, and returns what
  /// was accessed at its end.
  Accesses run(Block &block, Accesses state, Places &places) {
    for (Operation &op : block)
      visit(&op, state, places);
    return state;
  }

private:
  static Value ringOf(Value slot) {
    auto acquire = slot.getDefiningOp<RingAcquireOp>();
    return acquire ? acquire.getRing() : Value();
  }
  static RingCreateOp createOf(Value ring) {
    return ring ? ring.getDefiningOp<RingCreateOp>() : RingCreateOp();
  }
  static Value ringOf(RingLandOp land) {
    auto issue = land.getPending().getDefiningOp<RingIssueOp>();
    return issue ? ringOf(issue.getSlot()) : Value();
  }

  static void need(Operation *op, Accesses &state, Places &places) {
    places.insert(op);
    state = {};
  }

  void visitLand(RingLandOp land, Accesses &state, Places &places) {
    auto issue = land.getPending().getDefiningOp<RingIssueOp>();
    if (issue && issue.getBy() == CopyKind::Lds)
      state.written.insert(ringOf(land));
    else
      visitWrite(land, ringOf(land), state, places);
  }

  void visitWrite(Operation *op, Value ring, Accesses &state, Places &places) {
    if (isInTheWay(ring, state))
      need(op, state, places);
    state.written.insert(ring);
  }

  /// Whether others may still read or write the memory of a ring, but for what
  /// is written in turn.
  bool isInTheWay(Value ring, const Accesses &state) {
    RingCreateOp own = createOf(ring);
    auto sharesMemory = [&](Value other) {
      RingCreateOp there = createOf(other);
      return own && there && own.sharesMemory(there);
    };
    return (state.read.contains(ring) && !staysInWarps(ring)) ||
           llvm::any_of(state.read,
                        [&](Value other) {
                          return other != ring && sharesMemory(other);
                        }) ||
           llvm::any_of(state.written, [&](Value other) {
             return other != ring && sharesMemory(other);
           });
  }

  /// Whether warps exchange what they put in a ring with no other, which need
  /// not be in step.
  bool staysInWarps(Value ring) {
    auto [it, isNew] = warpsAlone.try_emplace(ring, false);
    RingCreateOp create = createOf(ring);
    if (isNew && create)
      it->second = create.staysInWarps(lanes);
    return it->second;
  }

  void visit(Operation *op, Accesses &state, Places &places) {
    auto issue = dyn_cast<RingIssueOp>(op);
    if (issue && issue.getBy() == CopyKind::Lds) {
      // Memory changes at any time from here on, and has changed when it lands.
      if (isInTheWay(ringOf(issue.getSlot()), state))
        need(op, state, places);
    } else if (auto land = dyn_cast<RingLandOp>(op)) {
      visitLand(land, state, places);
    } else if (auto put = dyn_cast<RingPutOp>(op)) {
      visitWrite(op, ringOf(put.getSlot()), state, places);
    } else if (auto wait = dyn_cast<RingWaitOp>(op)) {
      if (state.written.contains(wait.getRing()) &&
          !staysInWarps(wait.getRing()))
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
    } else if (isa<attn::BarrierOp>(op)) {
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

  int64_t lanes;
  llvm::DenseMap<Value, bool> warpsAlone;
};

struct PlaceBarriersPass
    : attn::impl::AttnPlaceBarriersBase<PlaceBarriersPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto rings = kernel.getBody().getOps<RingCreateOp>();
    if (llvm::none_of(
            rings, [](RingCreateOp ring) { return ring.isFilledByThreads(); }))
      return;
    WalkResult streams = kernel.walk([](StreamOp stream) {
      stream.emitOpError("expected to be lowered by convert-attn-stream-to-scf "
                         "first: barriers are placed in loops");
      return WalkResult::interrupt();
    });
    if (streams.wasInterrupted())
      return signalPassFailure();
    Places places;
    int64_t lanes = usualUnit(TargetAttr::of(kernel)).getLanes();
    for (auto ctas : kernel.getBody().getOps<CtasOp>())
      BarrierPlacement(lanes).run(ctas.getBody().front(), {}, places);
    for (Operation *op : places) {
      OpBuilder b(op);
      attn::BarrierOp::create(b, op->getLoc());
    }
    numBarriers += places.size();
    remarks::emitPlaceBarriers(kernel, places.size());
  }
};

} // namespace
