//===- StageLoads.cpp - Loads through rings of shared memory --------------===//

#include "ArrangedRings.h"
#include "StagedLoads.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTAGELOADS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Whether a product takes a left-hand side that is computed and transposed:
/// other threads have computed what a thread multiplies.
bool takesFromOthers(DotOp dot) {
  return dot.getTransposeLhs() && !dot.getLhs().getDefiningOp<LoadOp>();
}

/// The first or last operation of `block` that uses `value`.
Operation *edgeUser(Value value, Block *block, bool first) {
  Operation *edge = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *op = block->findAncestorOpInBlock(*user);
    if (!edge || op->isBeforeInBlock(edge) == first)
      edge = op;
  }
  return edge;
}

/// Rewrites the loads of one kernel.
class Stager {
public:
  Stager(KernelOp kernel, int64_t stages, int64_t residentStages, CopyKind copy,
         int64_t chunk, bool widePanels, bool holdLhs)
      : kernel(kernel), stages(stages), residentStages(residentStages),
        copy(copy), chunk(chunk), widePanels(widePanels), holdLhs(holdLhs),
        rewriter(kernel.getContext()) {}

  /// Puts the left-hand side into a ring of one slot as soon as it is computed,
  /// so that what comes between covers the wait.
  void stageComputed(DotOp dot) {
    Location loc = dot.getLoc();
    auto tile = cast<RankedTensorType>(dot.getLhs().getType());
    tile = RankedTensorType::get(
        tile.getShape(), tile.getElementType(),
        attn::unitOf(dot).getStaged(TargetAttr::of(dot), tile,
                                    /*summedOverRows=*/true));
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
    MLIRContext *context = tile.getContext();
    Value ring = RingCreateOp::create(
        rewriter, loc, RingType::get(context, /*stages=*/1, tile));
    rewriter.setInsertionPointAfterValue(dot.getLhs());
    Value slot = RingAcquireOp::create(
        rewriter, loc, SlotType::get(context, tile), ring, /*ahead=*/0);
    RingPutOp::create(rewriter, loc, dot.getLhs(), slot);
    rewriter.setInsertionPoint(dot);
    auto wait = RingWaitOp::create(rewriter, loc, tile, ring);
    dot.getLhsMutable().assign(wait.getTile());
    rewriter.setInsertionPointAfter(dot);
    RingReleaseOp::create(rewriter, loc, ring);
  }

  void run(ArrayRef<LoadOp> loads) {
    findTwins(loads);
    widePanels &= fits(loads);
    toLds = copy == CopyKind::Lds && kernelHas("lds-loads-16") && fits(loads);
    bool inRegisters = kernelHas(kResidentInRegisters);
    for (LoadOp load : loads) {
      if (load.getTile().use_empty()) {
        rewriter.eraseOp(load);
        continue;
      }
      if (auto stream = load->getParentOfType<StreamOp>())
        stageStreamed(load, stream);
      else if (!inRegisters || isRightHandSide(load.getTile()))
        stageResident(load);
    }
  }

private:
  /// Tiles that are loaded for two rings at once, where copies go through
  /// registers (attn-separate-readers).
  void findTwins(ArrayRef<LoadOp> loads) {
    if (!TargetAttr::of(kernel).hasCapability("buffer"))
      return;
    for (auto [i, load] : llvm::enumerate(loads))
      for (LoadOp other : loads.drop_front(i + 1))
        if (load->getBlock() == other->getBlock() &&
            load->getOperands() == other->getOperands() &&
            load->getResultTypes() == other->getResultTypes())
          twice.insert_range(ArrayRef<Operation *>{load, other});
  }

  RankedTensorType tileInRing(LoadOp load) {
    // What is arranged fills its panels.
    if (widePanels && copierOf(load) == CopyKind::Tensor &&
        !arrangementOf(load))
      return widenedType(load);
    return sharedType(load);
  }

  bool kernelHas(StringRef capability) {
    return TargetAttr::of(kernel).hasCapability(capability);
  }

  /// Whether rings have room in shared memory, of tiles in wide panels if these
  /// are wanted, and with memory for all stages; streams share those of one
  /// view.
  bool fits(ArrayRef<LoadOp> loads) {
    constexpr int64_t kOfOthers = 1024;
    llvm::DenseSet<std::pair<Value, Type>> streamed;
    int64_t bytes = kOfOthers;
    bool inRegisters = kernelHas(kResidentInRegisters);
    if (inRegisters)
      for (auto ring : kernel.getBody().getOps<RingCreateOp>())
        bytes += slotBytes(ring.getRing().getType());
    for (LoadOp load : loads) {
      bool stays = !load->getParentOfType<StreamOp>();
      if (load.getTile().use_empty() ||
          (stays && inRegisters && !isRightHandSide(load.getTile())) ||
          (!stays &&
           !streamed.insert({load.getView(), load.getTile().getType()}).second))
        continue;
      ArrangeOp arrangement = arrangementOf(load);
      auto ring = RingType::get(load.getContext(),
                                stays         ? residentStages
                                : arrangement ? kRowStages
                                              : stages,
                                tileInRing(load));
      bytes += slotBytes(ring) + barrierBytes(ring);
      if (arrangement) {
        RingType columns = ringOf(arrangement, stages);
        bytes += slotBytes(columns) + barrierBytes(columns);
      }
    }
    return bytes <= TargetAttr::of(kernel).get(Fact::SmemPerBlock);
  }

  Value createRing(LoadOp load, int64_t stages) {
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
    auto type = RingType::get(load.getContext(), stages, tileInRing(load));
    return RingCreateOp::create(rewriter, load.getLoc(), type);
  }

  /// Whether lanes can load chunks of a tile straight to where these lie in
  /// LDS: its rows, as long as is known, are whole chunks, from one place in
  /// memory, for one ring.
  bool goesToLds(LoadOp load) {
    ViewType view = load.getView().getType();
    return !ShapedType::isDynamic(view.getShape().back()) &&
           dividingChunk(view) == kMaxChunk &&
           (chunk == 0 || chunk == kMaxChunk) && load.getBlocks().empty() &&
           !isOfColumns(load) && !twice.contains(load) &&
           SharedAttr::liesByChunks(sharedType(load));
  }

  /// How a ring of such tiles is filled. One row may begin anywhere.
  CopyKind copierOf(LoadOp load) {
    ViewType view = load.getView().getType();
    TargetAttr target = TargetAttr::of(kernel);
    if (target.hasCapability("buffer"))
      return toLds && goesToLds(load) ? CopyKind::Lds : CopyKind::Registers;
    bool chunks =
        target.hasCapability("cp.async") && !target.hasCapability("tma");
    return chunks || isOfColumns(load) || dividingChunk(view) < kMaxChunk
               ? CopyKind::Async
               : copy;
  }

  void buildFill(LoadOp load, Value ring, ValueRange offsets, ValueRange blocks,
                 Value until) {
    Location loc = load.getLoc();
    ViewType view = load.getView().getType();
    RankedTensorType tile = cast<RingType>(ring.getType()).getTile();
    MLIRContext *context = tile.getContext();
    CopyKind by = copierOf(load);
    int64_t bytes = isOfColumns(load) ? view.getElementBytes()
                    : chunk           ? chunk
                                      : dividingChunk(view);
    Value slot =
        RingAcquireOp::create(rewriter, loc, SlotType::get(context, tile), ring,
                              /*ahead=*/0);
    Value pending = RingIssueOp::create(
        rewriter, loc, PendingType::get(context, tile), slot, load.getView(),
        offsets, blocks, by == CopyKind::Tensor ? Value() : until, by, bytes,
        twice.contains(load));
    RingLandOp::create(rewriter, loc, pending);
  }

  /// Replaces a load by a wait just before its first use.
  RingWaitOp replaceByWait(LoadOp load, Value ring) {
    rewriter.setInsertionPoint(
        edgeUser(load.getTile(), load->getBlock(), /*first=*/true));
    RingWaitOp wait = useWait(load, ring);
    // What a copy cannot leave out is cleared.
    if (!load.getUntil() || copierOf(load) != CopyKind::Tensor)
      return wait;
    rewriter.setInsertionPoint(wait);
    Value row = load.getOffsets()[load.getOffsets().size() - 2];
    wait.getRowsMutable().assign(rewriter.createOrFold<arith::SubIOp>(
        load.getLoc(), load.getUntil(), row));
    return wait;
  }

  /// Has all that use a load use the tile of the ring, for which a wait is
  /// built.
  RingWaitOp useWait(LoadOp load, Value ring) {
    auto wait =
        RingWaitOp::create(rewriter, load.getLoc(),
                           cast<RingType>(ring.getType()).getTile(), ring);
    for (OpOperand &use : llvm::make_early_inc_range(load.getTile().getUses()))
      use.set(isa<DotOp>(use.getOwner())
                  ? wait.getTile()
                  : fetchBefore(use.getOwner(), wait, tileOf(load)));
    return wait;
  }

  /// Only products take tiles in shared memory: others read them out.
  Value fetchBefore(Operation *user, RingWaitOp wait, RankedTensorType type) {
    rewriter.setInsertionPoint(user);
    return ConvertLayoutOp::create(rewriter, wait.getLoc(), type,
                                   wait.getTile());
  }

  /// A tile that stays for one visit of the grid: a ring of its own, released
  /// at the end, when the result has gone out through its memory.
  void stageResident(LoadOp load) {
    GridOp grid = gridOfAllVisits(load);
    if (grid && grid.getPersistent())
      return stageForAllVisits(load, grid);
    Value ring = createRing(load, grid ? 1 : residentStages);
    rewriter.setInsertionPoint(load);
    buildFill(load, ring, load.getOffsets(), load.getBlocks(), load.getUntil());
    RingWaitOp wait = replaceByWait(load, ring);
    if (holdLhs)
      holdIfLhs(wait, tileOf(load));
    rewriter.setInsertionPoint(endOfUse(load->getBlock()));
    lendToStore(wait, load->getBlock());
    RingReleaseOp::create(rewriter, load.getLoc(), ring);
    rewriter.eraseOp(load);
  }

  /// The grid of which all visits read the same tile, where copies say by
  /// themselves that they have arrived.
  GridOp gridOfAllVisits(LoadOp load) {
    auto grid = dyn_cast<GridOp>(load->getParentOp());
    if (!grid || copierOf(load) != CopyKind::Tensor || !kernelHas("tma"))
      return {};
    bool stays = llvm::all_of(positionsOf(load), [&](Value position) {
      return matchPattern(position, m_Constant()) ||
             !grid.getBody().isAncestor(position.getParentRegion());
    });
    return stays ? grid : GridOp();
  }

  /// A tile that stays for all visits: it is copied in front of them, and its
  /// slot never given back. Where each CTA has one visit, it is the one slot
  /// alone that is left of that.
  void stageForAllVisits(LoadOp load, GridOp grid) {
    Value ring = createRing(load, /*stages=*/1);
    for (Value position : positionsOf(load))
      if (grid.getBody().isAncestor(position.getParentRegion()))
        position.getDefiningOp()->moveBefore(grid);
    load->moveBefore(grid);
    rewriter.setInsertionPoint(load);
    buildFill(load, ring, load.getOffsets(), load.getBlocks(), load.getUntil());
    useWait(load, ring);
    rewriter.eraseOp(load);
  }

  /// Reads the tile into registers once, if all its users are products in
  /// streams of which it is the left-hand side.
  void holdIfLhs(RingWaitOp wait, RankedTensorType type) {
    for (OpOperand &use : wait.getTile().getUses())
      if (!isa<DotOp>(use.getOwner()) || use.getOperandNumber() != 0 ||
          use.getOwner()->getBlock() == wait->getBlock())
        return;
    rewriter.setInsertionPointAfter(wait);
    auto held =
        ConvertLayoutOp::create(rewriter, wait.getLoc(), type, wait.getTile());
    rewriter.replaceAllUsesExcept(wait.getTile(), held.getResult(), held);
  }

  /// Where a tile that stays is no longer wanted: what CTAs of a cluster do
  /// behind an exchange is about what they showed, and what the last of others
  /// does about what all have stored.
  static Operation *endOfUse(Block *block) {
    for (Operation &op : *block)
      if (isa<ExchangeOp, LastPartOp>(op))
        return &op;
    return block->getTerminator();
  }

  /// The first store of 16-bit elements that fits rearranges its rows in the
  /// memory of a tile that is no longer needed, unless chunks are to be small.
  void lendToStore(RingWaitOp wait, Block *block) {
    // Rows would go out in chunks of 16 bytes.
    if (chunk != 0 && chunk < kMaxChunk)
      return;
    auto have = cast<RankedTensorType>(wait.getTile().getType());
    for (auto store : block->getOps<StoreOp>()) {
      auto tile = cast<RankedTensorType>(store.getTile().getType());
      if (store.getScratch() || tile.getRank() != 2 ||
          tile.getElementTypeBitWidth() != 16 ||
          tile.getNumElements() * 16 >
              have.getNumElements() * have.getElementTypeBitWidth())
        continue;
      store.getScratchMutable().assign(wait.getTile());
      // Warps rearrange rows that they alone have read, as a left-hand side.
      if (isRightHandSide(wait.getTile())) {
        rewriter.setInsertionPoint(store);
        BarrierOp::create(rewriter, store.getLoc());
        rewriter.setInsertionPoint(endOfUse(block));
      }
      return;
    }
  }

  /// Whether products of other rows read the tile, too.
  static bool isRightHandSide(Value tile) {
    return llvm::any_of(tile.getUses(), [](OpOperand &use) {
      return isa<DotOp>(use.getOwner()) && use.getOperandNumber() == 1;
    });
  }

  void stageStreamed(LoadOp load, StreamOp stream) {
    Value ring = findRing(load, stream);
    Location loc = load.getLoc();
    Block *producer = stream.getProducerBlock();
    if (!producer) {
      producer = rewriter.createBlock(&stream.getProducer(), {},
                                      rewriter.getIndexType(), loc);
      YieldOp::create(rewriter, loc);
    }
    rewriter.setInsertionPoint(producer->getTerminator());
    SmallVector<Value> positions = clonePositions(load, stream, producer);
    Value until = load.getUntil() ? positions.pop_back_val() : Value();
    size_t rank = load.getOffsets().size();
    buildFill(load, ring, ValueRange(positions).take_front(rank),
              ValueRange(positions).drop_front(rank), until);
    if (ArrangeOp arrangement = arrangementOf(load)) {
      Value row = positions[rank - 2];
      Value rows = until ? rewriter.createOrFold<arith::SubIOp>(loc, until, row)
                         : Value();
      stageArrangement(rewriter, arrangement, ring, rows, stages);
      rewriter.eraseOp(load);
      return;
    }
    RingWaitOp wait = replaceByWait(load, ring);
    Operation *last = edgeUser(wait.getTile(), load->getBlock(),
                               /*first=*/false);
    rewriter.setInsertionPointAfter(last);
    RingReleaseOp::create(rewriter, loc, ring);
    rewriter.eraseOp(load);
  }

  /// Streams that run one after the other share the ring of a view; loads of
  /// one stream, and of streams within each other, do not.
  Value findRing(LoadOp load, StreamOp stream) {
    auto &known = rings[{load.getView(), tileInRing(load)}];
    for (SharedRing &ring : known) {
      if (llvm::any_of(ring.streams, [&](StreamOp other) {
            return other == stream || other->isAncestor(stream) ||
                   stream->isAncestor(other);
          }))
        continue;
      ring.streams.push_back(stream);
      return ring.ring;
    }
    known.push_back(
        {createRing(load, arrangementOf(load) ? kRowStages : stages),
         {stream}});
    return known.back().ring;
  }

  /// The offsets of a load, its blocks and its end, as far as it has them, for
  /// the position that the producer is at. What other loads of the producer
  /// have read is not read again.
  SmallVector<Value> clonePositions(LoadOp load, StreamOp stream,
                                    Block *producer) {
    IRMapping map;
    map.map(stream.getPosition(), producer->getArgument(0));
    auto &known = reads[producer];
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == &stream.getBody().front();
    };
    SetVector<Operation *> slice;
    SmallVector<Value> positions = positionsOf(load);
    for (Value position : positions)
      (void)getBackwardSlice(position, &slice, options);
    for (Operation *op : slice) {
      auto read = dyn_cast<ReadOp>(op);
      if (!read) {
        rewriter.clone(*op, map);
        continue;
      }
      Value &element = known[read.getValue()];
      if (!element)
        element = rewriter.clone(*op, map)->getResult(0);
      map.map(read.getValue(), element);
    }
    return llvm::map_to_vector(positions, [&](Value position) {
      return map.lookupOrDefault(position);
    });
  }

  KernelOp kernel;
  int64_t stages, residentStages;
  CopyKind copy;
  int64_t chunk;
  /// Of rows that are arranged, which go on to slots of their own at once.
  static constexpr int64_t kRowStages = 1;
  bool widePanels, holdLhs, toLds = false;
  IRRewriter rewriter;
  struct SharedRing {
    Value ring;
    SmallVector<StreamOp> streams;
  };
  /// What each producer has read: elements of its body, and its own.
  llvm::DenseMap<Block *, llvm::DenseMap<Value, Value>> reads;
  llvm::DenseSet<Operation *> twice;
  /// Rings of streamed tiles.
  llvm::DenseMap<std::pair<Value, Type>, SmallVector<SharedRing>> rings;
};

struct StageLoadsPass : attn::impl::AttnStageLoadsBase<StageLoadsPass> {
  using AttnStageLoadsBase::AttnStageLoadsBase;

  /// Whether a load can go through shared memory, else failure after a
  /// diagnostic.
  LogicalResult check(LoadOp load) {
    RankedTensorType tile = tileOf(load);
    int64_t granule = std::max<int64_t>(tileGranule(TargetAttr::of(load)), 16);
    if (tile.getRank() != 2)
      return load.emitOpError("expected a tile of rank 2 to stage, but got ")
             << tile;
    if (isOfColumns(load))
      return checkStreamed(load, load->getParentOfType<StreamOp>());
    for (int64_t size : tile.getShape())
      if (size % granule != 0 || size > kMaxBox)
        return load.emitOpError("expected tile sizes that are multiples of ")
               << granule << " up to " << kMaxBox << ", but got " << tile;
    int64_t rows = dividingChunk(load.getView().getType());
    if (rows < kMinChunk || (chunk && rows % chunk != 0))
      return load.emitOpError("expected rows of a multiple of ")
             << std::max<int64_t>(chunk, kMinChunk)
             << " bytes to stage, but got " << load.getView().getType();
    auto stream = load->getParentOfType<StreamOp>();
    return stream ? checkStreamed(load, stream) : success();
  }

  /// Whether the values of columns fill whole words and rows of shared memory.
  static bool canStageColumns(LoadOp load) {
    constexpr int64_t kRow = 32;
    RankedTensorType tile = tileOf(load);
    int64_t bytes = tile.getElementTypeBitWidth() / 8;
    return isOfColumns(load) && bytes >= kMinChunk && !load.getUntil() &&
           bytes * tile.getDimSize(1) % kRow == 0 &&
           TargetAttr::of(load).hasCapability("cp.async");
  }

  /// Whether it reads an element of a view that the kernel does not write.
  static bool readsConstant(Operation *op) {
    auto read = dyn_cast<ReadOp>(op);
    return read && llvm::all_of(read.getView().getUsers(), [](Operation *user) {
             return isa<ReadOp, DimOp, GatherOp>(user);
           });
  }

  /// A producer runs ahead: it knows the position, and nothing that the body
  /// computes or decides.
  static LogicalResult checkStreamed(LoadOp load, StreamOp stream) {
    Block *body = &stream.getBody().front();
    if (load->getBlock() != body)
      return load.emitOpError("expected to stand in the body of its stream "
                              "itself: a ring is filled at every visit");
    SmallVector<Value> work = positionsOf(load);
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second ||
          !body->getParent()->isAncestor(value.getParentRegion()))
        continue;
      Operation *op = value.getDefiningOp();
      if (value == stream.getPosition())
        continue;
      if (!op || op->getNumRegions() > 0 ||
          !(isMemoryEffectFree(op) || readsConstant(op)))
        return load.emitOpError(
            "expected offsets that follow from the position "
            "of the stream by arithmetic alone, and reads of what the kernel "
            "does not write");
      llvm::append_range(work, op->getOperands());
    }
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkStages(kernel, stages)))
      return signalPassFailure();
    if (residentStages < 1 || residentStages > 64) {
      emitError(kernel.getLoc())
          << "expected 1 to 64 stages of tiles that stay, but got "
          << residentStages.getValue();
      return signalPassFailure();
    }
    if (chunk != 0 && chunk != 4 && chunk != 8 && chunk != 16) {
      emitError(kernel.getLoc()) << "expected chunks of 4, 8 or 16 bytes, or 0 "
                                    "for the default, but got "
                                 << chunk.getValue();
      return signalPassFailure();
    }
    SmallVector<LoadOp> loads;
    int64_t direct = 0;
    kernel.walk([&](LoadOp load) {
      if (isDirect(load) && !(columns && canStageColumns(load)))
        ++direct;
      else
        loads.push_back(load);
    });
    if (direct > 0)
      remarks::emitStageLoadsDirect(kernel, direct);
    if (loads.empty()) {
      if (direct == 0)
        remarks::emitStageLoadsNone(kernel);
      return;
    }
    for (LoadOp load : loads)
      if (failed(check(load)))
        return signalPassFailure();
    int64_t depth = stages ? stages.getValue() : kDefaultStages;
    Stager stager(kernel, depth, residentStages, copy, chunk, widePanels,
                  holdLhs);
    SmallVector<DotOp> fromOthers;
    kernel.walk([&](DotOp dot) {
      if (takesFromOthers(dot))
        fromOthers.push_back(dot);
    });
    for (DotOp dot : fromOthers)
      stager.stageComputed(dot);
    stager.run(loads);
    numStaged += loads.size();
    remarks::emitStageLoads(kernel, loads.size(), depth,
                            stages ? "option" : "default");
  }

  /// Extent of a tensor map's box (CUDA driver API, cuTensorMapEncodeTiled).
  static constexpr int64_t kMaxBox = 256;
  /// Bytes of the smallest asynchronous copy (PTX ISA, "cp.async").
  static constexpr int64_t kMinChunk = 4;
};

} // namespace
