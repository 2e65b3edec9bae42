//===- MergeProperties.h - Merges of states ---------------------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_MERGEPROPERTIES_H
#define ATTN_MLIR_TEST_LIB_MERGEPROPERTIES_H

#include "TestDriver.h"
#include <random>

namespace attn_test {

/// What buildMerge of every streamable op promises, by the kernels that
/// attn-stream-partition makes of it: the order of states changes rounding
/// alone, and the state of nothing changes nothing.
void testMerges(Tally &tally, mlir::MLIRContext &context, std::mt19937 &random);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_MERGEPROPERTIES_H
