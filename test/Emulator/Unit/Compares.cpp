//===- Compares.cpp - VOPC ------------------------------------------------===//

#include "Harness.h"
#include <cmath>

using namespace emulator_test;

namespace {

/// What every compare says of a pair: less, equal, greater, unordered.
struct Predicate {
  const char *name;
  bool lt, eq, gt, unordered;
};

void compare(const std::string &instruction, uint32_t a, uint32_t b,
             bool want) {
  runWave(
      instruction + " vcc, v0, v1",
      [&](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(0, lane) = a, w.vgpr(1, lane) = b;
        setPair(w, kExecLo, 0xf0f0);
        setPair(w, kVccLo, ~0ull);
      },
      [&](WaveRegisters &w) {
        // Inactive lanes give 0.
        tally().check(pairOf(w, kVccLo) == (want ? 0xf0f0 : 0),
                      instruction + " of " + hex(a) + " and " + hex(b));
      });
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
  };
  for (const auto &p : predicates) {
    std::string name = std::string("v_cmp_") + p.name;
    compare(name + "_u32", 1, 0xffffffff, p.lt);
    compare(name + "_i32", 1, 0xffffffff, p.gt);
    compare(name + "_i32", 5, 5, p.eq);
    compare(name + "_u16", 0x10001, 0x2ffff, p.lt);
    compare(name + "_i16", 0x10001, 0x2ffff, p.gt);
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
}

} // namespace

void emulator_test::testCompares() {
  testFloats();
  testIntegers();
  testExecForms();
  testClass();
}
