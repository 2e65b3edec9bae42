//===- VectorCompare.cpp - VOPC -------------------------------------------===//
//
// CDNA3 ISA, section 12.9. A compare writes 0 for inactive lanes; the `x` forms
// write EXEC as well.
//
//===----------------------------------------------------------------------===//

#include "VectorOp.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

template <typename A, typename B, typename F>
Handler compare(F f, bool writesExec) {
  return [f, writesExec](Wave &w, const Inst &i) {
    Source a, b;
    w.laneMask = w.exec();
    fetchSource(w, i, i.ops[1], 0, LaneType<A>::format, a);
    fetchSource(w, i, i.ops[2], 1, LaneType<B>::format, b);
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      bits |= uint64_t(f(LaneType<A>::get(a, lane), LaneType<B>::get(b, lane)))
              << lane;
    bits &= w.laneMask;
    w.write64(i.ops[0], bits);
    if (writesExec)
      w.setS64At(kExec, bits);
  };
}

template <typename A, typename B, typename F>
void addBoth(SemanticsTable &t, const std::string &name, F f) {
  t.add("v_cmp_" + name, kValu, compare<A, B>(f, false));
  t.add("v_cmpx_" + name, kValu, compare<A, B>(f, true));
}

template <typename T>
void addIntegers(SemanticsTable &t, const std::string &type) {
  auto both = [&](const char *name, auto f) {
    addBoth<T, T>(t, std::string(name) + "_" + type, f);
  };
  both("f", [](T, T) { return false; });
  both("lt", [](T a, T b) { return a < b; });
  both("eq", [](T a, T b) { return a == b; });
  both("le", [](T a, T b) { return a <= b; });
  both("gt", [](T a, T b) { return a > b; });
  both("ne", [](T a, T b) { return a != b; });
  both("ge", [](T a, T b) { return a >= b; });
  both("t", [](T, T) { return true; });
}

double number(double x) { return x; }
double number(Half x) { return x.value(); }

template <typename T>
void addFloats(SemanticsTable &t, const std::string &type) {
  auto both = [&](const char *name, auto f) {
    addBoth<T, T>(t, std::string(name) + "_" + type,
                  [f](T a, T b) { return f(number(a), number(b)); });
  };
  using D = double;
  both("f", [](D, D) { return false; });
  both("lt", [](D a, D b) { return a < b; });
  both("eq", [](D a, D b) { return a == b; });
  both("le", [](D a, D b) { return a <= b; });
  both("gt", [](D a, D b) { return a > b; });
  both("lg", [](D a, D b) { return a < b || a > b; });
  both("ge", [](D a, D b) { return a >= b; });
  both("o", [](D a, D b) { return !std::isnan(a) && !std::isnan(b); });
  both("u", [](D a, D b) { return std::isnan(a) || std::isnan(b); });
  both("nge", [](D a, D b) { return !(a >= b); });
  both("nlg", [](D a, D b) { return !(a < b || a > b); });
  both("ngt", [](D a, D b) { return !(a > b); });
  both("nle", [](D a, D b) { return !(a <= b); });
  both("neq", [](D a, D b) { return !(a == b); });
  both("nlt", [](D a, D b) { return !(a < b); });
  both("tru", [](D, D) { return true; });
}

/// The bit of v_cmp_class that x belongs to.
template <int MinExponent> unsigned classOf(double x, bool signaling) {
  if (std::isnan(x))
    return signaling ? 0 : 1;
  bool negative = std::signbit(x);
  double a = std::fabs(x);
  if (std::isinf(x))
    return negative ? 2 : 9;
  if (a == 0)
    return negative ? 5 : 6;
  bool normal = std::ilogb(a) >= MinExponent;
  if (normal)
    return negative ? 3 : 8;
  return negative ? 4 : 7;
}

void addClasses(SemanticsTable &t) {
  using U = uint32_t;
  addBoth<float, U>(t, "class_f32", [](float x, U mask) -> bool {
    bool quiet = bit_cast<uint32_t>(x) & 0x400000;
    return mask >> classOf<-126>(x, !quiet) & 1;
  });
  addBoth<double, U>(t, "class_f64", [](double x, U mask) -> bool {
    bool quiet = bit_cast<uint64_t>(x) >> 51 & 1;
    return mask >> classOf<-1022>(x, !quiet) & 1;
  });
  addBoth<Half, U>(t, "class_f16", [](Half x, U mask) -> bool {
    return mask >> classOf<-14>(x.value(), !(x.bits & 0x200)) & 1;
  });
}

} // namespace

void attn::gfx942::addVectorCompare(SemanticsTable &table) {
  addIntegers<int16_t>(table, "i16");
  addIntegers<uint16_t>(table, "u16");
  addIntegers<int32_t>(table, "i32");
  addIntegers<uint32_t>(table, "u32");
  addIntegers<int64_t>(table, "i64");
  addIntegers<uint64_t>(table, "u64");
  addFloats<Half>(table, "f16");
  addFloats<float>(table, "f32");
  addFloats<double>(table, "f64");
  addClasses(table);
}
