//===- Float8.h - fp8 and bf8 -----------------------------------*- C++ -*-===//
//
// gfx942's 8-bit formats, FNUZ: E4M3 with bias 8 (largest 240) and E5M2 with
// bias 16 (largest 57344); 0x80 is the only NaN, there is no infinity and one
// zero. Those of gfx950, OCP's: biases of one less, largest 448 and 57344, and
// E5M2 has infinities.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_FLOAT8_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_FLOAT8_H

#include <cmath>
#include <cstdint>

namespace attn::gfx942 {

template <int MantissaBits, int Bias> struct Float8 {
  static constexpr int kMinExponent = 1 - Bias;
  static constexpr uint32_t kNaN = 0x80;

  static float decode(uint32_t bits) {
    if (bits == kNaN)
      return NAN;
    int exponent = (bits & 0x7f) >> MantissaBits;
    int mantissa = bits & ((1 << MantissaBits) - 1);
    if (exponent != 0)
      mantissa |= 1 << MantissaBits;
    int scale = (exponent ? exponent - Bias : kMinExponent) - MantissaBits;
    float magnitude = std::ldexp(float(mantissa), scale);
    return bits >> 7 ? -magnitude : magnitude;
  }

  /// To nearest, ties to even; what is too large is a NaN (code clamps before).
  static uint32_t encode(float x) {
    if (!std::isfinite(x))
      return kNaN;
    float a = std::fabs(x);
    int exponent = a == 0 ? kMinExponent : std::ilogb(a);
    exponent = exponent < kMinExponent ? kMinExponent : exponent;
    auto units = uint32_t(
        std::nearbyint(std::ldexp(double(a), MantissaBits - exponent)));
    uint32_t bits = (uint32_t(exponent - kMinExponent) << MantissaBits) + units;
    if (bits > 0x7f)
      return kNaN;
    // There is no negative zero.
    return bits == 0 ? 0 : bits | (std::signbit(x) ? 0x80 : 0);
  }
};

/// OCP's. What follows the largest number is an infinity where numbers of more
/// bits follow that, which are NaNs; else it is the only NaN.
template <int MantissaBits, int Bias, uint32_t Largest> struct OcpFloat8 {
  static constexpr int kMinExponent = 1 - Bias;
  static constexpr uint32_t kNaN = 0x7f;

  static float decode(uint32_t bits) {
    uint32_t magnitude = bits & 0x7f;
    float sign = bits >> 7 ? -1.0F : 1.0F;
    if (magnitude > Largest)
      return magnitude == Largest + 1 && magnitude != kNaN ? sign * INFINITY
                                                           : NAN;
    int exponent = int(magnitude >> MantissaBits);
    int mantissa = int(magnitude & ((1u << MantissaBits) - 1));
    if (exponent != 0)
      mantissa |= 1 << MantissaBits;
    int scale = (exponent ? exponent - Bias : kMinExponent) - MantissaBits;
    return sign * std::ldexp(float(mantissa), scale);
  }

  /// To nearest, ties to even; what is too large is what follows the largest
  /// number: NaN, or an infinity.
  static uint32_t encode(float x) {
    uint32_t sign = std::signbit(x) ? 0x80 : 0;
    if (std::isnan(x))
      return sign | kNaN;
    float a = std::fabs(x);
    if (std::isinf(a))
      return sign | (Largest + 1);
    int exponent = a == 0 ? kMinExponent : std::ilogb(a);
    exponent = exponent < kMinExponent ? kMinExponent : exponent;
    auto units = uint32_t(
        std::nearbyint(std::ldexp(double(a), MantissaBits - exponent)));
    uint64_t bits = (uint64_t(exponent - kMinExponent) << MantissaBits) + units;
    return sign | (bits > Largest ? Largest + 1 : uint32_t(bits));
  }
};

using Fp8 = Float8<3, 8>;
using Bf8 = Float8<2, 16>;
using OcpFp8 = OcpFloat8<3, 7, 0x7e>;
using OcpBf8 = OcpFloat8<2, 15, 0x7b>;

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_FLOAT8_H
