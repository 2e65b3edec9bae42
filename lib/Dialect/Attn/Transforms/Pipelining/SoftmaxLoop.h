//===- SoftmaxLoop.h - Loops with products of two stages --------*- C++ -*-===//
//
// What attn-overlap-softmax rotates: the parts of a loop that computes scores,
// their softmax, and products with values. attn-plan-overlap finds them while
// the loop is a stream, and marks them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TRANSFORMS_PIPELINING_SOFTMAXLOOP_H
#define ATTN_TRANSFORMS_PIPELINING_SOFTMAXLOOP_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace attn {

/// Of a stream, and of loops that it becomes: beside whose softmax products run
/// (Beside).
inline constexpr llvm::StringLiteral kOverlapLoop = "attn.overlap";
/// Of an operation of such a loop: which part it is of (LoopPart).
inline constexpr llvm::StringLiteral kLoopPart = "attn.part";

/// A product of the second stage: with values, for example.
struct ValuesProduct {
  DotIssueOp issue;
  DotWaitOp wait;
  /// The tile of values, and its release.
  RingWaitOp tile;
  RingReleaseOp release;
  /// Which of the carried values is the sum.
  unsigned sum = 0;
  /// What adds the product to the sum, where it starts from zero
  /// (attn-two-level-sums): arith.addf, or math.fma of a multiple of it.
  mlir::Operation *addition = nullptr;

  bool has(mlir::Operation *op) const {
    return op == issue || op == wait || op == tile || op == release ||
           (addition && op == addition);
  }
  /// The sum that the product is added to.
  mlir::Value getBefore() {
    if (!addition)
      return issue.getAcc();
    if (auto fma = llvm::dyn_cast<mlir::math::FmaOp>(addition))
      return fma.getC();
    return addition->getOperand(isLeft() ? 1 : 0);
  }
  /// What is spread to be the factor of a product that is added, or null.
  mlir::tensor::SplatOp getSplat() {
    if (!addition || !llvm::isa<mlir::math::FmaOp>(addition))
      return {};
    return addition->getOperand(isLeft() ? 1 : 0)
        .getDefiningOp<mlir::tensor::SplatOp>();
  }

private:
  /// Whether the product comes first in what adds it.
  bool isLeft() { return addition->getOperand(0) == wait.getTile(); }
};

/// The parts of a loop that computes scores, their softmax, and products with
/// values.
struct SoftmaxLoop {
  mlir::scf::ForOp loop;
  /// Products of the first stage, and their waits.
  llvm::SmallVector<DotIssueOp> scores;
  llvm::SmallVector<DotWaitOp> scoresWaits;
  llvm::SmallVector<ValuesProduct> values;
  /// The release of the keys, and the maximum so far, after which it may come.
  RingReleaseOp keysRelease;
  mlir::Value maximum;
  /// What waits for the products with the values of the last tile: what follows
  /// from the sums, and what becomes the products' left-hand sides.
  llvm::DenseSet<mlir::Operation *> late;
  /// Whether all products are waited for before the softmax.
  bool atOnce = false;

  bool isOfValues(mlir::Operation *op) const {
    return llvm::any_of(
        values, [&](const ValuesProduct &product) { return product.has(op); });
  }
};

/// Adds a product with values to the parts.
inline void addValues(SoftmaxLoop &parts, DotIssueOp issue) {
  parts.values.emplace_back().issue = issue;
}

/// Whether a condition is said to hold in the first visit of a stream.
bool holdsFirst(mlir::Value condition);

/// Finds the parts of a stream, or of a loop, and marks them; fails with a
/// remark where it is another one.
llvm::LogicalResult planOverlap(mlir::Operation *fold);

/// Clones an operation of such a loop. Of a branch that holds in the first
/// visit, and so may be taken in any, it is what stands in it; what attn.settle
/// says is passed by.
void cloneTaken(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &map);

/// The loops of a chain as they are where all that attn.settle says is so,
/// behind these; none where nothing is said, or they are other loops then.
llvm::SmallVector<SoftmaxLoop, 0>
settleChain(llvm::ArrayRef<SoftmaxLoop> chain);

/// Whether attn.settle says so of the last visits, whatever is true.
bool settlesLast(SoftmaxLoop &first);

/// Whether a loop clears scores of its tiles.
bool masksScores(mlir::scf::ForOp loop);

/// How many columns of a product's left-hand side count where a loop clears
/// scores, of the tile that it visits at `position`, and whether that many more
/// do in each row as rows are above it (attn.dot.issue); null if not known.
struct Depth {
  mlir::Value columns;
  bool isDiagonal = false;
};
Depth buildDepth(mlir::OpBuilder &b, mlir::scf::ForOp loop, DotIssueOp product,
                 mlir::Value position);

/// What attn.settle says in the first of such loops, of what is `carried`
/// behind the first visit.
mlir::Value buildIsSettled(mlir::OpBuilder &b, SoftmaxLoop &first,
                           mlir::ValueRange carried);

/// Reads the parts off what attn-plan-overlap has marked, or fails with an
/// error about a mark that does not hold.
llvm::FailureOr<SoftmaxLoop> readSoftmaxLoop(mlir::scf::ForOp loop);

} // namespace attn

#endif // ATTN_TRANSFORMS_PIPELINING_SOFTMAXLOOP_H
