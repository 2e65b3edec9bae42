//===- Tidy.cpp - Clean-up after a pass -----------------------------------===//

#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

void attn::tidy(Operation *root) {
  // No patterns: the driver folds and erases what is dead.
  (void)applyPatternsGreedily(root, FrozenRewritePatternSet());
  IRRewriter rewriter(root->getContext());
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
}
