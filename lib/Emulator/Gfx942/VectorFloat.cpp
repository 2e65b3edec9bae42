//===- VectorFloat.cpp - f32 and f64 arithmetic ---------------------------===//
//
// CDNA3 ISA, sections 12.7 to 12.11 (VOP2, VOP1, VOP3); v_minimum3_f32 and
// v_maximum3_f32: CDNA4 ISA, the same.
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

/// IEEE 754 minNum and maxNum: a number wins against a NaN; -0 is below +0.
template <typename T> T minNum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T maxNum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
/// IEEE 754 minimum and maximum: a NaN wins.
float minimum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : minNum(a, b);
}
float maximum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : maxNum(a, b);
}
float med3(float a, float b, float c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return minNum(minNum(a, b), c);
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// The transcendental unit takes and gives no f32 denormals.
float flush(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
template <typename F> Handler transcendental(F f) {
  return vectorOp<float, float>([f](float x) { return flush(f(flush(x))); });
}

/// x - floor(x), below 1.
template <typename T> T fraction(T x) {
  T below = sizeof(T) == 4 ? T(0x1.fffffep-1) : T(0x1.fffffffffffffp-1);
  return std::isinf(x) ? T(NAN) : std::min(T(x - std::floor(x)), below);
}
template <typename T> int32_t frexpExponent(T x) {
  int e = 0;
  if (std::isfinite(x))
    (void)std::frexp(x, &e);
  return e;
}
template <typename T> T frexpMantissa(T x) {
  int e;
  return std::isfinite(x) ? std::frexp(x, &e) : x;
}

void addBasic(SemanticsTable &t) {
  const InstClass c = InstClass::Valu;
  using B = float;
  auto two = [&](StringRef name, auto f) {
    t.add(name, c, vectorOp<B, B, B>(f));
  };
  two("v_add_f32", [](B a, B b) { return a + b; });
  two("v_sub_f32", [](B a, B b) { return a - b; });
  two("v_subrev_f32", [](B a, B b) { return b - a; });
  two("v_mul_f32", [](B a, B b) { return a * b; });
  two("v_min_f32", minNum<B>);
  two("v_max_f32", maxNum<B>);
  two("v_mul_legacy_f32",
      [](B a, B b) { return a == 0 || b == 0 ? 0.0f : a * b; });
  auto three = [&](StringRef name, auto f) {
    t.add(name, c, vectorOp<B, B, B, B>(f));
  };
  auto fma = [](B a, B b, B x) { return std::fma(a, b, x); };
  three("v_fma_f32", fma);
  // In these two the constant stands in its place in the text.
  three("v_fmamk_f32", fma);
  three("v_fmaak_f32", fma);
  t.add("v_fmac_f32", c, vectorOpAt<B, B, B, B>({1, 2, 0}, fma));
  three("v_max3_f32", [](B a, B b, B x) { return maxNum(maxNum(a, b), x); });
  three("v_min3_f32", [](B a, B b, B x) { return minNum(minNum(a, b), x); });
  three("v_minimum3_f32",
        [](B a, B b, B x) { return minimum(minimum(a, b), x); });
  three("v_maximum3_f32",
        [](B a, B b, B x) { return maximum(maximum(a, b), x); });
  three("v_med3_f32", med3);
  t.add("v_ldexp_f32", c, vectorOp<B, B, int32_t>([](B a, int32_t e) {
          return std::ldexp(a, e);
        }));
}

template <typename T>
void addRounding(SemanticsTable &t, const std::string &type) {
  const InstClass c = InstClass::Valu;
  auto one = [&](StringRef name, auto f) {
    t.add((name + type).str(), c, vectorOp<T, T>(f));
  };
  one("v_floor_", [](T x) { return std::floor(x); });
  one("v_ceil_", [](T x) { return std::ceil(x); });
  one("v_trunc_", [](T x) { return std::trunc(x); });
  one("v_rndne_", [](T x) { return std::nearbyint(x); });
  one("v_fract_", fraction<T>);
  one("v_frexp_mant_", frexpMantissa<T>);
  t.add("v_frexp_exp_i32_" + type, c, vectorOp<int32_t, T>(frexpExponent<T>));
}

void addTranscendental(SemanticsTable &t) {
  const InstClass c = InstClass::Transcendental;
  constexpr double kTwoPi = 6.283185307179586;
  t.add("v_exp_f32", c, transcendental([](float x) { return std::exp2(x); }));
  t.add("v_log_f32", c, transcendental([](float x) { return std::log2(x); }));
  t.add("v_rcp_f32", c, transcendental([](float x) { return 1.0f / x; }));
  t.add("v_rcp_iflag_f32", c, transcendental([](float x) { return 1.0f / x; }));
  t.add("v_rsq_f32", c, transcendental([](float x) {
          return float(1.0 / std::sqrt(double(x)));
        }));
  t.add("v_sqrt_f32", c, transcendental([](float x) { return std::sqrt(x); }));
  // The argument is in revolutions.
  t.add("v_sin_f32", c,
        transcendental([](float x) { return float(std::sin(x * kTwoPi)); }));
  t.add("v_cos_f32", c,
        transcendental([](float x) { return float(std::cos(x * kTwoPi)); }));
  t.add("v_rcp_f64", c,
        vectorOp<double, double>([](double x) { return 1 / x; }));
  t.add("v_rsq_f64", c,
        vectorOp<double, double>([](double x) { return 1 / std::sqrt(x); }));
  t.add("v_sqrt_f64", c,
        vectorOp<double, double>([](double x) { return std::sqrt(x); }));
}

void addDouble(SemanticsTable &t) {
  const InstClass c = InstClass::Valu;
  using D = double;
  auto fma = [](D a, D b, D x) { return std::fma(a, b, x); };
  t.add("v_add_f64", c, vectorOp<D, D, D>([](D a, D b) { return a + b; }));
  t.add("v_mul_f64", c, vectorOp<D, D, D>([](D a, D b) { return a * b; }));
  t.add("v_min_f64", c, vectorOp<D, D, D>(minNum<D>));
  t.add("v_max_f64", c, vectorOp<D, D, D>(maxNum<D>));
  t.add("v_fma_f64", c, vectorOp<D, D, D, D>(fma));
  t.add("v_fmac_f64", c, vectorOpAt<D, D, D, D>({1, 2, 0}, fma));
  t.add("v_ldexp_f64", c, vectorOp<D, D, int32_t>([](D a, int32_t e) {
          return std::ldexp(a, e);
        }));
}

} // namespace

void attn::gfx942::addVectorFloat(SemanticsTable &table) {
  addBasic(table);
  addRounding<float>(table, "f32");
  addRounding<double>(table, "f64");
  addTranscendental(table);
  addDouble(table);
}
