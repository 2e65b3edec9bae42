//===- Recovery.h - Fatal errors of LLVM come back --------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CAPI_RECOVERY_H
#define ATTN_MLIR_LIB_CAPI_RECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace attn {

/// Calls `function`. What llvm::report_fatal_error was given, if it was called
/// on this thread: the call is left then as it is, and what it held is lost. No
/// signals are handled.
std::optional<std::string> runRecoverably(llvm::function_ref<void()> function);

} // namespace attn

#endif // ATTN_MLIR_LIB_CAPI_RECOVERY_H
