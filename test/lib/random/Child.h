//===- Child.h - Modules in a child process ---------------------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_CHILD_H
#define ATTN_MLIR_TEST_LIB_CHILD_H

#include "Execute.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn_random {

/// Executes modules in a child process, where a crash or a loop without end is
/// an outcome like any other. One child does many modules; after a crash there
/// is a new one.
///
/// `make` makes module number 0, 1, ..., in the child, and `done` gets the
/// outcome of each, in the parent; it returns whether to go on. A module may
/// take `seconds`. `quiet`: what a child prints is not shown.
void executeInChildren(llvm::function_ref<RandomModule(uint64_t)> make,
                       llvm::function_ref<bool(uint64_t, const Outcome &)> done,
                       unsigned seconds, bool quiet);

/// Executes one module in a child.
Outcome executeInChild(const RandomModule &module, unsigned seconds);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_CHILD_H
