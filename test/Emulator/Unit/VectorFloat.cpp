//===- VectorFloat.cpp - f32, f64, f16 arithmetic and conversions ---------===//

#include "Harness.h"
#include <cmath>

using namespace emulator_test;

namespace {

constexpr uint32_t kOne = 0x3f800000, kTwo = 0x40000000, kInf = 0x7f800000,
                   kNaN = 0x7fc00000, kMinusOne = 0xbf800000,
                   kHalf = 0x3f000000;

void testSingle() {
  const OperandCase cases[] = {
      {"v_add_f32 v0, v1, v2", kOne, kOne, 0, kTwo},
      {"v_sub_f32 v0, v1, v2", kOne, kTwo, 0, kMinusOne},
      {"v_subrev_f32 v0, v1, v2", kOne, kTwo, 0, kOne},
      {"v_mul_f32 v0, v1, v2", kTwo, kHalf, 0, kOne},
      // 1 + 2^-23 squared minus 1 keeps its last bit only when fused.
      {"v_fma_f32 v0, v1, v2, v3", 0x3f800001, 0x3f800001, 0xbf800002,
       0x28800000},
      {"v_mov_b32 v0, v3\nv_fmac_f32 v0, v1, v2", kTwo, kTwo, kMinusOne,
       0x40400000},
      {"v_fmamk_f32 v0, v1, 0x40000000, v2", kTwo, kMinusOne, 0, 0x40400000},
      {"v_fmaak_f32 v0, v1, v2, 0x40000000", kTwo, kMinusOne, 0, 0},
      {"v_max_f32 v0, v1, v2", kNaN, kOne, 0, kOne},
      {"v_max_f32 v0, v1, v2", 0x80000000, 0, 0, 0},
      {"v_min_f32 v0, v1, v2", 0, 0x80000000, 0, 0x80000000},
      {"v_max3_f32 v0, v1, v2, v3", kOne, kTwo, kMinusOne, kTwo},
      {"v_min3_f32 v0, v1, v2, v3", kOne, kTwo, kMinusOne, kMinusOne},
      {"v_med3_f32 v0, v1, v2, v3", kOne, kTwo, kMinusOne, kOne},
      {"v_exp_f32 v0, v1", 0x40400000, 0, 0, 0x41000000},
      {"v_exp_f32 v0, v1", 0xff800000, 0, 0, 0},
      // 2^-140 is a denormal, which the unit flushes.
      {"v_exp_f32 v0, v1", 0xc30c0000, 0, 0, 0},
      {"v_log_f32 v0, v1", 0x41000000, 0, 0, 0x40400000},
      {"v_log_f32 v0, v1", 0, 0, 0, 0xff800000},
      {"v_rcp_f32 v0, v1", kTwo, 0, 0, kHalf},
      {"v_rcp_f32 v0, v1", 0x80000000, 0, 0, 0xff800000},
      {"v_rsq_f32 v0, v1", 0x40800000, 0, 0, kHalf},
      {"v_sqrt_f32 v0, v1", 0x40800000, 0, 0, kTwo},
      {"v_sin_f32 v0, v1", 0x3e800000, 0, 0, kOne},
      {"v_floor_f32 v0, v1", 0xbf000000, 0, 0, kMinusOne},
      {"v_ceil_f32 v0, v1", kHalf, 0, 0, kOne},
      {"v_trunc_f32 v0, v1", 0xbfc00000, 0, 0, kMinusOne},
      {"v_rndne_f32 v0, v1", 0x40200000, 0, 0, kTwo},
      {"v_fract_f32 v0, v1", 0xbe800000, 0, 0, 0x3f400000},
      {"v_ldexp_f32 v0, v1, v2", kOne, 0xffffffff, 0, kHalf},
      {"v_frexp_exp_i32_f32 v0, v1", 0x41000000, 0, 0, 4},
      {"v_frexp_mant_f32 v0, v1", 0x41000000, 0, 0, kHalf},
      {"v_cos_f32 v0, v1", kHalf, 0, 0, kMinusOne},
      {"v_mul_legacy_f32 v0, v1, v2", 0, kInf, 0, 0},
      // Denormals are kept in this mode.
      {"v_add_f32 v0, v1, v2", 1, 1, 0, 2},
  };
  for (const OperandCase &c : cases)
    runCase(c);
}

void testFlush() {
  Snippet snippet;
  snippet.text = "v_add_f32 v0, v1, v1\nv_mul_f32 v2, v3, v4";
  snippet.denormMode = 0xc; // f32 flushed, f16 and f64 kept
  snippet.options.beforeWave = [](WaveRegisters &w) {
    w.vgpr(1, 0) = 0x00400000;                       // a denormal
    w.vgpr(3, 0) = 0x00800000, w.vgpr(4, 0) = kHalf; // gives a denormal
  };
  snippet.options.afterWave = [](WaveRegisters &w) {
    tally().check(w.vgpr(0, 0) == 0, "flushed source");
    tally().check(w.vgpr(2, 0) == 0, "flushed result");
  };
  tally().check(snippet.run().empty(), "denormal mode");
}

void testShort() {
  const OperandCase cases[] = {
      // The upper half is cleared, or kept by the newer instructions.
      {"v_add_f16 v0, v1, v2", 0x3c00, 0x3c00, 0, 0x4000},
      {"v_sub_f16 v0, v1, v2", 0x3c00, 0x4000, 0, 0xbc00},
      {"v_mul_f16 v0, v1, v2", 0x4000, 0x3800, 0, 0x3c00},
      {"v_max_f16 v0, v1, v2", 0x7e00, 0x3c00, 0, 0x3c00},
      {"v_fma_f16 v0, v1, v2, v3", 0x4000, 0x4000, 0xbc00, 0xcccc4200},
      {"v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,0,1]", 0x40000000, 0x4000, 0xbc00,
       0x4200cccc},
      {"v_exp_f16 v0, v1", 0x4200, 0, 0, 0x4800},
      {"v_rcp_f16 v0, v1", 0x4000, 0, 0, 0x3800},
      {"v_ldexp_f16 v0, v1, v2", 0x3c00, 1, 0, 0x4000},
      {"v_add_f16 v0, 1.0, v2", 0, 0x3c00, 0, 0x4000},
      {"v_subrev_f16 v0, v1, v2", 0x3c00, 0x4000, 0, 0x3c00},
      {"v_min_f16 v0, v1, v2", 0x7e00, 0x3c00, 0, 0x3c00},
      {"v_max3_f16 v0, v1, v2, v3", 0x3c00, 0x4000, 0xbc00, 0xcccc4000},
      {"v_min3_f16 v0, v1, v2, v3", 0x3c00, 0x4000, 0xbc00, 0xccccbc00},
      {"v_floor_f16 v0, v1", 0xb800, 0, 0, 0xbc00},
      {"v_ceil_f16 v0, v1", 0x3800, 0, 0, 0x3c00},
      {"v_trunc_f16 v0, v1", 0xbe00, 0, 0, 0xbc00},
      {"v_rndne_f16 v0, v1", 0x4100, 0, 0, 0x4000},
      {"v_log_f16 v0, v1", 0x4800, 0, 0, 0x4200},
      {"v_sqrt_f16 v0, v1", 0x4400, 0, 0, 0x4000},
      {"v_rsq_f16 v0, v1", 0x4400, 0, 0, 0x3800},
      {"v_div_fixup_f16 v0, v1, v2, v3", 0x3c00, 0, 0x3c00, 0xcccc7c00},
      // f16 or f32 sources: op_sel_hi says f16, op_sel the upper half.
      {"v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
       0x40003c00, kTwo, kMinusOne, 0x40400000},
      {"v_fma_mixlo_f16 v0, v1, v2, v3", kTwo, kTwo, kMinusOne, 0xcccc4200},
      {"v_fma_mixhi_f16 v0, v1, v2, v3", kTwo, kTwo, kMinusOne, 0x4200cccc},
  };
  for (const OperandCase &c : cases)
    runCase(c);
}

void setDouble(WaveRegisters &w, unsigned r, double x) {
  auto bits = llvm::bit_cast<uint64_t>(x);
  w.vgpr(r, 0) = uint32_t(bits), w.vgpr(r + 1, 0) = uint32_t(bits >> 32);
}
double getDouble(WaveRegisters &w, unsigned r) {
  return llvm::bit_cast<double>(w.vgpr(r, 0) | uint64_t(w.vgpr(r + 1, 0))
                                                   << 32);
}

void testDouble() {
  struct {
    const char *text; // v[0:1] = op of v[2:3], v[4:5], v[6:7]
    double a, b, c, result;
  } const cases[] = {
      {"v_add_f64 v[0:1], v[2:3], v[4:5]", 1, 2.5, 0, 3.5},
      {"v_mul_f64 v[0:1], v[2:3], -v[4:5]", 2, 2.5, 0, -5},
      {"v_fma_f64 v[0:1], v[2:3], v[4:5], 1.0", 2, 2.5, 0, 6},
      {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 2, 2.5, 7, 12},
      {"v_max_f64 v[0:1], v[2:3], v[4:5]", NAN, 2.5, 0, 2.5},
      {"v_rcp_f64 v[0:1], v[2:3]", 4, 0, 0, 0.25},
      {"v_sqrt_f64 v[0:1], v[2:3]", 9, 0, 0, 3},
      {"v_floor_f64 v[0:1], v[2:3]", -0.5, 0, 0, -1},
      {"v_ceil_f64 v[0:1], v[2:3]", 0.5, 0, 0, 1},
      {"v_trunc_f64 v[0:1], v[2:3]", -1.5, 0, 0, -1},
      {"v_rndne_f64 v[0:1], v[2:3]", 2.5, 0, 0, 2},
      {"v_fract_f64 v[0:1], v[2:3]", -0.25, 0, 0, 0.75},
      {"v_frexp_mant_f64 v[0:1], v[2:3]", 8, 0, 0, 0.5},
      {"v_frexp_exp_i32_f64 v8, v[2:3]\nv_cvt_f64_i32 v[0:1], v8", 8, 0, 0, 4},
      {"v_ldexp_f64 v[0:1], v[2:3], 3", 1.5, 0, 0, 12},
      {"v_rsq_f64 v[0:1], v[2:3]", 4, 0, 0, 0.5},
      {"v_min_f64 v[0:1], v[2:3], v[4:5]", NAN, 2.5, 0, 2.5},
      {"v_mov_b64 v[0:1], v[6:7]\nv_fmac_f64 v[0:1], v[2:3], v[4:5]", 2, 3, 1,
       7},
      {"v_cvt_u32_f64 v8, v[2:3]\nv_cvt_f64_u32 v[0:1], v8", 4294967295.5, 0, 0,
       4294967295.0},
      // 1 / 2^-1074 overflows; a denominator of which the inverse is a
      // denormal.
      {"v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]", NAN, 0x1p-1074, -1,
       -INFINITY},
      {"v_div_scale_f64 v[0:1], vcc, v[2:3], v[2:3], v[4:5]", 0x1p-1074, 1, 0,
       0x1p-946},
      {"s_mov_b64 vcc, -1\nv_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 2, 3,
       1, 0x7p-128},
  };
  for (const auto &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          setDouble(w, 2, c.a), setDouble(w, 4, c.b), setDouble(w, 6, c.c);
        },
        [&](WaveRegisters &w) {
          tally().check(getDouble(w, 0) == c.result, c.text);
        });
}

/// LLVM's expansion of an IEEE division, against the host's.
void testDivision() {
  const float values[] = {1,         3,         -7,
                          0x1p-130f, 0x1p-149f, 0x1p127f,
                          1e-38f,    1e38f,     0x1.fffffep127f,
                          0x1p-126f, 0.0f,      -0.0f,
                          INFINITY,  NAN,       1.0f / 3,
                          123.456f};
  for (float a : values)
    for (float b : values)
      runWave(
          "v_div_scale_f32 v2, s[0:1], v1, v1, v0\n"
          "v_div_scale_f32 v3, vcc, v0, v1, v0\n"
          "v_rcp_f32 v4, v2\n"
          "v_fma_f32 v5, -v2, v4, 1.0\n"
          "v_fmac_f32 v4, v5, v4\n"
          "v_mul_f32 v5, v3, v4\n"
          "v_fma_f32 v6, -v2, v5, v3\n"
          "v_fmac_f32 v5, v6, v4\n"
          "v_fma_f32 v2, -v2, v5, v3\n"
          "v_div_fmas_f32 v2, v2, v4, v5\n"
          "v_div_fixup_f32 v0, v2, v1, v0",
          [&](WaveRegisters &w) {
            for (unsigned lane = 0; lane < 64; ++lane)
              w.vgpr(0, lane) = asBits(a), w.vgpr(1, lane) = asBits(b);
          },
          [&](WaveRegisters &w) {
            float got = asFloat(w.vgpr(0, 5)), want = a / b;
            bool same = std::isnan(want) ? std::isnan(got)
                                         : asBits(got) == asBits(want);
            tally().check(same, std::to_string(a) + " / " + std::to_string(b) +
                                    ": but got " + hex(asBits(got)) +
                                    ", expects " + hex(asBits(want)));
          });
}

void testToAndFromFloat() {
  const OperandCase cases[] = {
      {"v_cvt_f32_u32 v0, v1", 0xffffffff, 0, 0, 0x4f800000},
      {"v_cvt_f32_i32 v0, v1", 0xffffffff, 0, 0, kMinusOne},
      {"v_cvt_u32_f32 v0, v1", kMinusOne, 0, 0, 0},
      {"v_cvt_u32_f32 v0, v1", 0x4f800000, 0, 0, 0xffffffff},
      {"v_cvt_i32_f32 v0, v1", 0xbfc00000, 0, 0, 0xffffffff},
      {"v_cvt_i32_f32 v0, v1", kInf, 0, 0, 0x7fffffff},
      {"v_cvt_i32_f32 v0, v1", kNaN, 0, 0, 0},
      {"v_cvt_f32_f16 v0, v1", 0x3c01, 0, 0, 0x3f802000},
      {"v_cvt_f32_f16 v0, v1", 0x0001, 0, 0, 0x33800000}, // 2^-24
      {"v_cvt_f32_f16 v0, v1", 0xfc00, 0, 0, 0xff800000},
      // To nearest even: a tie, above a tie, to infinity, to a denormal.
      {"v_cvt_f16_f32 v0, v1", 0x3f801000, 0, 0, 0x3c00},
      {"v_cvt_f16_f32 v0, v1", 0x3f801001, 0, 0, 0x3c01},
      {"v_cvt_f16_f32 v0, v1", 0x3f803000, 0, 0, 0x3c02},
      {"v_cvt_f16_f32 v0, v1", 0x477ff000, 0, 0, 0x7c00},
      {"v_cvt_f16_f32 v0, v1", 0x477fefff, 0, 0, 0x7bff},
      {"v_cvt_f16_f32 v0, v1", 0x33800000, 0, 0, 0x0001},
      {"v_cvt_f16_f32 v0, v1", 0x387fe000, 0, 0, 0x0400}, // rounds to normal
      // Toward zero.
      {"v_cvt_pkrtz_f16_f32 v0, v1, v2", 0x3f803fff, 0x477fffff, 0, 0x7bff3c01},
      {"v_cvt_pkrtz_f16_f32 v0, v1, v2", 0xbf803fff, 0x7f7fffff, 0, 0x7bffbc01},
      {"v_cvt_f32_ubyte0 v0, v1", 0x44332201, 0, 0, kOne},
      {"v_cvt_f32_ubyte3 v0, v1", 0x01332244, 0, 0, kOne},
      {"v_cvt_f32_ubyte1 v0, v1", 0x44330122, 0, 0, kOne},
      {"v_cvt_f32_ubyte2 v0, v1", 0x44012233, 0, 0, kOne},
      {"v_cvt_rpi_i32_f32 v0, v1", 0xbf000000, 0, 0, 0},
      {"v_cvt_u16_f16 v0, v1", 0x4000, 0, 0, 2},
      {"v_cvt_f16_u16 v0, v1", 2, 0, 0, 0x4000},
      {"v_cvt_f16_i16 v0, v1", 0xffff, 0, 0, 0xbc00},
      {"v_cvt_i16_f16 v0, v1", 0xbc00, 0, 0, 0xffff},
      {"v_cvt_flr_i32_f32 v0, v1", 0xbf000000, 0, 0, 0xffffffff},
      // FNUZ: 1.0 is 0x40 in E4M3 of bias 8, and in E5M2 of bias 16; 240 the
      // largest.
      {"v_cvt_pk_fp8_f32 v0, v1, v2", kOne, 0x43700000, 0, 0xcccc7f40},
      {"v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]", kOne, kMinusOne, 0,
       0xc040cccc},
      {"v_cvt_pk_fp8_f32 v0, v1, v2", 0x80000000, kNaN, 0, 0xcccc8000},
      {"v_cvt_pk_bf8_f32 v0, v1, v2", kOne, 0x47600000, 0, 0xcccc7f40},
      {"v_cvt_f32_fp8 v0, v1", 0x40, 0, 0, kOne},
      {"v_cvt_f32_bf8 v0, v1", 0x40, 0, 0, kOne},
      {"v_cvt_f32_fp8 v0, v1", 0x01, 0, 0, 0x3a800000}, // 2^-10
  };
  for (const OperandCase &c : cases)
    runCase(c);
  // Two at once, 1 and 2, of the upper half.
  for (std::string type : {"fp8", "bf8"})
    runWave(
        "v_cvt_pk_f32_" + type + "_sdwa v[0:1], v2 src0_sel:WORD_1",
        [&](WaveRegisters &w) {
          w.vgpr(2, 0) = type == "fp8" ? 0x48400000 : 0x44400000;
        },
        [&](WaveRegisters &w) {
          tally().check(w.vgpr(0, 0) == kOne && w.vgpr(1, 0) == kTwo,
                        "v_cvt_pk_f32_" + type);
        });
  runWave(
      "v_cvt_f64_f32 v[0:1], v4\nv_cvt_f32_f64 v2, v[0:1]\n"
      "v_cvt_f64_i32 v[6:7], v5\nv_cvt_i32_f64 v8, v[6:7]",
      [](WaveRegisters &w) { w.vgpr(4, 0) = 0x3fa00000, w.vgpr(5, 0) = -9; },
      [](WaveRegisters &w) {
        tally().check(getDouble(w, 0) == 1.25 && w.vgpr(2, 0) == 0x3fa00000 &&
                          getDouble(w, 6) == -9 && w.vgpr(8, 0) == uint32_t(-9),
                      "conversions of f64");
      });
}

/// f32 to bf16 in software: add half an ulp and the last kept bit, take the top
/// half.
void testBf16Rounding() {
  const OperandCase cases[] = {
      {"s_movk_i32 s0, 0x7fff\nv_bfe_u32 v4, v1, 16, 1\n"
       "v_add3_u32 v0, v1, v4, s0\nv_lshrrev_b32 v0, 16, v0",
       0x3f808000, 0, 0, 0x3f80},
      {"s_movk_i32 s0, 0x7fff\nv_bfe_u32 v4, v1, 16, 1\n"
       "v_add3_u32 v0, v1, v4, s0\nv_lshrrev_b32 v0, 16, v0",
       0x3f818000, 0, 0, 0x3f82},
      {"s_mov_b32 s0, 0x07060302\nv_perm_b32 v0, v1, v2, s0", 0x3f81aaaa,
       0x3f82bbbb, 0, 0x3f813f82},
  };
  for (const OperandCase &c : cases)
    runCase(c);
}

void testOutputModifiers() {
  const OperandCase cases[] = {
      {"v_add_f32 v0, v1, v2 clamp", kOne, kOne, 0, kOne},
      {"v_add_f32 v0, v1, v2 clamp", kMinusOne, 0, 0, 0},
      {"v_add_f32 v0, v1, v2 clamp", kNaN, 0, 0, 0}, // DX10_CLAMP
      {"v_add_f32 v0, v1, v2 mul:4", kOne, kOne, 0, 0x41000000},
      {"v_add_f32 v0, v1, v2 div:2", kOne, kOne, 0, kOne},
      {"v_add_f32 v0, -v1, |v2|", kOne, 0xc0400000, 0, kTwo},
      {"v_fma_f32 v0, -|v1|, v2, 1.0", kMinusOne, kOne, 0, 0},
      {"v_mul_f32 v0, 0.15915494, v1", kOne, 0, 0, 0x3e22f983},
      {"v_cndmask_b32 v0, v1, -v2, s[0:1]", kOne, kTwo, 0, kOne},
  };
  for (const OperandCase &c : cases) {
    OperandCase copy = c;
    std::string text = "s_mov_b64 s[0:1], 0\n" + std::string(c.text);
    copy.text = text.c_str();
    runCase(copy);
  }
}

} // namespace

void emulator_test::testVectorFloat() {
  testSingle();
  testFlush();
  testShort();
  testDouble();
  testDivision();
}

void emulator_test::testConversions() {
  testToAndFromFloat();
  testBf16Rounding();
  testOutputModifiers();
}
