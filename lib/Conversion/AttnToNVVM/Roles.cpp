//===- Roles.cpp - Producer and consumers ---------------------------------===//
//
// Threads from the first of the producer on branch off at once and give up most
// of their registers (PTX ISA, "setmaxnreg"); one of them does the work, or a
// warp, where rows that tensor maps cannot copy are copied, too.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

/// Attribute of the branch of a role that computes, but the first: its number.
static constexpr StringLiteral kComputingRole = "attn.computing_role";
/// Attribute of a function with several of these: how many.
static constexpr StringLiteral kComputingRoles = "attn.computing_roles";
/// Attribute of a function some of whose threads hold no tiles: how many do, of
/// each role.
static constexpr StringLiteral kComputeThreads = "attn.compute_threads";
/// Attribute of a function with threads beside its producer: how many.
static constexpr StringLiteral kBesideThreads = "attn.beside_threads";
/// Registers of a producer's thread from which on shared counters save some.
/// With 32, in gradients of D 64, what follows from one of them lives longer,
/// and ptxas spills more.
static constexpr int64_t kRegistersToShare = 40;
/// The named barrier of the threads that do; 0 is that of the CTA.
static constexpr int64_t kComputeBarrier = 1;
/// That of the second role; those of others come before.
static constexpr int64_t kLastBarrier = 15;
/// The first of those of warpgroups, behind those of turns.
static constexpr int64_t kFirstGroupBarrier = 8;

int64_t attn::computeThreads(Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  if (auto threads = function->getAttrOfType<IntegerAttr>(kComputeThreads))
    return threads.getInt();
  return function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid")[0];
}

int64_t attn::allComputeThreads(Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto roles = function->getAttrOfType<IntegerAttr>(kComputingRoles);
  return computeThreads(op) * (roles ? roles.getInt() : 1);
}

int64_t attn::besideThreads(Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto threads = function->getAttrOfType<IntegerAttr>(kBesideThreads);
  return threads ? threads.getInt() : 0;
}

int64_t attn::computingRoleOf(Block *block) {
  for (; block && block->getParentOp();
       block = block->getParentOp()->getBlock())
    if (auto branch = dyn_cast<scf::IfOp>(block->getParentOp()))
      if (auto role = branch->getAttrOfType<IntegerAttr>(kComputingRole);
          role && block->getParent() == &branch.getThenRegion())
        return role.getInt();
  return 0;
}

void attn::numberRoleThreads(LLVM::LLVMFuncOp function) {
  function.walk([&](scf::IfOp branch) {
    auto role = branch->getAttrOfType<IntegerAttr>(kComputingRole);
    if (!role)
      return;
    int64_t first = role.getInt() * computeThreads(branch);
    branch.getThenRegion().walk([&](Operation *op) {
      auto thread = dyn_cast<gpu::ThreadIdOp>(op);
      bool reads = thread && thread.getDimension() == gpu::Dimension::x;
      if (!reads && !op->hasAttr(kReadsThreadAttr))
        return;
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      Value number = op->getResult(0);
      Value before = arith::ConstantOp::create(
          b, op->getLoc(), b.getIntegerAttr(number.getType(), first));
      Value own = arith::SubIOp::create(b, op->getLoc(), number, before);
      number.replaceAllUsesExcept(own, own.getDefiningOp());
    });
  });
}

void attn::computeBarrier(OpBuilder &b, Location loc) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<LLVM::LLVMFuncOp>();
  auto threads = function->getAttrOfType<IntegerAttr>(kComputeThreads);
  if (!threads) {
    gpu::BarrierOp::create(b, loc);
    return;
  }
  ThreadBuilder t{b, loc};
  int64_t role = computingRoleOf(b.getInsertionBlock());
  int64_t barrier = role == 0 ? kComputeBarrier : kLastBarrier - (role - 1);
  NVVM::BarrierOp::create(b, loc, TypeRange(), t.constant(barrier),
                          t.constant(threads.getInt()),
                          NVVM::BarrierReductionAttr(), Value());
}

Value attn::groupBarrier(OpBuilder &b, Operation *op, Value predicate) {
  Location loc = op->getLoc();
  ThreadBuilder t{b, loc};
  int64_t ofRole =
      computingRoleOf(op->getBlock()) * computeThreads(op) / kGroupThreads;
  Value barrier =
      t.add(t.div(t.thread(), kGroupThreads), kFirstGroupBarrier + ofRole);
  Value threads = t.constant(kGroupThreads);
  if (!predicate) {
    NVVM::BarrierOp::create(b, loc, TypeRange(), barrier, threads,
                            NVVM::BarrierReductionAttr(), Value());
    return {};
  }
  // nvvm.barrier counts at the barrier of the CTA alone.
  return LLVM::CallIntrinsicOp::create(
             b, loc, b.getI32Type(),
             b.getStringAttr("llvm.nvvm.barrier.cta.red.popc.aligned.count"),
             ValueRange{barrier, threads, predicate})
      .getResult(0);
}

/// Moves a role's body before the terminator of `block`.
static void moveRole(IRRewriter &rewriter, Region &role, Block *block) {
  Block *body = &role.front();
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, block->getTerminator());
}

static void setRegisters(OpBuilder &b, Location loc, int64_t registers,
                         NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(b, loc, static_cast<uint32_t>(registers),
                                 action);
}

/// Marks what another warp of the producer does; `adders` counts those that
/// add.
static void markBeside(BesideOp beside, int64_t &adders) {
  Builder b(beside.getContext());
  bool adds = false;
  beside.getBody().walk([&](AccumulateOp) { adds = true; });
  beside.getBody().walk([&](Operation *op) {
    if (isa<AccumulateOp, AwaitProgressOp, ReportProgressOp, RingReleaseOp,
            RingWaitOp>(op))
      op->setAttr(kBesideAttr, b.getUnitAttr());
    if (adds && isa<AccumulateOp, AwaitProgressOp, ReportProgressOp>(op))
      op->setAttr(kAdderAttr, b.getI64IntegerAttr(adders));
  });
  adders += int64_t(adds);
}

/// Marks what warps of the producer do that fill a ring out of another: all of
/// their lanes wait, and a warp tells of what its lanes did.
static void markArranging(BesideOp beside, int64_t first) {
  Builder b(beside.getContext());
  beside.getBody().walk([&](RingAcquireOp op) {
    op->removeAttr(kAloneAttr);
    op->setAttr(kByWarpAttr, b.getUnitAttr());
  });
  auto count = static_cast<int64_t>(beside.getCount());
  beside.getBody().walk([&](RingArrangeOp op) {
    op->setAttr(kArrangersAttr, b.getDenseI64ArrayAttr({first, count}));
  });
}

/// Whether another warp of the producer copies, which one thread of it does.
static bool copies(BesideOp beside) {
  return beside.walk([](RingIssueOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static bool arranges(BesideOp beside) {
  return beside.walk([](RingArrangeOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Threads that do it.
static int64_t threadsOf(BesideOp beside) {
  return copies(beside)
             ? 1
             : kWarpThreads * static_cast<int64_t>(beside.getCount());
}

/// Moves what other warps of the producer do into branches of theirs before the
/// terminator of `block`; `first` is the first thread of the producer.
static void branchBeside(IRRewriter &rewriter, SpecializeOp roles, Block *block,
                         Value thread, int64_t first) {
  Location loc = roles.getLoc();
  auto besides = llvm::to_vector(roles.getProducer().getOps<BesideOp>());
  if (besides.empty())
    return;
  int64_t threads = 0;
  for (BesideOp beside : besides)
    threads += threadsOf(beside);
  roles->getParentOfType<LLVM::LLVMFuncOp>()->setAttr(
      kBesideThreads, rewriter.getI64IntegerAttr(threads));
  int64_t adders = 0;
  for (BesideOp beside : besides) {
    if (arranges(beside))
      markArranging(beside, first / kWarpThreads +
                                static_cast<int64_t>(beside.getWarp()));
    else
      markBeside(beside, adders);
    rewriter.setInsertionPoint(block->getTerminator());
    ThreadBuilder t{rewriter, loc};
    int64_t warp =
        first / kWarpThreads + static_cast<int64_t>(beside.getWarp());
    auto count = static_cast<int64_t>(beside.getCount());
    Value number = t.div(thread, kWarpThreads);
    Value isHere =
        copies(beside) ? t.equals(thread, warp * kWarpThreads)
        : count == 1
            ? t.equals(number, warp)
            : arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                    t.add(number, -warp), t.constant(count))
                  .getResult();
    auto branch = scf::IfOp::create(rewriter, loc, isHere, /*withElse=*/false);
    branch->setAttr(kRoleBranchAttr, rewriter.getUnitAttr());
    moveRole(rewriter, beside.getBody(), branch.thenBlock());
    rewriter.eraseOp(beside);
  }
}

/// Moves the roles that compute into `block`, a branch within the other: the
/// first has the fewest threads before it.
static void branchToComputing(IRRewriter &rewriter, SpecializeOp roles,
                              Block *block, Value thread, int64_t threads) {
  Location loc = roles.getLoc();
  for (unsigned role = roles.getNumComputing() - 1; role > 0; --role) {
    rewriter.setInsertionPoint(block->getTerminator());
    ThreadBuilder t{rewriter, loc};
    Value isHere =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, thread,
                              t.constant(role * threads));
    auto branch = scf::IfOp::create(rewriter, loc, isHere, /*withElse=*/true);
    branch->setAttr(kComputingRole, rewriter.getI64IntegerAttr(role));
    branch->setAttr(kRoleBranchAttr, rewriter.getUnitAttr());
    moveRole(rewriter, roles.getComputing(role), branch.thenBlock());
    block = branch.elseBlock();
  }
  moveRole(rewriter, roles.getConsumer(), block);
}

static void lower(SpecializeOp roles, LLVM::LLVMFuncOp function) {
  Location loc = roles.getLoc();
  IRRewriter rewriter(roles);
  int64_t all = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid")[0];
  int64_t computing = all - 32 * static_cast<int64_t>(roles.getProducerWarps());
  int64_t count = roles.getNumComputing();
  function->setAttr(kComputeThreads,
                    rewriter.getI64IntegerAttr(computing / count));
  if (count > 1)
    function->setAttr(kComputingRoles, rewriter.getI64IntegerAttr(count));
  // As many CTAs as the registers of their roles leave room for: without a
  // number the counts of registers are ignored.
  int64_t registers =
      computing * static_cast<int64_t>(roles.getConsumerRegisters()) +
      (all - computing) * static_cast<int64_t>(roles.getProducerRegisters());
  int64_t resident =
      TargetAttr::of(roles).get(Fact::RegistersPerSM) / registers;
  function->setAttr("nvvm.minctasm",
                    rewriter.getI32IntegerAttr(
                        static_cast<int32_t>(std::max<int64_t>(resident, 1))));
  bool byWarp = false;
  roles.getProducer().walk(
      [&](RingIssueOp op) { byWarp |= op.getBy() != CopyKind::Tensor; });
  roles.getProducer().walk([&](Operation *op) {
    if (isa<RingAcquireOp, RingIssueOp, TakeOp>(op))
      op->setAttr(byWarp ? kByWarpAttr : kAloneAttr, rewriter.getUnitAttr());
  });
  ThreadBuilder t{rewriter, loc};
  Value thread = t.thread();
  Value produces = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sge, thread, t.constant(computing));
  auto branch = scf::IfOp::create(rewriter, loc, produces, /*withElse=*/true);
  branch->setAttr(kRoleBranchAttr, rewriter.getUnitAttr());
  if (byWarp &&
      static_cast<int64_t>(roles.getProducerRegisters()) >= kRegistersToShare)
    function->setAttr(kSharesCountersAttr, rewriter.getUnitAttr());
  rewriter.setInsertionPointToStart(branch.thenBlock());
  setRegisters(rewriter, loc, roles.getProducerRegisters(),
               NVVM::SetMaxRegisterAction::decrease);
  branchBeside(rewriter, roles, branch.thenBlock(), thread, computing);
  rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value works = byWarp ? t.less(thread, t.constant(computing + kWarpThreads))
                       : t.equals(thread, computing);
  auto alone = scf::IfOp::create(rewriter, loc, works, /*withElse=*/false);
  alone->setAttr(kRoleBranchAttr, rewriter.getUnitAttr());
  moveRole(rewriter, roles.getProducer(), alone.thenBlock());
  rewriter.setInsertionPointToStart(branch.elseBlock());
  setRegisters(rewriter, loc, roles.getConsumerRegisters(),
               NVVM::SetMaxRegisterAction::increase);
  branchToComputing(rewriter, roles, branch.elseBlock(), thread,
                    computing / count);
  rewriter.eraseOp(roles);
}

void attn::lowerRoles(LLVM::LLVMFuncOp function) {
  SmallVector<SpecializeOp> found;
  function.walk([&](SpecializeOp roles) { found.push_back(roles); });
  for (SpecializeOp roles : found)
    lower(roles, function);
}

namespace {

/// A turn is a named barrier of the group that waits for it and the one that
/// passes it on.
struct TurnPattern : OpConversionPattern<TurnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TurnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    auto groups = static_cast<int64_t>(op.getGroups());
    Value group = t.div(t.thread(), kGroupThreads);
    Value both = t.constant(2 * kGroupThreads);
    switch (op.getStep()) {
    case Turn::Take:
      NVVM::BarrierOp::create(rewriter, loc, TypeRange(),
                              t.add(group, kFirstTurn), both,
                              NVVM::BarrierReductionAttr(), Value());
      break;
    case Turn::Pass:
      NVVM::BarrierArriveOp::create(
          rewriter, loc, t.add(t.rem(t.add(group, 1), groups), kFirstTurn),
          both);
      break;
    case Turn::Start:
      scf::IfOp::create(rewriter, loc, t.equals(group, groups - 1),
                        [&](OpBuilder &b, Location) {
                          ThreadBuilder inner{b, loc};
                          NVVM::BarrierArriveOp::create(
                              b, loc, inner.constant(kFirstTurn),
                              inner.constant(2 * kGroupThreads));
                          scf::YieldOp::create(b, loc);
                        });
      break;
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// After the barriers of the CTA and of its consumers.
  static constexpr int64_t kFirstTurn = kComputeBarrier + 1;
};

} // namespace

void attn::populateTurnPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<TurnPattern>(converter, patterns.getContext());
}
