//===- DeviceFacts.h - What devices say of themselves -----------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_DEVICEFACTS_H
#define ATTN_LIB_LAUNCHER_DEVICEFACTS_H

#include "attn-mlir-c/Launcher.h"
#include <string>

namespace attn {

/// Opens the platform and asks; throws Failure.
AttnDeviceFacts cudaDeviceFacts(int device);
AttnDeviceFacts hipDeviceFacts(int device);

/// Copies as much of a text as there is room for.
template <size_t room> void setText(char (&to)[room], const std::string &text) {
  to[text.copy(to, room - 1)] = 0;
}

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_DEVICEFACTS_H
