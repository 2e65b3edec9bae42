//===- CalledFunctions.cpp - What code compiled for the CPU calls ---------===//

#include "CalledFunctions.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

/// Copies the elements below `dimension`, the first of which are at `from` and
/// `to`.
static void copyFrom(int64_t dimension, int64_t elementBytes,
                     const DynamicMemRefType<char> &source, const char *from,
                     const DynamicMemRefType<char> &destination, char *to) {
  if (dimension == source.rank) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  int64_t fromStep = source.strides[dimension] * elementBytes;
  int64_t toStep = destination.strides[dimension] * elementBytes;
  for (int64_t i = 0; i < source.sizes[dimension]; ++i)
    copyFrom(dimension + 1, elementBytes, source, from + i * fromStep,
             destination, to + i * toStep);
}

/// Both have the same sizes.
static void copyStrided(int64_t elementBytes, UnrankedMemRefType<char> *source,
                        UnrankedMemRefType<char> *destination) {
  DynamicMemRefType<char> from(*source), to(*destination);
  copyFrom(0, elementBytes, from, from.data + from.offset * elementBytes, to,
           to.data + to.offset * elementBytes);
}

/// To the nearest, ties to even. A bf16 is returned in the low half of the
/// register of a float.
static float roundToBf16(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return llvm::bit_cast<float>((bits >> 31 << 15) | 0x7fc0u);
  uint32_t odd = (bits >> 16) & 1;
  return llvm::bit_cast<float>((bits + 0x7fff + odd) >> 16);
}

static float roundDoubleToBf16(double value) {
  return roundToBf16(static_cast<float>(value));
}

llvm::ArrayRef<attn::CalledFunction> attn::calledFunctions() {
  static const CalledFunction functions[] = {
      {"memrefCopy", reinterpret_cast<void *>(&copyStrided)},
      {"__truncsfbf2", reinterpret_cast<void *>(&roundToBf16)},
      {"__truncdfbf2", reinterpret_cast<void *>(&roundDoubleToBf16)},
  };
  return functions;
}
