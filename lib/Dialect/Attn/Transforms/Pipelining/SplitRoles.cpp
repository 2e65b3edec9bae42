//===- SplitRoles.cpp - Loops of a producer and of consumers --------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSPLITROLES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

bool isCopy(Operation *op) {
  return isa<RingAcquireOp, RingIssueOp, RingLandOp>(op);
}

bool isComputation(Operation *op) {
  return isa<RingWaitOp, RingReleaseOp, DotIssueOp, DotWaitOp, ExchangeOp,
             StoreOp>(op);
}

/// Registers of the threads of each role (PTX ISA, "setmaxnreg"; what a CTA
/// gets at its launch is what it may distribute).
struct Registers {
  /// The index arithmetic of a producer spills with fewer than it gets here.
  static constexpr int64_t kFewest = 32, kProducer = 40, kMost = 240, kUnit = 8;
  static constexpr int64_t kGroupThreads = 128;

  /// Of the threads of a CTA, where an SM has so many registers for it.
  Registers(int64_t consumers, int64_t forCta) {
    int64_t groups = consumers / kGroupThreads;
    int64_t atLaunch =
        forCta / (consumers + kGroupThreads) / kUnit * kUnit * (groups + 1);
    consumer = std::min((atLaunch - kFewest) / groups / kUnit * kUnit, kMost);
    producer = std::min(atLaunch - groups * consumer, kProducer);
  }

  int64_t producer, consumer;
};

struct SplitRolesPass : attn::impl::AttnSplitRolesBase<SplitRolesPass> {
  /// Erases what `drop` names and what is dead then: uses before what they use
  /// (Region::walk would take the region's own operations forwards).
  static void eraseBackwards(Region &region, bool (*drop)(Operation *)) {
    for (Operation &last :
         llvm::make_early_inc_range(llvm::reverse(region.front())))
      last.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if (drop(op) || isOpTriviallyDead(op))
          op->erase();
      });
  }

  /// Without copies: what consumers do.
  static void keepConsumers(Region &region) { eraseBackwards(region, isCopy); }

  static bool isComputed(Value value) {
    return isa<RankedTensorType, ProductType>(value.getType());
  }

  /// Without tiles and what is done to them: what the producer does. Loops keep
  /// the tiles that they carry until they are canonicalised.
  static LogicalResult keepProducer(Region &region) {
    OpBuilder b = OpBuilder::atBlockBegin(&region.front());
    SmallVector<Value> tiles;
    region.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (isComputed(result))
          tiles.push_back(result);
      for (Region &nested : op->getRegions())
        for (BlockArgument argument : nested.getArguments())
          if (isComputed(argument))
            tiles.push_back(argument);
    });
    for (Value tile : tiles)
      if (!tile.use_empty())
        tile.replaceAllUsesWith(
            ub::PoisonOp::create(b, tile.getLoc(), tile.getType()));
    eraseBackwards(region, isComputation);
    sinkResidentCopies(region);
    return simplifyLoops(region);
  }

  /// Moves copies for the whole visit behind those that only look ahead: a slot
  /// of theirs is free later, when the visit before has stored its result.
  static void sinkResidentCopies(Region &region) {
    SmallVector<RingAcquireOp> acquires;
    region.walk([&](RingAcquireOp op) { acquires.push_back(op); });
    for (RingAcquireOp acquire : acquires) {
      Operation *prologue = acquire->getNextNode();
      while (prologue && !isPrologue(prologue) && !isa<scf::ForOp>(prologue))
        prologue = prologue->getNextNode();
      if (!prologue || !isPrologue(prologue))
        continue;
      while (isPrologue(prologue->getNextNode()))
        prologue = prologue->getNextNode();
      SmallVector<Operation *> copies;
      for (Operation *op = acquire; op != prologue; op = op->getNextNode())
        if (isCopy(op))
          copies.push_back(op);
      for (Operation *op : copies) {
        op->moveAfter(prologue);
        prologue = op;
      }
    }
  }

  static bool isPrologue(Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch && !branch.getThenRegion().getOps<RingAcquireOp>().empty();
  }

  /// Drops what loops carry for nothing.
  static LogicalResult simplifyLoops(Region &region) {
    MLIRContext *context = region.getContext();
    RewritePatternSet patterns(context);
    scf::ForOp::getCanonicalizationPatterns(patterns, context);
    scf::IfOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(region, std::move(patterns));
  }

  /// CTAs that an SM holds at once, of `threads` that compute: two where one
  /// group of them leaves registers for that, and rings leave shared memory.
  /// The second computes while the first waits for what it begins or ends with.
  static int64_t residentOf(CtasOp ctas, int64_t threads, TargetAttr target) {
    if (threads != Registers::kGroupThreads)
      return 1;
    int64_t perSm = target.get(Fact::SmemPerSM);
    // What the system keeps for itself of each CTA's share.
    int64_t bytes = perSm - target.get(Fact::SmemPerBlock);
    ctas->getParentOfType<KernelOp>().walk([&](Operation *op) {
      if (auto ring = dyn_cast<RingCreateOp>(op))
        bytes += slotBytes(ring.getRing().getType()) +
                 barrierBytes(ring.getRing().getType());
      else if (auto exchange = dyn_cast<ExchangeOp>(op))
        bytes += exchange.getBytes();
    });
    return 2 * bytes <= perSm ? 2 : 1;
  }

  /// One of both takes numbers from counters.
  static void handOver(SpecializeOp roles) {
    roles.getProducer().walk([](TakeOp take) { take.setHandOn(true); });
    roles.getConsumer().walk([](TakeOp take) { take.setFromProducer(true); });
  }

  void split(CtasOp ctas, int64_t threads, int64_t warps) {
    Block *body = &ctas.getBody().front();
    IRRewriter rewriter(ctas);
    rewriter.setInsertionPoint(body->getTerminator());
    TargetAttr target = TargetAttr::of(ctas);
    Registers registers(threads, target.get(Fact::RegistersPerSM) /
                                     residentOf(ctas, threads, target));
    auto roles = SpecializeOp::create(rewriter, ctas.getLoc(), warps,
                                      registers.producer, registers.consumer);
    Block *producer = rewriter.createBlock(&roles.getProducer());
    Block *consumer = rewriter.createBlock(&roles.getConsumer());
    IRMapping map;
    rewriter.setInsertionPointToEnd(producer);
    for (Operation &op : body->without_terminator())
      if (&op != roles)
        rewriter.clone(op, map);
    YieldOp::create(rewriter, ctas.getLoc(), ValueRange());
    consumer->getOperations().splice(consumer->end(), body->getOperations(),
                                     body->begin(), Block::iterator(roles));
    rewriter.setInsertionPointToEnd(consumer);
    YieldOp::create(rewriter, ctas.getLoc(), ValueRange());
    handOver(roles);
    keepConsumers(roles.getConsumer());
    if (failed(keepProducer(roles.getProducer())))
      signalPassFailure();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto warps =
        kernel->getAttrOfType<IntegerAttr>(KernelOp::kProducerWarpsAttr);
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    auto ctas = llvm::to_vector(kernel.getBody().getOps<CtasOp>());
    if (!warps || !threads || ctas.size() != 1)
      return;
    bool isSplit = !ctas[0].getBody().getOps<SpecializeOp>().empty();
    bool hasStreams =
        kernel.walk([](StreamOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (isSplit || hasStreams)
      return;
    bool plain = threads.getType().isSignlessInteger(64) ||
                 threads.getType().isSignlessInteger(32);
    if (!plain || threads.getInt() <= 0 ||
        threads.getInt() % Registers::kGroupThreads != 0) {
      InFlightDiagnostic error =
          kernel.emitOpError("expected whole warpgroups of ")
          << Registers::kGroupThreads
          << " threads beside a producer, in its attribute 'threads', but got ";
      plain ? error << threads.getInt() : error << threads;
      return signalPassFailure();
    }
    split(ctas[0], threads.getInt(), warps.getInt());
    ++numSplit;
  }
};

} // namespace
