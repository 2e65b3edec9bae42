//===- VectorInteger.cpp - 32- and 64-bit integer instructions ------------===//
//
// CDNA3 ISA, sections 12.7 to 12.11 (VOP2, VOP1, VOP3); v_bitop3_b32: CDNA4
// ISA, the same.
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace attn::gfx942;
using namespace llvm;

namespace {

using U = uint32_t;
using S = int32_t;
using U64 = uint64_t;
using S64 = int64_t;

U low24(U x) { return x & 0xffffff; }
S64 signed24(U x) { return S(x << 8) >> 8; }

/// Byte `selector` of the eight bytes {a, b}, b lowest; the others are
/// constants.
U permuteByte(U64 bytes, U selector) {
  if (selector >= 13)
    return 0xff;
  if (selector == 12)
    return 0;
  if (selector >= 8) // the sign of a 16-bit part
    return bytes >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
  return bytes >> (8 * selector) & 0xff;
}
U permute(U a, U b, U selectors) {
  U64 bytes = U64(a) << 32 | b;
  U result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= permuteByte(bytes, selectors >> (8 * i) & 0xff) << (8 * i);
  return result;
}

/// A sum or difference, exact in 64 bits: with `clamp` it saturates in T, else
/// it wraps.
template <typename T, typename F> Handler sum(F exact) {
  Handler wrapping =
      vectorOp<T, T, T>([=](T a, T b) { return T(exact(S64(a), S64(b))); });
  Handler saturating = vectorOp<T, T, T>([=](T a, T b) {
    using Limits = std::numeric_limits<T>;
    return T(
        std::clamp<S64>(exact(S64(a), S64(b)), Limits::min(), Limits::max()));
  });
  return [=](Wave &w, const Inst &i) {
    if (!i.mods.clamp)
      return wrapping(w, i);
    Inst rest = i;
    rest.mods.clamp = false;
    saturating(w, rest);
  };
}

void addSums(SemanticsTable &t) {
  auto add = [](S64 a, S64 b) { return a + b; };
  auto subtract = [](S64 a, S64 b) { return a - b; };
  t.add("v_add_u32", kValu, sum<U>(add));
  t.add("v_sub_u32", kValu, sum<U>(subtract));
  t.add("v_subrev_u32", kValu, sum<U>([](S64 a, S64 b) { return b - a; }));
  t.add("v_add_i32", kValu, sum<S>(add));
  t.add("v_sub_i32", kValu, sum<S>(subtract));
}

void addTwo(SemanticsTable &t) {
  auto two = [&](StringRef name, auto f) {
    t.add(name, kValu, vectorOp<U, U, U>(f));
  };
  two("v_and_b32", [](U a, U b) { return a & b; });
  two("v_or_b32", [](U a, U b) { return a | b; });
  two("v_xor_b32", [](U a, U b) { return a ^ b; });
  two("v_xnor_b32", [](U a, U b) { return ~(a ^ b); });
  two("v_lshlrev_b32", [](U n, U a) { return a << (n & 31); });
  two("v_lshrrev_b32", [](U n, U a) { return a >> (n & 31); });
  two("v_ashrrev_i32", [](U n, U a) { return U(S(a) >> (n & 31)); });
  two("v_min_u32", [](U a, U b) { return std::min(a, b); });
  two("v_max_u32", [](U a, U b) { return std::max(a, b); });
  two("v_min_i32", [](U a, U b) { return U(std::min(S(a), S(b))); });
  two("v_max_i32", [](U a, U b) { return U(std::max(S(a), S(b))); });
  two("v_mul_lo_u32", [](U a, U b) { return a * b; });
  two("v_mul_hi_u32", [](U a, U b) { return U(U64(a) * b >> 32); });
  two("v_mul_hi_i32", [](U a, U b) { return U(S64(S(a)) * S(b) >> 32); });
  two("v_mul_u32_u24", [](U a, U b) { return low24(a) * low24(b); });
  two("v_mul_i32_i24", [](U a, U b) { return U(signed24(a) * signed24(b)); });
  two("v_mul_hi_u32_u24",
      [](U a, U b) { return U(U64(low24(a)) * low24(b) >> 32); });
  two("v_mul_hi_i32_i24",
      [](U a, U b) { return U(signed24(a) * signed24(b) >> 32); });
  two("v_bcnt_u32_b32", [](U a, U b) { return U(popcount(a)) + b; });
  two("v_bfm_b32", [](U w, U o) { return ((1u << (w & 31)) - 1) << (o & 31); });
}

void addThree(SemanticsTable &t) {
  auto three = [&](StringRef name, auto f) {
    t.add(name, kValu, vectorOp<U, U, U, U>(f));
  };
  three("v_add3_u32", [](U a, U b, U c) { return a + b + c; });
  three("v_lshl_add_u32", [](U a, U n, U c) { return (a << (n & 31)) + c; });
  three("v_add_lshl_u32", [](U a, U b, U n) { return (a + b) << (n & 31); });
  three("v_lshl_or_b32", [](U a, U n, U c) { return (a << (n & 31)) | c; });
  three("v_and_or_b32", [](U a, U b, U c) { return (a & b) | c; });
  three("v_or3_b32", [](U a, U b, U c) { return a | b | c; });
  three("v_xad_u32", [](U a, U b, U c) { return (a ^ b) + c; });
  three("v_bfi_b32", [](U m, U a, U b) { return (m & a) | (~m & b); });
  three("v_bfe_u32",
        [](U a, U o, U w) { return (a >> (o & 31)) & ((1u << (w & 31)) - 1); });
  three("v_bfe_i32", [](U a, U o, U w) -> U {
    unsigned width = w & 31, offset = o & 31;
    if (width == 0)
      return 0;
    // A field that reaches past the top ends there.
    unsigned top = std::min(offset + width, 32u);
    return S(a << (32 - top)) >> (32 - top + offset);
  });
  three("v_alignbit_b32",
        [](U a, U b, U n) { return U((U64(a) << 32 | b) >> (n & 31)); });
  three("v_alignbyte_b32",
        [](U a, U b, U n) { return U((U64(a) << 32 | b) >> (8 * (n & 3))); });
  three("v_perm_b32", permute);
  three("v_mad_u32_u24", [](U a, U b, U c) { return low24(a) * low24(b) + c; });
  three("v_mad_i32_i24",
        [](U a, U b, U c) { return U(signed24(a) * signed24(b)) + c; });
  three("v_sad_u32", [](U a, U b, U c) { return (a > b ? a - b : b - a) + c; });
  three("v_max3_u32", [](U a, U b, U c) { return std::max({a, b, c}); });
  three("v_min3_u32", [](U a, U b, U c) { return std::min({a, b, c}); });
  three("v_max3_i32",
        [](U a, U b, U c) { return U(std::max({S(a), S(b), S(c)})); });
  three("v_min3_i32",
        [](U a, U b, U c) { return U(std::min({S(a), S(b), S(c)})); });
  three("v_med3_u32", [](U a, U b, U c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  });
  three("v_med3_i32", [](U a, U b, U c) {
    return U(
        std::max(std::min(S(a), S(b)), std::min(std::max(S(a), S(b)), S(c))));
  });
}

void addOne(SemanticsTable &t) {
  auto one = [&](StringRef name, auto f) {
    t.add(name, kValu, vectorOp<U, U>(f));
  };
  one("v_not_b32", [](U a) { return ~a; });
  one("v_bfrev_b32", [](U a) { return reverseBits<U>(a); });
  one("v_ffbh_u32", [](U a) { return a ? U(countl_zero(a)) : ~0u; });
  one("v_ffbl_b32", [](U a) { return a ? U(countr_zero(a)) : ~0u; });
  one("v_ffbh_i32", [](U a) {
    U x = S(a) < 0 ? ~a : a;
    return x ? U(countl_zero(x)) : ~0u;
  });
}

/// Bit n of `table` is the result where a's bit, b's and c's are n in binary: a
/// alone is 0xf0, b 0xcc, c 0xaa.
U bitOp3(unsigned table, U a, U b, U c) {
  U result = 0;
  for (unsigned n = 0; n < 8; ++n)
    if (table >> n & 1)
      result |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
  return result;
}

void bitOp3OfLanes(Wave &w, const Inst &i) {
  executeVector<U, U, U, U>(
      w, i, {1, 2, 3},
      [&](U a, U b, U c) { return bitOp3(i.mods.bitop3, a, b, c); },
      std::index_sequence_for<U, U, U>());
}

void addWide(SemanticsTable &t) {
  t.add("v_lshlrev_b64", kValu,
        vectorOp<U64, U, U64>([](U n, U64 a) { return a << (n & 63); }));
  t.add("v_lshrrev_b64", kValu,
        vectorOp<U64, U, U64>([](U n, U64 a) { return a >> (n & 63); }));
  t.add("v_ashrrev_i64", kValu,
        vectorOp<S64, U, S64>([](U n, S64 a) { return a >> (n & 63); }));
  t.add("v_lshl_add_u64", kValu,
        vectorOp<U64, U64, U, U64>(
            [](U64 a, U n, U64 b) { return (a << (n & 7)) + b; }));
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

/// d, carry out, a, b[, carry in]: f returns the 33-bit result for a, b and
/// carry.
template <typename F> Handler withCarry(F f, bool carryIn) {
  return [f, carryIn](Wave &w, const Inst &i) {
    Source a, b;
    Result d;
    w.laneMask = w.exec();
    fetchSource(w, i, i.ops[2], 0, Format::B32, a);
    fetchSource(w, i, i.ops[3], 1, Format::B32, b);
    uint64_t in = carryIn ? w.read64(i.ops[4]) : 0, out = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      U64 sum = f(a.lo[lane], b.lo[lane], in >> lane & 1);
      d.lo[lane] = U(sum);
      out |= (sum >> 32 & 1) << lane;
    }
    w.write64(i.ops[1], out & w.laneMask);
    storeResult(w, i, i.ops[0], Format::B32, false, 2, d);
  };
}

void addCarries(SemanticsTable &t) {
  auto add = [](U64 a, U64 b, U64 c) { return a + b + c; };
  auto sub = [](U64 a, U64 b, U64 c) { return a - b - c; };
  auto subrev = [](U64 a, U64 b, U64 c) { return b - a - c; };
  t.add("v_add_co_u32", kValu, withCarry(add, false));
  t.add("v_sub_co_u32", kValu, withCarry(sub, false));
  t.add("v_subrev_co_u32", kValu, withCarry(subrev, false));
  t.add("v_addc_co_u32", kValu, withCarry(add, true));
  t.add("v_subb_co_u32", kValu, withCarry(sub, true));
  t.add("v_subbrev_co_u32", kValu, withCarry(subrev, true));
}

/// v_mad_u64_u32 and v_mad_i64_i32: d (64 bits), carry out, a, b, c (64 bits).
template <bool IsSigned> void mad64(Wave &w, const Inst &i) {
  Source a, b, c;
  Result d;
  w.laneMask = w.exec();
  fetchSource(w, i, i.ops[2], 0, Format::B32, a);
  fetchSource(w, i, i.ops[3], 1, Format::B32, b);
  fetchSource(w, i, i.ops[4], 2, Format::B64, c);
  uint64_t out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    U64 x = LaneType<U64>::get(c, lane);
    U64 product = IsSigned ? U64(S64(S(a.lo[lane])) * S(b.lo[lane]))
                           : U64(a.lo[lane]) * b.lo[lane];
    U64 sum = product + x;
    LaneType<U64>::set(d, lane, sum);
    bool overflow =
        IsSigned ? ((~(product ^ x) & (product ^ sum)) >> 63) : sum < product;
    out |= uint64_t(overflow) << lane;
  }
  w.write64(i.ops[1], out & w.laneMask);
  storeResult(w, i, i.ops[0], Format::B64, false, 3, d);
}

} // namespace

void attn::gfx942::addVectorInteger(SemanticsTable &table) {
  addSums(table);
  addTwo(table);
  addThree(table);
  addOne(table);
  addWide(table);
  table.add("v_bitop3_b32", kValu, bitOp3OfLanes);
  addCarries(table);
  table.add("v_mad_u64_u32", kValu, mad64<false>);
  table.add("v_mad_i64_i32", kValu, mad64<true>);
}
