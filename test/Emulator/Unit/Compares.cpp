//===- Compares.cpp - VOPC ------------------------------------------------===//

#include "Harness.h"
#include <cmath>
#include <cstring>

using namespace emulator_test;

namespace {

/// What every compare says of a pair: less, equal, greater, unordered.
struct Predicate {
  const char *name;
  bool lt, eq, gt, unordered;
};

/// `name` (v_cmp_...) and its v_cmpx form on 64-bit values; narrower types take
/// the low register.
void compare(const std::string &name, uint64_t a, uint64_t b, bool want,
             unsigned registersA = 1, unsigned registersB = 1) {
  std::string operands = registersA == 2 ? " vcc, v[0:1], " : " vcc, v0, ";
  operands += registersB == 2 ? "v[2:3]" : "v2";
  for (bool writesExec : {false, true}) {
    std::string instruction =
        writesExec ? "v_cmpx_" + name.substr(strlen("v_cmp_")) : name;
    runWave(
        instruction + operands,
        [&](WaveRegisters &w) {
          for (unsigned lane = 0; lane < 64; ++lane) {
            w.vgpr(0, lane) = uint32_t(a), w.vgpr(1, lane) = uint32_t(a >> 32);
            w.vgpr(2, lane) = uint32_t(b), w.vgpr(3, lane) = uint32_t(b >> 32);
          }
          setPair(w, kExecLo, 0xf0f0);
          setPair(w, kVccLo, ~0ull);
        },
        [&](WaveRegisters &w) {
          // Inactive lanes give 0.
          uint64_t lanes = want ? 0xf0f0 : 0;
          tally().check(pairOf(w, kVccLo) == lanes &&
                            pairOf(w, kExecLo) == (writesExec ? lanes : 0xf0f0),
                        instruction + " of " + hex(a) + " and " + hex(b));
        });
  }
}

void compareWide(const std::string &name, uint64_t a, uint64_t b, bool want) {
  compare(name, a, b, want, 2, 2);
}

void testFloats() {
  const Predicate predicates[] = {
      {"f", false, false, false, false}, {"lt", true, false, false, false},
      {"eq", false, true, false, false}, {"le", true, true, false, false},
      {"gt", false, false, true, false}, {"lg", true, false, true, false},
      {"ge", false, true, true, false},  {"o", true, true, true, false},
      {"u", false, false, false, true},  {"nge", true, false, false, true},
      {"nlg", false, true, false, true}, {"ngt", true, true, false, true},
      {"nle", false, false, true, true}, {"neq", true, false, true, true},
      {"nlt", false, true, true, true},  {"tru", true, true, true, true},
  };
  for (const Predicate &p : predicates) {
    std::string name = std::string("v_cmp_") + p.name;
    const uint32_t one = 0x3f800000, two = 0x40000000, nan = 0x7fc00000;
    compare(name + "_f32", one, two, p.lt);
    compare(name + "_f32", 0, 0x80000000, p.eq);
    compare(name + "_f32", one, 0xbf800000, p.gt);
    compare(name + "_f32", one, nan, p.unordered);
    compare(name + "_f16", 0x3c00, 0x4000, p.lt);
    compare(name + "_f16", 0x7e00, 0x4000, p.unordered);
    const uint64_t wideOne = 0x3ff0000000000000, wideTwo = 0x4000000000000000;
    compareWide(name + "_f64", wideOne, wideTwo, p.lt);
    compareWide(name + "_f64", wideTwo, wideOne, p.gt);
    compareWide(name + "_f64", wideTwo, 0x7ff8000000000000, p.unordered);
  }
}

void testIntegers() {
  struct {
    const char *name;
    bool lt, eq, gt;
  } const predicates[] = {
      {"lt", true, false, false}, {"eq", false, true, false},
      {"le", true, true, false},  {"gt", false, false, true},
      {"ne", true, false, true},  {"ge", false, true, true},
      {"f", false, false, false}, {"t", true, true, true},
  };
  for (const auto &p : predicates) {
    std::string name = std::string("v_cmp_") + p.name;
    compare(name + "_u32", 1, 0xffffffff, p.lt);
    compare(name + "_i32", 1, 0xffffffff, p.gt);
    compare(name + "_i32", 5, 5, p.eq);
    compare(name + "_u16", 0x10001, 0x2ffff, p.lt);
    compare(name + "_i16", 0x10001, 0x2ffff, p.gt);
    compareWide(name + "_u64", 5, 0xffffffff00000005, p.lt);
    compareWide(name + "_i64", 5, 0xffffffff00000005, p.gt);
    compareWide(name + "_i64", 7, 7, p.eq);
  }
  runWave(
      "v_cmp_lt_i64 vcc, v[0:1], v[2:3]\nv_cmp_lt_u64 s[0:1], v[0:1], v[2:3]",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          w.vgpr(0, lane) = 5, w.vgpr(1, lane) = 0xffffffff;
          w.vgpr(2, lane) = 5, w.vgpr(3, lane) = 1;
        }
      },
      [](WaveRegisters &w) {
        tally().check(pairOf(w, kVccLo) == ~0ull && pairOf(w, 0) == 0,
                      "compares of 64 bits");
      });
}

void testExecForms() {
  runWave(
      "v_cmpx_gt_u32 vcc, 32, v0",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(0, lane) = lane;
        setPair(w, kExecLo, 0x00ff00ff00ff00ffull);
      },
      [](WaveRegisters &w) {
        tally().check(pairOf(w, kExecLo) == 0x00ff00ff &&
                          pairOf(w, kVccLo) == 0x00ff00ff,
                      "v_cmpx writes EXEC and VCC");
      });
}

void testClass() {
  // Bits: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal,
  // +inf.
  const uint32_t values[10] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000,
                               0x80000001, 0x80000000, 0,          1,
                               0x3f800000, 0x7f800000};
  for (unsigned bit = 0; bit < 10; ++bit)
    for (unsigned value = 0; value < 10; ++value)
      compare("v_cmp_class_f32", values[value], 1u << bit, bit == value);
  // The same values as f16 and f64: the sign, exponent and mantissa of each.
  const uint32_t halves[10] = {0x7c01, 0x7e00, 0xfc00, 0xbc00, 0x8001,
                               0x8000, 0,      1,      0x3c00, 0x7c00};
  const uint64_t wides[10] = {0x7ff0000000000001,
                              0x7ff8000000000000,
                              0xfff0000000000000,
                              0xbff0000000000000,
                              0x8000000000000001,
                              0x8000000000000000,
                              0,
                              1,
                              0x3ff0000000000000,
                              0x7ff0000000000000};
  for (unsigned bit = 0; bit < 10; ++bit)
    for (unsigned value = 0; value < 10; ++value) {
      compare("v_cmp_class_f16", halves[value], 1u << bit, bit == value);
      compare("v_cmp_class_f64", wides[value], 1u << bit, bit == value, 2);
    }
}

} // namespace

void emulator_test::testCompares() {
  testFloats();
  testIntegers();
  testExecForms();
  testClass();
}
