//===- CpuCode.h - Shared objects that are in memory ------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_CPUCODE_H
#define ATTN_LIB_LAUNCHER_CPUCODE_H

#include <string>

namespace attn {

/// Loads a shared object, for dlsym and dlclose; `name` is what messages call
/// it. Throws Failure.
void *loadSharedObject(const std::string &contents, const std::string &name);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_CPUCODE_H
