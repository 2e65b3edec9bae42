//===- Guarded.h - Where the C interface is entered ------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_GUARDED_H
#define ATTN_LIB_LAUNCHER_GUARDED_H

#include "Failure.h"
#include <exception>
#include <new>

namespace attn {

/// Notes the thread's last error, and returns `status`.
AttnStatus report(AttnStatus status, const char *text,
                  int32_t code = 0) noexcept;

/// Runs `body`, which throws nothing across the interface.
template <typename Body> AttnStatus guarded(Body body) noexcept {
  try {
    body();
    return ATTN_SUCCESS;
  } catch (const Failure &failure) {
    return report(failure.status, failure.text.c_str(), failure.code);
  } catch (const std::bad_alloc &) {
    return report(ATTN_ERROR_INTERNAL, "out of memory");
  } catch (const std::exception &error) {
    return report(ATTN_ERROR_INTERNAL, error.what());
  } catch (...) {
    return report(ATTN_ERROR_INTERNAL, "unknown exception");
  }
}

inline void requireArgument(const void *pointer, const char *name) {
  if (!pointer)
    fail(ATTN_ERROR_ARGUMENT,
         std::string(name) + ": expected a pointer, but got null");
}

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_GUARDED_H
