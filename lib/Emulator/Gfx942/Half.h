//===- Half.h - f16 and bf16 as bits ----------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_HALF_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_HALF_H

#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>

namespace attn::gfx942 {

/// An f16. Arithmetic is done in double, in which products and sums of two are
/// exact or rounded once, far below f16's precision.
struct Half {
  uint16_t bits;
  double value() const;
  /// To the nearest, ties to even, denormals kept.
  static Half nearest(double x);
  /// Toward zero.
  static Half truncated(double x);
};

inline double Half::value() const {
  unsigned exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::nan("") : INFINITY;
  else if (exponent == 0)
    magnitude = mantissa * 0x1p-24;
  else // the exponent's bias, 1023 - 15, is put into a double's bits
    magnitude = llvm::bit_cast<double>(uint64_t(exponent + 1008) << 52 |
                                       uint64_t(mantissa) << 42);
  return bits >> 15 ? -magnitude : magnitude;
}

/// The multiple of f16's spacing at |x| below or nearest to it, as bits.
inline Half roundToHalf(double x, bool toZero) {
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  double a = std::fabs(x);
  if (std::isnan(x))
    return {uint16_t(sign | 0x7e00)};
  if (std::isinf(x))
    return {uint16_t(sign | 0x7c00)};
  if (a >= 65536.0)
    return {uint16_t(sign | (toZero ? 0x7bff : 0x7c00))};
  int exponent = a < 0x1p-14 ? -14 : std::ilogb(a);
  double scaled = std::ldexp(a, 10 - exponent); // in units of the last place
  auto units = uint32_t(toZero ? std::floor(scaled) : std::nearbyint(scaled));
  // A normal number has 1024 units for its hidden bit; a carry moves on by
  // itself.
  uint32_t magnitude = (uint32_t(exponent + 14) << 10) + units;
  return {uint16_t(sign | magnitude)};
}

inline Half Half::nearest(double x) { return roundToHalf(x, false); }
inline Half Half::truncated(double x) { return roundToHalf(x, true); }

inline float bf16Value(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_HALF_H
