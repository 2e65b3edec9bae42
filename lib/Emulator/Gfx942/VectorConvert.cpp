//===- VectorConvert.cpp - Conversions ------------------------------------===//
//
// CDNA3 ISA, sections 12.8 and 12.11; v_cvt_pk_f16_f32 and
// v_cvt_pk_bf16_f32: CDNA4 ISA, the same. The fp8 formats are FNUZ: OCP's bit
// layouts with the bias one higher, one zero, and 0x80 the only NaN; on gfx950
// OCP's themselves.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "VectorOp.h"
#include <limits>

using namespace attn::gfx942;
using namespace llvm;

namespace {

/// Toward zero, NaN to 0, out of range to the nearest limit.
template <typename To> To saturate(double x) {
  if (std::isnan(x))
    return 0;
  x = std::trunc(x);
  if (x <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (x >= double(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return To(x);
}

void addFloats(SemanticsTable &t) {
  t.add("v_cvt_f16_f32", kValu,
        vectorOp<Half, float>([](float x) { return Half::nearest(x); }));
  t.add("v_cvt_f32_f16", kValu,
        vectorOp<float, Half>([](Half x) { return float(x.value()); }));
  t.add("v_cvt_f64_f32", kValu,
        vectorOp<double, float>([](float x) { return double(x); }));
  t.add("v_cvt_f32_f64", kValu,
        vectorOp<float, double>([](double x) { return float(x); }));
  auto pkrtz = vectorOp<uint32_t, float, float>([](float a, float b) {
    return Half::truncated(a).bits | uint32_t(Half::truncated(b).bits) << 16;
  });
  t.add("v_cvt_pkrtz_f16_f32", kValu, pkrtz);
}

void addIntegers(SemanticsTable &t) {
  using U = uint32_t;
  using S = int32_t;
  t.add("v_cvt_f32_u32", kValu,
        vectorOp<float, U>([](U x) { return float(x); }));
  t.add("v_cvt_f32_i32", kValu,
        vectorOp<float, S>([](S x) { return float(x); }));
  t.add("v_cvt_f64_u32", kValu,
        vectorOp<double, U>([](U x) { return double(x); }));
  t.add("v_cvt_f64_i32", kValu,
        vectorOp<double, S>([](S x) { return double(x); }));
  t.add("v_cvt_u32_f32", kValu,
        vectorOp<U, float>([](float x) { return saturate<U>(x); }));
  t.add("v_cvt_i32_f32", kValu,
        vectorOp<S, float>([](float x) { return saturate<S>(x); }));
  t.add("v_cvt_u32_f64", kValu,
        vectorOp<U, double>([](double x) { return saturate<U>(x); }));
  t.add("v_cvt_i32_f64", kValu,
        vectorOp<S, double>([](double x) { return saturate<S>(x); }));
  t.add("v_cvt_flr_i32_f32", kValu,
        vectorOp<S, float>([](float x) { return saturate<S>(std::floor(x)); }));
  t.add("v_cvt_rpi_i32_f32", kValu, vectorOp<S, float>([](float x) {
          return saturate<S>(std::floor(double(x) + 0.5));
        }));
  for (unsigned byte = 0; byte < 4; ++byte)
    t.add("v_cvt_f32_ubyte" + std::to_string(byte), kValu,
          vectorOp<float, U>(
              [byte](U x) { return float(x >> (8 * byte) & 0xff); }));
  t.add("v_cvt_f16_u16", kValu,
        vectorOp<Half, uint16_t>([](uint16_t x) { return Half::nearest(x); }));
  t.add("v_cvt_f16_i16", kValu,
        vectorOp<Half, int16_t>([](int16_t x) { return Half::nearest(x); }));
  t.add("v_cvt_u16_f16", kValu, vectorOp<uint16_t, Half>([](Half x) {
          return saturate<uint16_t>(x.value());
        }));
  t.add("v_cvt_i16_f16", kValu, vectorOp<int16_t, Half>([](Half x) {
          return saturate<int16_t>(x.value());
        }));
}

/// To the nearest, ties to even, denormals kept; a NaN stays one and is quiet
/// (which of its bits stay is unchecked).
uint32_t roundToBf16(float x) {
  uint32_t bits = bit_cast<uint32_t>(x);
  if (std::isnan(x))
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// Of gfx950: two f32 to 16 bits each, to the nearest.
void addPairs(SemanticsTable &t) {
  t.add("v_cvt_pk_f16_f32", kValu,
        vectorOp<uint32_t, float, float>([](float a, float b) {
          return Half::nearest(a).bits | uint32_t(Half::nearest(b).bits) << 16;
        }));
  t.add("v_cvt_pk_bf16_f32", kValu,
        vectorOp<uint32_t, float, float>([](float a, float b) {
          return roundToBf16(a) | roundToBf16(b) << 16;
        }));
}

/// Two f32 into the half of the destination that op_sel's fourth bit names.
template <typename F8> void packFloat8(Wave &w, const Inst &i) {
  Source a, b;
  w.laneMask = w.exec();
  fetchSource(w, i, i.ops[1], 0, Format::F32, a);
  fetchSource(w, i, i.ops[2], 1, Format::F32, b);
  // Printed as [0,0,1]: two sources, then the destination.
  bool high = i.mods.opSel >> 2;
  LaneArray &d = w.v[i.ops[0].reg];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(w.laneMask >> lane & 1))
      continue;
    uint32_t pair = F8::encode(bit_cast<float>(a.lo[lane])) |
                    F8::encode(bit_cast<float>(b.lo[lane])) << 8;
    d[lane] =
        high ? (d[lane] & 0xffff) | pair << 16 : (d[lane] & 0xffff0000) | pair;
  }
}

/// Two fp8 of a word; which word SDWA (or op_sel) says.
template <typename F8> void unpackFloat8(Wave &w, const Inst &i) {
  Source a;
  Result d;
  w.laneMask = w.exec();
  fetchSource(w, i, i.ops[1], 0, Format::B32, a);
  unsigned shift = i.mods.opSel & 1 ? 16 : 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t x = a.lo[lane] >> shift;
    d.lo[lane] = bit_cast<uint32_t>(F8::decode(x & 0xff));
    d.hi[lane] = bit_cast<uint32_t>(F8::decode(x >> 8 & 0xff));
  }
  Inst bare;
  storeResult(w, bare, i.ops[0], Format::B64, false, 1, d);
}

void addFloat8(SemanticsTable &t) {
  std::string ocp = kOcpPrefix;
  t.add(ocp + "v_cvt_pk_fp8_f32", kValu, packFloat8<OcpFp8>);
  t.add(ocp + "v_cvt_pk_bf8_f32", kValu, packFloat8<OcpBf8>);
  t.add("v_cvt_pk_fp8_f32", kValu, packFloat8<Fp8>);
  t.add("v_cvt_pk_bf8_f32", kValu, packFloat8<Bf8>);
  t.add("v_cvt_pk_f32_fp8", kValu, unpackFloat8<Fp8>);
  t.add("v_cvt_pk_f32_bf8", kValu, unpackFloat8<Bf8>);
  t.add("v_cvt_f32_fp8", kValu, vectorOp<float, uint32_t>([](uint32_t x) {
          return Fp8::decode(x & 0xff);
        }));
  t.add("v_cvt_f32_bf8", kValu, vectorOp<float, uint32_t>([](uint32_t x) {
          return Bf8::decode(x & 0xff);
        }));
}

} // namespace

void attn::gfx942::addVectorConvert(SemanticsTable &table) {
  addFloats(table);
  addPairs(table);
  addIntegers(table);
  addFloat8(table);
}
