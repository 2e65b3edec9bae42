//===- Failure.h - Errors inside the launcher ------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_FAILURE_H
#define ATTN_LIB_LAUNCHER_FAILURE_H

#include "attn-mlir-c/Launcher.h"
#include <string>

namespace attn {

/// Thrown inside the launcher, caught where the C interface is entered.
struct Failure {
  AttnStatus status;
  std::string text;
  /// CUresult or hipError_t, where a call failed.
  int code = 0;
};

[[noreturn]] inline void fail(AttnStatus status, std::string text) {
  throw Failure{status, std::move(text)};
}

/// "wanted W, got G", the form of every message.
inline std::string wantedGot(const std::string &wanted,
                             const std::string &got) {
  return "expected " + wanted + ", but got " + got;
}

inline std::string inQuotes(const std::string &name) {
  return "'" + name + "'";
}

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_FAILURE_H
