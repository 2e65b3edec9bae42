//===- VectorDivide.cpp - div_scale, div_fmas, div_fixup ------------------===//
//
// CDNA3 ISA, section 12.11: the three instructions around Newton's iteration in
// an IEEE division. In div_scale S0 is what is scaled: the denominator S1 or
// the numerator S2.
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"
#include <limits>

using namespace attn::gfx942;
using namespace llvm;

namespace {

template <typename T> struct Limits;
template <> struct Limits<float> {
  static constexpr int bias = 127, nearMax = 96, scale = 64, tiny = 23,
                       underflow = -150;
};
template <> struct Limits<double> {
  static constexpr int bias = 1023, nearMax = 768, scale = 128, tiny = 53,
                       underflow = -1075;
};

/// The exponent field.
template <typename T> int exponent(T x) {
  if (!std::isfinite(x))
    return 2 * Limits<T>::bias + 1;
  return std::fabs(x) < std::numeric_limits<T>::min()
             ? 0
             : std::ilogb(x) + Limits<T>::bias;
}
template <typename T> bool denormal(T x) {
  return x != 0 && std::fabs(x) < std::numeric_limits<T>::min();
}

/// The scaled S0; `post` says that div_fmas has to scale the quotient.
template <typename T> T divScale(T s0, T s1, T s2, bool &post) {
  const int up = Limits<T>::scale;
  post = false;
  if (s2 == 0 || s1 == 0)
    return std::numeric_limits<T>::quiet_NaN();
  bool isDenominator =
      bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(s0) ==
      bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(s1);
  bool isNumerator = s0 == s2;
  if (exponent(s2) - exponent(s1) >= Limits<T>::nearMax) {
    post = true;
    return isDenominator ? std::ldexp(s0, up) : s0;
  }
  if (denormal(s1))
    return std::ldexp(s0, up);
  bool tinyInverse = denormal(T(1) / s1), tinyQuotient = denormal(s2 / s1);
  if (tinyInverse && tinyQuotient) { // the denominator down, or rcp flushes it
    post = true;
    return isDenominator ? std::ldexp(s0, -up) : s0;
  }
  if (tinyInverse)
    return std::ldexp(s0, -up);
  if (tinyQuotient) {
    post = true;
    return isNumerator ? std::ldexp(s0, up) : s0;
  }
  return exponent(s2) <= Limits<T>::tiny ? std::ldexp(s0, up) : s0;
}

/// d, scale mask, s0, s1, s2.
template <typename T> void divScaleOp(Wave &w, const Inst &i) {
  Source s[3];
  Result d;
  w.laneMask = w.exec();
  for (unsigned n = 0; n < 3; ++n)
    fetchSource(w, i, i.ops[2 + n], n, LaneType<T>::format, s[n]);
  uint64_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    bool post;
    T x = divScale(LaneType<T>::get(s[0], lane), LaneType<T>::get(s[1], lane),
                   LaneType<T>::get(s[2], lane), post);
    LaneType<T>::set(d, lane, x);
    mask |= uint64_t(post) << lane;
  }
  w.write64(i.ops[1], mask & w.laneMask);
  storeResult(w, i, i.ops[0], LaneType<T>::format, false, 3, d);
}

/// fma, scaled back where VCC says so, and rounded once: the sum is kept in a
/// wider format until it is scaled, which may give a denormal.
template <typename T> T divFmas(T a, T b, T c, bool scaled) {
  if (!scaled)
    return std::fma(a, b, c);
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  bool large = exponent(c) > Limits<T>::bias;
  Wide sum = std::fma(Wide(a), Wide(b), Wide(c));
  return T(std::ldexp(sum, large ? Limits<T>::scale : -Limits<T>::scale));
}

template <typename T> void divFmasOp(Wave &w, const Inst &i) {
  Source s[3];
  Result d;
  w.laneMask = w.exec();
  for (unsigned n = 0; n < 3; ++n)
    fetchSource(w, i, i.ops[1 + n], n, LaneType<T>::format, s[n]);
  uint64_t vcc = w.vcc();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    T x = divFmas(LaneType<T>::get(s[0], lane), LaneType<T>::get(s[1], lane),
                  LaneType<T>::get(s[2], lane), vcc >> lane & 1);
    LaneType<T>::set(d, lane, x);
  }
  storeResult(w, i, i.ops[0], LaneType<T>::format, false, 3, d);
}

/// The quotient with IEEE's special cases.
template <typename T> T divFixup(T quotient, T denominator, T numerator) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  bool negative = std::signbit(denominator) != std::signbit(numerator);
  auto with = [&](T magnitude) { return negative ? -magnitude : magnitude; };
  if (std::isnan(numerator) || std::isnan(denominator))
    return nan;
  if ((denominator == 0 && numerator == 0) ||
      (std::isinf(denominator) && std::isinf(numerator)))
    return nan;
  if (denominator == 0 || std::isinf(numerator))
    return with(infinity);
  if (std::isinf(denominator) || numerator == 0)
    return with(0);
  if (exponent(numerator) - exponent(denominator) < Limits<T>::underflow)
    return with(0);
  // Newton's iteration makes a NaN of a quotient that overflowed.
  return with(std::isnan(quotient) ? infinity : std::fabs(quotient));
}

} // namespace

void attn::gfx942::addVectorDivide(SemanticsTable &t) {
  t.add("v_div_scale_f32", kValu, divScaleOp<float>);
  t.add("v_div_scale_f64", kValu, divScaleOp<double>);
  t.add("v_div_fmas_f32", kValu, divFmasOp<float>);
  t.add("v_div_fmas_f64", kValu, divFmasOp<double>);
  t.add("v_div_fixup_f32", kValu,
        vectorOp<float, float, float, float>(divFixup<float>));
  t.add("v_div_fixup_f64", kValu,
        vectorOp<double, double, double, double>(divFixup<double>));
  t.add("v_div_fixup_f16", kValu,
        vectorOp<Keep<Half>, Half, Half, Half>([](Half q, Half d, Half n) {
          return Keep<Half>{Half::nearest(
              divFixup(float(q.value()), float(d.value()), float(n.value())))};
        }));
}
