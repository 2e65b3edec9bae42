//===- StreamToSCF.cpp - Streams to loops ---------------------------------===//

#include "StagesInRegisters.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <limits>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNSTREAMTOSCF
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Lowers one stream.
class StreamLowering {
public:
  /// `ends`: its operations that clear what lies behind its end; `loops`: for
  /// the segments of a stream; 0: by what they hold.
  StreamLowering(StreamOp stream, ArrayRef<Operation *> ends, int64_t loops,
                 OpBuilder &b)
      : stream(stream), ends(ends), loops(loops), b(b), loc(stream.getLoc()),
        traversal(stream.getTraversal()), backward(stream.getBackward()),
        turns(backward && !matchPattern(backward, m_One())) {}

  SmallVector<Value> run() {
    unsigned count = stream.getMasked().size();
    SmallVector<Value> state = llvm::to_vector(stream.getInits());
    if (count == 0)
      return state;
    if (stream.getProducerBlock())
      buildPrologue();
    if (count == 1)
      return buildTiles(stream.getLowers()[0], stream.getUppers()[0],
                        stream.getMasked()[0], state, index(0));
    if (numLoops() <= (loops ? loops : mostLoops()))
      return buildInOrder(state);
    // With a producer the loop also counts the visits before the segment.
    SmallVector<Value> carried = state;
    if (producing())
      carried.push_back(index(0));
    auto loop = scf::ForOp::create(
        b, loc, index(0), index(count), index(1), carried,
        [&](OpBuilder &, Location, Value s, ValueRange carried) {
          scf::YieldOp::create(b, loc, buildSegment(s, carried));
        });
    return llvm::to_vector_of<Value>(
        loop->getResults().take_front(state.size()));
  }

private:
  /// Segments that are worth a loop each in one direction: one masked and one
  /// not; a window's, with masked tiles at both ends, where loops do not hold
  /// the copies too.
  int64_t mostLoops() {
    if (turns)
      return 0;
    auto kernel = stream->getParentOfType<KernelOp>();
    if (kernel && kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      return 3;
    return llvm::count(stream.getMasked(), true) <= 1 &&
                   llvm::count(stream.getMasked(), false) <= 1
               ? 2
               : 0;
  }

  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }

  bool producing() { return !visits.empty(); }

  /// `ahead` or, where the visits come in the opposite order, `opposite`.
  Value direct(Value ahead, Value opposite) {
    if (!turns)
      return opposite;
    return arith::SelectOp::create(b, loc, backward, opposite, ahead);
  }

  /// values[s], for s known at run time only.
  Value pick(Value s, ValueRange values) {
    Value result = values.front();
    for (auto [i, value] : llvm::enumerate(values.drop_front())) {
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, s,
                                         index(i + 1));
      result = arith::SelectOp::create(b, loc, here, value, result);
    }
    return result;
  }

  /// Loops one behind the other that walk over the segments: in either order
  /// all but the last have one before it and one behind it.
  unsigned numLoops() {
    unsigned count = stream.getMasked().size();
    return turns ? 2 * count - 1 : count;
  }

  /// The segment of a loop.
  unsigned segmentOf(unsigned loop) {
    unsigned count = stream.getMasked().size();
    if (backward && !turns)
      return count - 1 - loop;
    return loop < count ? loop : 2 * count - 2 - loop;
  }

  /// Few segments: one loop after the other, of which those of the other
  /// direction have no tiles.
  SmallVector<Value> buildInOrder(SmallVector<Value> state) {
    Value first = index(0);
    unsigned count = stream.getMasked().size();
    for (unsigned i = 0; i < numLoops(); ++i) {
      unsigned s = segmentOf(i);
      Value lower = stream.getLowers()[s], upper = stream.getUppers()[s],
            number = producing() ? visits[s] : Value();
      if (turns && s + 1 < count) {
        auto unlessOther = [&](Value value, Value none) {
          return i < count ? direct(value, none) : direct(none, value);
        };
        upper = unlessOther(upper, lower);
        if (number)
          number = unlessOther(number, index(0));
      }
      state = buildTiles(lower, upper, stream.getMasked()[s], state, first);
      if (number)
        first = b.createOrFold<arith::AddIOp>(loc, first, number);
    }
    return state;
  }

  SmallVector<Value> buildSegment(Value s, ValueRange carried) {
    unsigned count = stream.getMasked().size();
    ValueRange state = producing() ? carried.drop_back() : carried;
    Value first = producing() ? carried.back() : index(0);
    if (backward)
      s = direct(s, arith::SubIOp::create(b, loc, index(count - 1), s));
    Value lower = pick(s, stream.getLowers());
    Value upper = pick(s, stream.getUppers());
    ArrayRef<bool> masked = stream.getMasked();
    SmallVector<Value> results;
    if (llvm::all_equal(masked)) {
      results = buildTiles(lower, upper, masked.front(), state, first);
    } else {
      SmallVector<Value> flags;
      for (bool m : masked)
        flags.push_back(arith::ConstantIntOp::create(b, loc, m, 1));
      auto build = [&](bool masked) {
        return [&, masked](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc,
                               buildTiles(lower, upper, masked, state, first));
        };
      };
      auto branch =
          scf::IfOp::create(b, loc, pick(s, flags), build(true), build(false));
      results = llvm::to_vector_of<Value>(branch.getResults());
    }
    if (producing())
      results.push_back(arith::AddIOp::create(b, loc, first, pick(s, visits)));
    return results;
  }

  /// Number of tiles between two bounds.
  Value countTiles(Value lower, Value upper) {
    Value length = arith::MaxSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, upper, lower), index(0));
    return arith::CeilDivUIOp::create(b, loc, length, index(stream.getStep()));
  }

  using PositionFn = std::function<Value(Value visit)>;

  /// Positions in a segment whose tiles are visited one after the other, in
  /// either direction: an arithmetic series.
  PositionFn buildSeries(Value lower, Value count, Value step, Value one) {
    Value start = lower, delta = step;
    if (backward) {
      Value last = arith::SubIOp::create(b, loc, count, one);
      start = direct(
          lower, arith::AddIOp::create(
                     b, loc, lower, arith::MulIOp::create(b, loc, last, step)));
      delta = direct(step, index(-stream.getStep()));
    }
    return [this, start, delta](Value t) {
      return arith::AddIOp::create(b, loc, start,
                                   arith::MulIOp::create(b, loc, t, delta))
          .getResult();
    };
  }

  /// Positions in a segment as the traversal says.
  PositionFn buildPositions(Value lower, Value count) {
    SmallVector<Value> setup = traversal.buildSetup(
        b, loc, stream.getTraversalOperands(), lower, stream.getStep(), count);
    return [this, lower, count, setup](Value t) {
      return positionIn(lower, traversal.buildTile(b, loc, setup, t, count));
    };
  }

  /// Position of each visit to a segment, numbered from 0.
  PositionFn buildVisits(Value lower, Value count, Value step, Value one) {
    if (traversal.isInOrder())
      return buildSeries(lower, count, step, one);
    PositionFn ahead = buildPositions(lower, count);
    if (!backward)
      return ahead;
    Value last = arith::SubIOp::create(b, loc, count, one);
    return [this, ahead, last](Value t) {
      return ahead(direct(t, arith::SubIOp::create(b, loc, last, t)));
    };
  }

  /// The tiles of one segment, of which the first is the stream's visit number
  /// `first`.
  SmallVector<Value> buildTiles(Value lower, Value upper, bool masked,
                                ValueRange state, Value first) {
    Value step = index(stream.getStep()), one = index(1);
    Value count = countTiles(lower, upper);
    PositionFn positionAt = buildVisits(lower, count, step, one);
    auto loop = scf::ForOp::create(
        b, loc, index(0), count, one, state,
        [&](OpBuilder &, Location, Value t, ValueRange carried) {
          Value position = positionAt(t);
          Value visit =
              producing() ? arith::AddIOp::create(b, loc, first, t).getResult()
                          : Value();
          scf::YieldOp::create(b, loc,
                               buildBody(position, carried, masked, visit));
        });
    // What was said of the stream is said of its loops.
    for (NamedAttribute mark : stream->getDiscardableAttrs())
      loop->setAttr(mark.getName(), mark.getValue());
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  //===--------------------------------------------------------------------===//
  // Rings that the stream fills
  //===--------------------------------------------------------------------===//

  /// How many visits the producer of a ring is ahead of the body.
  static int64_t leadOf(Value ring) {
    return cast<RingType>(ring.getType()).getStages() - 1;
  }

  bool usedBeforeStream(RingWaitOp wait) {
    return llvm::any_of(wait.getTile().getUsers(), [&](Operation *user) {
      Operation *op = stream->getBlock()->findAncestorOpInBlock(*user);
      return op && op->isBeforeInBlock(stream);
    });
  }

  /// Starts the copies that are under way when the body first runs.
  void buildPrologue() {
    for (auto [lower, upper] :
         llvm::zip(stream.getLowers(), stream.getUppers()))
      visits.push_back(countTiles(lower, upper));
    if (!traversal.isInOrder())
      for (auto [lower, count] : llvm::zip(stream.getLowers(), visits))
        positions.push_back(buildPositions(lower, count));
    total = visits.front();
    for (Value count : ArrayRef(visits).drop_front())
      total = arith::AddIOp::create(b, loc, total, count);
    stream.getProducer().walk([&](RingAcquireOp acquire) {
      Value ring = ringOf(acquire);
      if (!llvm::is_contained(rings, ring))
        rings.push_back(ring);
    });
    SmallVector<RingWaitOp> waits;
    for (RingWaitOp wait : stream->getBlock()->getOps<RingWaitOp>())
      if (wait->isBeforeInBlock(stream) && !wait.getTile().use_empty() &&
          !usedBeforeStream(wait))
        waits.push_back(wait);
    int64_t deepest = 0;
    for (Value ring : rings)
      deepest = std::max(deepest, leadOf(ring));
    for (int64_t visit = 0; visit < deepest; ++visit)
      for (Value ring : rings)
        if (visit < leadOf(ring))
          markAhead(buildProducer(ring, index(visit), visit));
    // Waits for tiles that stay come after: all copies are under way together.
    for (RingWaitOp wait : waits)
      wait->moveBefore(stream);
  }

  /// Whether a value is a multiple of the step, as far as its arithmetic shows.
  bool isMultipleOfStep(Value value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return *constant % static_cast<int64_t>(stream.getStep()) == 0;
    Operation *op = value.getDefiningOp();
    auto isMultiple = [&](Value v) { return isMultipleOfStep(v); };
    if (isa_and_nonnull<arith::MulIOp>(op))
      return llvm::any_of(op->getOperands(), isMultiple);
    return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MinSIOp,
                           arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
               op) &&
           llvm::all_of(op->getOperands(), isMultiple);
  }

  /// Whether each segment continues the one before it, so that positions are
  /// one arithmetic series: it starts where the other ends, which is no earlier
  /// than where that starts and a whole number of steps away.
  bool isContiguous() {
    if (!isMultipleOfStep(stream.getLowers().front()))
      return false;
    for (unsigned i = 0; i + 1 < visits.size(); ++i) {
      Value lower = stream.getLowers()[i], upper = stream.getUppers()[i];
      auto bounded = upper.getDefiningOp<arith::MaxSIOp>();
      if (upper != stream.getLowers()[i + 1] || !isMultipleOfStep(upper) ||
          !bounded || !llvm::is_contained(bounded->getOperands(), lower))
        return false;
    }
    return true;
  }

  /// The position of a tile of a segment.
  Value positionIn(Value lower, Value tile) {
    return arith::AddIOp::create(
        b, loc, lower,
        arith::MulIOp::create(b, loc, tile, index(stream.getStep())));
  }

  /// The position of a visit, whichever segment it falls into.
  Value positionOf(Value visit) {
    if (backward) {
      Value last = arith::SubIOp::create(b, loc, total, index(1));
      visit = direct(visit, arith::SubIOp::create(b, loc, last, visit));
    }
    bool isOne = traversal.goesOn() && isContiguous();
    if (isOne && !traversal.isInOrder())
      return positions.front()(visit);
    if (isOne)
      return arith::AddIOp::create(
          b, loc, stream.getLowers().front(),
          arith::MulIOp::create(b, loc, visit, index(stream.getStep())));
    Value position, before = index(0);
    for (auto [s, lower, count] : llvm::enumerate(stream.getLowers(), visits)) {
      Value local = arith::SubIOp::create(b, loc, visit, before);
      Value here =
          positions.empty() ? positionIn(lower, local) : positions[s](local);
      Value reached = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            local, index(0));
      position = position
                     ? arith::SelectOp::create(b, loc, reached, here, position)
                           .getResult()
                     : here;
      before = arith::AddIOp::create(b, loc, before, count);
    }
    return position;
  }

  /// Fills one ring for the visit that is its lead ahead of `visit`.
  void buildAhead(Value ring, Value visit) {
    int64_t lead = leadOf(ring);
    buildProducer(ring, arith::AddIOp::create(b, loc, visit, index(lead)),
                  lead);
  }

  /// Fills one ring for a visit, if there is such a visit, with `ahead` slots
  /// under way.
  scf::IfOp buildProducer(Value ring, Value visit, int64_t ahead) {
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, visit, total);
    return scf::IfOp::create(b, loc, exists, [&](OpBuilder &, Location) {
      IRMapping map;
      Block *producer = stream.getProducerBlock();
      map.map(producer->getArgument(0), positionOf(visit));
      for (Operation &op : producer->without_terminator())
        if (Value of = ringOf(&op); !of || of == ring)
          if (auto acquire = dyn_cast<RingAcquireOp>(b.clone(op, map)))
            acquire.setAhead(acquire.getRing() == ring ? ahead : 0);
      scf::YieldOp::create(b, loc);
    });
  }

  /// Whoever splits roles asks for these.
  void markAhead(scf::IfOp fill) {
    auto kernel = stream->getParentOfType<KernelOp>();
    if (kernel && kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      fill->setAttr(StreamOp::kAheadAttr, b.getUnitAttr());
  }

  /// The ring that is filled out of `ring`, or that itself.
  static Value arrangedOf(Value ring) {
    Value arranged = arrangedOutOf(ring);
    return arranged ? arranged : ring;
  }

  /// The ring that an operation of the producer fills for the body, or null:
  /// what is arranged on the way goes through two.
  static Value ringOf(Operation *op) {
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      return arrangedOf(acquire.getRing());
    if (auto wait = dyn_cast<RingWaitOp>(op))
      return arrangedOf(wait.getRing());
    if (auto release = dyn_cast<RingReleaseOp>(op))
      return arrangedOf(release.getRing());
    if (auto arrange = dyn_cast<RingArrangeOp>(op))
      return ringOf(arrange.getSlot().getDefiningOp());
    if (auto issue = dyn_cast<RingIssueOp>(op))
      return ringOf(issue.getSlot().getDefiningOp());
    if (auto land = dyn_cast<RingLandOp>(op))
      return ringOf(land.getPending().getDefiningOp());
    return Value();
  }

  /// Copies of a visit that are under way in registers, or to LDS.
  struct UnderWay {
    Value ring;
    IRMapping map;
    /// Whether the body has released the slot that they land in.
    bool due = false;
  };

  /// Issues the copies that go to registers or to LDS, for the visit after
  /// `visit`, in the order in which the body waits for them.
  SmallVector<UnderWay> issueEarly(Value visit) {
    SmallVector<UnderWay> copies;
    for (auto wait : stream.getBody().getOps<RingWaitOp>())
      if (llvm::is_contained(rings, wait.getRing()) &&
          isIssuedEarly(wait.getRing(), stream))
        copies.push_back({wait.getRing(), buildIssue(wait.getRing(), visit)});
    for (UnderWay &copy : llvm::reverse(copies))
      for (auto issue : stream.getProducerBlock()->getOps<RingIssueOp>())
        if (ringOf(issue) == copy.ring)
          moveToStart(copy.map.lookup(issue.getPending()).getDefiningOp());
    return copies;
  }

  /// Moves an operation, and the arithmetic in its block that it depends on, to
  /// the start of the block: copies take longest.
  static void moveToStart(Operation *op) {
    Block *block = op->getBlock();
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *other) {
      return other->getBlock() == block;
    };
    SetVector<Operation *> slice;
    (void)getBackwardSlice(op, &slice, options);
    // What stands at the start already stays there.
    Operation *start = &block->front();
    while (slice.contains(start))
      start = start->getNextNode();
    for (Operation *other : slice)
      if (start && start->isBeforeInBlock(other))
        other->moveBefore(start);
  }

  IRMapping buildIssue(Value ring, Value visit) {
    int64_t lead = leadOf(ring);
    Value next = arith::AddIOp::create(b, loc, visit, index(lead));
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, total);
    IRMapping map;
    Block *producer = stream.getProducerBlock();
    map.map(producer->getArgument(0), positionOf(next));
    for (Operation &op : producer->without_terminator()) {
      Value of = ringOf(&op);
      if ((of && of != ring) || isa<RingLandOp>(op))
        continue;
      if (auto acquire = dyn_cast<RingAcquireOp>(b.clone(op, map))) {
        acquire.setAhead(lead);
        acquire.getWhenMutable().assign(exists);
      }
    }
    return map;
  }

  /// Lands what is due; what was waited for first last.
  void land(MutableArrayRef<UnderWay> copies) {
    for (UnderWay &copy : llvm::reverse(copies)) {
      if (!copy.due)
        continue;
      for (auto land : stream.getProducerBlock()->getOps<RingLandOp>())
        if (ringOf(land) == copy.ring)
          b.clone(*land, copy.map);
      copy.due = false;
    }
  }

  SmallVector<Value> buildBody(Value position, ValueRange carried, bool masked,
                               Value visit) {
    IRMapping map;
    map.map(stream.getPosition(), position);
    map.map(ValueRange(stream.getCarried()), carried);
    Block &body = stream.getBody().front();
    SmallVector<MaskOp> masks;
    SmallVector<UnderWay> copies;
    if (producing())
      copies = issueEarly(visit);
    for (Operation &op : body.without_terminator()) {
      auto wait = dyn_cast<RingWaitOp>(op);
      // As late as can be without a barrier more.
      if (wait)
        land(copies);
      if (wait && llvm::is_contained(rings, wait.getRing()) &&
          !isIssuedEarly(wait.getRing(), stream))
        buildAhead(wait.getRing(), visit);
      Operation *clone = b.clone(op, map);
      if (auto release = dyn_cast<RingReleaseOp>(op))
        for (UnderWay &copy : copies)
          copy.due |=
              copy.ring == release.getRing() && hasStagesInRegisters(copy.ring);
      clone->walk([&](MaskOp mask) { masks.push_back(mask); });
    }
    if (!masked)
      for (Operation *end : ends)
        if (Operation *clone = map.lookupOrNull(end))
          dropEnd(clone);
    // What goes straight to LDS has all of the visit.
    for (UnderWay &copy : copies)
      copy.due |= !hasStagesInRegisters(copy.ring);
    land(copies);
    SmallVector<Value> next =
        llvm::map_to_vector(body.getTerminator()->getOperands(),
                            [&](Value v) { return map.lookupOrDefault(v); });
    for (MaskOp mask : masks) {
      Value scores = mask.getScores();
      if (masked)
        scores = select(mask.getKeep(), scores, mask);
      mask.getResult().replaceAllUsesWith(scores);
      llvm::replace(next, Value(mask.getResult()), scores);
      mask.erase();
    }
    return next;
  }

  /// Where nothing lies behind the end of the stream, nothing is cleared.
  static void dropEnd(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      load.getUntilMutable().clear();
    else if (auto wait = dyn_cast<RingWaitOp>(op))
      wait.getRowsMutable().clear();
  }

  Value select(Value keep, Value scores, Operation *before) {
    OpBuilder b(before);
    auto type = cast<RankedTensorType>(scores.getType());
    Value minusInf = arith::ConstantOp::create(
        b, loc, type,
        DenseElementsAttr::get(type, -std::numeric_limits<float>::infinity()));
    Value selected = arith::SelectOp::create(b, loc, keep, scores, minusInf);
    for (Value made : {minusInf, selected})
      made.getDefiningOp()->setDiscardableAttrs(
          before->getDiscardableAttrDictionary());
    return selected;
  }

  StreamOp stream;
  ArrayRef<Operation *> ends;
  int64_t loops;
  OpBuilder &b;
  Location loc;
  TraversalInterface traversal;
  /// Whether all visits come in the opposite order; null where they never do.
  Value backward;
  /// Whether only the kernel knows that order, when it runs.
  bool turns;
  /// Of a stream with a producer: the rings it fills, the visits of each
  /// segment and of all.
  SmallVector<Value> rings, visits;
  Value total;
  /// Of a stream whose traversal is not in order: positions in each segment.
  SmallVector<PositionFn> positions;
};

struct StreamToSCFPass
    : attn::impl::ConvertAttnStreamToSCFBase<StreamToSCFPass> {
  using ConvertAttnStreamToSCFBase::ConvertAttnStreamToSCFBase;

  void runOnOperation() override {
    constexpr int64_t kMost = 64;
    if (mostLoops < 0 || mostLoops > kMost) {
      emitError(getOperation()->getLoc())
          << "expected 1 to " << kMost
          << " loops, or 0 for the default, but got " << mostLoops.getValue();
      return signalPassFailure();
    }
    // Inner streams first, so that a cloned body holds none.
    SmallVector<StreamOp> streams;
    llvm::DenseMap<Operation *, SmallVector<Operation *>> ends;
    getOperation()->walk([&](Operation *op) {
      if (auto stream = dyn_cast<StreamOp>(op))
        streams.push_back(stream);
      else if (isa<LoadOp, RingWaitOp>(op))
        ends[op->getParentOfType<StreamOp>()].push_back(op);
    });
    for (StreamOp stream : streams)
      if (failed(checkStagesInRegisters(stream)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (StreamOp stream : streams) {
      rewriter.setInsertionPoint(stream);
      rewriter.replaceOp(
          stream,
          StreamLowering(stream, ends[stream], mostLoops, rewriter).run());
      ++numStreams;
    }
  }
};

} // namespace
