//===- Counts.h - Numbers that options of passes say ------------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COUNTS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COUNTS_H

#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "mlir/IR/Diagnostics.h"

namespace attn {

/// A count of the target's chip that an option says: `name` is the option's.
struct NamedCount {
  llvm::StringRef name;
  int64_t count;
};

/// Whether both are counts of something, or 0 where the target says them; else
/// a diagnostic at `loc`.
inline llvm::LogicalResult checkCounts(mlir::Location loc, NamedCount first,
                                       NamedCount second) {
  auto valid = [](NamedCount c) {
    return c.count >= 0 && c.count <= OrderAttr::kMaxCount;
  };
  if (valid(first) && valid(second))
    return llvm::success();
  return mlir::emitError(loc)
         << "expected " << first.name << " and " << second.name << " of 1 to "
         << OrderAttr::kMaxCount << ", or 0 for the target's, but got "
         << first.count << " and " << second.count;
}

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COUNTS_H
