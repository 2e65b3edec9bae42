// Debian's libMLIR is built without assertions, and with that without the
// counters of llvm::Statistic, which its pass statistics contain. A build with
// assertions has to see the same class.
#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif
