//===- StreamToSCF.cpp - Streams to loops ---------------------------------===//

#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
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
  StreamLowering(StreamOp stream, OpBuilder &b)
      : stream(stream), b(b), loc(stream.getLoc()) {}

  SmallVector<Value> run() {
    unsigned count = stream.getMasked().size();
    SmallVector<Value> state = llvm::to_vector(stream.getInits());
    if (count == 0)
      return state;
    if (count == 1)
      return buildTiles(stream.getLowers()[0], stream.getUppers()[0],
                        stream.getMasked()[0], state);
    auto loop = scf::ForOp::create(
        b, loc, index(0), index(count), index(1), state,
        [&](OpBuilder &, Location, Value s, ValueRange carried) {
          scf::YieldOp::create(b, loc, buildSegment(s, carried));
        });
    return llvm::to_vector_of<Value>(loop.getResults());
  }

private:
  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }

  /// `forward` or, where the stream runs in reverse, `backward`.
  Value direct(Value forward, Value backward) {
    return arith::SelectOp::create(b, loc, stream.getReverse(), backward,
                                   forward);
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

  SmallVector<Value> buildSegment(Value s, ValueRange state) {
    unsigned count = stream.getMasked().size();
    if (stream.getReverse())
      s = direct(s, arith::SubIOp::create(b, loc, index(count - 1), s));
    Value lower = pick(s, stream.getLowers());
    Value upper = pick(s, stream.getUppers());
    ArrayRef<bool> masked = stream.getMasked();
    if (llvm::all_equal(masked))
      return buildTiles(lower, upper, masked.front(), state);
    SmallVector<Value> flags;
    for (bool m : masked)
      flags.push_back(arith::ConstantIntOp::create(b, loc, m, 1));
    auto branch = scf::IfOp::create(
        b, loc, pick(s, flags),
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc, buildTiles(lower, upper, true, state));
        },
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc, buildTiles(lower, upper, false, state));
        });
    return llvm::to_vector_of<Value>(branch.getResults());
  }

  /// The tiles of one segment.
  SmallVector<Value> buildTiles(Value lower, Value upper, bool masked,
                                ValueRange state) {
    Value step = index(stream.getStep()), zero = index(0), one = index(1);
    Value length = arith::MaxSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, upper, lower), zero);
    Value count = arith::CeilDivUIOp::create(b, loc, length, step);
    Value start = lower, delta = step;
    if (stream.getReverse()) {
      Value last = arith::SubIOp::create(b, loc, count, one);
      start = direct(
          lower, arith::AddIOp::create(
                     b, loc, lower, arith::MulIOp::create(b, loc, last, step)));
      delta = direct(step, index(-stream.getStep()));
    }
    auto loop = scf::ForOp::create(
        b, loc, zero, count, one, state,
        [&](OpBuilder &, Location, Value t, ValueRange carried) {
          Value position = arith::AddIOp::create(
              b, loc, start, arith::MulIOp::create(b, loc, t, delta));
          scf::YieldOp::create(b, loc, buildBody(position, carried, masked));
        });
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  SmallVector<Value> buildBody(Value position, ValueRange carried,
                               bool masked) {
    IRMapping map;
    map.map(stream.getPosition(), position);
    map.map(ValueRange(stream.getCarried()), carried);
    Block &body = stream.getBody().front();
    SmallVector<MaskOp> masks;
    for (Operation &op : body.without_terminator())
      b.clone(op, map)->walk([&](MaskOp mask) { masks.push_back(mask); });
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

  Value select(Value keep, Value scores, Operation *before) {
    OpBuilder b(before);
    auto type = cast<RankedTensorType>(scores.getType());
    Value minusInf = arith::ConstantOp::create(
        b, loc, type,
        DenseElementsAttr::get(type, -std::numeric_limits<float>::infinity()));
    return arith::SelectOp::create(b, loc, keep, scores, minusInf);
  }

  StreamOp stream;
  OpBuilder &b;
  Location loc;
};

struct StreamToSCFPass
    : attn::impl::ConvertAttnStreamToSCFBase<StreamToSCFPass> {
  void runOnOperation() override {
    // Inner streams first, so that a cloned body holds none.
    SmallVector<StreamOp> streams;
    getOperation()->walk([&](StreamOp stream) { streams.push_back(stream); });
    IRRewriter rewriter(&getContext());
    for (StreamOp stream : streams) {
      rewriter.setInsertionPoint(stream);
      rewriter.replaceOp(stream, StreamLowering(stream, rewriter).run());
      ++numStreams;
    }
  }
};

} // namespace
