//===- Driver.h - The CUDA driver, opened at run time ----------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_DRIVER_H
#define ATTN_LIB_LAUNCHER_DRIVER_H

#include "CudaTypes.h"
#include <string>

namespace attn {
namespace cuda {

/// The entry points; optional ones are null where the driver lacks them.
struct Driver {
#define ATTN_MEMBER(member, symbol, ...)                                       \
  using member##Type = __VA_ARGS__;                                            \
  member##Type *member = nullptr;
  ATTN_CUDA_FUNCTIONS(ATTN_MEMBER)
  ATTN_CUDA_OPTIONAL_FUNCTIONS(ATTN_MEMBER)
#undef ATTN_MEMBER

  /// Throws unless `result` is success; `call` is the function's name, `doing`
  /// what it was to do.
  void check(Result result, const char *call,
             const std::string &doing = "") const {
    if (result != kSuccess)
      raise(result, call, doing);
  }
  [[noreturn]] void raise(Result result, const char *call,
                          const std::string &doing) const;
};

/// Opens the driver and initialises it at the first call; throws where that
/// fails, and tries again at the next call.
const Driver &driver();

/// The driver if it was opened, else null; never throws.
const Driver *openedDriver();

} // namespace cuda
} // namespace attn

#endif // ATTN_LIB_LAUNCHER_DRIVER_H
