//===- Adders.cpp - Warps that add in turn, one CTA after the other -------===//
//
// A warp that adds a tile out of a ring looks at other CTAs, starts the copy,
// waits until it has written, and tells those behind. Each is a round trip to
// L2 or a fence, one after the other, and together longer than a tile is
// computed. So several warps take the tiles of a CTA in turn, tile n that of
// number n % adders. There are at least as many slots: else a warp could ask
// for a slot that is still to be filled for the tile before, whose barrier has
// the parity that it waits for.
//
// A place is told when all tiles in front of it are there, those of other warps
// too: a word in shared memory says how many are. Who told it last did so
// behind its own copies and what it saw of that word, and fences are cumulative
// (PTX ISA, "Causality order"). Two places may arrive in either order, and the
// larger stays (`red.max`).
//
// What a lane has seen of CTAs in front it remembers: places only grow. Far
// ones, of which it has several, are mostly far ahead, too.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// The adders of a function: where their word lies, and what a lane remembers.
class Adders {
public:
  static constexpr int64_t kBytes = 8;

  Adders(LLVM::LLVMFuncOp function, int64_t place, int64_t count)
      : place(place), count(count) {
    Location loc = function.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    ThreadBuilder t{b, loc};
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (Value *number : {&visits, &seenOf, &near, &far}) {
      *number = LLVM::AllocaOp::create(b, loc, pointer, b.getI32Type(),
                                       t.constant(1));
      store(b, loc, t.constant(number == &visits ? 0 : -1), *number);
    }
    if (count == 1)
      return;
    // The fence behind the barriers of rings is for this, too.
    scf::IfOp::create(b, loc, t.equals(t.thread(), 0),
                      [&](OpBuilder &n, Location) {
                        store(n, loc, ThreadBuilder{n, loc}.constant(0),
                              dynamicSharedAt(n, loc, this->place));
                        scf::YieldOp::create(n, loc);
                      });
  }

  void lower(AwaitProgressOp op) const {
    if (count > 1)
      branch(op);
    OpBuilder b(op);
    Location loc = op.getLoc();
    look(b, op);
    NVVM::SyncWarpOp::create(b, loc, ThreadBuilder{b, loc}.constant(-1));
    // Copies come behind what was seen, in the other proxy.
    NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_global,
                               NVVM::SharedSpaceAttr());
    op.erase();
  }

  void lower(ReportProgressOp op) const {
    OpBuilder b(op);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    Value place = placeToTell(t, op);
    if (count == 1) {
      onFirstThread(b, op, [&](OpBuilder &n) {
        awaitCopies(n, loc);
        tell(n, op, place, "st.release.gpu.global.s32");
      });
      op.erase();
      return;
    }
    Value number = load(b, loc, visits);
    Value mine = isOf(t, t.add(number, count - 1), op);
    scf::IfOp::create(b, loc, mine, [&](OpBuilder &n, Location) {
      onFirstThread(n, op, [&](OpBuilder &alone) {
        awaitCopies(alone, loc);
        follow(alone, loc, number);
        tell(alone, op, place, "red.release.gpu.global.max.s32");
        publish(alone, loc, number);
      });
      scf::YieldOp::create(n, loc);
    });
    op.erase();
  }

private:
  static Value load(OpBuilder &b, Location loc, Value pointer) {
    return LLVM::LoadOp::create(b, loc, b.getI32Type(), pointer);
  }
  static void store(OpBuilder &b, Location loc, Value value, Value pointer) {
    LLVM::StoreOp::create(b, loc, value, pointer);
  }
  static Value less(OpBuilder &b, Location loc, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }

  /// Whether a tile is that of the warp that reaches `op`.
  Value isOf(ThreadBuilder t, Value number, Operation *op) const {
    return t.equals(t.rem(number, count),
                    op->getAttrOfType<IntegerAttr>(kAdderAttr).getInt());
  }

  /// Has what is done for a tile stand under the condition that it is this
  /// warp's; else its slots are counted.
  void branch(AwaitProgressOp op) const {
    SmallVector<Operation *> own;
    Operation *release = op;
    for (; !isa<RingReleaseOp>(release); release = release->getNextNode())
      if (isa<AwaitProgressOp, RingWaitOp, AccumulateOp>(release))
        own.push_back(release);
    own.push_back(release);
    OpBuilder b(release);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    Value number = load(b, loc, visits);
    store(b, loc, t.add(number, 1), visits);
    auto branch =
        scf::IfOp::create(b, loc, isOf(t, number, op), /*withElse=*/true);
    for (Operation *step : own)
      step->moveBefore(branch.thenBlock()->getTerminator());
    OpBuilder other = OpBuilder::atBlockBegin(branch.elseBlock());
    other.clone(*release)->setAttr(kCountsAttr, other.getUnitAttr());
  }

  /// All copies of this thread have written, and it sees what they did (PTX
  /// ISA, "Async proxy").
  static void awaitCopies(OpBuilder &b, Location loc) {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, uint32_t(0), UnitAttr());
  }

  /// Waits until all tiles before the last one are there.
  void follow(OpBuilder &b, Location loc, Value number) const {
    assembly(
        b, loc, {},
        {dynamicSharedAt(b, loc, place), ThreadBuilder{b, loc}.add(number, -1)},
        "{\n.reg .pred early;\n.reg .s32 there;\nAGAIN:\n"
        "ld.acquire.cta.shared.s32 there, [$0];\n"
        "setp.lt.s32 early, there, $1;\n"
        "@early bra AGAIN;\n}",
        "r,r,~{memory}");
  }

  /// Says that so many tiles are there. A warp says so again where the CTA goes
  /// on with another tile of the grid, and others may have said more by then.
  void publish(OpBuilder &b, Location loc, Value number) const {
    assembly(b, loc, {}, {dynamicSharedAt(b, loc, place), number},
             "red.release.cta.shared.max.s32 [$0], $1;", "r,r,~{memory}");
  }

  static void tell(OpBuilder &b, ReportProgressOp op, Value place,
                   StringRef instruction) {
    Location loc = op.getLoc();
    accessElement(b, loc, placeOf(b, loc, op.getProgress(), op.getOffsets()),
                  place, (instruction + " [element], $2;").str());
  }

  /// The element of a CTA in front, by its distance: 0 is the next one.
  static SmallVector<Value> elementAt(OpBuilder &b, AwaitProgressOp op,
                                      Value distance) {
    Location loc = op.getLoc();
    SmallVector<Value> offsets(op.getOffsets());
    if (isConstantIntValue(op.getFrom(), 0))
      offsets.push_back(arith::SubIOp::create(
          b, loc,
          arith::SubIOp::create(b, loc, op.getTo(),
                                arith::ConstantIndexOp::create(b, loc, 1)),
          distance));
    else
      offsets.push_back(arith::AddIOp::create(b, loc, op.getFrom(), distance));
    return placeOf(b, loc, op.getProgress(), offsets);
  }

  /// Every lane looks at the CTA of its number in front, and at every 32nd
  /// before that.
  void look(OpBuilder &builder, AwaitProgressOp op) const {
    Location loc = op.getLoc();
    ThreadBuilder t{builder, loc};
    Value place = t.narrow(op.getPlace());
    Value lane = arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), laneOf(t));
    Value all = arith::SubIOp::create(builder, loc, op.getTo(), op.getFrom());
    SmallVector<Value> first = elementAt(builder, op, lane);
    // Of another tile of the grid it knows nothing.
    Value known = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        first[1], load(builder, loc, seenOf));
    store(builder, loc, first[1], seenOf);
    auto remembered = [&](Value what) -> Value {
      return arith::SelectOp::create(builder, loc, known,
                                     load(builder, loc, what), t.constant(-1));
    };
    Value seen = remembered(near);
    auto looks = scf::IfOp::create(
        builder, loc,
        t.both(less(builder, loc, lane, all), less(builder, loc, seen, place)),
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, pollElement(b, loc, first, place));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, seen); });
    store(builder, loc, looks.getResult(0), near);
    seen = remembered(far);
    looks = scf::IfOp::create(
        builder, loc, less(builder, loc, seen, place),
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, lookFar(b, op, lane, all, place));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, seen); });
    store(builder, loc, looks.getResult(0), far);
  }

  /// Looks at every 32nd CTA; the least of what is seen.
  static Value lookFar(OpBuilder &builder, AwaitProgressOp op, Value lane,
                       Value all, Value place) {
    Location loc = op.getLoc();
    Value step = arith::ConstantIndexOp::create(builder, loc, kWarpThreads);
    Value most = ThreadBuilder{builder, loc}.constant(
        std::numeric_limits<int32_t>::max());
    auto loop = scf::ForOp::create(
        builder, loc, arith::AddIOp::create(builder, loc, lane, step), all,
        step, most,
        [&](OpBuilder &b, Location, Value distance, ValueRange least) {
          Value seen = pollElement(b, loc, elementAt(b, op, distance), place);
          scf::YieldOp::create(
              b, loc,
              arith::MinSIOp::create(b, loc, least[0], seen).getResult());
        });
    return loop.getResult(0);
  }

  int64_t place, count;
  /// Tiles that the warp has come by; the element that a lane looks at first,
  /// and what it has seen of that one, and of all others.
  Value visits, seenOf, near, far;
};

} // namespace

/// What a warp does for a tile, if in the block of `add` it is a wait for CTAs
/// in front, one for the tile, the addition and the release.
static bool isWholeTile(AccumulateOp add) {
  SmallVector<Operation *> steps;
  for (Operation &op : *add->getBlock())
    if (isa<AwaitProgressOp, RingWaitOp, AccumulateOp, RingReleaseOp>(op))
      steps.push_back(&op);
  return steps.size() == 4 && isa<AwaitProgressOp>(steps[0]) &&
         isa<RingWaitOp>(steps[1]) && steps[2] == add &&
         isa<RingReleaseOp>(steps[3]);
}

FailureOr<int64_t> attn::lowerAdders(LLVM::LLVMFuncOp function, int64_t bytes) {
  SmallVector<AwaitProgressOp> waits;
  SmallVector<ReportProgressOp> reports;
  SmallVector<AccumulateOp> additions;
  int64_t count = 0;
  function.walk([&](Operation *op) {
    auto adder = op->getAttrOfType<IntegerAttr>(kAdderAttr);
    if (!adder)
      return;
    count = std::max(count, adder.getInt() + 1);
    if (auto wait = dyn_cast<AwaitProgressOp>(op))
      waits.push_back(wait);
    else if (auto report = dyn_cast<ReportProgressOp>(op))
      reports.push_back(report);
    else if (auto add = dyn_cast<AccumulateOp>(op))
      additions.push_back(add);
  });
  for (AccumulateOp add : additions) {
    if (count == 1)
      break;
    if (!isWholeTile(add))
      return add.emitOpError("expected a wait for CTAs in front, the tile of a "
                             "ring, its addition and its release in a block, "
                             "as ")
             << count << " warps add in turn, but got other steps";
    auto ring = add.getTile().getDefiningOp<RingWaitOp>().getRing();
    if (ring.getType().getStages() < count)
      return add.emitOpError("expected a slot for each of ")
             << count << " warps that add in turn, but got " << ring.getType();
  }
  if (waits.empty())
    return bytes;
  int64_t place = llvm::alignTo(bytes, Adders::kBytes);
  Adders lowering(function, place, count);
  for (AwaitProgressOp wait : waits)
    lowering.lower(wait);
  for (ReportProgressOp report : reports)
    lowering.lower(report);
  return count > 1 ? place + Adders::kBytes : bytes;
}
