//===- CpuThreads.h - Work of several threads of the CPU --------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_CPUTHREADS_H
#define ATTN_LIB_LAUNCHER_CPUTHREADS_H

#include <cstdint>

namespace attn {

/// A kernel over a range of CTAs.
using CpuFunction = void(int64_t begin, int64_t end, void **parameters);

/// Threads of a launch: ATTN_CPU_THREADS, else the cores that this thread may
/// use. Throws Failure where that variable is no number of threads.
unsigned cpuThreads();

/// Runs `function` over 0 to `ctas` on at most `most` threads, and returns
/// when all is done.
void runOnThreads(CpuFunction *function, int64_t ctas, void **parameters,
                  unsigned most);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_CPUTHREADS_H
