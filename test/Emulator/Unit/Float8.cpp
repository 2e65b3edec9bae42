//===- Float8.cpp - Every number of 8 bits --------------------------------===//
//
// What instructions decode and round, against APFloat's formats: gfx942 has
// FNUZ (AMD CDNA 3 ISA, "FP8 and BF8": 0x80 is the only NaN, there is no
// infinity and one zero, the largest are 240 and 57344), gfx950 OCP's.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <cmath>

using namespace emulator_test;
using llvm::APFloat;
using llvm::fltSemantics;

namespace {

struct Format {
  const char *name;
  Arch arch;
  const fltSemantics &semantics;
  uint32_t one;
};

const Format kFormats[] = {
    {"fp8", Arch::Gfx942, APFloat::Float8E4M3FNUZ(), 0x40},
    {"bf8", Arch::Gfx942, APFloat::Float8E5M2FNUZ(), 0x40},
    {"fp8", Arch::Gfx950, APFloat::Float8E4M3FN(), 0x38},
    {"bf8", Arch::Gfx950, APFloat::Float8E5M2(), 0x3c},
};

float decoded(const Format &f, uint32_t code) {
  return APFloat(f.semantics, llvm::APInt(8, code)).convertToFloat();
}

uint32_t encoded(const Format &f, float x) {
  APFloat number(x);
  bool losesInfo;
  number.convert(f.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return uint32_t(number.bitcastToAPInt().getZExtValue());
}

bool isSame(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : asBits(a) == asBits(b);
}

/// Products of 16 codes, one a row, with 1.
void testProducts(const Format &f, uint32_t first) {
  std::string text = std::string("v_mfma_f32_16x16x32_") + f.name + "_" +
                     f.name + " v[16:19], v[0:1], v[8:9], 0";
  runWave(
      text,
      [&](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          w.vgpr(0, lane) = lane < 16 ? first + lane : 0;
          w.vgpr(1, lane) = w.vgpr(9, lane) = 0;
          w.vgpr(8, lane) = lane < 16 ? f.one : 0;
        }
      },
      [&](WaveRegisters &w) {
        for (unsigned row = 0; row < 16; ++row) {
          float got = asFloat(w.vgpr(16 + row % 4, row / 4 * 16));
          // Zeros lose their sign in a sum with zero.
          float wanted = decoded(f, first + row) + 0.0F;
          tally().check(isSame(got, wanted), text + " of " + hex(first + row) +
                                                 " is " + hex(asBits(got)));
        }
      },
      f.arch);
}

/// A number a lane: what rounds to the type's numbers, halves between them, and
/// what it has not.
std::vector<float> numbersOf(const Format &f, std::mt19937 &random) {
  std::vector<float> numbers;
  for (uint32_t code = 0; code < 256; ++code) {
    float own = decoded(f, code), next = decoded(f, code == 255 ? 0 : code + 1);
    for (float x :
         {own, own / 2 + next / 2, std::nextafter(own / 2 + next / 2, 0.0F)})
      if (!std::isinf(x))
        numbers.push_back(x);
  }
  for (int exponent = -24; exponent < 18; ++exponent)
    for (int i = 0; i < 16; ++i)
      numbers.push_back(
          std::ldexp(float(random()) / 4294967296.0F + 1, exponent) *
          (i % 2 ? -1.0F : 1.0F));
  numbers.insert(numbers.end(), {1e30F, -1e30F, NAN, 1e-40F, -1e-40F});
  while (numbers.size() % 64 != 0)
    numbers.push_back(0);
  return numbers;
}

void testConversions(const Format &f) {
  std::mt19937 random(8);
  std::vector<float> numbers = numbersOf(f, random);
  std::string text = std::string("v_cvt_pk_") + f.name + "_f32 v0, v1, v2";
  for (size_t first = 0; first < numbers.size(); first += 64)
    runWave(
        text,
        [&](WaveRegisters &w) {
          for (unsigned lane = 0; lane < 64; ++lane) {
            w.vgpr(1, lane) = asBits(numbers[first + lane]);
            w.vgpr(2, lane) = asBits(-numbers[first + lane]);
          }
        },
        [&](WaveRegisters &w) {
          for (unsigned lane = 0; lane < 64; ++lane) {
            float x = numbers[first + lane];
            uint32_t got = w.vgpr(0, lane) & 0xffff;
            for (auto [own, code] :
                 {std::pair(x, got & 0xff), std::pair(-x, got >> 8)})
              tally().check(
                  isSame(decoded(f, code), decoded(f, encoded(f, own))),
                  text + " of " + hex(asBits(own)) + " is " + hex(code));
          }
        },
        f.arch);
}

} // namespace

void emulator_test::testFloat8Formats() {
  for (const Format &f : kFormats) {
    for (uint32_t first = 0; first < 256; first += 16)
      testProducts(f, first);
    testConversions(f);
  }
}
