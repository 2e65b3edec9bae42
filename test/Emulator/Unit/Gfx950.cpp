//===- Gfx950.cpp - What gfx950 has and gfx942 has not --------------------===//
//
// Sources: "AMD CDNA 4 Instruction Set Architecture", whose text was not at
// hand as a whole; for lanes of transposing reads, ROCm's rocm-systems, pull
// request 10175 (16 bits, compared with hardware), Triton's lowering of
// ds_read_tr for 8 bits; for EXEC of these, section 11.4 of the manual; for
// loads to LDS, section 9.1.9 and MLIR's amdgpu.gather_to_lds; for swaps of
// lanes and v_bitop3, LLVM; for cycles of the LDS, docs/emulator.md.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/Support/Error.h"
#include <cstring>

using namespace emulator_test;

namespace {

void checkPlace(bool ok, const std::string &what, unsigned lane, uint32_t got) {
  tally().check(ok,
                what + ": lane " + std::to_string(lane) + " has " + hex(got));
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

void testBitOp3() {
  constexpr uint32_t a = 0x0f5a3c96, b = 0x33a55af0, c = 0x55c3690f;
  const OperandCase cases[] = {
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0xf0", a, b, c, a},
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0xcc", a, b, c, b},
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0xaa", a, b, c, c},
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0x96", a, b, c, a ^ b ^ c},
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0xca", a, b, c, (a & b) | (~a & c)},
      {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0x36", a, b, c, (a | c) ^ b},
      {"v_bitop3_b32 v0, v1, v2, v3", a, b, c, 0},
  };
  for (const OperandCase &c : cases)
    runCase(c, Arch::Gfx950);
}

void testPairConversions() {
  auto bf16 = [](uint32_t low, uint32_t high, uint32_t result) {
    runCase({"v_cvt_pk_bf16_f32 v0, v1, v2", low, high, 0, result},
            Arch::Gfx950);
  };
  bf16(0x3f800000, 0xc0000000, 0xc0003f80);
  bf16(0x3f808000, 0x3f818000, 0x3f823f80); // ties to even
  bf16(0x3f808001, 0xbf807fff, 0xbf803f81);
  bf16(0x7f7fffff, 0xff800000, 0xff807f80); // too large; infinity
  bf16(0x00018000, 0x80000001, 0x80000002); // denormals are kept
  bf16(0x7f800001, 0xffffffff, 0xffff7fc0); // NaNs are quiet, and stay NaNs
  runCase({"v_cvt_pk_bf16_f32 v0, -v1, |v2|", 0x3f800000, 0xc0000000, 0,
           0x4000bf80},
          Arch::Gfx950);
  auto f16 = [](uint32_t low, uint32_t high, uint32_t result) {
    runCase({"v_cvt_pk_f16_f32 v0, v1, v2", low, high, 0, result},
            Arch::Gfx950);
  };
  f16(0x3f800000, 0xc0000000, 0xc0003c00);
  f16(0x3f801000, 0x3f803000, 0x3c023c00); // ties to even
  f16(0x33800000, 0x47800000, 0x7c000001); // 2^-24; 65536
}

/// OCP's formats: E4M3 of bias 7 and no infinity, E5M2 of bias 15.
void testFloat8() {
  constexpr uint32_t one = 0x3f800000, negativeZero = 0x80000000,
                     infinity = 0x7f800000, nan = 0x7fc00000;
  // Registers hold 0xcccccccc before.
  const OperandCase cases[] = {
      {"v_cvt_pk_fp8_f32 v0, v1, v2", one, 0x43e00000, 0, 0xcccc7e38}, // 448
      {"v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]", one, negativeZero, 0,
       0x8038cccc},
      {"v_cvt_pk_fp8_f32 v0, v1, v2", 0x43f00000, nan, 0, 0xcccc7f7f}, // 480
      {"v_cvt_pk_fp8_f32 v0, v1, v2", 0x3f880000, 0x3f980000, 0,
       0xcccc3a38}, // ties to even
      {"v_cvt_pk_fp8_f32 v0, v1, v2", 0x3a800000, 0x3b400000, 0,
       0xcccc0200}, // 2^-10 is half of the least number, 3 2^-10 a tie
      {"v_cvt_pk_bf8_f32 v0, v1, v2", one, 0x47600000, 0, 0xcccc7b3c}, // 57344
      {"v_cvt_pk_bf8_f32 v0, v1, v2", infinity, nan, 0, 0xcccc7f7c},
      {"v_cvt_pk_bf8_f32 v0, v1, v2", 0xff800000, 0x47800000, 0, 0xcccc7cfc},
  };
  for (const OperandCase &c : cases)
    runCase(c, Arch::Gfx950);
}

void testMinimumMaximum() {
  constexpr uint32_t one = 0x3f800000, two = 0x40000000, nan = 0x7fc00000,
                     zero = 0, negativeZero = 0x80000000;
  const OperandCase cases[] = {
      {"v_maximum3_f32 v0, v1, v2, v3", one, two, zero, two},
      {"v_minimum3_f32 v0, v1, v2, v3", one, two, zero, zero},
      {"v_maximum3_f32 v0, v1, v2, v3", one, nan, two, nan},
      {"v_minimum3_f32 v0, v1, v2, v3", one, two, nan, nan},
      {"v_maximum3_f32 v0, v1, v2, v3", negativeZero, zero, negativeZero, zero},
      {"v_minimum3_f32 v0, v1, v2, v3", zero, negativeZero, one, negativeZero},
      {"v_minimum3_f32 v0, v1, -v2, v3", one, two, zero, 0xc0000000},
  };
  for (const OperandCase &c : cases)
    runCase(c, Arch::Gfx950);
}

/// v1 = lane, v2 = 100 + lane: odd rows of v1 change places with even ones of
/// v2.
void testLaneSwaps() {
  for (unsigned row : {16u, 32u}) {
    std::string text = "v_permlane" + std::to_string(row) + "_swap_b32 v1, v2";
    auto before = [](WaveRegisters &w) {
      for (unsigned lane = 0; lane < 64; ++lane)
        w.vgpr(1, lane) = lane, w.vgpr(2, lane) = 100 + lane;
    };
    auto after = [&](WaveRegisters &w) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        bool odd = lane / row % 2;
        uint32_t first = odd ? 100 + lane - row : lane;
        uint32_t second = odd ? 100 + lane : lane + row;
        checkPlace(w.vgpr(1, lane) == first, text, lane, w.vgpr(1, lane));
        checkPlace(w.vgpr(2, lane) == second, text, lane, w.vgpr(2, lane));
      }
    };
    runWave(text, before, after, Arch::Gfx950);
    Snippet snippet;
    snippet.arch = Arch::Gfx950;
    snippet.text = "s_mov_b64 exec, 1\n" + text;
    expectError(snippet, "no swap of lanes some of which are inactive");
  }
}

/// Sums are rounded one by one from k = 0 on, as on gfx942: 2^24 takes no 1.
void testProductRounding() {
  struct {
    const char *name;
    uint32_t one, large; // large * large is 2^24
    unsigned m, groups;
  } const shapes[] = {{"v_mfma_f32_16x16x32_f16", 0x3c00, 0x6c00, 16, 4},
                      {"v_mfma_f32_32x32x16_f16", 0x3c00, 0x6c00, 32, 2},
                      {"v_mfma_f32_16x16x32_bf16", 0x3f80, 0x4580, 16, 4},
                      {"v_mfma_f32_32x32x16_bf16", 0x3f80, 0x4580, 32, 2}};
  for (const auto &s : shapes)
    for (bool last : {false, true}) {
      unsigned registers = s.m * s.m / 64, k = 8 * s.groups;
      std::string text = std::string(s.name) +
                         " v[8:" + std::to_string(7 + registers) +
                         "], v[0:3], v[4:7], 0";
      auto before = [&](WaveRegisters &w) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          for (unsigned r = 0; r < 8; ++r)
            w.vgpr(r, lane) = s.one * 0x10001;
          bool holds = lane / s.m == (last ? s.groups - 1 : 0);
          for (unsigned r : {last ? 3u : 0u, last ? 7u : 4u})
            if (holds)
              w.vgpr(r, lane) =
                  last ? s.one | s.large << 16 : s.large | s.one << 16;
        }
      };
      // k - 1 ones and 2^24, to a multiple of two, halfway to one of four.
      float wanted = last ? 0x1p24f + float(k) : 0x1p24f;
      auto after = [&](WaveRegisters &w) {
        for (unsigned lane : {0u, 63u}) {
          uint32_t got = w.vgpr(8, lane);
          checkPlace(asFloat(got) == wanted, text, lane, got);
        }
      };
      runWave(text, before, after, Arch::Gfx950);
    }
  // The least denormals of f16 and bf16, by 1; of the latter, of f32.
  for (auto [name, one, result] :
       {std::tuple("f16", 0x3c00, 0x1p-24f * 32),
        std::tuple("bf16", 0x3f80, 0x1p-133f * 32)}) {
    std::string text = std::string("v_mfma_f32_16x16x32_") + name +
                       " v[8:11], v[0:3], v[4:7], 0";
    runWave(
        text,
        [&, one = one](WaveRegisters &w) {
          for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned r = 0; r < 8; ++r)
              w.vgpr(r, lane) = (r < 4 ? 1 : one) * 0x10001;
        },
        [&, result = result](WaveRegisters &w) {
          checkPlace(asFloat(w.vgpr(8, 5)) == result, text, 5, w.vgpr(8, 5));
        },
        Arch::Gfx950);
  }
}

//===----------------------------------------------------------------------===//
// Local data share
//===----------------------------------------------------------------------===//

Snippet ldsSnippet(const std::string &text, uint32_t bytes = 16384) {
  Snippet snippet;
  snippet.arch = Arch::Gfx950;
  snippet.text = text;
  snippet.ldsBytes = bytes;
  return snippet;
}

/// Rows of 16 elements, `padding` bytes apart, numbered row by row: lane l of
/// each 16 reads the (l mod L)-th of L parts of row l / L.
void testTransposedRead(unsigned bits, unsigned padding) {
  unsigned each = 64 / bits, lanesOfRow = 16 / each;
  unsigned rowBytes = 2 * bits + padding;
  std::string text = "ds_write_b64 v1, v[2:3]\ns_waitcnt lgkmcnt(0)\n"
                     "ds_read_b64_tr_b" +
                     std::to_string(bits) +
                     " v[8:9], v0 offset:8\ns_waitcnt lgkmcnt(0)";
  auto element = [&](unsigned group, unsigned row, unsigned column) {
    uint64_t number = group * 64 + row * 16 + column;
    return bits == 8 ? (number * 7 + group) & 0xff : number;
  };
  Snippet snippet = ldsSnippet(text);
  snippet.options.beforeWave = [&](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned group = lane / 16, row = lane % 16 / lanesOfRow,
               part = lane % lanesOfRow;
      uint32_t address = group * 1024 + row * rowBytes + part * 8;
      uint64_t data = 0;
      for (unsigned n = 0; n < each; ++n)
        data |= element(group, row, part * each + n) << (bits * n);
      w.vgpr(0, lane) = address;
      w.vgpr(1, lane) = address + 8;
      w.vgpr(2, lane) = uint32_t(data), w.vgpr(3, lane) = uint32_t(data >> 32);
    }
  };
  snippet.options.afterWave = [&](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint64_t wanted = 0;
      for (unsigned row = 0; row < each; ++row)
        wanted |= element(lane / 16, row, lane % 16) << (bits * row);
      uint64_t got = w.vgpr(8, lane) | uint64_t(w.vgpr(9, lane)) << 32;
      checkPlace(got == wanted, text, lane, uint32_t(got));
    }
  };
  std::string error = snippet.run();
  tally().check(error.empty(), text + ": " + error);
}

void testTransposedReadErrors() {
  for (const char *name : {"ds_read_b64_tr_b16", "ds_read_b64_tr_b8"}) {
    std::string read = std::string(name) + " v[2:3], v0";
    expectError(
        ldsSnippet("v_lshlrev_b32 v0, 3, v0\ns_mov_b64 exec, 0xff\n" + read),
        "a transposing read needs all lanes, but EXEC is 0xff");
    expectError(
        ldsSnippet("v_lshlrev_b32 v0, 3, v0\n" + read + "\nv_mov_b32 v4, v3"),
        "reads v3, which is pending by '" + read + "'");
    expectError(ldsSnippet("v_lshlrev_b32 v0, 2, v0\n" + read +
                           "\ns_waitcnt lgkmcnt(0)"),
                "lane 1: misaligned LDS access: 8 bytes at 4");
    expectError(ldsSnippet("v_lshlrev_b32 v0, 3, v0\n" + read +
                               "\ns_waitcnt lgkmcnt(0)",
                           504),
                "lane 63: LDS access out of range: 8 bytes at 504 of 504");
  }
}

struct CycleCase {
  const char *text;
  uint32_t stride;
  unsigned cycles, conflicts;
};

/// 64 banks for reads of 4, 8 and 16 bytes, 32 for the others.
void testCycles() {
  const CycleCase cases[] = {
      {"ds_read_b32 v8, v0", 4, 1, 0},
      {"ds_read_b32 v8, v0", 8, 2, 1},
      {"ds_read_b64 v[8:9], v0", 8, 2, 0},
      {"ds_read_b64_tr_b16 v[8:9], v0", 8, 2, 0},
      {"ds_read_b64 v[8:9], v0", 256, 64, 62},
      {"ds_read_b128 v[8:11], v0", 16, 4, 0},
      {"ds_read_b128 v[8:11], v0", 256, 64, 60},
      // Lanes 0 and 24 share banks and a phase, 0 and 8 only banks.
      {"ds_read_b128 v[8:11], v0", 32, 8, 4},
      {"ds_read_b96 v[8:10], v0", 16, 8, 0},
      {"ds_write_b32 v0, v2", 4, 2, 0},
      {"ds_write_b64 v0, v[2:3]", 8, 4, 0},
      {"ds_write_b128 v0, v[2:5]", 16, 8, 0},
      {"ds_write_b128 v0, v[2:5]", 64, 32, 24},
  };
  for (const CycleCase &c : cases) {
    Snippet snippet =
        ldsSnippet(std::string(c.text) + "\ns_waitcnt lgkmcnt(0)");
    snippet.options.beforeWave = [&](WaveRegisters &w) {
      for (unsigned lane = 0; lane < 64; ++lane)
        w.vgpr(0, lane) = lane * c.stride;
    };
    Counters counters;
    std::string error = snippet.run(&counters);
    tally().check(error.empty() && counters.ldsCycles == c.cycles &&
                      counters.ldsConflictCycles == c.conflicts,
                  std::string(c.text) + " of stride " +
                      std::to_string(c.stride) +
                      " on gfx950: " + std::to_string(counters.ldsCycles) +
                      " cycles, " + std::to_string(counters.ldsConflictCycles) +
                      " of conflicts " + error);
  }
}

/// Two lanes whose dwords share banks conflict only if they share a phase.
void testPhasesOfWideReads() {
  auto conflictsOf = [](unsigned a, unsigned b) {
    Snippet snippet = ldsSnippet("ds_read_b128 v[8:11], v0\n"
                                 "s_waitcnt lgkmcnt(0)");
    snippet.options.beforeWave = [&](WaveRegisters &w) {
      for (unsigned lane = 0; lane < 64; ++lane)
        w.vgpr(0, lane) = lane == b ? 256 : 0;
      setPair(w, kExecLo, uint64_t(1) << a | uint64_t(1) << b);
    };
    Counters counters;
    tally().check(snippet.run(&counters).empty(), "a read of two lanes");
    return counters.ldsConflictCycles;
  };
  for (unsigned lane : {1u, 12u, 15u, 20u, 27u})
    tally().check(conflictsOf(0, lane) == 1,
                  "lane " + std::to_string(lane) + " is read with lane 0");
  for (unsigned lane : {4u, 8u, 16u, 28u, 32u, 44u})
    tally().check(conflictsOf(0, lane) == 0,
                  "lane " + std::to_string(lane) + " is not read with lane 0");
  tally().check(conflictsOf(4, 28) == 1 && conflictsOf(36, 63) == 1,
                "the second phase, in the upper half, too");
}

//===----------------------------------------------------------------------===//
// Loads to LDS
//===----------------------------------------------------------------------===//

/// A buffer of dwords 0x5000 + i, as s[0:1] and as a V# of `records` bytes.
void runLoadToLds(const std::string &load, uint32_t m0, uint32_t records,
                  unsigned dwords,
                  std::function<uint32_t(unsigned, unsigned)> want) {
  Machine machine;
  std::vector<uint32_t> values(1024);
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] = 0x5000 + i;
  uint64_t buffer = machine.memory().allocate(4 * values.size(), "buffer");
  llvm::cantFail(machine.memory().write(
      buffer,
      {reinterpret_cast<const uint8_t *>(values.data()), 4 * values.size()}));
  Snippet snippet = ldsSnippet(load + "\ns_waitcnt vmcnt(0)\n"
                                      "ds_read_b128 v[8:11], v1\n"
                                      "s_waitcnt lgkmcnt(0)",
                               160 * 1024);
  snippet.machine = &machine;
  snippet.options.beforeWave = [&](WaveRegisters &w) {
    setPair(w, 0, buffer);
    setPair(w, 4, buffer), w.sgpr(6) = records, w.sgpr(7) = 0x00020000;
    w.sgpr(kM0) = m0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      // Lanes load in reverse; what they load lies in LDS in their order.
      uint64_t address = buffer + 16 * (63 - lane);
      w.vgpr(0, lane) = 16 * (63 - lane);
      w.vgpr(1, lane) = m0 + 32 + 16 * lane;
      w.vgpr(2, lane) = uint32_t(address);
      w.vgpr(3, lane) = uint32_t(address >> 32);
    }
  };
  snippet.options.afterWave = [&](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned n = 0; n < 4; ++n) {
        uint32_t wanted = n < dwords ? want(lane, n) : 0;
        checkPlace(w.vgpr(8 + n, lane) == wanted, load, lane,
                   w.vgpr(8 + n, lane));
      }
  };
  Counters counters;
  std::string error = snippet.run(&counters);
  tally().check(error.empty() && counters.ldsWriteBytes == 1024,
                load + ": " + error);
}

void testLoadsToLds() {
  // The offset counts on either side.
  auto all = [](unsigned lane, unsigned n) {
    return 0x5000 + 8 + 4 * (63 - lane) + n;
  };
  auto some = [&](unsigned lane, unsigned n) {
    unsigned at = 8 + 4 * (63 - lane) + n;
    return at < 50 ? 0x5000 + at : 0;
  };
  for (uint32_t m0 : {0x100u, 0x18000u}) {
    runLoadToLds("global_load_lds_dwordx4 v[2:3], off offset:32", m0, 0, 4,
                 all);
    runLoadToLds("global_load_lds_dwordx4 v0, s[0:1] offset:32", m0, 0, 4, all);
    runLoadToLds("global_load_lds_dwordx3 v0, s[0:1] offset:32", m0, 0, 3, all);
    runLoadToLds("buffer_load_dwordx4 v0, s[4:7], 0 offen offset:32 lds", m0,
                 4096, 4, all);
    runLoadToLds("buffer_load_dwordx3 v0, s[4:7], 0 offen offset:32 lds", m0,
                 4096, 3, all);
    // Dwords out of bounds are zeros: 200 bytes are 50 dwords.
    runLoadToLds("buffer_load_dwordx4 v0, s[4:7], 0 offen offset:32 lds", m0,
                 200, 4, some);
  }
  Machine machine;
  uint64_t buffer = machine.memory().allocate(4096, "buffer");
  for (auto [m0, message] :
       {std::pair(8u, "misaligned LDS access: 16 bytes at 8"),
        std::pair(163840u - 1008, "lane 63: LDS access out of range")}) {
    Snippet snippet =
        ldsSnippet("v_lshlrev_b32 v0, 4, v0\n"
                   "global_load_lds_dwordx4 v0, s[0:1]\ns_waitcnt vmcnt(0)",
                   163840);
    snippet.machine = &machine;
    snippet.options.beforeWave = [&, m0 = m0](WaveRegisters &w) {
      setPair(w, 0, buffer);
      w.sgpr(kM0) = m0;
    };
    expectError(snippet, message);
  }
}

//===----------------------------------------------------------------------===//
// Which architecture has what
//===----------------------------------------------------------------------===//

void testForeignInstructions() {
  for (const char *text :
       {"v_cvt_pk_bf16_f32 v0, v1, v2", "ds_read_b64_tr_b16 v[0:1], v2",
        "v_bitop3_b32 v0, v1, v2, v3 bitop3:0x6c",
        "v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]",
        "global_load_lds_dwordx4 v[0:1], off"}) {
    Snippet snippet;
    snippet.text = text;
    snippet.assembledFor = Arch::Gfx950;
    expectError(snippet, std::string("<") + text +
                             ">, an instruction of gfx950 and not of gfx942");
  }
  Snippet snippet;
  snippet.arch = Arch::Gfx950;
  snippet.assembledFor = Arch::Gfx942;
  snippet.text = "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]";
  expectError(snippet, "an instruction of gfx942 and not of gfx950");
  // The same name, and other formats.
  snippet.assembledFor = std::nullopt;
  snippet.text = "v_cvt_f32_fp8 v0, v1";
  expectError(snippet, "no semantics for 'v_cvt_f32_fp8'");
}

void testLdsSizes() {
  Snippet snippet = ldsSnippet("s_nop 0", 160 * 1024);
  std::string error = snippet.run();
  tally().check(error.empty(), "160 KiB of LDS on gfx950: " + error);
  snippet.ldsBytes += 4;
  expectError(snippet, "at most 163840 bytes of LDS, but got 163844");
  snippet.arch = Arch::Gfx942;
  expectError(snippet, "at most 65536 bytes of LDS, but got 163844");
}

} // namespace

void emulator_test::testGfx950() {
  testBitOp3();
  testPairConversions();
  testFloat8();
  testMinimumMaximum();
  testLaneSwaps();
  testMfmaOfGfx950();
  testProductRounding();
  for (unsigned padding : {0u, 8u, 24u}) {
    testTransposedRead(16, padding);
    testTransposedRead(8, padding);
  }
  testTransposedReadErrors();
  testCycles();
  testPhasesOfWideReads();
  testLoadsToLds();
  testForeignInstructions();
  testLdsSizes();
}
