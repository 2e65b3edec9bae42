//===- VectorHalf.cpp - f16 and 16-bit integer arithmetic -----------------===//
//
// CDNA3 ISA, sections 12.7 to 12.11. gfx9 has no 16-bit registers: a result of
// 16 bits clears the upper half, but for the instructions that gfx9 brought
// (`Keep`).
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

using U16 = uint16_t;
using S16 = int16_t;

Half minHalf(Half a, Half b) {
  double x = a.value(), y = b.value();
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? b : a;
  if (x == y)
    return std::signbit(x) ? a : b;
  return x < y ? a : b;
}
Half maxHalf(Half a, Half b) {
  double x = a.value(), y = b.value();
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? b : a;
  if (x == y)
    return std::signbit(x) ? b : a;
  return x > y ? a : b;
}
Half fmaHalf(Half a, Half b, Half c) {
  return Half::nearest(std::fma(a.value(), b.value(), c.value()));
}

void addFloat(SemanticsTable &t) {
  const InstClass c = InstClass::Valu;
  auto two = [&](StringRef name, auto f) {
    t.add(name, c, vectorOp<Half, Half, Half>(f));
  };
  two("v_add_f16",
      [](Half a, Half b) { return Half::nearest(a.value() + b.value()); });
  two("v_sub_f16",
      [](Half a, Half b) { return Half::nearest(a.value() - b.value()); });
  two("v_subrev_f16",
      [](Half a, Half b) { return Half::nearest(b.value() - a.value()); });
  two("v_mul_f16",
      [](Half a, Half b) { return Half::nearest(a.value() * b.value()); });
  two("v_min_f16", minHalf);
  two("v_max_f16", maxHalf);
  t.add("v_ldexp_f16", c, vectorOp<Half, Half, S16>([](Half a, S16 e) {
          return Half::nearest(std::ldexp(a.value(), e));
        }));
  auto keep = [](Half a, Half b, Half x) {
    return Keep<Half>{fmaHalf(a, b, x)};
  };
  t.add("v_fma_f16", c, vectorOp<Keep<Half>, Half, Half, Half>(keep));
  t.add("v_max3_f16", c,
        vectorOp<Keep<Half>, Half, Half, Half>([](Half a, Half b, Half x) {
          return Keep<Half>{maxHalf(maxHalf(a, b), x)};
        }));
  t.add("v_min3_f16", c,
        vectorOp<Keep<Half>, Half, Half, Half>([](Half a, Half b, Half x) {
          return Keep<Half>{minHalf(minHalf(a, b), x)};
        }));
}

void addFloatUnary(SemanticsTable &t) {
  auto one = [&](StringRef name, InstClass c, double (*f)(double)) {
    t.add(name, c, vectorOp<Half, Half>([f](Half x) {
            return Half::nearest(f(x.value()));
          }));
  };
  const InstClass v = InstClass::Valu, s = InstClass::Transcendental;
  one("v_floor_f16", v, [](double x) { return std::floor(x); });
  one("v_ceil_f16", v, [](double x) { return std::ceil(x); });
  one("v_trunc_f16", v, [](double x) { return std::trunc(x); });
  one("v_rndne_f16", v, [](double x) { return std::nearbyint(x); });
  one("v_exp_f16", s, [](double x) { return std::exp2(x); });
  one("v_log_f16", s, [](double x) { return std::log2(x); });
  one("v_rcp_f16", s, [](double x) { return 1 / x; });
  one("v_rsq_f16", s, [](double x) { return 1 / std::sqrt(x); });
  one("v_sqrt_f16", s, [](double x) { return std::sqrt(x); });
}

void addInteger(SemanticsTable &t) {
  const InstClass c = InstClass::Valu;
  auto two = [&](StringRef name, auto f) {
    t.add(name, c, vectorOp<U16, U16, U16>(f));
  };
  two("v_add_u16", [](U16 a, U16 b) { return U16(a + b); });
  two("v_sub_u16", [](U16 a, U16 b) { return U16(a - b); });
  two("v_subrev_u16", [](U16 a, U16 b) { return U16(b - a); });
  two("v_mul_lo_u16", [](U16 a, U16 b) { return U16(unsigned(a) * b); });
  two("v_lshlrev_b16", [](U16 n, U16 a) { return U16(a << (n & 15)); });
  two("v_lshrrev_b16", [](U16 n, U16 a) { return U16(a >> (n & 15)); });
  two("v_ashrrev_i16", [](U16 n, U16 a) { return U16(S16(a) >> (n & 15)); });
  two("v_min_u16", [](U16 a, U16 b) { return std::min(a, b); });
  two("v_max_u16", [](U16 a, U16 b) { return std::max(a, b); });
  two("v_min_i16", [](U16 a, U16 b) { return U16(std::min(S16(a), S16(b))); });
  two("v_max_i16", [](U16 a, U16 b) { return U16(std::max(S16(a), S16(b))); });
  auto mad = vectorOp<Keep<U16>, U16, U16, U16>(
      [](U16 a, U16 b, U16 x) { return Keep<U16>{U16(unsigned(a) * b + x)}; });
  auto legacy = vectorOp<U16, U16, U16, U16>(
      [](U16 a, U16 b, U16 x) { return U16(unsigned(a) * b + x); });
  t.add("v_mad_legacy_u16", c, legacy);
  t.add("v_mad_legacy_i16", c, legacy);
  t.add("v_mad_u16", c, mad);
  t.add("v_mad_i16", c, mad);
}

/// The sources of v_fma_mix: op_sel_hi says f16, op_sel then which half.
double mixSource(const Inst &i, unsigned n, uint32_t bits) {
  const Operand &op = i.ops[1 + n];
  bool half = i.mods.opSelHi >> n & 1, high = i.mods.opSel >> n & 1;
  double x = half ? Half{uint16_t(bits >> (high ? 16 : 0))}.value()
                  : double(bit_cast<float>(bits));
  // neg_hi is the absolute value here, and is printed around the operand.
  x = op.abs || (i.mods.negHi >> n & 1) ? std::fabs(x) : x;
  return op.neg || (i.mods.negLo >> n & 1) ? -x : x;
}

/// The sources of a mixed instruction without the modifiers that it reads
/// itself.
Inst plain(const Inst &i) {
  Inst copy;
  copy.ops = i.ops;
  for (Operand &op : copy.ops)
    op.neg = op.abs = false;
  return copy;
}

enum class MixResult { F32, Low, High };

void fmaMix(Wave &w, const Inst &i, MixResult to) {
  Source s[3];
  Inst bare = plain(i);
  w.laneMask = w.exec();
  for (unsigned n = 0; n < 3; ++n)
    fetchSource(w, bare, bare.ops[1 + n], n, Format::B32, s[n]);
  LaneArray &d = w.v[i.ops[0].reg];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(w.laneMask >> lane & 1))
      continue;
    // Every source is an f32, and the sum is rounded once, to f32.
    double x = std::fma(float(mixSource(i, 0, s[0].lo[lane])),
                        float(mixSource(i, 1, s[1].lo[lane])),
                        float(mixSource(i, 2, s[2].lo[lane])));
    if (i.mods.clamp)
      x = std::isnan(x) || x < 0 ? 0 : std::min(x, 1.0);
    uint32_t half = Half::nearest(x).bits;
    if (to == MixResult::F32)
      d[lane] = bit_cast<uint32_t>(float(x));
    else if (to == MixResult::Low)
      d[lane] = (d[lane] & 0xffff0000) | half;
    else
      d[lane] = (d[lane] & 0xffff) | half << 16;
  }
}

} // namespace

void attn::gfx942::addVectorHalf(SemanticsTable &table) {
  addFloat(table);
  addFloatUnary(table);
  addInteger(table);
  const InstClass c = InstClass::Valu;
  table.add("v_fma_mix_f32", c,
            [](Wave &w, const Inst &i) { fmaMix(w, i, MixResult::F32); });
  table.add("v_fma_mixlo_f16", c,
            [](Wave &w, const Inst &i) { fmaMix(w, i, MixResult::Low); });
  table.add("v_fma_mixhi_f16", c,
            [](Wave &w, const Inst &i) { fmaMix(w, i, MixResult::High); });
}
