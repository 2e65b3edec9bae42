//===- GradientProperties.h - Gradients against differences -----*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_GRADIENTPROPERTIES_H
#define ATTN_MLIR_TEST_LIB_GRADIENTPROPERTIES_H

#include "TestDriver.h"
#include <random>

namespace attn_test {

/// The gradients that kernels are compared with, against differences of
/// attention itself: every element of Q, K and V of small problems.
void testGradients(Tally &tally, mlir::MLIRContext &context,
                   std::mt19937 &random);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_GRADIENTPROPERTIES_H
