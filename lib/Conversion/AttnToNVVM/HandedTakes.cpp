//===- HandedTakes.cpp - Numbers that a producer hands to consumers -------===//
//
// A mailbox of two slots in shared memory, each with two barriers: `full`, at
// which the producer arrives when it has written a number, and `empty`, at
// which every consumer thread arrives when it has read it. Both roles take in
// the same order, and count what they took, as for rings. Of a producer that is
// a warp one lane does so, and tells the others: if all did, each would have a
// tile of its own, and arrive at a barrier that expects one.
//
//===----------------------------------------------------------------------===//

#include "../AttnToGPU/Takes.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kSlots = 2, kNumberBytes = 4;

/// Where the mailbox of a CTA lies, and where a thread counts what it took.
struct Mailbox {
  attn::TargetAttr target;
  int64_t place;
  Value counter;

  static constexpr int64_t kBytes = kSlots * (2 * kBarrierBytes + kNumberBytes);
};

/// One access to a mailbox.
struct MailboxBuilder {
  MailboxBuilder(OpBuilder &b, Location loc, const Mailbox &mailbox)
      : b(b), loc(loc), mailbox(mailbox) {}

  ThreadBuilder t() const { return {b, loc}; }

  /// Advances to the next number.
  void next() {
    Value count = LLVM::LoadOp::create(b, loc, b.getI32Type(), mailbox.counter);
    LLVM::StoreOp::create(b, loc, t().add(count, 1), mailbox.counter);
    slot = t().rem(count, kSlots);
    parity = t().rem(t().div(count, kSlots), 2);
  }

  Value at(int64_t offset, int64_t bytes) const {
    return advance(b, loc, dynamicSharedAt(b, loc, mailbox.place + offset),
                   t().mul(slot, bytes));
  }
  Value full() const { return at(0, kBarrierBytes); }
  Value empty() const { return at(kSlots * kBarrierBytes, kBarrierBytes); }
  Value number() const { return at(2 * kSlots * kBarrierBytes, kNumberBytes); }

  void wait(Value barrier, Value parity, StringRef what) const {
    waitForPhase(b, loc, mailbox.target, barrier, parity, what);
  }
  void arrive(Value barrier) const {
    NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), barrier, Value(),
                                   NVVM::MemScopeKind::CTA, false);
  }

  OpBuilder &b;
  Location loc;
  const Mailbox &mailbox;
  Value slot, parity;
};

/// The producer takes a number and writes it to the mailbox.
struct HandOnPattern : OpRewritePattern<TakeOp> {
  HandOnPattern(MLIRContext *context, const Mailbox &mailbox)
      : OpRewritePattern(context), mailbox(mailbox) {}

  LogicalResult matchAndRewrite(TakeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getHandOn())
      return failure();
    Location loc = op.getLoc();
    MailboxBuilder box(rewriter, loc, mailbox);
    box.next();
    Value number = op->hasAttr(kByWarpAttr) ? takeByLane(rewriter, op, box)
                                            : take(rewriter, op, box);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    number);
    return success();
  }

  const Mailbox &mailbox;

private:
  /// What one thread does.
  Value take(OpBuilder &b, TakeOp op, const MailboxBuilder &next) const {
    Location loc = op.getLoc();
    MailboxBuilder box(b, loc, mailbox);
    box.slot = next.slot;
    // Slots are empty at first: the parity that a fresh barrier is past.
    box.wait(box.empty(), box.t().bitXor(next.parity, box.t().constant(1)),
             "empty");
    // Late, so that other CTAs may have the tile that this one cannot do yet.
    Value number = takeNumber(b, op);
    LLVM::StoreOp::create(b, loc, number, box.number(), kNumberBytes);
    box.arrive(box.full());
    return number;
  }

  Value takeByLane(OpBuilder &b, TakeOp op, const MailboxBuilder &next) const {
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    auto first = scf::IfOp::create(
        b, loc, t.equals(laneOf(t), 0),
        [&](OpBuilder &n, Location) {
          scf::YieldOp::create(n, loc, take(n, op, next));
        },
        [&](OpBuilder &n, Location) {
          Value none = ThreadBuilder{n, loc}.constant(0);
          scf::YieldOp::create(n, loc, none);
        });
    return gpu::ShuffleOp::create(b, loc, first.getResult(0), t.constant(0),
                                  t.constant(kWarpThreads),
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  }
};

/// Consumers read what the producer took.
struct FromProducerPattern : OpRewritePattern<TakeOp> {
  FromProducerPattern(MLIRContext *context, const Mailbox &mailbox)
      : OpRewritePattern(context), mailbox(mailbox) {}

  LogicalResult matchAndRewrite(TakeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getFromProducer())
      return failure();
    Location loc = op.getLoc();
    MailboxBuilder box(rewriter, loc, mailbox);
    box.next();
    box.wait(box.full(), box.parity, "full");
    Value number = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(),
                                        box.number(), kNumberBytes);
    box.arrive(box.empty());
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    number);
    return success();
  }

  const Mailbox &mailbox;
};

Mailbox createMailbox(LLVM::LLVMFuncOp function, int64_t place) {
  Location loc = function.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  ThreadBuilder t{b, loc};
  Mailbox mailbox{attn::TargetAttr::of(function), place, {}};
  mailbox.counter =
      LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             b.getI32Type(), t.constant(1));
  LLVM::StoreOp::create(b, loc, t.constant(0), mailbox.counter);
  Operation *start = &function.getBody().front().front();
  int64_t consumers = allComputeThreads(start) + besideThreads(start);
  initializeBarriers(b, function, [&](OpBuilder &n) {
    MailboxBuilder box(n, loc, mailbox);
    for (int64_t slot = 0; slot < kSlots; ++slot) {
      box.slot = box.t().constant(slot);
      NVVM::MBarrierInitOp::create(n, loc, box.full(), box.t().constant(1),
                                   Value());
      NVVM::MBarrierInitOp::create(n, loc, box.empty(),
                                   box.t().constant(consumers), Value());
    }
  });
  return mailbox;
}

} // namespace

int64_t attn::lowerHandedTakes(LLVM::LLVMFuncOp function, int64_t bytes) {
  bool any = function
                 .walk([](TakeOp take) {
                   return take.getHandOn() || take.getFromProducer()
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 })
                 .wasInterrupted();
  if (!any)
    return bytes;
  int64_t place = llvm::alignTo(bytes, kBarrierBytes);
  Mailbox mailbox = createMailbox(function, place);
  RewritePatternSet patterns(function.getContext());
  patterns.add<FromProducerPattern, HandOnPattern>(function.getContext(),
                                                   mailbox);
  walkAndApplyPatterns(function, std::move(patterns));
  return place + Mailbox::kBytes;
}
