//===- SequentializeRings.cpp - Level 3 on one thread of the CPU ----------===//
//
// A ring becomes memory of the CTA that holds its tiles in their layouts, and
// numbers that count what happened to its slots. Copies are made where they are
// issued; what a GPU would only get right by luck is made wrong for certain:
// slots hold NaN unless a copy landed in them, and a tile is read where it is
// used, not where it was waited for. Breaches of the protocol are reported to
// kRingError as well, since the data need not show them.
//
//===----------------------------------------------------------------------===//

#include "SequentialChecks.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSEQUENTIALIZERINGS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

using arith::CmpIPredicate;

bool hasLayout(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isa_and_nonnull<FragmentAttr, SharedAttr>(tile.getEncoding());
}

RankedTensorType plain(RankedTensorType tile) {
  return RankedTensorType::get(tile.getShape(), tile.getElementType());
}

bool isLevel3(Operation *op) {
  return isa<RingCreateOp, RingAcquireOp, RingIssueOp, RingLandOp, RingWaitOp,
             RingReleaseOp, RingPutOp, RingArrangeOp, ConvertLayoutOp,
             ReduceRegistersOp, BarrierOp, SchedulingHintOp>(op) ||
         llvm::any_of(op->getResultTypes(), hasLayout);
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// The running numbers of a ring: slots taken, filled, waited for, given back.
enum Number { kAcquired, kLanded, kWaited, kReleased, kNumNumbers };

/// Elements that a slot has room for.
int64_t placesOf(RankedTensorType tile) {
  return SharedAttr::getNumBytes(tile) / (tile.getElementTypeBitWidth() / 8);
}

/// A ring as memory.

struct Ring {
  RingType type;
  /// The elements of each slot, and of one more that stays NaN: a read that is
  /// not allowed goes there.
  Value slots;
  Value numbers;
  /// Stages that have memory on the target.
  int64_t slotsInMemory = 0;
  /// Its place among the rings of the kernel.
  int64_t index = 0;
};

/// Builds accesses to one ring.
struct RingBuilder {
  OpBuilder &b;
  Location loc;
  const Ring &ring;

  IndexBuilder m() const { return {b, loc}; }
  RankedTensorType tile() const { return ring.type.getTile(); }
  int64_t stages() const { return ring.type.getStages(); }

  Value number(Number which) const {
    return memref::LoadOp::create(b, loc, ring.numbers, m().constant(which));
  }
  void setNumber(Number which, Value value) const {
    memref::StoreOp::create(b, loc, value, ring.numbers, m().constant(which));
  }
  Value slotOf(Value number) const {
    return m().rem(number, m().constant(stages()));
  }

  void reportIf(Value wrong, RingError error) const {
    scf::IfOp::create(b, loc, wrong, [&](OpBuilder &n, Location) {
      IndexBuilder m{n, loc};
      func::CallOp::create(n, loc, kRingError, TypeRange(),
                           ValueRange{m.constant(ring.index),
                                      m.constant(static_cast<int64_t>(error))});
      scf::YieldOp::create(n, loc);
    });
  }

  /// Loops from zero to `sizes`.
  void loops(ArrayRef<int64_t> sizes,
             function_ref<void(OpBuilder &, ValueRange)> body) const {
    SmallVector<Value> lower(sizes.size(), m().constant(0));
    SmallVector<Value> step(sizes.size(), m().constant(1));
    SmallVector<Value> upper = llvm::map_to_vector(
        sizes, [&](int64_t size) { return m().constant(size); });
    scf::buildLoopNest(
        b, loc, lower, upper, step,
        [&](OpBuilder &n, Location, ValueRange i) { body(n, i); });
  }

  /// SharedAttr::getByteOffset as arithmetic, in elements: a layout that maps
  /// two elements to one place loses one of them.
  Value elementOffset(OpBuilder &n, Value row, Value column) const {
    IndexBuilder m{n, loc};
    auto layout = cast<SharedAttr>(tile().getEncoding());
    int64_t span = layout.getSpan();
    if (layout.getTransposed())
      std::swap(row, column);
    Value bytes = m.constant(tile().getElementTypeBitWidth() / 8);
    Value spanBytes = m.constant(span);
    Value byte = m.mul(column, bytes);
    Value offset = m.add(m.mul(row, spanBytes), m.rem(byte, spanBytes));
    for (const SharedAttr::Swizzle &swizzle : SharedAttr::getSwizzles(tile())) {
      Value parity;
      for (int64_t bit = 1; bit <= swizzle.rowBits; bit *= 2) {
        if ((swizzle.rowBits & bit) == 0)
          continue;
        Value one = m.rem(m.div(row, m.constant(bit)), m.constant(2));
        parity = parity ? arith::XOrIOp::create(n, loc, parity, one) : one;
      }
      offset = arith::XOrIOp::create(
          n, loc, offset, m.mul(parity, m.constant(int64_t(1) << swizzle.bit)));
    }
    Value panel = m.mul(m.div(byte, spanBytes),
                        m.constant(SharedAttr::getPanelDistance(tile())));
    return m.div(m.add(panel, offset), bytes);
  }

  /// Fills slots [first, end) with NaN.
  void poison(Value first, Value end) const {
    auto type = cast<FloatType>(tile().getElementType());
    Value nan = arith::ConstantOp::create(
        b, loc,
        FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics())));
    Value zero = m().constant(0), one = m().constant(1);
    Value elements = m().constant(placesOf(tile()));
    scf::buildLoopNest(b, loc, {first, zero}, {end, elements}, {one, one},
                       [&](OpBuilder &n, Location, ValueRange i) {
                         memref::StoreOp::create(n, loc, nan, ring.slots, i);
                       });
  }
  void poison(Value slot) const {
    poison(slot, m().add(slot, m().constant(1)));
  }

  void write(Value value, Value slot) const {
    loops(tile().getShape(), [&](OpBuilder &n, ValueRange i) {
      Value element = tensor::ExtractOp::create(n, loc, value, i);
      memref::StoreOp::create(n, loc, element, ring.slots,
                              ValueRange{slot, elementOffset(n, i[0], i[1])});
    });
  }

  /// The slot of a tile that was waited for at `number`, if it is the
  /// consumer's still; else, after a report, the one that stays NaN.
  Value slotForUse(Value number) const {
    Value lost =
        m().compare(CmpIPredicate::ne, number, this->number(kReleased));
    reportIf(lost, RingError::UsedReleased);
    return m().select(lost, m().constant(stages()), slotOf(number));
  }

  /// The contents of a slot as of now. Loops, since a tensor.generate could be
  /// moved past what happens to the slot later.
  /// Rows from number `end` on (null: none) are cleared.
  Value read(Value slot, Value end) const {
    auto type = MemRefType::get(tile().getShape(), tile().getElementType());
    Value copy = memref::AllocOp::create(b, loc, type);
    loops(tile().getShape(), [&](OpBuilder &n, ValueRange i) {
      Value element = memref::LoadOp::create(
          n, loc, ring.slots, ValueRange{slot, elementOffset(n, i[0], i[1])});
      if (end) {
        IndexBuilder m{n, loc};
        Value zero = arith::ConstantOp::create(
            n, loc, n.getZeroAttr(tile().getElementType()));
        element =
            m.select(m.compare(CmpIPredicate::slt, i[0], end), element, zero);
      }
      memref::StoreOp::create(n, loc, element, copy, i);
    });
    return bufferization::ToTensorOp::create(b, loc, plain(tile()), copy,
                                             /*restrict=*/true,
                                             /*writable=*/true);
  }
};

/// Rewrites one kernel.
class Sequentializer {
public:
  explicit Sequentializer(KernelOp kernel)
      : kernel(kernel), rewriter(kernel.getContext()) {}

  /// The number of rings.
  unsigned run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      rewrite(op);
    }
    for (Operation *op : llvm::reverse(done))
      rewriter.eraseOp(op);
    stripLayouts();
    return rings.size();
  }

private:
  void rewrite(Operation *op) {
    if (auto create = dyn_cast<RingCreateOp>(op))
      return rewriteCreate(create);
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      return rewriteAcquire(acquire);
    if (auto issue = dyn_cast<RingIssueOp>(op))
      return rewriteIssue(issue);
    if (auto land = dyn_cast<RingLandOp>(op))
      return rewriteLand(land);
    if (auto put = dyn_cast<RingPutOp>(op))
      return rewritePut(put);
    if (auto wait = dyn_cast<RingWaitOp>(op))
      return rewriteWait(wait);
    if (auto release = dyn_cast<RingReleaseOp>(op))
      return rewriteRelease(release);
    // One thread waits for none.
    if (isa<BarrierOp, SchedulingHintOp>(op))
      return finish(op);
    readShared(op);
    if (auto arrange = dyn_cast<RingArrangeOp>(op))
      return rewriteArrange(arrange);
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      rewriter.replaceOp(convert, convert.getSource());
    else if (auto reduce = dyn_cast<ReduceRegistersOp>(op))
      rewriteReduce(reduce);
  }

  /// Marks what is replaced, and still names its operands.
  void finish(Operation *op) { done.push_back(op); }

  RingBuilder at(Operation *op, Value ring) {
    return {rewriter, op->getLoc(), rings.find(ring)->second};
  }

  /// Shared memory is the CTA's own: the ring moves into its body.
  void rewriteCreate(RingCreateOp op) {
    Location loc = op.getLoc();
    CtasOp ctas = *kernel.getBody().getOps<CtasOp>().begin();
    rewriter.setInsertionPointToStart(&ctas.getBody().front());
    RingType type = op.getRing().getType();
    RankedTensorType tile = type.getTile();
    Ring ring;
    ring.type = type;
    ring.index = rings.size();
    ring.slots = memref::AllocOp::create(
        rewriter, loc,
        MemRefType::get({type.getStages() + 1, placesOf(tile)},
                        tile.getElementType()));
    ring.slotsInMemory = op.getNumSlots();
    ring.numbers = memref::AllocOp::create(
        rewriter, loc, MemRefType::get({kNumNumbers}, rewriter.getIndexType()));
    RingBuilder builder{rewriter, loc, ring};
    for (int which = 0; which < kNumNumbers; ++which)
      builder.setNumber(static_cast<Number>(which), builder.m().constant(0));
    builder.poison(builder.m().constant(0),
                   builder.m().constant(type.getStages() + 1));
    rings.try_emplace(op.getRing(), ring);
    finish(op);
  }

  /// The slot is found as a GPU finds it, from what was released.
  void rewriteAcquire(RingAcquireOp op) {
    RingBuilder ring = at(op, op.getRing());
    IndexBuilder m = ring.m();
    Value number = m.add(ring.number(kReleased),
                         m.constant(static_cast<int64_t>(op.getAhead())));
    Value taken = ring.number(kAcquired);
    ring.reportIf(onlyWhen(op, m, m.compare(CmpIPredicate::ne, number, taken)),
                  RingError::AcquiredOutOfTurn);
    reportShared(op);
    ring.setNumber(kAcquired, nextNumber(op, m, number, taken));
    numbers[op.getSlot()] = number;
    finish(op);
  }

  /// Memory of others than the acquired ring must be free.
  void reportShared(RingAcquireOp op) {
    auto own = op.getRing().getDefiningOp<RingCreateOp>();
    RingBuilder ring = at(op, op.getRing());
    for (auto other : kernel.getBody().getOps<RingCreateOp>()) {
      if (other == own || !own.sharesMemory(other))
        continue;
      RingBuilder there = at(op, other.getRing());
      Value taken = ring.m().compare(CmpIPredicate::ne, there.number(kAcquired),
                                     there.number(kReleased));
      ring.reportIf(onlyWhen(op, ring.m(), taken), RingError::AcquiredShared);
    }
  }

  /// What is wrong only where a slot is taken.
  static Value onlyWhen(RingAcquireOp acquire, IndexBuilder m, Value wrong) {
    return acquire.getWhen()
               ? arith::AndIOp::create(m.b, m.loc, acquire.getWhen(), wrong)
                     .getResult()
               : wrong;
  }

  /// The number after `number` or, where no slot is taken, the one before.
  static Value nextNumber(RingAcquireOp acquire, IndexBuilder m, Value number,
                          Value before) {
    Value next = m.add(number, m.constant(1));
    return acquire.getWhen() ? m.select(acquire.getWhen(), next, before) : next;
  }

  static RingAcquireOp acquireOf(RingIssueOp issue) {
    return issue.getSlot().getDefiningOp<RingAcquireOp>();
  }

  void rewriteIssue(RingIssueOp op) {
    if (Value when = acquireOf(op).getWhen()) {
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), when);
      rewriter.setInsertionPoint(branch.thenYield());
    }
    RingBuilder ring = at(op, acquireOf(op).getRing());
    Value tile =
        LoadOp::create(rewriter, op.getLoc(), plain(ring.tile()), op.getView(),
                       op.getOffsets(), op.getBlocks(), op.getUntil());
    ring.write(tile, ring.slotOf(numbers.lookup(op.getSlot())));
    finish(op);
  }

  void rewriteLand(RingLandOp op) {
    auto issue = op.getPending().getDefiningOp<RingIssueOp>();
    countLanded(op, acquireOf(issue));
    finish(op);
  }

  /// Copied and landed in one.
  void rewritePut(RingPutOp op) {
    auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
    RingBuilder ring = at(op, acquire.getRing());
    ring.write(op.getTile(), ring.slotOf(numbers.lookup(op.getSlot())));
    countLanded(op, acquire);
    finish(op);
  }

  /// The same, of what was read from another ring.
  void rewriteArrange(RingArrangeOp op) {
    auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
    RingBuilder ring = at(op, acquire.getRing());
    Value columns = ArrangeOp::create(rewriter, op.getLoc(), plain(ring.tile()),
                                      op.getTile());
    ring.write(columns, ring.slotOf(numbers.lookup(op.getSlot())));
    countLanded(op, acquire);
    finish(op);
  }

  void countLanded(Operation *op, RingAcquireOp acquire) {
    RingBuilder ring = at(op, acquire.getRing());
    IndexBuilder m = ring.m();
    Value number = numbers.lookup(acquire.getSlot()),
          landed = ring.number(kLanded);
    ring.reportIf(
        onlyWhen(acquire, m, m.compare(CmpIPredicate::ne, number, landed)),
        RingError::LandedOutOfTurn);
    ring.setNumber(kLanded, nextNumber(acquire, m, number, landed));
    if (ring.ring.slotsInMemory < ring.stages())
      reportOccupied(ring, landed);
  }

  /// Memory is written whether a slot was taken or not.
  static void reportOccupied(const RingBuilder &ring, Value landed) {
    IndexBuilder m = ring.m();
    Value used =
        arith::SubIOp::create(ring.b, ring.loc, landed, ring.number(kReleased));
    ring.reportIf(m.compare(CmpIPredicate::sge, used,
                            m.constant(ring.ring.slotsInMemory)),
                  RingError::LandedOccupied);
  }

  void rewriteWait(RingWaitOp op) {
    RingBuilder ring = at(op, op.getRing());
    Value number = ring.number(kReleased);
    ring.reportIf(
        ring.m().compare(CmpIPredicate::sge, number, ring.number(kLanded)),
        RingError::WaitedEmpty);
    ring.setNumber(kWaited, ring.m().add(number, ring.m().constant(1)));
    numbers[op.getTile()] = number;
    finish(op);
  }

  void rewriteRelease(RingReleaseOp op) {
    RingBuilder ring = at(op, op.getRing());
    Value number = ring.number(kReleased);
    ring.reportIf(
        ring.m().compare(CmpIPredicate::sge, number, ring.number(kWaited)),
        RingError::ReleasedUnread);
    ring.poison(ring.slotOf(number));
    ring.setNumber(kReleased, ring.m().add(number, ring.m().constant(1)));
    finish(op);
  }

  /// Reads the tiles in shared memory that `op` uses; scratch is overwritten.
  void readShared(Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      auto wait = use.get().getDefiningOp<RingWaitOp>();
      if (!wait)
        continue;
      RingBuilder ring = at(op, wait.getRing());
      Value slot = ring.slotForUse(numbers.lookup(wait.getTile()));
      if (!isa<StoreOp>(op)) {
        use.set(ring.read(slot, wait.getRows()));
        continue;
      }
      ring.poison(slot);
      auto store = cast<StoreOp>(op);
      store.getScratchMutable().clear();
      store.setByTensorMap(false);
      return;
    }
  }

  /// A product with the matrix that has a one where a thread holds a column.
  /// Exact, but for a row with an infinity, which becomes NaN.
  void rewriteReduce(ReduceRegistersOp op) {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<int64_t> owners = *ownersOfColumns(tile);
    int64_t columns = owners.size(), threads = result.getDimSize(1);
    SmallVector<float> holds(columns * threads, 0);
    for (auto [column, thread] : llvm::enumerate(owners))
      holds[column * threads + thread] = 1;
    auto type =
        RankedTensorType::get({columns, threads}, rewriter.getF32Type());
    Value matrix = arith::ConstantOp::create(
        rewriter, loc, type,
        DenseElementsAttr::get(type, ArrayRef<float>(holds)));
    RankedTensorType rows = plain(result);
    Value zero = arith::ConstantOp::create(rewriter, loc, rows,
                                           rewriter.getZeroAttr(rows));
    rewriter.replaceOpWithNewOp<DotOp>(op, rows, op.getTile(), matrix, zero,
                                       /*transpose_rhs=*/false,
                                       /*prioritized=*/false, /*unit=*/nullptr);
  }

  static void strip(Value value) {
    if (hasLayout(value.getType()))
      value.setType(plain(cast<RankedTensorType>(value.getType())));
  }

  /// Where an element lies is of no concern from here on.
  void stripLayouts() {
    kernel->removeAttr(KernelOp::kThreadsAttr);
    kernel.walk([](Operation *op) {
      for (Value result : op->getResults())
        strip(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            strip(argument);
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(
              elements.reshape(cast<ShapedType>(constant.getType())));
    });
  }

  KernelOp kernel;
  IRRewriter rewriter;
  llvm::MapVector<Value, Ring> rings;
  /// The running number of each slot and of each tile waited for.
  llvm::DenseMap<Value, Value> numbers;
  SmallVector<Operation *> done;
};

/// Products are computed as late as they may be: where they are waited for.
/// What was given back before is NaN by then.
LogicalResult computeAtWaits(KernelOp kernel) {
  SmallVector<DotWaitOp> waits;
  kernel.walk([&](DotWaitOp wait) { waits.push_back(wait); });
  for (DotWaitOp wait : waits) {
    auto issue = wait.getProduct().getDefiningOp<DotIssueOp>();
    if (!issue || !issue->hasOneUse())
      return wait.emitOpError(
          "expected a product straight from attn.dot.issue, "
          "of which it is the only use");
    IRRewriter rewriter(wait);
    rewriter.replaceOpWithNewOp<DotOp>(
        wait, wait.getTile().getType(), issue.getLhs(), issue.getRhs(),
        issue.getAcc(), issue.getTransposeRhs(), /*prioritized=*/false,
        issue.getUnitAttr(), issue.getTransposeLhs());
    rewriter.eraseOp(issue);
  }
  return success();
}

struct SequentializeRingsPass
    : attn::impl::AttnSequentializeRingsBase<SequentializeRingsPass> {
  void declareError(ModuleOp module) {
    if (module.lookupSymbol(kRingError))
      return;
    auto b = OpBuilder::atBlockBegin(module.getBody());
    Type index = b.getIndexType();
    func::FuncOp::create(b, module.getLoc(), kRingError,
                         b.getFunctionType({index, index}, {}))
        .setPrivate();
  }

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel
              .walk([](Operation *op) {
                return isLevel3(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
              })
              .wasInterrupted())
        kernels.push_back(kernel);
    for (KernelOp kernel : kernels)
      if (failed(computeAtWaits(kernel)) || failed(checkSequential(kernel)))
        return signalPassFailure();
    unsigned count = 0;
    for (KernelOp kernel : kernels)
      count += Sequentializer(kernel).run();
    if (count > 0)
      declareError(getOperation());
    numRings += count;
  }
};

} // namespace
