//===- ScalarAlu.cpp - SOP1, SOP2, SOPC, SOPK -----------------------------===//
//
// CDNA3 ISA, sections 12.1 to 12.4 (SOP2, SOPK, SOP1, SOPC).
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "Wave.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

using S32 = uint32_t;
using S64 = uint64_t;

/// D = f(A, B); SCC = D != 0.
template <typename F> Handler logic32(F f) {
  return [f](Wave &w, const Inst &i) {
    uint32_t d = f(w.read32(i.ops[1]), w.read32(i.ops[2]));
    w.write32(i.ops[0], d);
    w.sccBit = d != 0;
  };
}
template <typename F> Handler logic64(F f) {
  return [f](Wave &w, const Inst &i) {
    uint64_t d = f(w.read64(i.ops[1]), w.read64(i.ops[2]));
    w.write64(i.ops[0], d);
    w.sccBit = d != 0;
  };
}
/// D = f(A, B, SCC), where f sets SCC as it needs.
template <typename F> Handler arith32(F f) {
  return [f](Wave &w, const Inst &i) {
    w.write32(i.ops[0], f(w.read32(i.ops[1]), w.read32(i.ops[2]), w.sccBit));
  };
}
template <typename F> Handler unary32(F f) {
  return [f](Wave &w, const Inst &i) {
    w.write32(i.ops[0], f(w.read32(i.ops[1]), w.sccBit));
  };
}
template <typename F> Handler unary64(F f) {
  return [f](Wave &w, const Inst &i) {
    w.write64(i.ops[0], f(w.read64(i.ops[1]), w.sccBit));
  };
}
/// D (32 bits) = f(A of 64 bits).
template <typename F> Handler narrow(F f) {
  return [f](Wave &w, const Inst &i) {
    w.write32(i.ops[0], f(w.read64(i.ops[1]), w.sccBit));
  };
}
/// D = EXEC; EXEC = f(A, EXEC); SCC = EXEC != 0.
template <typename F> Handler saveExec(F f) {
  return [f](Wave &w, const Inst &i) {
    uint64_t a = w.read64(i.ops[1]), exec = w.exec();
    w.write64(i.ops[0], exec);
    w.setS64At(kExec, f(a, exec));
    w.sccBit = w.exec() != 0;
  };
}
template <typename F> Handler compare32(F f) {
  return [f](Wave &w, const Inst &i) {
    w.sccBit = f(w.read32(i.ops[0]), w.read32(i.ops[1]));
  };
}
/// SOPK: the 16-bit immediate; the compares of unsigned numbers zero-extend it.
template <typename F> Handler compareK(F f) {
  return [f](Wave &w, const Inst &i) {
    w.sccBit = f(w.read32(i.ops[0]), uint16_t(i.imms.back()));
  };
}

uint32_t addSigned(uint32_t a, uint32_t b, bool &scc) {
  uint32_t d = a + b;
  scc = (~(a ^ b) & (a ^ d)) >> 31;
  return d;
}
uint32_t subSigned(uint32_t a, uint32_t b, bool &scc) {
  uint32_t d = a - b;
  scc = ((a ^ b) & (a ^ d)) >> 31;
  return d;
}
uint32_t shiftAdd(uint32_t a, uint32_t b, unsigned n, bool &scc) {
  uint64_t d = (uint64_t(a) << n) + b;
  scc = d >> 32 != 0;
  return uint32_t(d);
}
uint32_t bitFieldMask(uint32_t width, uint32_t offset) {
  return ((1u << (width & 31)) - 1) << (offset & 31);
}

/// Bit field of `a`: offset in b[5:0], width in b[22:16].
template <typename T> T bitField(T a, uint32_t b, bool isSigned) {
  unsigned bits = sizeof(T) * 8;
  unsigned offset = b & (bits - 1), width = b >> 16 & 0x7f;
  if (width == 0)
    return 0;
  using Signed = std::make_signed_t<T>;
  T shifted = isSigned ? T(Signed(a) >> offset) : a >> offset;
  if (width >= bits)
    return shifted;
  T mask = (T(1) << width) - 1;
  T field = shifted & mask;
  bool negative = isSigned && (field >> (width - 1) & 1);
  return negative ? field | ~mask : field;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void addLogic(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
#define LOGIC(NAME, EXPR)                                                      \
  t.add("s_" NAME "_b32", c,                                                   \
        logic32([](S32 a, S32 b) -> S32 { return EXPR; }));                    \
  t.add("s_" NAME "_b64", c, logic64([](S64 a, S64 b) -> S64 { return EXPR; }));
  LOGIC("and", a & b)
  LOGIC("or", a | b)
  LOGIC("xor", a ^ b)
  LOGIC("andn2", a & ~b)
  LOGIC("orn2", a | ~b)
  LOGIC("nand", ~(a & b))
  LOGIC("nor", ~(a | b))
  LOGIC("xnor", ~(a ^ b))
#undef LOGIC
#define SAVEEXEC(NAME, EXPR)                                                   \
  t.add("s_" NAME "_saveexec_b64", c,                                          \
        saveExec([](S64 a, S64 exec) -> S64 { return EXPR; }));
  SAVEEXEC("and", a & exec)
  SAVEEXEC("or", a | exec)
  SAVEEXEC("xor", a ^ exec)
  SAVEEXEC("andn1", ~a & exec)
  SAVEEXEC("andn2", a & ~exec)
  SAVEEXEC("orn1", ~a | exec)
  SAVEEXEC("orn2", a | ~exec)
  SAVEEXEC("nand", ~(a & exec))
  SAVEEXEC("nor", ~(a | exec))
  SAVEEXEC("xnor", ~(a ^ exec))
#undef SAVEEXEC
}

void addShifts(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
  t.add("s_lshl_b32", c, logic32([](S32 a, S32 b) { return a << (b & 31); }));
  t.add("s_lshr_b32", c, logic32([](S32 a, S32 b) { return a >> (b & 31); }));
  t.add("s_ashr_i32", c,
        logic32([](S32 a, S32 b) { return S32(int32_t(a) >> (b & 31)); }));
  t.add("s_lshl_b64", c, logic64([](S64 a, S64 b) { return a << (b & 63); }));
  t.add("s_lshr_b64", c, logic64([](S64 a, S64 b) { return a >> (b & 63); }));
  t.add("s_ashr_i64", c,
        logic64([](S64 a, S64 b) { return S64(int64_t(a) >> (b & 63)); }));
  t.add("s_bfe_u32", c,
        logic32([](S32 a, S32 b) { return bitField<S32>(a, b, false); }));
  t.add("s_bfe_i32", c,
        logic32([](S32 a, S32 b) { return bitField<S32>(a, b, true); }));
  t.add("s_bfe_u64", c,
        logic64([](S64 a, S64 b) { return bitField<S64>(a, S32(b), false); }));
  t.add("s_bfe_i64", c,
        logic64([](S64 a, S64 b) { return bitField<S64>(a, S32(b), true); }));
  t.add("s_bfm_b32", c,
        arith32([](S32 a, S32 b, bool &) { return bitFieldMask(a, b); }));
}

void addArithmetic(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
  t.add("s_add_u32", c, arith32([](S32 a, S32 b, bool &scc) {
          scc = a + b < a;
          return a + b;
        }));
  t.add("s_sub_u32", c, arith32([](S32 a, S32 b, bool &scc) {
          scc = b > a;
          return a - b;
        }));
  t.add("s_add_i32", c, arith32(addSigned));
  t.add("s_sub_i32", c, arith32(subSigned));
  t.add("s_addc_u32", c, arith32([](S32 a, S32 b, bool &scc) {
          uint64_t d = uint64_t(a) + b + scc;
          scc = d >> 32;
          return S32(d);
        }));
  t.add("s_subb_u32", c, arith32([](S32 a, S32 b, bool &scc) {
          S32 d = a - b - scc;
          scc = uint64_t(b) + scc > a;
          return d;
        }));
  t.add("s_mul_i32", c, arith32([](S32 a, S32 b, bool &) { return a * b; }));
  t.add("s_mul_hi_u32", c, arith32([](S32 a, S32 b, bool &) {
          return S32(uint64_t(a) * b >> 32);
        }));
  t.add("s_mul_hi_i32", c, arith32([](S32 a, S32 b, bool &) {
          return S32(int64_t(int32_t(a)) * int32_t(b) >> 32);
        }));
  t.add("s_absdiff_i32", c, arith32([](S32 a, S32 b, bool &scc) {
          S32 d = a - b;
          d = int32_t(d) < 0 ? 0 - d : d;
          scc = d != 0;
          return d;
        }));
  for (unsigned n = 1; n <= 4; ++n)
    t.add("s_lshl" + std::to_string(n) + "_add_u32", c,
          arith32([n](S32 a, S32 b, bool &s) { return shiftAdd(a, b, n, s); }));
#define PICK(NAME, EXPR)                                                       \
  t.add(NAME, c, arith32([](S32 a, S32 b, bool &scc) {                         \
          scc = EXPR;                                                          \
          return scc ? a : b;                                                  \
        }));
  PICK("s_min_i32", int32_t(a) < int32_t(b))
  PICK("s_min_u32", a < b)
  PICK("s_max_i32", int32_t(a) > int32_t(b))
  PICK("s_max_u32", a > b)
#undef PICK
  t.add("s_cselect_b32", c,
        arith32([](S32 a, S32 b, bool &scc) { return scc ? a : b; }));
  t.add("s_cselect_b64", c, [](Wave &w, const Inst &i) {
    w.write64(i.ops[0], w.read64(i.ops[w.sccBit ? 1 : 2]));
  });
  t.add("s_pack_ll_b32_b16", c,
        arith32([](S32 a, S32 b, bool &) { return (a & 0xffff) | b << 16; }));
  t.add("s_pack_lh_b32_b16", c, arith32([](S32 a, S32 b, bool &) {
          return (a & 0xffff) | (b & 0xffff0000);
        }));
  t.add("s_pack_hh_b32_b16", c, arith32([](S32 a, S32 b, bool &) {
          return a >> 16 | (b & 0xffff0000);
        }));
}

void addUnary(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
  t.add("s_mov_b32", c, unary32([](S32 a, bool &) { return a; }));
  t.add("s_mov_b64", c, unary64([](S64 a, bool &) { return a; }));
  t.add("s_not_b32", c, unary32([](S32 a, bool &scc) {
          scc = ~a != 0;
          return ~a;
        }));
  t.add("s_not_b64", c, unary64([](S64 a, bool &scc) {
          scc = ~a != 0;
          return ~a;
        }));
  t.add("s_abs_i32", c, unary32([](S32 a, bool &scc) {
          S32 d = int32_t(a) < 0 ? 0 - a : a;
          scc = d != 0;
          return d;
        }));
  t.add("s_brev_b32", c,
        unary32([](S32 a, bool &) { return reverseBits<S32>(a); }));
  t.add("s_brev_b64", c,
        unary64([](S64 a, bool &) { return reverseBits<S64>(a); }));
  t.add("s_sext_i32_i8", c,
        unary32([](S32 a, bool &) { return S32(int32_t(int8_t(a))); }));
  t.add("s_sext_i32_i16", c,
        unary32([](S32 a, bool &) { return S32(int32_t(int16_t(a))); }));
  t.add("s_bcnt1_i32_b32", c, unary32([](S32 a, bool &scc) {
          scc = a != 0;
          return S32(popcount(a));
        }));
  t.add("s_bcnt1_i32_b64", c, narrow([](S64 a, bool &scc) {
          scc = a != 0;
          return S32(popcount(a));
        }));
  t.add("s_ff1_i32_b32", c,
        unary32([](S32 a, bool &) { return a ? S32(countr_zero(a)) : ~0u; }));
  t.add("s_ff1_i32_b64", c,
        narrow([](S64 a, bool &) { return a ? S32(countr_zero(a)) : ~0u; }));
  t.add("s_flbit_i32_b32", c,
        unary32([](S32 a, bool &) { return a ? S32(countl_zero(a)) : ~0u; }));
  t.add("s_flbit_i32_b64", c,
        narrow([](S64 a, bool &) { return a ? S32(countl_zero(a)) : ~0u; }));
  t.add("s_flbit_i32", c, unary32([](S32 a, bool &) {
          S32 x = int32_t(a) < 0 ? ~a : a;
          return x ? S32(countl_zero(x)) : ~0u;
        }));
  t.add("s_bitset0_b32", c, [](Wave &w, const Inst &i) {
    uint32_t bit = 1u << (w.read32(i.ops[1]) & 31);
    w.write32(i.ops[0], w.read32(i.ops[0]) & ~bit);
  });
  t.add("s_bitset1_b32", c, [](Wave &w, const Inst &i) {
    uint32_t bit = 1u << (w.read32(i.ops[1]) & 31);
    w.write32(i.ops[0], w.read32(i.ops[0]) | bit);
  });
  t.add("s_cmov_b32", c, [](Wave &w, const Inst &i) {
    if (w.sccBit)
      w.write32(i.ops[0], w.read32(i.ops[1]));
  });
  t.add("s_cmov_b64", c, [](Wave &w, const Inst &i) {
    if (w.sccBit)
      w.write64(i.ops[0], w.read64(i.ops[1]));
  });
}

void addCompares(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
#define COMPARE(NAME, OP)                                                      \
  t.add("s_cmp_" NAME "_u32", c,                                               \
        compare32([](S32 a, S32 b) { return a OP b; }));                       \
  t.add("s_cmp_" NAME "_i32", c,                                               \
        compare32([](S32 a, S32 b) { return int32_t(a) OP int32_t(b); }));     \
  t.add("s_cmpk_" NAME "_u32", c,                                              \
        compareK([](S32 a, uint16_t k) { return a OP S32(k); }));              \
  t.add("s_cmpk_" NAME "_i32", c, compareK([](S32 a, uint16_t k) {             \
          return int32_t(a) OP int32_t(int16_t(k));                            \
        }));
  COMPARE("eq", ==)
  COMPARE("lg", !=)
  COMPARE("gt", >)
  COMPARE("ge", >=)
  COMPARE("lt", <)
  COMPARE("le", <=)
#undef COMPARE
  t.add("s_cmp_eq_u64", c, [](Wave &w, const Inst &i) {
    w.sccBit = w.read64(i.ops[0]) == w.read64(i.ops[1]);
  });
  t.add("s_cmp_lg_u64", c, [](Wave &w, const Inst &i) {
    w.sccBit = w.read64(i.ops[0]) != w.read64(i.ops[1]);
  });
  t.add("s_bitcmp0_b32", c,
        compare32([](S32 a, S32 b) { return (a >> (b & 31) & 1) == 0; }));
  t.add("s_bitcmp1_b32", c,
        compare32([](S32 a, S32 b) { return (a >> (b & 31) & 1) == 1; }));
  t.add("s_bitcmp0_b64", c, [](Wave &w, const Inst &i) {
    w.sccBit = !(w.read64(i.ops[0]) >> (w.read32(i.ops[1]) & 63) & 1);
  });
  t.add("s_bitcmp1_b64", c, [](Wave &w, const Inst &i) {
    w.sccBit = w.read64(i.ops[0]) >> (w.read32(i.ops[1]) & 63) & 1;
  });
}

void addImmediates(SemanticsTable &t) {
  const InstClass c = InstClass::Salu;
  t.add("s_movk_i32", c, [](Wave &w, const Inst &i) {
    w.write32(i.ops[0], int32_t(int16_t(i.imms.back())));
  });
  t.add("s_cmovk_i32", c, [](Wave &w, const Inst &i) {
    if (w.sccBit)
      w.write32(i.ops[0], int32_t(int16_t(i.imms.back())));
  });
  t.add("s_addk_i32", c, [](Wave &w, const Inst &i) {
    uint32_t k = int32_t(int16_t(i.imms.back()));
    w.write32(i.ops[0], addSigned(w.read32(i.ops[0]), k, w.sccBit));
  });
  t.add("s_mulk_i32", c, [](Wave &w, const Inst &i) {
    uint32_t k = int32_t(int16_t(i.imms.back()));
    w.write32(i.ops[0], w.read32(i.ops[0]) * k);
  });
}

} // namespace

void attn::gfx942::addScalarAlu(SemanticsTable &table) {
  addLogic(table);
  addShifts(table);
  addArithmetic(table);
  addUnary(table);
  addCompares(table);
  addImmediates(table);
}
