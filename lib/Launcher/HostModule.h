//===- HostModule.h - Bundles in object files ------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_HOSTMODULE_H
#define ATTN_LIB_LAUNCHER_HOSTMODULE_H

#include "attn-mlir-c/Host.h"

namespace attn {

/// A program of a module, which is opened where nobody did so far. Throws.
AttnBundle &openProgram(AttnHostModule &module, const char *program);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_HOSTMODULE_H
