//===- Scalar.cpp - SALU, branches, mode ----------------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {

struct Case {
  const char *text;
  uint32_t a, b;
  bool sccBefore;
  uint32_t result;
  bool scc;
};

/// s0 = op s1, s2.
void testCases() {
  const Case cases[] = {
      {"s_add_u32 s0, s1, s2", 0xffffffff, 2, false, 1, true},
      {"s_add_u32 s0, s1, s2", 5, 2, true, 7, false},
      {"s_addc_u32 s0, s1, s2", 0xffffffff, 0, true, 0, true},
      {"s_addc_u32 s0, s1, s2", 1, 2, true, 4, false},
      {"s_sub_u32 s0, s1, s2", 1, 2, false, 0xffffffff, true},
      {"s_subb_u32 s0, s1, s2", 5, 5, true, 0xffffffff, true},
      {"s_subb_u32 s0, s1, s2", 5, 4, true, 0, false},
      {"s_add_i32 s0, s1, s2", 0x7fffffff, 1, false, 0x80000000, true},
      {"s_add_i32 s0, s1, s2", 0xffffffff, 1, true, 0, false},
      {"s_sub_i32 s0, s1, s2", 0x80000000, 1, false, 0x7fffffff, true},
      {"s_mul_i32 s0, s1, s2", 0x10001, 0xffff, true, 0xffffffff, true},
      {"s_mul_hi_u32 s0, s1, s2", 0xffffffff, 0xffffffff, false, 0xfffffffe,
       false},
      {"s_mul_hi_i32 s0, s1, s2", 0xffffffff, 3, false, 0xffffffff, false},
      {"s_and_b32 s0, s1, s2", 0xf0, 0x3c, false, 0x30, true},
      {"s_and_b32 s0, s1, s2", 0xf0, 0x0f, true, 0, false},
      {"s_andn2_b32 s0, s1, s2", 0xff, 0x0f, false, 0xf0, true},
      {"s_orn2_b32 s0, s1, s2", 0, 0xffff0000, false, 0xffff, true},
      {"s_xor_b32 s0, s1, s2", 0xff, 0xff, true, 0, false},
      {"s_nor_b32 s0, s1, s2", 1, 2, false, 0xfffffffc, true},
      {"s_lshl_b32 s0, s1, s2", 3, 33, false, 6, true},
      {"s_lshr_b32 s0, s1, s2", 0x80000000, 31, false, 1, true},
      {"s_ashr_i32 s0, s1, s2", 0x80000000, 31, false, 0xffffffff, true},
      {"s_bfe_u32 s0, s1, s2", 0xabcd1234, 0x80008, false, 0x12, true},
      {"s_bfe_i32 s0, s1, s2", 0x0000f000, 0x4000c, false, 0xffffffff, true},
      {"s_bfe_u32 s0, s1, s2", 0xffffffff, 0, true, 0, false},
      {"s_bfm_b32 s0, s1, s2", 4, 8, true, 0xf00, true},
      {"s_min_i32 s0, s1, s2", 0xffffffff, 1, false, 0xffffffff, true},
      {"s_min_u32 s0, s1, s2", 0xffffffff, 1, true, 1, false},
      {"s_max_i32 s0, s1, s2", 0xffffffff, 1, true, 1, false},
      {"s_max_u32 s0, s1, s2", 0xffffffff, 1, false, 0xffffffff, true},
      {"s_cselect_b32 s0, s1, s2", 7, 8, true, 7, true},
      {"s_cselect_b32 s0, s1, s2", 7, 8, false, 8, false},
      {"s_lshl2_add_u32 s0, s1, s2", 0x40000000, 5, false, 5, true},
      {"s_pack_ll_b32_b16 s0, s1, s2", 0x12345678, 0x9abcdef0, true, 0xdef05678,
       true},
      {"s_absdiff_i32 s0, s1, s2", 3, 10, false, 7, true},
      {"s_or_b32 s0, s1, s2", 0xf0, 0x0f, false, 0xff, true},
      {"s_nand_b32 s0, s1, s2", ~0u, ~0u, true, 0, false},
      {"s_xnor_b32 s0, s1, s2", 0xff, 0x0f, false, 0xffffff0f, true},
      {"s_lshl1_add_u32 s0, s1, s2", 3, 5, true, 11, false},
      {"s_lshl3_add_u32 s0, s1, s2", 3, 5, true, 29, false},
      {"s_lshl4_add_u32 s0, s1, s2", 3, 5, true, 53, false},
      {"s_pack_lh_b32_b16 s0, s1, s2", 0x12345678, 0x9abcdef0, true, 0x9abc5678,
       true},
      {"s_pack_hh_b32_b16 s0, s1, s2", 0x12345678, 0x9abcdef0, true, 0x9abc1234,
       true},
      {"s_flbit_i32 s0, s1", 0xffff0000, 0, true, 16, true},
      {"s_mov_b32 s0, s1\ns_bitset0_b32 s0, s2", 17, 4, false, 1, false},
      {"s_mov_b32 s0, s1\ns_cmovk_i32 s0, 0xffff", 1, 0, true, ~0u, true},
      {"s_mov_b32 s0, s1\ns_cmovk_i32 s0, 0xffff", 1, 0, false, 1, false},
      {"s_not_b32 s0, s1", 0xffffffff, 0, true, 0, false},
      {"s_abs_i32 s0, s1", 0xfffffffe, 0, false, 2, true},
      {"s_brev_b32 s0, s1", 1, 0, true, 0x80000000, true},
      {"s_sext_i32_i8 s0, s1", 0x80, 0, false, 0xffffff80, false},
      {"s_sext_i32_i16 s0, s1", 0x8000, 0, false, 0xffff8000, false},
      {"s_bcnt1_i32_b32 s0, s1", 0xf0f0, 0, false, 8, true},
      {"s_ff1_i32_b32 s0, s1", 0x50, 0, true, 4, true},
      {"s_ff1_i32_b32 s0, s1", 0, 0, true, 0xffffffff, true},
      {"s_flbit_i32_b32 s0, s1", 0x00010000, 0, true, 15, true},
      {"s_movk_i32 s0, 0x8000", 0, 0, true, 0xffff8000, true},
      {"s_mov_b32 s0, 0.5", 0, 0, true, 0x3f000000, true},
      {"s_mov_b32 s0, -16", 0, 0, true, 0xfffffff0, true},
      {"s_mov_b32 s0, s1\ns_addk_i32 s0, 0xffff", 5, 0, true, 4, false},
      {"s_mov_b32 s0, s1\ns_mulk_i32 s0, 0xfffe", 5, 0, true, 0xfffffff6, true},
      {"s_mov_b32 s0, s1\ns_bitset1_b32 s0, s2", 1, 4, false, 17, false},
      {"s_mov_b32 s0, s1\ns_cmov_b32 s0, s2", 1, 4, false, 1, false},
      {"s_mov_b32 s0, s1\ns_cmov_b32 s0, s2", 1, 4, true, 4, true},
  };
  for (const Case &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) {
          w.sgpr(1) = c.a, w.sgpr(2) = c.b, w.scc() = c.sccBefore;
        },
        [&](WaveRegisters &w) {
          tally().check(w.sgpr(0) == c.result && w.scc() == c.scc,
                        std::string(c.text) + ": but got " + hex(w.sgpr(0)) +
                            " scc " + std::to_string(w.scc()));
        });
}

struct WideCase {
  const char *text;
  uint64_t a, b, result;
  int scc; // -1: not looked at
};

/// s[0:1] = op s[2:3], s[4:5].
void testWide() {
  const WideCase cases[] = {
      {"s_and_b64 s[0:1], s[2:3], s[4:5]", 0xff00000000ull, 0xf000000000ull,
       0xf000000000ull, 1},
      {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", 0xff, 0xff, 0, 0},
      {"s_lshl_b64 s[0:1], s[2:3], s4", 1, 63, uint64_t(1) << 63, 1},
      {"s_lshr_b64 s[0:1], s[2:3], s4", uint64_t(1) << 63, 63, 1, 1},
      {"s_ashr_i64 s[0:1], s[2:3], s4", uint64_t(1) << 63, 63, ~0ull, 1},
      {"s_bfe_u64 s[0:1], s[2:3], s4", 0xabcd00000000ull, 0x100020, 0xabcd, 1},
      {"s_not_b64 s[0:1], s[2:3]", ~0ull, 0, 0, 0},
      {"s_or_b64 s[0:1], s[2:3], s[4:5]", 1ull << 40, 1, (1ull << 40) + 1, 1},
      {"s_xor_b64 s[0:1], s[2:3], s[4:5]", 5, 5, 0, 0},
      {"s_nand_b64 s[0:1], s[2:3], s[4:5]", ~0ull, ~0ull, 0, 0},
      {"s_nor_b64 s[0:1], s[2:3], s[4:5]", 0, 1, ~1ull, 1},
      {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", 0, 1, ~1ull, 1},
      {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", 0, ~1ull, 1, 1},
      {"s_bfe_i64 s[0:1], s[2:3], s4", 0xf00000000000ull, 0x4002c, ~0ull, 1},
      {"s_brev_b64 s[0:1], s[2:3]", 1, 0, 1ull << 63, -1},
      {"s_bitcmp0_b64 s[2:3], s4\ns_mov_b64 s[0:1], 0", 1ull << 40, 40, 0, 0},
      {"s_flbit_i32_b64 s0, s[2:3]\ns_mov_b32 s1, 0", 1ull << 40, 0, 23, -1},
      {"s_mov_b64 s[0:1], s[2:3]\ns_cmp_eq_u32 s2, s2\n"
       "s_cmov_b64 s[0:1], s[4:5]",
       7, 9, 9, 1},
      {"s_mov_b64 s[0:1], -1", 0, 0, ~0ull, -1},
      {"s_cmp_eq_u64 s[2:3], s[4:5]\ns_mov_b64 s[0:1], 0", 5, 5, 0, 1},
      {"s_cmp_lg_u64 s[2:3], s[4:5]\ns_mov_b64 s[0:1], 0", 5, 5, 0, 0},
      {"s_bitcmp1_b64 s[2:3], s4\ns_mov_b64 s[0:1], 0", 1ull << 40, 40, 0, 1},
      {"s_ff1_i32_b64 s0, s[2:3]\ns_mov_b32 s1, 0", 1ull << 40, 0, 40, -1},
      {"s_bcnt1_i32_b64 s0, s[2:3]\ns_mov_b32 s1, 0", ~0ull, 0, 64, 1},
      {"s_cmp_eq_u32 s2, s2\ns_cselect_b64 s[0:1], s[2:3], s[4:5]", 7, 9, 7, 1},
  };
  for (const WideCase &c : cases)
    runWave(
        c.text,
        [&](WaveRegisters &w) { setPair(w, 2, c.a), setPair(w, 4, c.b); },
        [&](WaveRegisters &w) {
          bool scc = c.scc < 0 || w.scc() == bool(c.scc);
          tally().check(pairOf(w, 0) == c.result && scc,
                        std::string(c.text) + ": but got " + hex(pairOf(w, 0)));
        });
}

void testCompareAndBranch() {
  struct {
    const char *name;
    uint32_t a, b;
    bool taken;
  } const cases[] = {
      {"s_cmp_gt_i32", 0xffffffff, 1, false},
      {"s_cmp_gt_u32", 0xffffffff, 1, true},
      {"s_cmp_le_i32", 1, 1, true},
      {"s_cmp_lt_u32", 1, 1, false},
      {"s_cmp_lg_u32", 1, 2, true},
      {"s_cmp_ge_i32", 2, 3, false},
      {"s_cmp_eq_i32", 3, 3, true},
      {"s_bitcmp1_b32", 8, 3, true},
      {"s_bitcmp0_b32", 8, 3, false},
      {"s_cmp_ge_u32", 1, 0xffffffff, false},
      {"s_cmp_le_u32", 1, 0xffffffff, true},
      {"s_cmp_lg_i32", 3, 3, false},
      {"s_cmp_lt_i32", 0xffffffff, 1, true},
  };
  for (const auto &c : cases)
    for (bool branchOnSet : {true, false})
      runWave(
          std::string(c.name) + " s1, s2\ns_mov_b32 s0, 1\n" +
              (branchOnSet ? "s_cbranch_scc1" : "s_cbranch_scc0") +
              " .Lend\ns_mov_b32 s0, 2\n.Lend:\ns_nop 0",
          [&](WaveRegisters &w) { w.sgpr(1) = c.a, w.sgpr(2) = c.b; },
          [&](WaveRegisters &w) {
            bool jumped = c.taken == branchOnSet;
            tally().check(w.sgpr(0) == (jumped ? 1 : 2), c.name);
          });
  // A loop: the sum of 10, 9, ..., 1.
  runWave(
      "s_movk_i32 s0, 0\ns_movk_i32 s1, 10\n.Lloop:\ns_add_u32 s0, s0, s1\n"
      "s_sub_u32 s1, s1, 1\ns_cmpk_lg_u32 s1, 0\ns_cbranch_scc1 .Lloop",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) { tally().check(w.sgpr(0) == 55, "loop"); });
  runWave(
      "s_mov_b64 exec, 0\ns_movk_i32 s0, 1\ns_cbranch_execz .Le\n"
      "s_movk_i32 s0, 2\n.Le:\ns_mov_b64 vcc, 1\ns_movk_i32 s1, 1\n"
      "s_cbranch_vccnz .Lv\ns_movk_i32 s1, 2\n.Lv:\ns_nop 0",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) {
        tally().check(w.sgpr(0) == 1 && w.sgpr(1) == 1, "execz, vccnz");
      });
}

/// s_cmpk compares with a zero- or sign-extended immediate.
void testCompareImmediates() {
  struct {
    const char *relation;
    bool below, equal, above;
  } const relations[] = {{"eq", false, true, false}, {"lg", true, false, true},
                         {"gt", false, false, true}, {"ge", false, true, true},
                         {"lt", true, false, false}, {"le", true, true, false}};
  auto run = [](const std::string &text, uint32_t a, bool want) {
    runWave(
        text, [&](WaveRegisters &w) { w.sgpr(1) = a, w.scc() = !want; },
        [&](WaveRegisters &w) {
          tally().check(w.scc() == want, text + " of " + hex(a));
        });
  };
  for (const auto &r : relations) {
    std::string name = std::string("s_cmpk_") + r.relation;
    run(name + "_u32 s1, 0xfffe", 0xfffd, r.below);
    run(name + "_u32 s1, 0xfffe", 0xfffe, r.equal);
    run(name + "_u32 s1, 0xfffe", 0xfffffffe, r.above);
    run(name + "_i32 s1, 0xfffe", 0xfffffffd, r.below);
    run(name + "_i32 s1, 0xfffe", 0xfffffffe, r.equal);
    run(name + "_i32 s1, 0xfffe", 0xfffe, r.above);
  }
}

/// EXEC = f(0x0f0f, EXEC = 0x00ff); the old EXEC is kept.
void testSaveExec() {
  struct {
    const char *name;
    uint64_t exec;
  } const cases[] = {
      {"s_or_saveexec_b64", 0x0fff},       {"s_xor_saveexec_b64", 0x0ff0},
      {"s_andn1_saveexec_b64", 0x00f0},    {"s_orn1_saveexec_b64", ~0x0f00ull},
      {"s_orn2_saveexec_b64", ~0x00f0ull}, {"s_nand_saveexec_b64", ~0x000full},
      {"s_nor_saveexec_b64", ~0x0fffull},  {"s_xnor_saveexec_b64", ~0x0ff0ull},
  };
  for (const auto &c : cases)
    runWave(
        std::string(c.name) + " s[0:1], s[2:3]",
        [](WaveRegisters &w) {
          setPair(w, 2, 0x0f0f), setPair(w, kExecLo, 0x00ff);
        },
        [&](WaveRegisters &w) {
          tally().check(pairOf(w, 0) == 0x00ff &&
                            pairOf(w, kExecLo) == c.exec && w.scc(),
                        std::string(c.name) + ": " + hex(pairOf(w, kExecLo)));
        });
}

void testExecMask() {
  runWave(
      "s_and_saveexec_b64 s[0:1], s[2:3]",
      [](WaveRegisters &w) { setPair(w, 2, 0xff00); },
      [](WaveRegisters &w) {
        tally().check(pairOf(w, 0) == ~0ull && pairOf(w, kExecLo) == 0xff00 &&
                          w.scc(),
                      "s_and_saveexec_b64");
      });
  runWave(
      "s_andn2_saveexec_b64 s[0:1], s[2:3]",
      [](WaveRegisters &w) {
        setPair(w, 2, 0xff00), setPair(w, kExecLo, 0x0f00);
      },
      [](WaveRegisters &w) {
        tally().check(pairOf(w, kExecLo) == 0xf000, "s_andn2_saveexec_b64");
      });
}

void testModeAndCounter() {
  runWave(
      "s_movk_i32 s1, 9\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1\n"
      "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) { tally().check(w.sgpr(0) == 9, "s_setreg_b32"); });
  // Hints leave everything as it is.
  runWave(
      "s_nop 3\ns_setprio 1\ns_sleep 1\ns_icache_inv\ns_dcache_inv\n"
      "s_dcache_wb\nbuffer_wbl2 sc1\nbuffer_inv sc1\nv_nop",
      [](WaveRegisters &w) { w.sgpr(0) = 1, w.vgpr(0, 0) = 2; },
      [](WaveRegisters &w) {
        tally().check(w.sgpr(0) == 1 && w.vgpr(0, 0) == 2, "hints");
      });
  runWave(
      "s_movk_i32 s1, 1\ns_cbranch_execnz .La\ns_movk_i32 s1, 2\n.La:\n"
      "s_mov_b64 vcc, 0\ns_movk_i32 s2, 1\ns_cbranch_vccz .Lb\n"
      "s_movk_i32 s2, 2\n.Lb:\ns_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 16\n"
      "s_addc_u32 s5, s5, 0\ns_swappc_b64 s[6:7], s[4:5]\n"
      "s_movk_i32 s2, 3\ns_sub_u32 s6, s4, s6",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) {
        tally().check(w.sgpr(1) == 1 && w.sgpr(2) == 1 && w.sgpr(6) == 4,
                      "execnz, vccz, s_swappc: " + hex(w.sgpr(6)));
      });
  runWave(
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 5\n"
      "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) {
        tally().check(w.sgpr(0) == 5, "mode: " + hex(w.sgpr(0)));
      });
  // The constant after the jump is skipped.
  runWave(
      "s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, 20\ns_addc_u32 s3, s3, 0\n"
      "s_movk_i32 s0, 1\ns_setpc_b64 s[2:3]\ns_movk_i32 s0, 2\ns_nop 0",
      [](WaveRegisters &) {},
      [](WaveRegisters &w) { tally().check(w.sgpr(0) == 1, "s_setpc"); });
}

} // namespace

void emulator_test::testScalar() {
  testCases();
  testWide();
  testCompareAndBranch();
  testExecMask();
  testCompareImmediates();
  testSaveExec();
  testModeAndCounter();
}
