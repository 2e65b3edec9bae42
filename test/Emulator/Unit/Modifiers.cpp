//===- Modifiers.cpp - DPP and SDWA ---------------------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {

constexpr uint32_t kOld = 1000;

/// For each lane the lane it reads, or -1: out of range.
using LaneMap = std::function<int(int)>;

struct DppCase {
  const char *control;
  LaneMap from;
};

const DppCase kDppCases[] = {
    {"quad_perm:[3,0,2,1]",
     [](int l) {
       const int perm[4] = {3, 0, 2, 1};
       return l / 4 * 4 + perm[l % 4];
     }},
    {"row_shl:3", [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }},
    {"row_shr:5", [](int l) { return l % 16 >= 5 ? l - 5 : -1; }},
    {"row_ror:4", [](int l) { return l / 16 * 16 + (l % 16 + 12) % 16; }},
    {"wave_shl:1", [](int l) { return l == 63 ? -1 : l + 1; }},
    {"wave_rol:1", [](int l) { return (l + 1) % 64; }},
    {"wave_shr:1", [](int l) { return l - 1; }},
    {"wave_ror:1", [](int l) { return (l + 63) % 64; }},
    {"row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; }},
    {"row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
    {"row_bcast:15", [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},
    {"row_bcast:31", [](int l) { return l < 32 ? -1 : 31; }},
    {"row_newbcast:6", [](int l) { return l / 16 * 16 + 6; }},
};

/// v_mov_b32_dpp v0, v1 with all masks.
void runDpp(const DppCase &c, unsigned rowMask, unsigned bankMask, bool bound,
            uint64_t exec) {
  std::string text = "v_mov_b32_dpp v0, v1 " + std::string(c.control) +
                     " row_mask:" + std::to_string(rowMask) +
                     " bank_mask:" + std::to_string(bankMask) +
                     (bound ? " bound_ctrl:0" : "");
  runWave(
      text,
      [&](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(0, lane) = kOld + lane, w.vgpr(1, lane) = lane + 1;
        setPair(w, kExecLo, exec);
      },
      [&](WaveRegisters &w) {
        bool ok = true;
        for (int lane = 0; lane < 64; ++lane) {
          int from = c.from(lane);
          bool selected = (rowMask >> lane / 16 & 1) &&
                          (bankMask >> lane % 16 / 4 & 1) && (exec >> lane & 1);
          bool valid = from >= 0 && (exec >> from & 1);
          uint32_t want = kOld + lane;
          if (selected && valid)
            want = from + 1;
          else if (selected && bound)
            want = 0;
          ok &= w.vgpr(0, lane) == want;
        }
        tally().check(ok, text + " with EXEC " + hex(exec));
      });
}

void testDpp() {
  for (const DppCase &c : kDppCases)
    for (bool bound : {false, true})
      for (uint64_t exec : {~uint64_t(0), uint64_t(0x0f0fff00ff7ffffe)})
        for (unsigned mask : {0xf, 0xa, 0x5}) {
          runDpp(c, mask, 0xf, bound, exec);
          runDpp(c, 0xf, mask, bound, exec);
        }
}

/// The destination may be the source; a sum over a row in four steps.
void testRowReduction() {
  runWave(
      "v_add_f32_dpp v0, v0, v0 row_ror:8 row_mask:0xf bank_mask:0xf\n"
      "s_nop 1\n"
      "v_add_f32_dpp v0, v0, v0 row_ror:4 row_mask:0xf bank_mask:0xf\n"
      "s_nop 1\n"
      "v_add_f32_dpp v0, v0, v0 row_ror:2 row_mask:0xf bank_mask:0xf\n"
      "s_nop 1\n"
      "v_add_f32_dpp v0, v0, v0 row_ror:1 row_mask:0xf bank_mask:0xf",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(0, lane) = asBits(float(lane));
      },
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          tally().check(asFloat(w.vgpr(0, lane)) ==
                            float(16 * (lane / 16 * 16) + 120),
                        "row sum in lane " + std::to_string(lane));
      });
  // Source modifiers act on the permuted source, and only the first is
  // permuted.
  runWave(
      "v_sub_f32_dpp v0, -v1, |v2| row_newbcast:0 row_mask:0xf bank_mask:0xf",
      [](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane)
          w.vgpr(1, lane) = asBits(lane == 16 ? 5.0f : 100.0f),
                    w.vgpr(2, lane) = asBits(-float(lane));
      },
      [](WaveRegisters &w) {
        tally().check(asFloat(w.vgpr(0, 20)) == -25, "modifiers with DPP");
      });
}

void testSdwa() {
  struct {
    const char *text;
    uint32_t a, b, result;
  } const cases[] = {
      {"v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
       "src0_sel:WORD_1 src1_sel:BYTE_1",
       0xabcd0000, 0x1200, 0xabdf},
      {"v_add_u32_sdwa v0, sext(v1), v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
       "src0_sel:BYTE_3 src1_sel:DWORD",
       0xfe000000, 5, 3},
      {"v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
       "src0_sel:WORD_0",
       0xabcd1234, 0, 0x1234cccc},
      {"v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD "
       "src0_sel:BYTE_0",
       0x12, 0, 0x1200},
      {"v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT "
       "src0_sel:BYTE_0",
       0x82, 0, 0xffff8200},
      {"v_mul_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
       "src0_sel:WORD_1 src1_sel:WORD_0",
       0x40000000, 0x3800, 0x3c00cccc},
  };
  for (const auto &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          w.vgpr(0, 7) = 0xcccccccc;
          w.vgpr(1, 7) = c.a, w.vgpr(2, 7) = c.b;
        },
        [&](WaveRegisters &w) {
          tally().check(w.vgpr(0, 7) == c.result,
                        std::string(c.text) + ": but got " + hex(w.vgpr(0, 7)));
        });
}

} // namespace

void emulator_test::testModifiers() {
  testDpp();
  testRowReduction();
  testSdwa();
}
