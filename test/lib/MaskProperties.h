//===- MaskProperties.h - Masks against their definitions -------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_MASKPROPERTIES_H
#define ATTN_MLIR_TEST_LIB_MASKPROPERTIES_H

#include "TestDriver.h"

namespace attn_test {

/// What masks say of themselves, for every small bound and size.
void testMasks(Tally &tally, mlir::MLIRContext &context);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_MASKPROPERTIES_H
