//===- LayoutProperties.h - Layouts, element by element ---------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_LAYOUTPROPERTIES_H
#define ATTN_MLIR_TEST_LIB_LAYOUTPROPERTIES_H

#include "TestDriver.h"
#include <random>

namespace attn_test {

/// Layouts of tiles over threads and in shared memory: one place for each
/// element, products as the instructions define them, no bank conflicts.
void testLayouts(Tally &tally, mlir::MLIRContext &context,
                 std::mt19937 &random);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_LAYOUTPROPERTIES_H
