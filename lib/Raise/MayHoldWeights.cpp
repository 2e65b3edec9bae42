//===- MayHoldWeights.cpp - Where it is worth to look for attention -------===//

#include "MatchAttention.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace attn::raise;

/// Whether exponentials are computed here, elementwise.
static bool hasExponential(Operation *op) {
  if (isa<linalg::SoftmaxOp, tosa::ExpOp, math::ExpOp, math::Exp2Op>(op))
    return true;
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  return linalg && llvm::any_of(*linalg.getBlock(), [](Operation &inner) {
           return isa<math::ExpOp, math::Exp2Op>(inner);
         });
}

bool attn::raise::mayHoldExponentials(Value tensor) {
  constexpr size_t kMostOperations = 40;
  SmallVector<Operation *> worklist;
  llvm::SmallPtrSet<Operation *, 32> seen;
  auto push = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && isa<RankedTensorType>(value.getType()) && seen.insert(op).second)
      worklist.push_back(op);
  };
  push(tensor);
  for (size_t next = 0; next < worklist.size() && next < kMostOperations;
       ++next) {
    Operation *op = worklist[next];
    if (hasExponential(op))
      return true;
    auto linalg = dyn_cast<linalg::LinalgOp>(op);
    bool isProduct = isa<tosa::MatMulOp>(op) ||
                     (linalg && linalg.getNumReductionLoops() != 0);
    if (!isProduct)
      llvm::for_each(op->getOperands(), push);
  }
  return false;
}

bool attn::raise::mayHoldWeights(Operation *contraction) {
  return hasExponential(contraction) ||
         llvm::any_of(contraction->getOperands(), mayHoldExponentials);
}
