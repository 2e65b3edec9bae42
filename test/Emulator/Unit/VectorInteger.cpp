//===- VectorInteger.cpp - Integer VALU -----------------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {

void testCases() {
  const OperandCase cases[] = {
      {"v_add_u32 v0, v1, v2", 0xffffffff, 3, 0, 2},
      {"v_sub_u32 v0, v1, v2", 1, 3, 0, 0xfffffffe},
      {"v_subrev_u32 v0, v1, v2", 1, 3, 0, 2},
      {"v_add_u32 v0, v1, v2 clamp", 0xffffffff, 3, 0, 0xffffffff},
      {"v_sub_u32 v0, v1, v2 clamp", 1, 3, 0, 0},
      {"v_sub_u32 v0, v1, v2 clamp", 3, 1, 0, 2},
      {"v_subrev_u32 v0, v1, v2 clamp", 3, 1, 0, 0},
      {"v_add_i32 v0, v1, v2 clamp", 0x7fffffff, 1, 0, 0x7fffffff},
      {"v_sub_i32 v0, v1, v2 clamp", 0x80000000, 1, 0, 0x80000000},
      {"v_sub_i32 v0, v1, v2 clamp", 1, 3, 0, 0xfffffffe},
      {"v_and_b32 v0, v1, v2", 0xf0, 0x3c, 0, 0x30},
      {"v_or_b32 v0, v1, v2", 0xf0, 0x0f, 0, 0xff},
      {"v_xor_b32 v0, v1, v2", 0xff, 0x0f, 0, 0xf0},
      {"v_not_b32 v0, v1", 0xff, 0, 0, 0xffffff00},
      {"v_lshlrev_b32 v0, v1, v2", 33, 3, 0, 6},
      {"v_lshrrev_b32 v0, v1, v2", 4, 0x80000000, 0, 0x08000000},
      {"v_ashrrev_i32 v0, v1, v2", 4, 0x80000000, 0, 0xf8000000},
      {"v_min_u32 v0, v1, v2", 0xffffffff, 1, 0, 1},
      {"v_min_i32 v0, v1, v2", 0xffffffff, 1, 0, 0xffffffff},
      {"v_max_u32 v0, v1, v2", 0xffffffff, 1, 0, 0xffffffff},
      {"v_max_i32 v0, v1, v2", 0xffffffff, 1, 0, 1},
      {"v_mul_lo_u32 v0, v1, v2", 0x10001, 0x10001, 0, 0x20001},
      {"v_mul_hi_u32 v0, v1, v2", 0x80000000, 6, 0, 3},
      {"v_mul_hi_i32 v0, v1, v2", 0x80000000, 6, 0, 0xfffffffd},
      {"v_mul_u32_u24 v0, v1, v2", 0xff000003, 5, 0, 15},
      {"v_mul_i32_i24 v0, v1, v2", 0x00ffffff, 5, 0, 0xfffffffb},
      {"v_mul_hi_u32_u24 v0, v1, v2", 0x800000, 0x800000, 0, 0x4000},
      {"v_mad_u32_u24 v0, v1, v2, v3", 0x1000002, 3, 4, 10},
      {"v_mad_i32_i24 v0, v1, v2, v3", 0xffffff, 3, 4, 1},
      {"v_add3_u32 v0, v1, v2, v3", 1, 2, 0xffffffff, 2},
      {"v_lshl_add_u32 v0, v1, v2, v3", 3, 4, 5, 53},
      {"v_add_lshl_u32 v0, v1, v2, v3", 3, 4, 5, 224},
      {"v_lshl_or_b32 v0, v1, v2, v3", 3, 4, 5, 0x35},
      {"v_and_or_b32 v0, v1, v2, v3", 0xff, 0x3c, 0x100, 0x13c},
      {"v_or3_b32 v0, v1, v2, v3", 1, 2, 4, 7},
      {"v_xad_u32 v0, v1, v2, v3", 0xff, 0xf, 1, 0xf1},
      {"v_bfe_u32 v0, v1, v2, v3", 0xabcd1234, 8, 8, 0x12},
      {"v_bfe_i32 v0, v1, v2, v3", 0xabcd9234, 8, 8, 0xffffff92},
      {"v_bfe_u32 v0, v1, v2, v3", 0xabcd1234, 8, 0, 0},
      {"v_bfi_b32 v0, v1, v2, v3", 0xff00, 0x1234, 0x5678, 0x1278},
      {"v_bfm_b32 v0, v1, v2", 5, 3, 0, 0xf8},
      {"v_alignbit_b32 v0, v1, v2, v3", 0x12345678, 0x9abcdef0, 16, 0x56789abc},
      {"v_alignbyte_b32 v0, v1, v2, v3", 0x12345678, 0x9abcdef0, 1, 0x789abcde},
      // Bytes 0-3 are of the second source, 4-7 of the first; 12 is 0, 13 is
      // 0xff, 8 and 10 are signs of the second and first source.
      {"v_perm_b32 v0, v1, v2, v3", 0x77665544, 0x33221100, 0x07050301,
       0x77553311},
      {"v_perm_b32 v0, v1, v2, v3", 0x77665544, 0x3322f100, 0x0c0d0804,
       0x00ffff44},
      {"v_perm_b32 v0, v1, v2, v3", 0xf7665544, 0x33221100, 0x0b0a0908,
       0xff000000},
      {"v_sad_u32 v0, v1, v2, v3", 3, 10, 100, 107},
      {"v_max3_u32 v0, v1, v2, v3", 1, 9, 5, 9},
      {"v_min3_i32 v0, v1, v2, v3", 1, 0xfffffff0, 5, 0xfffffff0},
      {"v_med3_i32 v0, v1, v2, v3", 1, 0xfffffff0, 5, 1},
      {"v_med3_u32 v0, v1, v2, v3", 1, 0xfffffff0, 5, 5},
      {"v_bcnt_u32_b32 v0, v1, v2", 0xff, 10, 0, 18},
      {"v_bfrev_b32 v0, v1", 2, 0, 0, 0x40000000},
      {"v_ffbh_u32 v0, v1", 0x00010000, 0, 0, 15},
      {"v_ffbh_u32 v0, v1", 0, 0, 0, 0xffffffff},
      {"v_ffbl_b32 v0, v1", 0x50, 0, 0, 4},
      {"v_ffbh_i32 v0, v1", 0xffff0000, 0, 0, 16},
      {"v_mov_b32 v0, v1", 7, 0, 0, 7},
      {"v_accvgpr_write_b32 a3, v1\ns_nop 1\nv_accvgpr_mov_b32 a4, a3\ns_nop "
       "1\n"
       "v_accvgpr_read_b32 v0, a4",
       7, 0, 0, 7},
      {"v_swap_b32 v0, v1", 7, 0, 0, 7},
      {"v_pack_b32_f16 v0, v1, v2", 0xaaaa1111, 0xbbbb2222, 0, 0x22221111},
      {"v_pack_b32_f16 v0, v1, v2 op_sel:[1,1,0]", 0xaaaa1111, 0xbbbb2222, 0,
       0xbbbbaaaa},
      // 16-bit results clear the upper half; v_mad_u16 keeps it (v0 is
      // 0xcccccccc).
      {"v_add_u16 v0, v1, v2", 0x1ffff, 2, 0, 1},
      {"v_lshlrev_b16 v0, v1, v2", 4, 0xffff, 0, 0xfff0},
      {"v_ashrrev_i16 v0, v1, v2", 4, 0x8000, 0, 0xf800},
      {"v_max_i16 v0, v1, v2", 0xffff, 1, 0, 1},
      {"v_max_u16 v0, v1, v2", 0xffff, 1, 0, 0xffff},
      {"v_mul_lo_u16 v0, v1, v2", 0x101, 0x101, 0, 0x0201},
      {"v_mad_legacy_u16 v0, v1, v2, v3", 3, 4, 0xffff, 11},
      {"v_mad_u16 v0, v1, v2, v3", 3, 4, 5, 0xcccc0011},
      {"v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,1]", 0x30000, 4, 5, 0x0011cccc},
      {"v_add_i32 v0, v1, v2", 0xffffffff, 3, 0, 2},
      {"v_sub_i32 v0, v1, v2", 1, 3, 0, 0xfffffffe},
      {"v_xnor_b32 v0, v1, v2", 0xff, 0x0f, 0, 0xffffff0f},
      {"v_mul_hi_i32_i24 v0, v1, v2", 0x800000, 0x7fffff, 0, 0xffffc000},
      {"v_max3_i32 v0, v1, v2, v3", 1, 0xfffffff0, 5, 5},
      {"v_min3_u32 v0, v1, v2, v3", 1, 0xfffffff0, 5, 1},
      {"v_sub_u16 v0, v1, v2", 1, 3, 0, 0xfffe},
      {"v_subrev_u16 v0, v1, v2", 1, 3, 0, 2},
      {"v_lshrrev_b16 v0, v1, v2", 4, 0x1ffff, 0, 0x0fff},
      {"v_min_i16 v0, v1, v2", 0xffff, 1, 0, 0xffff},
      {"v_min_u16 v0, v1, v2", 0xffff, 1, 0, 1},
      {"v_mad_i16 v0, v1, v2, v3", 0xffff, 4, 5, 0xcccc0001},
      {"v_mad_legacy_i16 v0, v1, v2, v3", 0xffff, 4, 5, 1},
      // A literal and scalar sources.
      {"v_and_b32 v0, 0xffff0000, v1", 0x12345678, 0, 0, 0x12340000},
      {"v_add_u32 v0, 64, v1", 1, 0, 0, 65},
      {"v_add_u32 v0, -3, v1", 1, 0, 0, 0xfffffffe},
      {"v_add_u32 v0, s4, v1", 1, 0, 0, 101},
  };
  for (const OperandCase &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          setOperands(w, c);
          w.sgpr(4) = 100;
          setPair(w, kExecLo, ~0ull >> 1); // lane 63 is inactive
        },
        [&](WaveRegisters &w) {
          tally().check(w.vgpr(0, 0) == c.result && w.vgpr(0, 62) == c.result,
                        std::string(c.text) + ": but got " + hex(w.vgpr(0, 0)));
          tally().check(w.vgpr(0, 63) == 0xcccccccc,
                        std::string(c.text) + ": wrote an inactive lane");
        });
}

/// Lanes have their own carries.
void testCarries() {
  runWave(
      "v_add_co_u32 v0, vcc, v1, v2\nv_addc_co_u32 v3, vcc, v4, v5, vcc",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          w.vgpr(1, lane) = lane % 2 ? 0xffffffff : 5;
          w.vgpr(2, lane) = 1, w.vgpr(4, lane) = lane, w.vgpr(5, lane) = 10;
        }
      },
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          tally().check(w.vgpr(0, lane) == (lane % 2 ? 0 : 6) &&
                            w.vgpr(3, lane) == lane + 10 + lane % 2,
                        "64-bit addition in lane " + std::to_string(lane));
        tally().check(pairOf(w, kVccLo) == 0, "carry out");
      });
  runWave(
      "v_sub_co_u32 v0, s[0:1], v1, v2\n"
      "v_subb_co_u32 v3, s[2:3], v4, v5, s[0:1]\n"
      "v_subbrev_co_u32 v6, s[4:5], v4, v5, s[0:1]\n"
      "v_subrev_co_u32 v7, s[6:7], v1, v2",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          w.vgpr(1, lane) = lane, w.vgpr(2, lane) = 32;
          w.vgpr(4, lane) = 7, w.vgpr(5, lane) = 3;
        }
      },
      [](WaveRegisters &w) {
        tally().check(pairOf(w, 0) == 0xffffffff, "borrow of v_sub_co");
        tally().check(w.vgpr(3, 0) == 3 && w.vgpr(3, 63) == 4 &&
                          pairOf(w, 2) == 0,
                      "v_subb_co");
        tally().check(w.vgpr(6, 0) == 0xfffffffb && pairOf(w, 4) == ~0ull,
                      "v_subbrev_co");
        tally().check(w.vgpr(7, 40) == uint32_t(-8) &&
                          pairOf(w, 6) == ~0ull << 33,
                      "v_subrev_co");
      });
}

void testWide() {
  auto set = [](WaveRegisters &w, unsigned r, uint64_t x) {
    for (unsigned lane = 0; lane < 64; ++lane)
      w.vgpr(r, lane) = uint32_t(x), w.vgpr(r + 1, lane) = uint32_t(x >> 32);
  };
  struct {
    const char *text; // v[0:1] = op of v[2:3], v[4:5], v[6:7]
    uint64_t a, b, c, result;
  } const cases[] = {
      {"v_lshlrev_b64 v[0:1], v2, v[4:5]", 36, 3, 0, 3ull << 36},
      {"v_lshrrev_b64 v[0:1], v2, v[4:5]", 36, 3ull << 36, 0, 3},
      {"v_ashrrev_i64 v[0:1], v2, v[4:5]", 62, 1ull << 63, 0, ~1ull},
      {"v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5]", 0x100000000ull, 7, 0,
       0x800000007ull},
      {"v_mad_u64_u32 v[0:1], s[0:1], v2, v4, v[6:7]", 0xffffffff, 0xffffffff,
       5, 0xfffffffe00000006ull},
      {"v_mad_i64_i32 v[0:1], s[0:1], v2, v4, v[6:7]", 0xffffffff, 3, 1,
       ~0ull - 1},
      {"v_mov_b64 v[0:1], v[2:3]", 0x123456789abcdefull, 0, 0,
       0x123456789abcdefull},
  };
  for (const auto &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          set(w, 2, c.a), set(w, 4, c.b), set(w, 6, c.c);
        },
        [&](WaveRegisters &w) {
          uint64_t got = w.vgpr(0, 9) | uint64_t(w.vgpr(1, 9)) << 32;
          tally().check(got == c.result,
                        std::string(c.text) + ": but got " + hex(got));
        });
}

/// LLVM's expansion of an unsigned division by a wave-uniform number.
void testDivision() {
  runWave(
      "v_cvt_f32_u32 v1, s0\nv_rcp_iflag_f32 v1, v1\n"
      "v_mul_f32 v1, 0x4f7ffffe, v1\nv_cvt_u32_f32 v1, v1\n"
      "s_sub_u32 s1, 0, s0\nv_mul_lo_u32 v2, s1, v1\n"
      "v_mul_hi_u32 v2, v1, v2\nv_add_u32 v1, v1, v2\n"
      "v_mul_hi_u32 v1, v0, v1\nv_mul_lo_u32 v2, v1, s0\n"
      "v_sub_u32 v3, v0, v2\nv_add_u32 v4, 1, v1\n"
      "v_cmp_le_u32 vcc, s0, v3\nv_cndmask_b32 v1, v1, v4, vcc\n"
      "v_subrev_u32 v4, s0, v3\nv_cndmask_b32 v3, v3, v4, vcc\n"
      "v_add_u32 v4, 1, v1\nv_cmp_le_u32 vcc, s0, v3\n"
      "v_cndmask_b32 v1, v1, v4, vcc",
      [](WaveRegisters &w) {
        std::mt19937 random(1);
        w.sgpr(0) = 7919;
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(0, lane) = w.vgpr(9, lane) = random();
      },
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          tally().check(w.vgpr(1, lane) == w.vgpr(9, lane) / 7919,
                        "division in lane " + std::to_string(lane));
      });
}

} // namespace

void emulator_test::testVectorInteger() {
  testCases();
  testCarries();
  testWide();
  testDivision();
}
