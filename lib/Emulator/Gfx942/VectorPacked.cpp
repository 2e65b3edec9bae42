//===- VectorPacked.cpp - VOP3P -------------------------------------------===//
//
// CDNA3 ISA, section 12.10 (VOP3P). Each half of the result takes its sources
// by op_sel (low half) and op_sel_hi (high half; the other half by default).
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

/// Which half of source n the low (high) result takes.
bool lowSelect(const Modifiers &m, unsigned n) { return m.opSel >> n & 1; }
bool highSelect(const Modifiers &m, unsigned n) {
  return m.hasOpSelHi ? m.opSelHi >> n & 1 : true;
}

uint16_t half(uint32_t x, bool high) { return high ? x >> 16 : x; }

/// An inline constant of a packed 16-bit instruction: as 16 bits, high half
/// zero.
void fetchPacked(Wave &w, const Inst &i, unsigned n, Format format, Source &s) {
  const Operand &op = i.ops[1 + n];
  bool isInlineFloat = op.kind == Operand::Float;
  fetchSource(w, i, op, n, isInlineFloat ? format : Format::B32, s);
}

/// f(halves...) for both halves, on bits. Floats negate by neg_lo and neg_hi.
template <unsigned N, typename F> Handler packed16(F f, bool isFloat) {
  return [f, isFloat](Wave &w, const Inst &i) {
    Source s[N];
    Result d;
    const Modifiers &m = i.mods;
    Inst bare; // op_sel means something else to fetchSource
    bare.ops = i.ops;
    w.laneMask = w.exec();
    for (unsigned n = 0; n < N; ++n)
      fetchPacked(w, bare, n, Format::F16, s[n]);
    if (m.clamp)
      return w.fail("the emulator has no clamp of packed instructions");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint16_t low[N], high[N];
      for (unsigned n = 0; n < N; ++n) {
        low[n] = half(s[n].lo[lane], lowSelect(m, n));
        high[n] = half(s[n].lo[lane], highSelect(m, n));
        if (isFloat) {
          low[n] ^= (m.negLo >> n & 1) << 15;
          high[n] ^= (m.negHi >> n & 1) << 15;
        }
      }
      d.lo[lane] = uint32_t(f(low)) | uint32_t(f(high)) << 16;
    }
    storeResult(w, bare, i.ops[0], Format::B32, false, N, d);
  };
}

Half asHalf(uint16_t x) { return {x}; }

void addPackedHalf(SemanticsTable &t) {
  t.add("v_pk_add_f16", kValu,
        packed16<2>(
            [](const uint16_t *x) {
              return Half::nearest(asHalf(x[0]).value() + asHalf(x[1]).value())
                  .bits;
            },
            true));
  t.add("v_pk_mul_f16", kValu,
        packed16<2>(
            [](const uint16_t *x) {
              return Half::nearest(asHalf(x[0]).value() * asHalf(x[1]).value())
                  .bits;
            },
            true));
  t.add("v_pk_fma_f16", kValu,
        packed16<3>(
            [](const uint16_t *x) {
              return Half::nearest(std::fma(asHalf(x[0]).value(),
                                            asHalf(x[1]).value(),
                                            asHalf(x[2]).value()))
                  .bits;
            },
            true));
  // fmax and fmin of doubles: a number wins against a NaN.
  t.add("v_pk_max_f16", kValu,
        packed16<2>(
            [](const uint16_t *x) {
              return Half::nearest(
                         std::fmax(asHalf(x[0]).value(), asHalf(x[1]).value()))
                  .bits;
            },
            true));
  t.add("v_pk_min_f16", kValu,
        packed16<2>(
            [](const uint16_t *x) {
              return Half::nearest(
                         std::fmin(asHalf(x[0]).value(), asHalf(x[1]).value()))
                  .bits;
            },
            true));
}

void addPackedInteger(SemanticsTable &t) {
  auto two = [&](StringRef name, uint16_t (*f)(uint16_t, uint16_t)) {
    t.add(name, kValu,
          packed16<2>([f](const uint16_t *x) { return f(x[0], x[1]); }, false));
  };
  using U = uint16_t;
  using S = int16_t;
  two("v_pk_add_u16", [](U a, U b) { return U(a + b); });
  two("v_pk_add_i16", [](U a, U b) { return U(a + b); });
  two("v_pk_sub_u16", [](U a, U b) { return U(a - b); });
  two("v_pk_sub_i16", [](U a, U b) { return U(a - b); });
  two("v_pk_mul_lo_u16", [](U a, U b) { return U(unsigned(a) * b); });
  auto mad = packed16<3>(
      [](const uint16_t *x) { return U(unsigned(x[0]) * x[1] + x[2]); }, false);
  t.add("v_pk_mad_u16", kValu, mad);
  t.add("v_pk_mad_i16", kValu, mad);
  two("v_pk_lshlrev_b16", [](U n, U a) { return U(a << (n & 15)); });
  two("v_pk_lshrrev_b16", [](U n, U a) { return U(a >> (n & 15)); });
  two("v_pk_ashrrev_i16", [](U n, U a) { return U(S(a) >> (n & 15)); });
  two("v_pk_max_u16", [](U a, U b) { return std::max(a, b); });
  two("v_pk_min_u16", [](U a, U b) { return std::min(a, b); });
  two("v_pk_max_i16", [](U a, U b) { return U(std::max(S(a), S(b))); });
  two("v_pk_min_i16", [](U a, U b) { return U(std::min(S(a), S(b))); });
}

/// A constant or a single SGPR is in the low half only: an instruction that
/// selects its high half reads something that the manual does not define, but
/// for the constant 0, which both halves of 64 bits are.
bool checkWideSource(Wave &w, const Inst &i, unsigned n) {
  const Operand &op = i.ops[1 + n];
  if (op.kind == Operand::Integer && op.bits == 0)
    return true;
  if (op.count >= 2 || (!lowSelect(i.mods, n) && !highSelect(i.mods, n)))
    return true;
  w.fail("selects the upper half of a 32-bit source");
  return false;
}

/// f on pairs of 32 bits; N sources of 64 bits each.
template <unsigned N, typename F> Handler packed32(F f) {
  return [f](Wave &w, const Inst &i) {
    Source s[N];
    Result d;
    const Modifiers &m = i.mods;
    Inst bare;
    bare.ops = i.ops;
    w.laneMask = w.exec();
    for (unsigned n = 0; n < N; ++n) {
      if (!checkWideSource(w, i, n))
        return;
      bool wide = i.ops[1 + n].count >= 2;
      fetchSource(w, bare, i.ops[1 + n], n, wide ? Format::B64 : Format::B32,
                  s[n]);
      if (!wide)
        s[n].hi = s[n].lo;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t low[N], high[N];
      for (unsigned n = 0; n < N; ++n) {
        low[n] = lowSelect(m, n) ? s[n].hi[lane] : s[n].lo[lane];
        high[n] = highSelect(m, n) ? s[n].hi[lane] : s[n].lo[lane];
        low[n] ^= uint32_t(m.negLo >> n & 1) << 31;
        high[n] ^= uint32_t(m.negHi >> n & 1) << 31;
      }
      d.lo[lane] = f(low);
      d.hi[lane] = f(high);
    }
    bool isMove = i.name == "v_pk_mov_b32";
    if (isMove) // the low result is of source 0, the high one of source 1
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        d.lo[lane] = lowSelect(m, 0) ? s[0].hi[lane] : s[0].lo[lane];
        d.hi[lane] = lowSelect(m, 1) ? s[N - 1].hi[lane] : s[N - 1].lo[lane];
      }
    storeResult(w, bare, i.ops[0], Format::B64, false, N, d);
  };
}

float asFloat(uint32_t x) { return bit_cast<float>(x); }
uint32_t asBits(float x) { return bit_cast<uint32_t>(x); }

void addPackedFloat(SemanticsTable &t) {
  t.add("v_pk_fma_f32", kValu, packed32<3>([](const uint32_t *x) {
          return asBits(std::fma(asFloat(x[0]), asFloat(x[1]), asFloat(x[2])));
        }));
  t.add("v_pk_mul_f32", kValu, packed32<2>([](const uint32_t *x) {
          return asBits(asFloat(x[0]) * asFloat(x[1]));
        }));
  t.add("v_pk_add_f32", kValu, packed32<2>([](const uint32_t *x) {
          return asBits(asFloat(x[0]) + asFloat(x[1]));
        }));
  t.add("v_pk_mov_b32", kValu,
        packed32<2>([](const uint32_t *x) { return x[0]; }));
}

/// d = a.lo * b.lo + a.hi * b.hi + c, f16 into f32.
void dot2(Wave &w, const Inst &i) {
  Source s[3];
  Result d;
  if (i.mods.opSel || i.mods.hasOpSelHi || i.mods.negLo || i.mods.negHi)
    return w.fail("the emulator has no modifiers of v_dot2_f32_f16");
  w.laneMask = w.exec();
  for (unsigned n = 0; n < 3; ++n)
    fetchSource(w, i, i.ops[1 + n], n, Format::B32, s[n]);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t a = s[0].lo[lane], b = s[1].lo[lane];
    double sum = asHalf(a).value() * asHalf(b).value() +
                 asHalf(a >> 16).value() * asHalf(b >> 16).value();
    d.lo[lane] = asBits(float(sum + asFloat(s[2].lo[lane])));
  }
  storeResult(w, i, i.ops[0], Format::F32, false, 3, d);
}

} // namespace

void attn::gfx942::addVectorPacked(SemanticsTable &table) {
  addPackedHalf(table);
  addPackedInteger(table);
  addPackedFloat(table);
  table.add("v_dot2_f32_f16", kValu, dot2);
}
