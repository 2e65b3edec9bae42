//===- Progress.cpp - CTAs that wait for those in front of them -----------===//
//
// Additions of the threads of a CTA come before its barrier, and that before
// the fence and the store of one of them; the loads that see what is stored
// (acquire) before another CTA's barrier, and that before the additions of its
// threads (PTX ISA, "Causality order").
//
// Beside a producer those who compute do neither. A warp looks at other CTAs,
// and one tells them; two barriers in shared memory are between. At `turn` both
// arrive: the first when the CTAs in front have got as far, the second when it
// has seen that what was added before is there. At `added` each warp that
// computes arrives when it has added. So no barrier gets ahead of who waits at
// it by a phase: the next turn begins when the one before is seen to be over.
//
// Warps of the producer that add out of rings do both by themselves
// (Adders.cpp).
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "../AttnToGPU/ElementAddress.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

SmallVector<Value> attn::placeOf(OpBuilder &b, Location loc, Value view,
                                 ValueRange offsets) {
  ElementAddress element(b, loc, view, offsets);
  Value base = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      element.view.pointer);
  return {base,
          arith::TruncIOp::create(b, loc, b.getI32Type(), element.element)};
}

Operation *attn::accessElement(OpBuilder &b, Location loc,
                               ArrayRef<Value> element, Value place,
                               StringRef text, bool hasResult) {
  StringRef address = hasResult ? "mad.wide.s32 element, $2, 4, $1;\n"
                                : "mad.wide.s32 element, $1, 4, $0;\n";
  std::string whole =
      ("{\n.reg .b64 element;\n" + address + text + "\n}").str();
  return assembly(b, loc, hasResult ? TypeRange(b.getI32Type()) : TypeRange(),
                  {element[0], element[1], place}, whole,
                  hasResult ? "=&r,l,r,r,~{memory}" : "l,r,r,~{memory}");
}

Value attn::placeToTell(const ThreadBuilder &t, ReportProgressOp op) {
  return op.getPlace() ? t.narrow(op.getPlace())
                       : t.constant(std::numeric_limits<int32_t>::max());
}

Value attn::pollElement(OpBuilder &b, Location loc, ArrayRef<Value> element,
                        Value place) {
  return accessElement(b, loc, element, place,
                       ".reg .pred early;\nLOOK:\n"
                       "ld.acquire.gpu.global.s32 $0, [element];\n"
                       "setp.lt.s32 early, $0, $3;\n"
                       "@early bra LOOK;",
                       /*hasResult=*/true)
      ->getResult(0);
}

namespace {

/// Stores the place, behind all that was seen to be added.
void tell(OpBuilder &b, ReportProgressOp op, Value place) {
  Location loc = op.getLoc();
  accessElement(b, loc, placeOf(b, loc, op.getProgress(), op.getOffsets()),
                place,
                "fence.acq_rel.gpu;\n"
                "st.relaxed.gpu.global.u32 [element], $2;");
}

struct ReportProgressPattern : OpConversionPattern<ReportProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReportProgressOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
    computeBarrier(rewriter, loc);
    Value place = placeToTell(t, op);
    scf::IfOp::create(rewriter, loc, t.equals(t.thread(), 0),
                      [&](OpBuilder &b, Location) {
                        tell(b, op, place);
                        scf::YieldOp::create(b, loc);
                      });
    rewriter.eraseOp(op);
    return success();
  }
};

/// `thread` looks at every `threads`th of the tiles.
void pollAll(OpBuilder &builder, AwaitProgressOp op, Value thread,
             int64_t threads) {
  Location loc = op.getLoc();
  Value place = ThreadBuilder{builder, loc}.narrow(op.getPlace());
  scf::ForOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, op.getFrom(), thread),
      op.getTo(), arith::ConstantIndexOp::create(builder, loc, threads),
      ValueRange(), [&](OpBuilder &b, Location, Value tile, ValueRange) {
        SmallVector<Value> offsets(op.getOffsets());
        offsets.push_back(tile);
        pollElement(b, loc, placeOf(b, loc, op.getProgress(), offsets), place);
        scf::YieldOp::create(b, loc);
      });
}

struct AwaitProgressPattern : OpConversionPattern<AwaitProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AwaitProgressOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value thread = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getIndexType(), readThreadAgain(rewriter, loc));
    pollAll(rewriter, op, thread, computeThreads(op));
    computeBarrier(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The turns of a CTA: where their barriers lie, and where a thread counts
/// those that it knows of.
class AddTurns {
public:
  static constexpr int64_t kBytes = 2 * kBarrierBytes;

  AddTurns(LLVM::LLVMFuncOp function, int64_t place)
      : target(attn::TargetAttr::of(function)), place(place) {
    Location loc = function.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    ThreadBuilder t{b, loc};
    counter = LLVM::AllocaOp::create(b, loc,
                                     LLVM::LLVMPointerType::get(b.getContext()),
                                     b.getI32Type(), t.constant(1));
    LLVM::StoreOp::create(b, loc, t.constant(0), counter);
    int64_t warps =
        computeThreads(&function.getBody().front().front()) / kWarpThreads;
    initializeBarriers(b, function, [&](OpBuilder &n) {
      initialize(n, loc, kTurn, /*arrivals=*/2);
      initialize(n, loc, kAdded, warps);
    });
  }

  /// Those who compute.
  void lower(AddTurnOp op) const {
    OpBuilder b(op);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    if (op.getStep() == Turn::Take) {
      wait(b, loc, kTurn, t.rem(count(b, loc), 2));
    } else {
      NVVM::SyncWarpOp::create(b, loc, t.constant(-1));
      Value elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
      scf::IfOp::create(b, loc, elected, [&](OpBuilder &n, Location) {
        arrive(n, loc, kAdded);
        scf::YieldOp::create(n, loc);
      });
      next(b, loc);
    }
    op.erase();
  }

  /// The warp that looks at other CTAs.
  void lower(AwaitProgressOp op) const {
    OpBuilder b(op);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    Value lane = laneOf(t);
    pollAll(b, op, arith::IndexCastOp::create(b, loc, b.getIndexType(), lane),
            kWarpThreads);
    NVVM::SyncWarpOp::create(b, loc, t.constant(-1));
    Value parity = parityBefore(b, loc);
    // Another lane, if it came by later, could find the barrier a phase on.
    onFirstLane(b, loc, lane, [&](OpBuilder &n) {
      wait(n, loc, kTurn, parity);
      arrive(n, loc, kTurn);
    });
    next(b, loc);
    op.erase();
  }

  /// The warp that tells them.
  void lower(ReportProgressOp op) const {
    OpBuilder b(op);
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    bool more = op.getPlace() != nullptr;
    Value place = placeToTell(t, op);
    Value parity = parityBefore(b, loc);
    onFirstLane(b, loc, laneOf(t), [&](OpBuilder &n) {
      wait(n, loc, kAdded, parity);
      // Before the fence, which takes its time.
      if (more)
        arrive(n, loc, kTurn);
      tell(n, op, place);
    });
    if (more)
      next(b, loc);
    op.erase();
  }

private:
  enum Barrier : uint8_t { kTurn, kAdded };

  Value at(OpBuilder &b, Location loc, Barrier which) const {
    return dynamicSharedAt(b, loc, place + which * kBarrierBytes);
  }
  void initialize(OpBuilder &b, Location loc, Barrier which,
                  int64_t arrivals) const {
    ThreadBuilder t{b, loc};
    NVVM::MBarrierInitOp::create(b, loc, at(b, loc, which),
                                 t.constant(arrivals), Value());
  }
  void wait(OpBuilder &b, Location loc, Barrier which, Value parity) const {
    waitForPhase(b, loc, target, at(b, loc, which), parity,
                 which == kTurn ? "turn" : "added");
  }
  void arrive(OpBuilder &b, Location loc, Barrier which) const {
    NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), at(b, loc, which),
                                   Value(), NVVM::MemScopeKind::CTA, false);
  }
  Value count(OpBuilder &b, Location loc) const {
    return LLVM::LoadOp::create(b, loc, b.getI32Type(), counter);
  }
  void next(OpBuilder &b, Location loc) const {
    ThreadBuilder t{b, loc};
    LLVM::StoreOp::create(b, loc, t.add(count(b, loc), 1), counter);
  }
  /// The parity of the phase before that of the next turn, which a fresh
  /// barrier is past.
  Value parityBefore(OpBuilder &b, Location loc) const {
    ThreadBuilder t{b, loc};
    return t.bitXor(t.rem(count(b, loc), 2), t.constant(1));
  }
  static void onFirstLane(OpBuilder &b, Location loc, Value lane,
                          function_ref<void(OpBuilder &)> body) {
    ThreadBuilder t{b, loc};
    scf::IfOp::create(b, loc, t.equals(lane, 0), [&](OpBuilder &n, Location) {
      body(n);
      scf::YieldOp::create(n, loc);
    });
  }

  attn::TargetAttr target;
  int64_t place;
  Value counter;
};

} // namespace

int64_t attn::lowerAddTurns(LLVM::LLVMFuncOp function, int64_t bytes) {
  SmallVector<AddTurnOp> turns;
  SmallVector<AwaitProgressOp> waits;
  SmallVector<ReportProgressOp> reports;
  function.walk([&](Operation *op) {
    if (auto turn = dyn_cast<AddTurnOp>(op))
      turns.push_back(turn);
    else if (auto wait = dyn_cast<AwaitProgressOp>(op);
             wait && op->hasAttr(kBesideAttr))
      waits.push_back(wait);
    else if (auto report = dyn_cast<ReportProgressOp>(op);
             report && op->hasAttr(kBesideAttr))
      reports.push_back(report);
  });
  // Warps that add out of rings do so by themselves.
  if (turns.empty())
    return bytes;
  int64_t place = llvm::alignTo(bytes, kBarrierBytes);
  AddTurns lowering(function, place);
  for (AddTurnOp turn : turns)
    lowering.lower(turn);
  for (AwaitProgressOp wait : waits)
    lowering.lower(wait);
  for (ReportProgressOp report : reports)
    lowering.lower(report);
  return place + AddTurns::kBytes;
}

void attn::populateProgressPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AwaitProgressPattern, ReportProgressPattern>(
      converter, patterns.getContext());
}
