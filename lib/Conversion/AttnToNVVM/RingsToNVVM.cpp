//===- RingsToNVVM.cpp - Rings over mbarriers -----------------------------===//
//
// Each stage has two barriers: `full`, which the copy completes, and `empty`,
// at which every warp of the CTA arrives (every thread, where the memory was
// lent to a store). A wait for the parity that a fresh
// barrier is past returns at once, so that the first round finds slots free.
// PTX ISA, "Asynchronous barriers: mbarrier" and "cp.async.bulk.tensor".
//
//===----------------------------------------------------------------------===//

#include "../Fragments/SharedRuns.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// Whether all threads fill the ring, each its part.
bool isFilledByThreads(RingCreateOp ring) {
  return ring.isPut() || ring.getCopier() == CopyKind::Async;
}

/// Whether a producer fills the ring, not those who compute.
bool isFilledByProducer(RingCreateOp ring) {
  return llvm::any_of(ring.getRing().getUsers(), [](Operation *user) {
    return isa<RingAcquireOp>(user) && isByProducer(user);
  });
}

/// Whether what threads read of the ring themselves is an operand of a product
/// before each release (set by placeRings).
bool isReadBeforeProducts(RingCreateOp ring) {
  return ring->hasAttr(kReadBeforeProducts);
}

/// Whether a warp of those who put tells of what its lanes have put, by one
/// arrival: where a thread alone waits for that.
bool tellsByWarps(RingCreateOp ring) { return ring->hasAttr(kBesideAttr); }

/// Runs `body` on a lane of each warp, behind what all of its lanes did.
void onElected(OpBuilder &b, Location loc,
               function_ref<void(OpBuilder &)> body) {
  NVVM::SyncWarpOp::create(b, loc, ThreadBuilder{b, loc}.constant(-1));
  Value elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
  scf::IfOp::create(b, loc, elected, [&](OpBuilder &nested, Location) {
    body(nested);
    scf::YieldOp::create(nested, loc);
  });
}

/// The part of a slot that is taken by itself.
std::optional<int64_t> partOf(RingAcquireOp op) {
  if (std::optional<uint64_t> part = op.getPart())
    return static_cast<int64_t>(*part);
  return std::nullopt;
}

RingCreateOp ringOfSlot(Value slot) {
  return ringOf(slot.getDefiningOp<RingAcquireOp>().getRing());
}

/// Accesses to one ring, whose place in shared memory is known.
struct RingBuilder {
  OpBuilder &b;
  Location loc;
  RingCreateOp ring;
  /// Where the number of released slots is kept: LLVM makes it a register.
  Value counter;
  /// Of a ring whose slots have parts the one that is meant; none means that of
  /// the thread's warpgroup.
  std::optional<int64_t> part = std::nullopt;

  ThreadBuilder t() const { return {b, loc}; }
  RingType type() const { return cast<RingType>(ring->getResult(0).getType()); }
  int64_t stages() const { return type().getStages(); }
  int64_t parts() const { return RingCreateOp(ring).getNumParts(); }
  RankedTensorType tile() const { return type().getTile(); }
  int64_t place(StringRef what) const {
    return ring->getAttrOfType<IntegerAttr>(what).getInt();
  }

  Value shared() const {
    auto type = LLVM::LLVMPointerType::get(b.getContext(), kShared);
    return LLVM::AddressOfOp::create(b, loc, type, kSharedMemory);
  }

  Value released() const {
    return LLVM::LoadOp::create(b, loc, b.getI32Type(), counter);
  }

  Value slotOf(Value number) const {
    return stages() == 1 ? t().constant(0) : t().rem(number, stages());
  }
  /// Parity of the round that a visit belongs to.
  Value parityOf(Value number) const {
    return t().rem(t().div(number, stages()), 2);
  }

  Value data(Value slot) const {
    SharedTile layout(tile(), t());
    Value base = advance(b, loc, shared(), place("data"));
    return advance(b, loc, base,
                   t().mul(slot, llvm::alignTo(layout.bytes(), 1024)));
  }
  Value full(Value slot) const { return barrier(slot, place("barriers")); }
  Value empty(Value slot) const {
    return barrier(slot,
                   place("barriers") + kBarrierBytes * stages() * parts());
  }
  Value barrier(Value slot, int64_t first) const {
    Value number = slot;
    if (parts() > 1)
      number = t().add(t().mul(slot, parts()),
                       part ? t().constant(*part)
                            : t().div(t().thread(), kGroupThreads));
    return advance(b, loc, advance(b, loc, shared(), first),
                   t().mul(number, kBarrierBytes));
  }
  void wait(Value barrier, Value parity, StringRef what) const {
    waitForPhase(b, loc, TargetAttr::of(ring), barrier, parity, what);
  }
  /// Whether threads access the slots on their own, other than by ldmatrix and
  /// by the tensor memory accelerator: then each tells when it is done.
  bool isAccessedByThreads() {
    if (isReadBeforeProducts(ring))
      return false;
    if (isFilledByThreads(ring))
      return true;
    for (Operation *user : ring->getResult(0).getUsers())
      if (isa<RingWaitOp>(user))
        for (Operation *use : user->getUsers())
          if (!isa<DotOp, DotIssueOp, RingArrangeOp>(use))
            return true;
    return false;
  }
};

struct CreatePattern : OpConversionPattern<RingCreateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingCreateOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value counter = createRingCounter(rewriter, op);
    int64_t threads = computeThreads(op);
    int64_t filling = !isFilledByThreads(op)   ? 1
                      : tellsByWarps(op)       ? threads / kWarpThreads
                      : isFilledByProducer(op) ? kWarpThreads
                                               : threads;
    auto arrangers = op->getAttrOfType<IntegerAttr>(kArrangersAttr);
    if (arrangers && op.isArranged())
      filling = arrangers.getInt();
    int64_t readers = op->getAttrOfType<IntegerAttr>(kReadersAttr).getInt();
    bool perThread =
        RingBuilder{rewriter, loc, op, counter}.isAccessedByThreads();
    // A warp beside the producer tells by the thread that reads.
    int64_t releases = op->hasAttr(kBesideAttr)
                           ? 1
                           : (perThread ? threads : threads / 32) * readers;
    if (arrangers && !op.isArranged())
      releases = arrangers.getInt();
    onFirstThread(rewriter, op, [&](OpBuilder &b) {
      ThreadBuilder t{b, loc};
      int64_t parts = op.getNumParts(),
              stages = op.getRing().getType().getStages();
      for (int64_t i = 0; i < stages * parts; ++i) {
        Value slot = t.constant(i / parts);
        RingBuilder inner{b, loc, op, counter, i % parts};
        NVVM::MBarrierInitOp::create(b, loc, inner.full(slot),
                                     t.constant(filling), Value());
        NVVM::MBarrierInitOp::create(b, loc, inner.empty(slot),
                                     t.constant(releases / parts), Value());
      }
    });
    rewriter.replaceOp(op, counter);
    return success();
  }
};

/// A tensor copy is started by one thread, which alone waits for the slot.
struct AcquirePattern : OpConversionPattern<RingAcquireOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingAcquireOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOf(op.getRing()), adaptor.getRing()};
    ThreadBuilder t{rewriter, loc};
    bool byProducer = isByProducer(op);
    // Whoever fills a ring and does not read it counts what it acquires.
    Value number = ring.released();
    if (byProducer || op->hasAttr(kFillsAloneAttr))
      LLVM::StoreOp::create(rewriter, loc, t.add(number, 1), ring.counter);
    else
      number = t.add(number, static_cast<int64_t>(op.getAhead()));
    Value slot = ring.slotOf(number);
    Value parity = t.bitXor(ring.parityOf(number), t.constant(1));
    auto wait = [&](OpBuilder &b) {
      RingBuilder inner{b, loc, ring.ring, ring.counter, partOf(op)};
      inner.wait(inner.empty(slot), parity, "empty");
    };
    if (byProducer || isFilledByThreads(ring.ring))
      wait(rewriter);
    else
      onFirstThread(rewriter, op, wait);
    rewriter.replaceOp(op, slot);
    return success();
  }
};

struct IssuePattern : OpConversionPattern<RingIssueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingIssueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getBy() == CopyKind::Tensor)
      issueTensor(op, adaptor.getSlot(), rewriter);
    else
      issueAsync(op, adaptor.getSlot(), rewriter);
    rewriter.replaceOp(op, adaptor.getSlot());
    return success();
  }

private:
  static void issueAsync(RingIssueOp op, Value slot, OpBuilder &b) {
    RingBuilder ring{b, op.getLoc(), ringOfSlot(op.getSlot()), Value()};
    copyAsync(op, ring.tile(), ring.data(slot), b);
    NVVM::CpAsyncMBarrierArriveOp::create(b, op.getLoc(), ring.full(slot),
                                          /*noinc=*/true);
  }

  /// One copy a panel and block, of the rows of the part that was taken. The
  /// box is always written whole, with zeros outside of the view, and counted
  /// whole.
  static void issueTensor(RingIssueOp op, Value slot, OpBuilder &builder) {
    Location loc = op.getLoc();
    Value map = ViewParameters(op.getView()).map;
    onFirstThread(builder, op, [&](OpBuilder &b) {
      ThreadBuilder t{b, loc};
      auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
      RingBuilder ring{b, loc, ringOfSlot(op.getSlot()), Value(),
                       partOf(acquire)};
      SharedTile tile(ring.tile(), t);
      int64_t parts = acquire.getNumParts(),
              firstRow = ring.part.value_or(0) * (tile.rows() / parts);
      Value full = ring.full(slot), data = ring.data(slot);
      NVVM::MBarrierArriveExpectTxOp::create(
          b, loc, TypeRange(), full, t.constant(tile.bytes() / parts),
          NVVM::MemScopeKind::CTA, false, Value());
      for (int64_t panel = 0; panel < tile.numPanels(); ++panel)
        for (auto [block, offsets] : llvm::enumerate(op.getBlockOffsets())) {
          SmallVector<Value> coordinates;
          for (Value offset : offsets)
            coordinates.push_back(t.narrow(offset));
          coordinates.back() =
              t.add(coordinates.back(), panel * tile.panelColumns());
          std::reverse(coordinates.begin(), coordinates.end());
          coordinates[1] = t.add(coordinates[1], firstRow);
          int64_t row = panel * tile.rows() + firstRow +
                        static_cast<int64_t>(block) * op.getBlockRows();
          NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
              b, loc, advance(b, loc, data, row * tile.panelBytes()), map,
              coordinates, full, ValueRange(), Value(), Value(),
              NVVM::TMALoadMode::TILE, true, NVVM::CTAGroupKindAttr(), Value());
        }
    });
  }
};

/// Tensor copies and asynchronous copies signal their own completion.
struct LandPattern : OpConversionPattern<RingLandOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingLandOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Each thread writes what it holds, and says so at the slot's barrier.
struct PutPattern : OpConversionPattern<RingPutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingPutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentAttr layout = fragmentOf(op.getTile().getType());
    if (!layout || !op.getSlot().getDefiningOp<RingAcquireOp>())
      return rewriter.notifyMatchFailure(op, "not from registers to a slot");
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOfSlot(op.getSlot()), Value()};
    Value slot = adaptor.getSlot(), data = ring.data(slot);
    if (writesMatrices(op, layout, ring.tile()))
      writeMatrices(ring.t(), layout, ring.tile(), adaptor.getTile(), data,
                    computeThreads(op) / kWarpThreads);
    else if (writesPairs(layout, ring.tile()))
      writePairs(ring.t(), layout, ring.tile(), adaptor.getTile(), data);
    else
      writeToShared(
          ring.t(), ring.tile(), layout, adaptor.getTile(),
          [&](Value offset) { return advance(rewriter, loc, data, offset); });
    // Products of a warpgroup read by the asynchronous proxy.
    if (TargetAttr::of(op).hasCapability("wgmma"))
      NVVM::FenceProxyOp::create(
          rewriter, loc, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(op.getContext(),
                                     NVVM::SharedSpace::shared_cta));
    auto arrive = [&](OpBuilder &b) {
      RingBuilder inner{b, loc, ring.ring, Value()};
      NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), inner.full(slot),
                                     Value(), NVVM::MemScopeKind::CTA, false);
    };
    if (tellsByWarps(ring.ring))
      onElected(rewriter, loc, arrive);
    else
      arrive(rewriter);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Warps share the tile, and each tells of what it has written.
struct ArrangePattern : OpConversionPattern<RingArrangeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingArrangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasAttr(kArrangersAttr))
      return op.emitOpError("expected warps of a producer of its own to "
                            "arrange tiles, but got none");
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOfSlot(op.getSlot()), Value()};
    Value slot = adaptor.getSlot();
    arrangeTile(op, adaptor.getTile(), ring.data(slot), rewriter);
    // Products of a warpgroup read by the asynchronous proxy.
    NVVM::FenceProxyOp::create(
        rewriter, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    onElected(rewriter, loc, [&](OpBuilder &b) {
      RingBuilder inner{b, loc, ring.ring, Value()};
      NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), inner.full(slot),
                                     Value(), NVVM::MemScopeKind::CTA, false);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitPattern : OpConversionPattern<RingWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingBuilder ring{rewriter, op.getLoc(), ringOf(op.getRing()),
                     adaptor.getRing()};
    Value number = ring.released();
    Value slot = ring.slotOf(number);
    // Of a warp beside the producer the thread waits that gives the slot back.
    // Another lane, if it came by later, could find the barrier two phases on.
    if (op->hasAttr(kBesideAttr)) {
      Value parity = ring.parityOf(number);
      onFirstThread(rewriter, op, [&](OpBuilder &b) {
        RingBuilder inner{b, op.getLoc(), ring.ring, ring.counter};
        inner.wait(inner.full(slot), parity, "full");
      });
    } else {
      ring.wait(ring.full(slot), ring.parityOf(number), "full");
    }
    Value data = ring.data(slot);
    if (op.getRows())
      clearRows(op, data, rewriter);
    rewriter.replaceOp(op, data);
    return success();
  }

private:
  /// Threads that read the tile together clear the rows from the first on that
  /// is not wanted, each warp or warpgroup all of them: so none waits for
  /// others, which write the same. A copy could leave out rows behind the end
  /// of the view only.
  static void clearRows(RingWaitOp op, Value data, OpBuilder &builder) {
    Location loc = op.getLoc();
    ThreadBuilder t{builder, loc};
    auto type = cast<RankedTensorType>(op.getTile().getType());
    Value first = t.narrow(op.getRows());
    bool byGroup =
        llvm::any_of(op.getTile().getUsers(), llvm::IsaPred<DotIssueOp>);
    Value some = t.less(first, t.constant(type.getDimSize(0)));
    scf::IfOp::create(builder, loc, some, [&](OpBuilder &b, Location) {
      writeZeros(b, loc, type, data, first, byGroup ? kGroupThreads : 32);
      // Products of a warpgroup, and the next copy, are asynchronous.
      NVVM::FenceProxyOp::create(
          b, loc, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(op.getContext(),
                                     NVVM::SharedSpace::shared_cta));
      if (byGroup)
        groupBarrier(b, op);
      else
        NVVM::SyncWarpOp::create(b, loc, ThreadBuilder{b, loc}.constant(-1));
      scf::YieldOp::create(b, loc);
    });
  }

  /// By 16 bytes, shared among `threads` neighbours.
  static void writeZeros(OpBuilder &b, Location loc, RankedTensorType type,
                         Value data, Value first, int64_t threads) {
    ThreadBuilder t{b, loc};
    int64_t chunks = type.getDimSize(1) * (type.getElementTypeBitWidth() / 8) /
                     SharedTile::kChunkBytes;
    Value begin = arith::MaxSIOp::create(b, loc, first, t.constant(0));
    auto loop = scf::ForOp::create(
        b, loc, t.add(t.mul(begin, chunks), t.rem(t.thread(), threads)),
        t.constant(type.getDimSize(0) * chunks), t.constant(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    SharedTile tile(type, t);
    Value offset = tile.chunk(t.div(number, chunks), t.rem(number, chunks));
    auto words = VectorType::get({4}, b.getI32Type());
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
    LLVM::StoreOp::create(b, loc, zeros, advance(b, loc, data, offset),
                          SharedTile::kChunkBytes);
  }
};

/// True, but not before the last register of `rows` is computed, or the first.
Value isThere(OpBuilder &b, Location loc, Value rows, bool first) {
  auto elements = vector::ToElementsOp::create(b, loc, rows);
  Value row =
      first ? elements.getResults().front() : elements.getResults().back();
  Value least = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(std::numeric_limits<float>::lowest()));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, row, least);
}

/// Of the words that a thread has read, one of each load: its registers arrive
/// together.
SmallVector<Value> oneOfEachLoad(OpBuilder &b, Location loc, Value registers) {
  auto type = cast<VectorType>(registers.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  Value packed = b.createOrFold<vector::BitCastOp>(
      loc, VectorType::get({bits / 32}, b.getI32Type()), registers);
  SmallVector<Value> words;
  if (auto made = packed.getDefiningOp<vector::FromElementsOp>())
    words = made.getElements();
  else
    llvm::append_range(
        words, vector::ToElementsOp::create(b, loc, packed).getResults());
  llvm::SmallDenseSet<Value> loads;
  llvm::erase_if(words, [&](Value word) {
    auto part = word.getDefiningOp<LLVM::ExtractValueOp>();
    return !loads.insert(part ? part.getContainer() : word).second;
  });
  return words;
}

/// Zero, but not before registers that threads read from the slot themselves
/// are there: an arrival does not wait for loads under way, and a tensor copy
/// might overtake the last of them. (Products wait for what they read.) Grids
/// have one dimension, which neither LLVM nor ptxas can know.
Value computeZeroAfterReads(RingReleaseOp op, ConversionPatternRewriter &b) {
  Location loc = op.getLoc();
  Value any;
  if (isReadBeforeProducts(ringOf(op.getRing())))
    return {};
  for (Operation *user : op.getRing().getUsers()) {
    auto wait = dyn_cast<RingWaitOp>(user);
    if (!wait || wait->getBlock() != op->getBlock() ||
        !wait->isBeforeInBlock(op))
      continue;
    for (Operation *use : wait->getUsers()) {
      auto read = dyn_cast<ConvertLayoutOp>(use);
      if (!read || read->getBlock() != op->getBlock() ||
          !read->isBeforeInBlock(op))
        continue;
      Value registers = b.getRemappedValue(read.getResult());
      for (Value word : oneOfEachLoad(b, loc, registers))
        any = any ? arith::OrIOp::create(b, loc, any, word).getResult() : word;
    }
  }
  if (!any)
    return {};
  ThreadBuilder t{b, loc};
  Value depth = t.narrow(gpu::GridDimOp::create(b, loc, gpu::Dimension::z));
  return arith::AndIOp::create(b, loc, any, t.add(depth, -1));
}

/// One arrival a warp, after all of its lanes have read, or one a thread.
struct ReleasePattern : OpConversionPattern<RingReleaseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingReleaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingBuilder ring{rewriter, loc, ringOf(op.getRing()), adaptor.getRing()};
    ThreadBuilder t{rewriter, loc};
    Value number = ring.released();
    Value slot = ring.slotOf(number);
    Value zero = computeZeroAfterReads(op, rewriter);
    auto arrive = [&](OpBuilder &b) {
      RingBuilder inner{b, loc, ring.ring, ring.counter};
      Value empty = inner.empty(slot);
      if (zero)
        empty = advance(b, loc, empty, zero);
      NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), empty, Value(),
                                     NVVM::MemScopeKind::CTA, false);
    };
    if (op->hasAttr(kCountsAttr)) {
      // Another warp gives it back.
    } else if (op->hasAttr(kBesideAttr)) {
      onFirstThread(rewriter, op, arrive);
    } else if (ring.isAccessedByThreads()) {
      arrive(rewriter);
    } else {
      NVVM::SyncWarpOp::create(rewriter, loc, t.constant(-1));
      Value elected = NVVM::ElectSyncOp::create(rewriter, loc,
                                                rewriter.getI1Type(), Value());
      if (adaptor.getAfter())
        elected = t.both(
            elected, isThere(rewriter, loc, adaptor.getAfter(), op.getFirst()));
      scf::IfOp::create(rewriter, loc, elected, [&](OpBuilder &b, Location) {
        arrive(b);
        scf::YieldOp::create(b, loc);
      });
    }
    LLVM::StoreOp::create(rewriter, loc, t.add(number, 1), ring.counter);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::onFirstThread(OpBuilder &b, Operation *op,
                         function_ref<void(OpBuilder &)> body) {
  if (op->hasAttr(kAloneAttr)) {
    body(b);
    return;
  }
  Location loc = op->getLoc();
  ThreadBuilder t{b, loc};
  // A ring that a warp reads is made by the CTA.
  bool byWarp = op->hasAttr(kByWarpAttr) ||
                (op->hasAttr(kBesideAttr) && !isa<RingCreateOp>(op));
  Value number = byWarp ? laneOf(t) : t.thread();
  scf::IfOp::create(b, loc, t.equals(number, 0),
                    [&](OpBuilder &nested, Location) {
                      body(nested);
                      scf::YieldOp::create(nested, loc);
                    });
}

void attn::populateRingPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<AcquirePattern, ArrangePattern, CreatePattern, IssuePattern,
               LandPattern, PutPattern, ReleasePattern, WaitPattern>(
      converter, patterns.getContext());
}
