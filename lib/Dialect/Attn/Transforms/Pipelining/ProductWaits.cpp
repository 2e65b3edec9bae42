//===- ProductWaits.cpp - What waits for products let go on ---------------===//

#include "ProductWaits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace attn;

int64_t attn::countOutstanding(Block &block) {
  llvm::DenseMap<Operation *, int64_t> numbers;
  int64_t issued = 0, delayed = 0;
  for (Operation &op : block) {
    if (isa<DotIssueOp>(op))
      numbers[&op] = ++issued;
    auto wait = dyn_cast<DotWaitOp>(op);
    auto own =
        wait ? numbers.find(wait.getProduct().getDefiningOp()) : numbers.end();
    if (own == numbers.end())
      continue;
    int64_t outstanding = issued - own->second;
    wait.setOutstanding(outstanding);
    delayed += outstanding > 0;
  }
  return delayed;
}
