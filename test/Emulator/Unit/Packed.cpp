//===- Packed.cpp - VOP3P -------------------------------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {

void testShort() {
  // f16: 1 is 0x3c00, 2 0x4000, 3 0x4200, 4 0x4400, 6 0x4600.
  const OperandCase cases[] = {
      {"v_pk_add_f16 v0, v1, v2", 0x40003c00, 0x3c003c00, 0, 0x42004000},
      {"v_pk_mul_f16 v0, v1, v2", 0x40003c00, 0x42004000, 0, 0x46004000},
      {"v_pk_fma_f16 v0, v1, v2, v3", 0x40003c00, 0x40004000, 0xbc003c00,
       0x42004200},
      {"v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", 0x40003c00,
       0x3c003c00, 0, 0x40004200},
      {"v_pk_add_f16 v0, v1, v2 neg_lo:[1,0] neg_hi:[0,1]", 0x40003c00,
       0x3c004000, 0, 0x3c003c00},
      {"v_pk_max_f16 v0, v1, v2", 0x40007e00, 0x3c003c00, 0, 0x40003c00},
      {"v_pk_min_f16 v0, v1, v2", 0x40003c00, 0x3c004000, 0, 0x3c003c00},
      {"v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]", 0x40003c00, 0, 0,
       0x42004000},
      {"v_pk_add_u16 v0, v1, v2", 0x0001ffff, 0x00020001, 0, 0x00030000},
      {"v_pk_sub_i16 v0, v1, v2", 0x00010001, 0x00020001, 0, 0xffff0000},
      {"v_pk_mul_lo_u16 v0, v1, v2", 0x00030002, 0x00050007, 0, 0x000f000e},
      {"v_pk_mad_u16 v0, v1, v2, v3", 0x00030002, 0x00050007, 0xffff0001,
       0x000e000f},
      {"v_pk_mad_i16 v0, v1, v2, v3", 0x0003ffff, 0x00050007, 0xffff0001,
       0x000efffa},
      {"v_pk_add_i16 v0, v1, v2", 0x0001ffff, 0x00020001, 0, 0x00030000},
      {"v_pk_sub_u16 v0, v1, v2", 0x00010001, 0x00020001, 0, 0xffff0000},
      {"v_pk_lshrrev_b16 v0, v1, v2", 0x00040001, 0x80008000, 0, 0x08004000},
      {"v_pk_max_u16 v0, v1, v2", 0xffff0001, 0x0001ffff, 0, 0xffffffff},
      {"v_pk_min_i16 v0, v1, v2", 0xffff0001, 0x0001ffff, 0, 0xffffffff},
      {"v_pk_lshlrev_b16 v0, v1, v2", 0x00040001, 0x00010001, 0, 0x00100002},
      {"v_pk_ashrrev_i16 v0, v1, v2", 0x00040001, 0x80008000, 0, 0xf800c000},
      {"v_pk_max_i16 v0, v1, v2", 0xffff0001, 0x0001ffff, 0, 0x00010001},
      {"v_pk_min_u16 v0, v1, v2", 0xffff0001, 0x0001ffff, 0, 0x00010001},
      {"v_dot2_f32_f16 v0, v1, v2, v3", 0x40003c00, 0x42004000, 0x3f800000,
       0x41100000},
  };
  for (const OperandCase &c : cases)
    runCase(c);
}

struct WideCase {
  const char *text; // v[0:1] of v[2:3] = (2, 3), v[4:5] = (5, 7), v[6:7] = (1,
                    // -1), s[0:1] = (10, 20)
  float low, high;
};

void testSingle() {
  const WideCase cases[] = {
      {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", 11, 20},
      {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", 10, 21},
      {"v_pk_add_f32 v[0:1], v[2:3], v[4:5]", 7, 10},
      {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel_hi:[1,0]", 10, 15},
      {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1]", 15,
       14},
      {"v_pk_add_f32 v[0:1], v[2:3], v[4:5] neg_lo:[0,1] neg_hi:[1,0]", -3, 4},
      {"v_pk_mul_f32 v[0:1], v[2:3], s[0:1]", 20, 60},
      {"v_pk_mul_f32 v[0:1], v[2:3], s[0:1] op_sel_hi:[1,0]", 20, 30},
      {"v_pk_mul_f32 v[0:1], v[2:3], 2.0 op_sel_hi:[1,0]", 4, 6},
      // Both halves of 0 are 0.
      {"v_pk_add_f32 v[0:1], v[2:3], 0 neg_lo:[1,1] neg_hi:[1,1]", -2, -3},
      {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]", 3, 5},
      {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]", 2, 7},
      // The destination is a source.
      {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]\n"
       "v_pk_mul_f32 v[0:1], v[0:1], v[0:1] op_sel:[1,0] op_sel_hi:[0,1]",
       14, 14},
  };
  for (const WideCase &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          const float values[6] = {2, 3, 5, 7, 1, -1};
          for (unsigned r = 0; r < 6; ++r)
            w.vgpr(2 + r, 3) = asBits(values[r]);
          w.sgpr(0) = asBits(10), w.sgpr(1) = asBits(20);
        },
        [&](WaveRegisters &w) {
          float low = asFloat(w.vgpr(0, 3)), high = asFloat(w.vgpr(1, 3));
          tally().check(low == c.low && high == c.high,
                        std::string(c.text) + ": but got " +
                            std::to_string(low) + ", " + std::to_string(high));
        });
}

} // namespace

void emulator_test::testPacked() {
  testShort();
  testSingle();
}
