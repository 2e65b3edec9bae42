//===- DropCarried.cpp - Streams without what nobody uses -----------------===//
//
// A kernel of one result of several carries the state of all: what no store
// follows from goes, around and inside of streams.
//
//===----------------------------------------------------------------------===//

#include "PartitionStream.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

namespace {

YieldOp yieldOf(StreamOp stream) {
  return cast<YieldOp>(stream.getBody().front().getTerminator());
}

/// The values that stores, and whatever else has effects, follow from.
class UsedValues {
public:
  explicit UsedValues(KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      bool ofStream = isa<YieldOp>(op) && isa<StreamOp>(op->getParentOp());
      if (!ofStream && !isa<StreamOp>(op) && !wouldOpBeTriviallyDead(op))
        for (Value operand : op->getOperands())
          mark(operand);
    });
    while (!work.empty())
      follow(work.pop_back_val());
  }

  bool contains(Value value) const { return used.contains(value); }

private:
  void mark(Value value) {
    if (used.insert(value).second)
      work.push_back(value);
  }

  void markCarried(StreamOp stream, unsigned i) {
    mark(stream.getInits()[i]);
    mark(stream.getCarried()[i]);
    mark(stream.getResult(i));
    mark(yieldOf(stream).getOperand(i));
    for (ValueRange values :
         {ValueRange(stream.getLowers()), ValueRange(stream.getUppers()),
          ValueRange(stream.getTraversalOperands())})
      for (Value value : values)
        mark(value);
  }

  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto stream = dyn_cast<StreamOp>(argument.getOwner()->getParentOp());
      if (stream && argument.getArgNumber() > 0)
        markCarried(stream, argument.getArgNumber() - 1);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto stream = dyn_cast<StreamOp>(op))
      return markCarried(stream, cast<OpResult>(value).getResultNumber());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        mark(operand);
    });
  }

  llvm::DenseSet<Value> used;
  SmallVector<Value> work;
};

/// Builds the stream anew without the carried values that are not used.
void dropFrom(StreamOp stream, const UsedValues &used) {
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < stream.getNumResults(); ++i)
    if (used.contains(stream.getResult(i)))
      kept.push_back(i);
  if (kept.size() == stream.getNumResults())
    return;
  IRRewriter rewriter(stream);
  SmallVector<Value> inits, yielded;
  SmallVector<Type> types;
  for (unsigned i : kept) {
    inits.push_back(stream.getInits()[i]);
    types.push_back(stream.getResult(i).getType());
    yielded.push_back(yieldOf(stream).getOperand(i));
  }
  auto smaller = StreamOp::create(
      rewriter, stream.getLoc(), types, stream.getLowers(), stream.getUppers(),
      inits, stream.getTraversalOperands(), stream.getMasked(),
      stream.getStep(), stream.getOrdered());
  smaller.setTraversalAttr(stream.getTraversal());
  smaller.getBody().takeBody(stream.getBody());
  yieldOf(smaller)->setOperands(yielded);
  Block &body = smaller.getBody().front();
  for (unsigned i = stream.getNumResults(); i-- > 0;) {
    if (llvm::is_contained(kept, i))
      continue;
    // What reads it is dead, and may not be erased yet.
    body.getArgument(i + 1).replaceAllUsesWith(stream.getInits()[i]);
    body.eraseArgument(i + 1);
    stream.getResult(i).replaceAllUsesWith(stream.getInits()[i]);
  }
  for (auto [i, result] : llvm::zip_equal(kept, smaller.getResults()))
    stream.getResult(i).replaceAllUsesWith(result);
  rewriter.eraseOp(stream);
}

} // namespace

void attn::dropUnusedCarried(KernelOp kernel) {
  UsedValues used(kernel);
  SmallVector<StreamOp> streams;
  kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
  for (StreamOp stream : streams)
    dropFrom(stream, used);
}
