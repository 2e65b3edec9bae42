//===- Lanes.cpp - Lanes that read each other -----------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {

constexpr uint64_t kSomeLanes = 0xfffffffffffffff0;

/// v1 holds lane + 1, v2 the given addresses, v0 what must stay.
Registers lanes(std::function<uint32_t(unsigned)> address, uint64_t exec) {
  return [=](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      w.vgpr(0, lane) = 777;
      w.vgpr(1, lane) = lane + 1;
      w.vgpr(2, lane) = address(lane);
    }
    setPair(w, kExecLo, exec);
  };
}

/// `want` for active lanes; 777 elsewhere.
Registers expect(const std::string &what, uint64_t exec,
                 std::function<uint32_t(unsigned)> want) {
  return [=](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint32_t wanted = exec >> lane & 1 ? want(lane) : 777;
      tally().check(w.vgpr(0, lane) == wanted,
                    what + " in lane " + std::to_string(lane) + ": but got " +
                        std::to_string(w.vgpr(0, lane)) + ", expects " +
                        std::to_string(wanted));
    }
  };
}

uint32_t activeValue(unsigned lane, uint64_t exec) {
  return exec >> lane & 1 ? lane + 1 : 0;
}

void testPermutes() {
  for (uint64_t exec : {~uint64_t(0), kSomeLanes}) {
    // Byte addresses, modulo the wave; the low two bits do not count.
    auto reversed = [](unsigned lane) { return 4 * (63 - lane) + 256 + 3; };
    runWave("ds_bpermute_b32 v0, v2, v1\ns_waitcnt lgkmcnt(0)",
            lanes(reversed, exec),
            expect("ds_bpermute_b32", exec,
                   [=](unsigned l) { return activeValue(63 - l, exec); }));
    runWave("ds_bpermute_b32 v0, v2, v1 offset:8\ns_waitcnt lgkmcnt(0)",
            lanes([](unsigned l) { return 4 * l; }, exec),
            expect("ds_bpermute_b32 offset", exec, [=](unsigned l) {
              return activeValue((l + 2) % 64, exec);
            }));
    runWave("ds_permute_b32 v0, v2, v1\ns_waitcnt lgkmcnt(0)",
            lanes([](unsigned l) { return 4 * (l + 8); }, exec),
            expect("ds_permute_b32", exec, [=](unsigned l) {
              return activeValue((l + 56) % 64, exec);
            }));
  }
  // Two lanes of one destination: the higher one's value stays.
  runWave("ds_permute_b32 v0, v2, v1\ns_waitcnt lgkmcnt(0)",
          lanes([](unsigned l) { return 4 * (l / 2); }, ~0ull),
          expect("ds_permute_b32 with collisions", ~0ull,
                 [](unsigned l) { return l < 32 ? 2 * l + 2 : 0; }));
}

void testSwizzle() {
  struct {
    const char *offset;
    std::function<unsigned(unsigned)> from;
  } const cases[] = {
      {"swizzle(SWAP,16)", [](unsigned l) { return l ^ 16; }},
      {"swizzle(SWAP,1)", [](unsigned l) { return l ^ 1; }},
      {"swizzle(REVERSE,8)", [](unsigned l) { return l ^ 7; }},
      {"swizzle(BROADCAST,8,3)", [](unsigned l) { return (l & ~7u) + 3; }},
      {"swizzle(QUAD_PERM,2,3,0,1)", [](unsigned l) { return l ^ 2; }},
  };
  for (const auto &c : cases)
    for (uint64_t exec : {~uint64_t(0), kSomeLanes})
      runWave(std::string("ds_swizzle_b32 v0, v1 offset:") + c.offset +
                  "\ns_waitcnt lgkmcnt(0)",
              lanes([](unsigned) { return 0; }, exec),
              expect(c.offset, exec, [&, exec](unsigned l) {
                return activeValue(c.from(l), exec);
              }));
}

void testSingleLanes() {
  runWave(
      "v_readlane_b32 s0, v1, 9\nv_readlane_b32 s1, v1, s8\n"
      "v_readfirstlane_b32 s2, v1\nv_writelane_b32 v0, s8, 3",
      [](WaveRegisters &w) {
        lanes([](unsigned) { return 0; }, kSomeLanes)(w);
        w.sgpr(8) = 64 + 5;
      },
      [](WaveRegisters &w) {
        tally().check(w.sgpr(0) == 10, "v_readlane_b32");
        tally().check(w.sgpr(1) == 6, "v_readlane_b32 modulo the wave");
        tally().check(w.sgpr(2) == 5, "v_readfirstlane_b32");
        tally().check(w.vgpr(0, 3) == 69 && w.vgpr(0, 4) == 777,
                      "v_writelane_b32 ignores EXEC");
      });
  runWave("v_readfirstlane_b32 s2, v1", lanes([](unsigned) { return 0; }, 0),
          [](WaveRegisters &w) {
            tally().check(w.sgpr(2) == 1, "v_readfirstlane_b32, EXEC 0");
          });
  runWave("v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0",
          lanes([](unsigned) { return 0; }, ~0ull),
          expect("v_mbcnt", ~0ull, [](unsigned l) { return l; }));
  runWave(
      "v_cndmask_b32 v0, v1, v2, vcc",
      [](WaveRegisters &w) {
        lanes([](unsigned) { return 99; }, kSomeLanes)(w);
        setPair(w, kVccLo, 0x5555555555555555);
      },
      expect("v_cndmask_b32", kSomeLanes,
             [](unsigned l) { return l % 2 ? l + 1 : 99; }));
}

/// v0 packs the work-item's ids.
void testInitialState() {
  Snippet snippet;
  snippet.text = "s_nop 0";
  snippet.waves = 2;
  unsigned wave = 0;
  snippet.options.beforeWave = [&](WaveRegisters &w) {
    tally().check(w.vgpr(0, 5) == 64 * wave + 5,
                  "v0 of wave " + std::to_string(wave));
    tally().check(w.vgpr(1, 5) == kPoison && w.sgpr(50) == kPoison,
                  "registers start poisoned");
    ++wave;
  };
  tally().check(snippet.run().empty(), "initial state");
}

} // namespace

void emulator_test::testLanes() {
  testPermutes();
  testSwizzle();
  testSingleLanes();
  testInitialState();
}
