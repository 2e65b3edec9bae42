//===- LateTurns.cpp - Turns that are passed when products are done -------===//
//
// A group of consumers that passes its turn in the middle of a softmax has to
// do so there: ptxas leaves the arrival at a named barrier for the end of the
// instructions around it, that at a barrier in shared memory comes where its
// operands are ready (docs/notebooks/performance.md, "Late turns").
//
// Each group has such a barrier, at which the warps of the group in front
// arrive. Groups take and pass turns alternately, so that none is ahead of a
// barrier by more than a phase.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

class LateTurns {
public:
  LateTurns(LLVM::LLVMFuncOp function, int64_t groups, int64_t place)
      : target(attn::TargetAttr::of(function)), groups(groups), place(place) {
    Location loc = function.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    ThreadBuilder t{b, loc};
    counter = variable(b, loc, b.getI32Type());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext(), kShared);
    own = variable(b, loc, pointer);
    next = variable(b, loc, pointer);
    LLVM::StoreOp::create(b, loc, t.constant(0), counter);
    // Variables become registers if no branch is in front of any.
    auto rings = function.getBody().front().getOps<RingCreateOp>();
    if (!rings.empty())
      b.setInsertionPoint(*rings.begin());
    initializeBarriers(b, function, [&](OpBuilder &n) { initialize(n, loc); });
  }

  void lower(TurnOp op) const {
    OpBuilder b(op);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    switch (op.getStep()) {
    case Turn::Start: {
      Value group = t.div(t.thread(), kGroupThreads);
      LLVM::StoreOp::create(b, loc, barrierOf(b, loc, group), own);
      Value following = barrierOf(b, loc, t.rem(t.add(group, 1), groups));
      LLVM::StoreOp::create(b, loc, following, next);
      scf::IfOp::create(b, loc, t.equals(group, groups - 1),
                        [&](OpBuilder &n, Location) {
                          arrive(n, loc, following);
                          scf::YieldOp::create(n, loc);
                        });
      break;
    }
    case Turn::Take: {
      Value taken = load(b, loc, b.getI32Type(), counter);
      waitForPhase(b, loc, target, load(b, loc, own), t.rem(taken, 2),
                   "group's turn");
      LLVM::StoreOp::create(b, loc, t.add(taken, 1), counter);
      break;
    }
    case Turn::Pass:
      arrive(b, loc, load(b, loc, next));
      break;
    }
    op.erase();
  }

private:
  /// One number, which ptxas keeps in a uniform register. Of what it sees to be
  /// a sum it wants a part in another one at each arrival, and lets that wait
  /// until the softmax has one to spare.
  Value barrierOf(OpBuilder &b, Location loc, Value group) const {
    Value first = dynamicSharedAt(b, loc, place);
    return assembly(b, loc, first.getType(), {group, first},
                    "mad.lo.s32 $0, $1, " + std::to_string(kBarrierBytes) +
                        ", $2;",
                    "=r,r,r")
        ->getResult(0);
  }

  static Value variable(OpBuilder &b, Location loc, Type type) {
    return LLVM::AllocaOp::create(b, loc,
                                  LLVM::LLVMPointerType::get(b.getContext()),
                                  type, ThreadBuilder{b, loc}.constant(1));
  }
  static Value load(OpBuilder &b, Location loc, Type type, Value from) {
    return LLVM::LoadOp::create(b, loc, type, from);
  }
  static Value load(OpBuilder &b, Location loc, Value from) {
    return load(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kShared),
                from);
  }

  void initialize(OpBuilder &b, Location loc) const {
    ThreadBuilder t{b, loc};
    for (int64_t group = 0; group < groups; ++group)
      NVVM::MBarrierInitOp::create(
          b, loc, dynamicSharedAt(b, loc, place + group * kBarrierBytes),
          t.constant(kGroupThreads / kWarpThreads), Value());
  }

  /// A lane of each warp. Nothing is handed over but the turn, so that no other
  /// lane is waited for; and there is no branch, at whose end ptxas has it.
  static void arrive(OpBuilder &b, Location loc, Value barrier) {
    assembly(b, loc, TypeRange(), barrier,
             "{\n.reg .pred one;\n.reg .b32 lane;\n"
             "elect.sync lane|one, -1;\n"
             "@one mbarrier.arrive.shared.b64 _, [$0];\n}",
             "r,~{memory}");
  }

  attn::TargetAttr target;
  int64_t groups, place;
  /// How many turns the thread has taken; the barriers of its group and of the
  /// next one.
  Value counter, own, next;
};

/// All steps have the same barriers, which the first one finds.
LogicalResult checkTurns(ArrayRef<TurnOp> turns) {
  TurnOp first = turns.front();
  if (first.getStep() != Turn::Start)
    return first.emitOpError("expected 'start' in front of all other steps of "
                             "'late' turns, but got '")
           << stringifyTurn(first.getStep()) << "'";
  for (TurnOp turn : turns.drop_front()) {
    if (turn.getLate() == first.getLate() &&
        turn.getGroups() == first.getGroups() && turn.getStep() != Turn::Start)
      continue;
    InFlightDiagnostic error = turn.emitOpError(
        "expected one 'start' and the same groups, late or not, in all steps "
        "of a kernel");
    error.attachNote(first.getLoc()) << "the first step is here";
    return error;
  }
  return success();
}

} // namespace

FailureOr<int64_t> attn::lowerLateTurns(LLVM::LLVMFuncOp function,
                                        int64_t bytes) {
  SmallVector<TurnOp> turns;
  function.walk([&](TurnOp op) { turns.push_back(op); });
  if (llvm::none_of(turns, [](TurnOp op) { return op.getLate(); }))
    return bytes;
  if (failed(checkTurns(turns)))
    return failure();
  auto groups = static_cast<int64_t>(turns.front().getGroups());
  int64_t place = llvm::alignTo(bytes, kBarrierBytes);
  LateTurns lowering(function, groups, place);
  for (TurnOp turn : turns)
    lowering.lower(turn);
  return place + groups * kBarrierBytes;
}
