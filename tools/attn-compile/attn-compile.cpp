//===- attn-compile.cpp - Attention in, schedules and results out ---------===//

#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Tools/AttnCompileMain.h"
#include "mlir/IR/DialectRegistry.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// A compilation makes and drops many small objects: freed memory is kept.
static void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kBytes = 64 << 20;
  mallopt(M_TOP_PAD, kBytes);
  mallopt(M_TRIM_THRESHOLD, 4 * kBytes);
  mallopt(M_MMAP_THRESHOLD, kBytes / 2);
#endif
}

int main(int argc, char **argv) {
  keepFreedMemory();
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  return attn::attnCompileMain(argc, argv, registry);
}
