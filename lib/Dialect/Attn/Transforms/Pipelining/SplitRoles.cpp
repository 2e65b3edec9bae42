//===- SplitRoles.cpp - Loops of a producer and of consumers --------------===//

#include "ComputingRoles.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
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

/// Whether an operation takes a slot that those who compute fill.
bool isTakenToPut(Operation *op) {
  return isa<RingAcquireOp>(op) &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<RingPutOp>);
}

/// Whether an operation is of additions out of rings, which a warp of the
/// producer does.
bool isAddition(Operation *op) {
  if (auto release = dyn_cast<RingReleaseOp>(op))
    return llvm::any_of(release.getRing().getUsers(), [](Operation *user) {
      return isa<RingWaitOp>(user) && isAddition(user);
    });
  if (isa<RingWaitOp>(op))
    return llvm::any_of(op->getUsers(), llvm::IsaPred<AccumulateOp>);
  auto add = dyn_cast<AccumulateOp>(op);
  return add && add.isOutOfRing();
}

/// Whether an operation is of arrangements from one ring to another, which
/// warps of the producer do.
bool isArrangement(Operation *op) {
  if (auto release = dyn_cast<RingReleaseOp>(op))
    return llvm::any_of(release.getRing().getUsers(), [](Operation *user) {
      return isa<RingWaitOp>(user) && isArrangement(user);
    });
  if (isa<RingWaitOp, RingAcquireOp>(op))
    return llvm::any_of(op->getUsers(), llvm::IsaPred<RingArrangeOp>);
  return isa<RingArrangeOp>(op);
}

bool isCopy(Operation *op) {
  return isa<RingAcquireOp, RingIssueOp, RingLandOp>(op) && !isTakenToPut(op) &&
         !isArrangement(op);
}

/// What those who compute do not do.
bool isOfProducer(Operation *op) { return isCopy(op) || isArrangement(op); }

bool isComputation(Operation *op) {
  if (isArrangement(op))
    return false;
  return isa<RingWaitOp, RingReleaseOp, RingPutOp, DotIssueOp, DotWaitOp,
             ExchangeOp, BeginPartOp, LastPartOp, StoreOp, AccumulateOp,
             AwaitProgressOp, ReportProgressOp, BarrierOp>(op) ||
         isTakenToPut(op);
}

/// What is not for the warp that copies.
bool isBesideCopies(Operation *op) {
  return isComputation(op) || isArrangement(op);
}

/// What is not for those that arrange.
bool isBesideArrangements(Operation *op) {
  return isComputation(op) || isCopy(op);
}

/// What is not for the warp that tells other CTAs how far this one has got.
bool isBesideReports(Operation *op) {
  return isCopy(op) || (isComputation(op) && !isa<ReportProgressOp>(op));
}

/// What is not for the one that waits for them.
bool isBesideWaits(Operation *op) {
  return isCopy(op) || (isComputation(op) && !isa<AwaitProgressOp>(op));
}

/// Whether an operation is a step of the order in which CTAs add.
bool isOfOrder(Operation *op) {
  return isa<AwaitProgressOp, ReportProgressOp>(op);
}

/// What is not for the one that adds out of rings.
bool isBesideAdditions(Operation *op) {
  return isCopy(op) || (isComputation(op) && !isAddition(op) && !isOfOrder(op));
}

/// What that one does in place of those who compute.
bool isOfAdder(Operation *op) { return isAddition(op) || isOfOrder(op); }

struct SplitRolesPass : attn::impl::AttnSplitRolesBase<SplitRolesPass> {
  /// Erases what `drop` names and what is dead then: uses before what they use
  /// (Region::walk would take the region's own operations forwards).
  static void eraseBackwards(Region &region,
                             function_ref<bool(Operation *)> drop) {
    // What an operation is may follow from its users.
    llvm::DenseSet<Operation *> dropped;
    region.walk([&](Operation *op) {
      if (drop(op))
        dropped.insert(op);
    });
    for (Operation &last :
         llvm::make_early_inc_range(llvm::reverse(region.front())))
      last.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if (dropped.contains(op) || isOpTriviallyDead(op))
          op->erase();
      });
  }

  /// Without copies: what consumers do.
  static void keepConsumers(Region &region) {
    eraseBackwards(region, isOfProducer);
  }

  /// What lies in a ring that is added is no tile in registers.
  static bool isComputed(Value value) {
    Operation *op = value.getDefiningOp();
    return isa<RankedTensorType, ProductType>(value.getType()) &&
           !(op && (isAddition(op) || isArrangement(op)));
  }

  /// Without tiles and what `drop` names: what warps of the producer do. Loops
  /// keep the tiles that they carry until they are canonicalised.
  static LogicalResult keepProducer(Region &region,
                                    function_ref<bool(Operation *)> drop) {
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
    eraseBackwards(region, drop);
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
    region.walk([](Operation *op) { op->removeAttr(StreamOp::kAheadAttr); });
  }

  static bool isPrologue(Operation *op) {
    return op->hasAttr(StreamOp::kAheadAttr);
  }

  /// Drops what loops carry for nothing.
  static LogicalResult simplifyLoops(Region &region) {
    MLIRContext *context = region.getContext();
    RewritePatternSet patterns(context);
    scf::ForOp::getCanonicalizationPatterns(patterns, context);
    scf::IfOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(region, std::move(patterns));
  }

  /// Shared memory of the rings and of what CTAs of a cluster exchange.
  static int64_t sharedBytesOf(KernelOp kernel) {
    int64_t bytes = 0;
    kernel.walk([&](Operation *op) {
      if (auto ring = dyn_cast<RingCreateOp>(op))
        bytes += slotBytes(ring.getRing().getType()) +
                 barrierBytes(ring.getRing().getType());
      else if (auto exchange = dyn_cast<ExchangeOp>(op))
        bytes += exchange.getBytes();
    });
    return bytes;
  }

  /// One of both takes numbers from counters.
  static void handOver(SpecializeOp roles) {
    roles.getProducer().walk([](TakeOp take) { take.setHandOn(true); });
    roles.getConsumer().walk([](TakeOp take) { take.setFromProducer(true); });
  }

  /// How many warps add out of rings. One keeps up with those who compute;
  /// where it waits for CTAs in front, and until its copies have written, the
  /// next tile is another's. Each of them counts the tiles by their waits. With
  /// more warps than slots one could take a slot for full that is not full yet:
  /// it would look at the barrier two phases early.
  static int64_t countAdders(Region &consumer, int64_t warps) {
    constexpr int64_t kOrderedAdders = 2;
    int64_t count = std::min(kOrderedAdders, warps - 1);
    bool waits = false;
    consumer.walk([&](AccumulateOp add) {
      if (!add.isOutOfRing())
        return;
      auto before = add->getBlock()->getOps<AwaitProgressOp>();
      auto beside = llvm::make_filter_range(
          add->getBlock()->getOps<AccumulateOp>(),
          [](AccumulateOp other) { return other.isOutOfRing(); });
      waits |= !before.empty();
      auto ring = add.getTile().getDefiningOp<RingWaitOp>().getRing();
      count = std::min(count, ring.getType().getStages());
      if (!llvm::hasSingleElement(before) || !llvm::hasSingleElement(beside) ||
          !(*before.begin())->isBeforeInBlock(add))
        count = 1;
    });
    return waits ? count : 1;
  }

  /// Additions out of rings are what more warps of the producer do, and
  /// the waits for CTAs in front, and the reports to those behind.
  static LogicalResult splitAdditions(SpecializeOp roles) {
    Region &consumer = roles.getConsumer();
    bool any = consumer
                   .walk([](Operation *op) {
                     return isAddition(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
                   })
                   .wasInterrupted();
    if (!any)
      return success();
    OpBuilder b = OpBuilder::atBlockBegin(&roles.getProducer().front());
    int64_t adders =
        countAdders(consumer, static_cast<int64_t>(roles.getProducerWarps()));
    for (int64_t warp = 1; warp <= adders; ++warp) {
      auto beside = BesideOp::create(b, roles.getLoc(), warp);
      IRMapping map;
      consumer.cloneInto(&beside.getBody(), map);
      if (failed(keepProducer(beside.getBody(), isBesideAdditions)))
        return failure();
    }
    eraseBackwards(consumer, isOfAdder);
    return success();
  }

  /// What of the producer is arrangements all of its warps do but the one that
  /// copies, in one body: they wait for copies, and these for them.
  static LogicalResult splitArrangements(SpecializeOp roles) {
    Region &producer = roles.getProducer(), all;
    bool any =
        producer.walk([](RingArrangeOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    IRMapping map;
    if (any)
      producer.cloneInto(&all, map);
    if (failed(keepProducer(producer, isBesideCopies)))
      return failure();
    if (!any)
      return success();
    OpBuilder b = OpBuilder::atBlockBegin(&producer.front());
    auto beside =
        BesideOp::create(b, roles.getLoc(), /*warp=*/1,
                         static_cast<int64_t>(roles.getProducerWarps()) - 1);
    beside.getBody().takeBody(all);
    beside.walk([](TakeOp take) {
      take.setHandOn(false);
      take.setFromProducer(true);
    });
    return keepProducer(beside.getBody(), isBesideArrangements);
  }

  /// Where the CTA adds behind others, two more warps of the producer tell them
  /// and wait for them, so that those who compute only look whether it is their
  /// turn.
  static LogicalResult splitTurns(SpecializeOp roles) {
    Region &consumer = roles.getConsumer();
    SmallVector<Operation *> steps;
    consumer.walk([&](Operation *op) {
      if (isOfOrder(op))
        steps.push_back(op);
    });
    if (steps.empty())
      return success();
    OpBuilder b = OpBuilder::atBlockBegin(&roles.getProducer().front());
    int64_t warp = 0;
    for (auto drop : {isBesideReports, isBesideWaits}) {
      auto beside = BesideOp::create(b, roles.getLoc(), ++warp);
      IRMapping map;
      consumer.cloneInto(&beside.getBody(), map);
      if (failed(keepProducer(beside.getBody(), drop)))
        return failure();
    }
    for (Operation *op : steps) {
      if (isa<AwaitProgressOp>(op))
        takeTurn(op);
      op->erase();
    }
    return success();
  }

  /// Whether a copy is into a ring whose slots have parts.
  static bool isOfParts(Operation *op) {
    if (auto land = dyn_cast<RingLandOp>(op))
      op = land.getPending().getDefiningOp();
    if (auto issue = dyn_cast_or_null<RingIssueOp>(op))
      op = issue.getSlot().getDefiningOp();
    auto acquire = dyn_cast_or_null<RingAcquireOp>(op);
    auto ring = acquire ? acquire.getRing().getDefiningOp<RingCreateOp>()
                        : RingCreateOp();
    return ring && ring.getParts();
  }

  /// Whether all copies from a view are into one ring: a view has one tensor
  /// map, and that the box of a part.
  static bool isCopiedTo(Value view, RingCreateOp ring) {
    return llvm::all_of(view.getUsers(), [&](Operation *user) {
      auto issue = dyn_cast<RingIssueOp>(user);
      auto slot = issue ? issue.getSlot().getDefiningOp<RingAcquireOp>()
                        : RingAcquireOp();
      return !issue || (slot && slot.getRing() == ring.getRing());
    });
  }

  /// Whether warpgroups may have a part each of the slots of a ring, which the
  /// accelerator copies: as many rows as one of their products has.
  static bool canHaveParts(RingCreateOp ring, int64_t groups) {
    auto copiesAlone = [&](Operation *use) {
      auto issue = dyn_cast<RingIssueOp>(use);
      return issue && issue.getBy() == CopyKind::Tensor &&
             issue.getBlocks().empty() && isCopiedTo(issue.getView(), ring);
    };
    bool copied = llvm::all_of(ring.getRing().getUsers(), [&](Operation *user) {
      auto acquire = dyn_cast<RingAcquireOp>(user);
      return !acquire || (!acquire.getWhen() &&
                          llvm::all_of(acquire->getUsers(), copiesAlone));
    });
    return ring.getOwnRows() && copied &&
           ring.getRing().getType().getTile().getDimSize(0) ==
               groups * RoleRegisters::kGroupRows;
  }

  /// Whether warps of the producer are free to copy a part each, and all copies
  /// are the accelerator's.
  static bool hasWarpsForParts(SpecializeOp roles, int64_t groups) {
    Region &producer = roles.getProducer();
    bool byThreads = producer
                         .walk([](RingIssueOp issue) {
                           return issue.getBy() == CopyKind::Tensor
                                      ? WalkResult::advance()
                                      : WalkResult::interrupt();
                         })
                         .wasInterrupted();
    return producer.getOps<BesideOp>().empty() &&
           roles.getNumComputing() == 1 && groups > 1 &&
           groups < static_cast<int64_t>(roles.getProducerWarps()) &&
           !byThreads;
  }

  /// Of slots with parts each part is what another warp of the producer copies,
  /// so that none waits for the warpgroup of another.
  static LogicalResult splitParts(SpecializeOp roles, int64_t threads) {
    int64_t groups = threads / RoleRegisters::kGroupThreads;
    if (!hasWarpsForParts(roles, groups))
      return success();
    bool any = false;
    roles->getParentOfType<KernelOp>().walk([&](RingCreateOp ring) {
      if (!canHaveParts(ring, groups))
        return;
      ring.setParts(groups);
      any = true;
    });
    if (!any)
      return success();
    Region &producer = roles.getProducer(), all;
    IRMapping map;
    producer.cloneInto(&all, map);
    if (failed(keepProducer(producer, isOfParts)))
      return failure();
    OpBuilder b = OpBuilder::atBlockBegin(&producer.front());
    for (int64_t part = 0; part < groups; ++part)
      if (failed(copyPart(b, roles, all, part)))
        return failure();
    return success();
  }

  /// What one warp beside the producer does of `all`.
  static LogicalResult copyPart(OpBuilder &b, SpecializeOp roles, Region &all,
                                int64_t part) {
    auto beside = BesideOp::create(b, roles.getLoc(), /*warp=*/part + 1);
    IRMapping map;
    all.cloneInto(&beside.getBody(), map);
    beside.walk([&](Operation *op) {
      if (auto take = dyn_cast<TakeOp>(op)) {
        take.setHandOn(false);
        take.setFromProducer(true);
      } else if (auto acquire = dyn_cast<RingAcquireOp>(op);
                 acquire && isOfParts(op)) {
        acquire.setPart(part);
      }
    });
    return keepProducer(beside.getBody(), [](Operation *op) {
      return isCopy(op) && !isOfParts(op);
    });
  }

  /// A turn lasts until the last of what is added behind the wait.
  static void takeTurn(Operation *await) {
    OpBuilder b(await);
    AddTurnOp::create(b, await->getLoc(), Turn::Take);
    Operation *last = await;
    for (Operation *op = await; op; op = op->getNextNode())
      if (isa<AccumulateOp>(op))
        last = op;
    b.setInsertionPointAfter(last);
    AddTurnOp::create(b, await->getLoc(), Turn::Pass);
  }

  /// A region for each role of those who compute.
  static LogicalResult splitComputing(SpecializeOp roles) {
    Region &first = roles.getConsumer();
    if (failed(markComputingRoles(first)))
      return failure();
    for (Region &other : roles.getOthers()) {
      IRMapping map;
      first.cloneInto(&other, map);
    }
    for (unsigned role = 0; role < roles.getNumComputing(); ++role)
      if (failed(keepComputingRole(roles.getComputing(role), role)))
        return failure();
    return success();
  }

  void split(CtasOp ctas, int64_t threads, int64_t warps,
             int64_t producerRegisters) {
    Block *body = &ctas.getBody().front();
    IRRewriter rewriter(ctas);
    rewriter.setInsertionPoint(body->getTerminator());
    TargetAttr target = TargetAttr::of(ctas);
    unsigned computing = countComputingRoles(ctas.getBody());
    threads *= computing;
    int64_t resident = residentWithRoles(
        target, threads, sharedBytesOf(ctas->getParentOfType<KernelOp>()));
    RoleRegisters registers =
        roleRegisters(target, threads, resident, producerRegisters);
    auto roles =
        SpecializeOp::create(rewriter, ctas.getLoc(), warps, registers.producer,
                             registers.consumer, computing - 1);
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
    if (failed(splitArrangements(roles)) || failed(splitAdditions(roles)) ||
        failed(splitTurns(roles)) ||
        (computing > 1 && failed(splitComputing(roles))) ||
        failed(splitParts(roles, threads)))
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
        threads.getInt() % RoleRegisters::kGroupThreads != 0) {
      InFlightDiagnostic error =
          kernel.emitOpError("expected whole warpgroups of ")
          << RoleRegisters::kGroupThreads
          << " threads beside a producer, in its attribute 'threads', but got ";
      plain ? error << threads.getInt() : error << threads;
      return signalPassFailure();
    }
    auto stated =
        kernel->getAttrOfType<IntegerAttr>(KernelOp::kProducerRegistersAttr);
    int64_t registers =
        stated ? stated.getValue().sextOrTrunc(64).getSExtValue() : 0;
    if (failed(checkProducerRegisters(kernel, registers)))
      return signalPassFailure();
    split(ctas[0], threads.getInt(), warps.getInt(), registers);
    ++numSplit;
  }
};

} // namespace
