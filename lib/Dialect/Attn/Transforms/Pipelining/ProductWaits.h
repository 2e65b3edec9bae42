//===- ProductWaits.h - What waits for products let go on -------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_PRODUCTWAITS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_PRODUCTWAITS_H

#include "mlir/IR/Block.h"

namespace attn {

/// Sets of each wait of a block how many products that were issued later may be
/// under way; returns how many waits let one be. Waits for products of other
/// blocks keep their numbers.
int64_t countOutstanding(mlir::Block &block);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_PRODUCTWAITS_H
