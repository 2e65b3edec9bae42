//===- Widths.cpp - Every width of every memory instruction ---------------===//

#include "Harness.h"
#include "llvm/Support/Error.h"
#include <cstring>

using namespace emulator_test;

namespace {

constexpr uint32_t kOld = 0xcccccccc;
constexpr unsigned kBytes = 4096, kStride = 16;

/// One kind of memory: how its instructions are written around a width, and the
/// wait.
struct Kind {
  std::string load, store, wait;
  std::string loadOperands, storeOperands; // around "$", the data
};
const Kind kKinds[] = {
    {"global_load_", "global_store_", "vmcnt(0)", "$, v0, s[0:1]",
     "v0, $, s[0:1]"},
    {"buffer_load_", "buffer_store_", "vmcnt(0)", "$, v0, s[4:7], 0 offen",
     "$, v0, s[4:7], 0 offen"},
    {"scratch_load_", "scratch_store_", "vmcnt(0)", "$, v1, off", "v1, $, off"},
    {"ds_read_", "ds_write_", "lgkmcnt(0)", "$, v0", "v0, $"},
};

std::string withData(const std::string &operands, unsigned reg,
                     unsigned count) {
  std::string data = "v" + std::to_string(reg);
  if (count > 1)
    data = "v[" + std::to_string(reg) + ":" + std::to_string(reg + count - 1) +
           "]";
  size_t at = operands.find('$');
  return operands.substr(0, at) + data + operands.substr(at + 1);
}

/// Runs `text` with v0 = 16 * lane, v1 = 0, v4..v7 = data of the lane, v8..v15
/// old.
void run(const std::string &text, Registers after) {
  Machine machine;
  uint64_t buffer = machine.memory().allocate(kBytes, "buffer");
  Snippet snippet;
  snippet.text = text;
  snippet.machine = &machine;
  snippet.ldsBytes = kBytes;
  snippet.scratchBytes = 64;
  snippet.options.beforeWave = [&](WaveRegisters &w) {
    setPair(w, 0, buffer);
    setPair(w, 4, buffer), w.sgpr(6) = kBytes, w.sgpr(7) = 0x00020000;
    for (unsigned lane = 0; lane < 64; ++lane) {
      w.vgpr(0, lane) = kStride * lane, w.vgpr(1, lane) = 0;
      for (unsigned r = 0; r < 4; ++r)
        w.vgpr(4 + r, lane) = 0x80c0a090 + 0x01010101 * (16 * r) + lane;
      for (unsigned r = 8; r < 16; ++r)
        w.vgpr(r, lane) = kOld;
    }
  };
  snippet.options.afterWave = std::move(after);
  std::string error = snippet.run();
  tally().check(error.empty(), text + ": " + error);
}

uint32_t dataOf(unsigned lane, unsigned r) {
  return 0x80c0a090 + 0x01010101 * (16 * r) + lane;
}

/// One to four dwords there and back.
void testDwords(const Kind &kind, const char *name, unsigned count) {
  std::string text =
      kind.store + name + " " + withData(kind.storeOperands, 4, count) +
      "\ns_waitcnt " + kind.wait + "\n" + kind.load + name + " " +
      withData(kind.loadOperands, 8, count) + "\ns_waitcnt " + kind.wait;
  run(text, [&](WaveRegisters &w) {
    bool ok = w.vgpr(8 + count, 5) == kOld;
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < count; ++r)
        ok &= w.vgpr(8 + r, lane) == dataOf(lane, r);
    tally().check(ok, text);
  });
}

/// A store of a part of v5 over v4, all read back.
void testPartialStore(const Kind &kind, const char *name, const char *dword,
                      uint32_t mask, unsigned shift) {
  std::string text =
      kind.store + dword + " " + withData(kind.storeOperands, 4, 1) + "\n" +
      kind.store + name + " " + withData(kind.storeOperands, 5, 1) +
      "\ns_waitcnt " + kind.wait + "\n" + kind.load + dword + " " +
      withData(kind.loadOperands, 8, 1) + "\ns_waitcnt " + kind.wait;
  run(text, [&](WaveRegisters &w) {
    uint32_t want = (dataOf(7, 0) & ~mask) | (dataOf(7, 1) >> shift & mask);
    tally().check(w.vgpr(8, 7) == want,
                  text + ": but got " + hex(w.vgpr(8, 7)));
  });
}

/// Loads of parts of v4.
void testPartialLoad(const Kind &kind, const char *name, const char *dword,
                     uint32_t (*want)(uint32_t)) {
  std::string text =
      kind.store + dword + " " + withData(kind.storeOperands, 4, 1) +
      "\ns_waitcnt " + kind.wait + "\n" + kind.load + name + " " +
      withData(kind.loadOperands, 8, 1) + "\ns_waitcnt " + kind.wait;
  run(text, [&](WaveRegisters &w) {
    tally().check(w.vgpr(8, 7) == want(dataOf(7, 0)),
                  text + ": but got " + hex(w.vgpr(8, 7)));
  });
}

struct Part {
  const char *name, *ds;
  uint32_t (*want)(uint32_t);
};
const Part kParts[] = {
    {"ubyte", "u8", [](uint32_t x) { return x & 0xff; }},
    {"sbyte", "i8", [](uint32_t x) { return uint32_t(int8_t(x)); }},
    {"ushort", "u16", [](uint32_t x) { return x & 0xffff; }},
    {"sshort", "i16", [](uint32_t x) { return uint32_t(int16_t(x)); }},
    {"ubyte_d16", "u8_d16", [](uint32_t x) { return 0xcccc0000 | (x & 0xff); }},
    {"ubyte_d16_hi", "u8_d16_hi",
     [](uint32_t x) { return 0xcccc | (x & 0xff) << 16; }},
    {"sbyte_d16", "i8_d16",
     [](uint32_t x) { return 0xcccc0000 | uint16_t(int8_t(x)); }},
    {"sbyte_d16_hi", "i8_d16_hi",
     [](uint32_t x) { return 0xcccc | uint32_t(int8_t(x)) << 16; }},
    {"short_d16", "u16_d16",
     [](uint32_t x) { return 0xcccc0000 | (x & 0xffff); }},
    {"short_d16_hi", "u16_d16_hi", [](uint32_t x) { return 0xcccc | x << 16; }},
};

void testKind(const Kind &kind) {
  bool ds = kind.load == "ds_read_";
  const char *dword = ds ? "b32" : "dword";
  testDwords(kind, dword, 1);
  testDwords(kind, ds ? "b64" : "dwordx2", 2);
  testDwords(kind, ds ? "b96" : "dwordx3", 3);
  testDwords(kind, ds ? "b128" : "dwordx4", 4);
  testPartialStore(kind, ds ? "b8" : "byte", dword, 0xff, 0);
  testPartialStore(kind, ds ? "b16" : "short", dword, 0xffff, 0);
  testPartialStore(kind, ds ? "b8_d16_hi" : "byte_d16_hi", dword, 0xff, 16);
  testPartialStore(kind, ds ? "b16_d16_hi" : "short_d16_hi", dword, 0xffff, 16);
  for (const Part &part : kParts)
    testPartialLoad(kind, ds ? part.ds : part.name, dword, part.want);
}

/// Two places 64 units apart.
void testStride64() {
  run("ds_write2st64_b64 v0, v[4:5], v[6:7] offset0:0 offset1:4\n"
      "ds_read2st64_b64 v[8:11], v0 offset0:4 offset1:0\n"
      "ds_read2st64_b32 v[12:13], v0 offset0:8 offset1:0\n"
      "s_waitcnt lgkmcnt(0)",
      [](WaveRegisters &w) {
        // Lanes 0 to 63 have 16 bytes each of the first KiB, and 2 KiB further.
        tally().check(
            w.vgpr(8, 3) == dataOf(3, 2) && w.vgpr(11, 3) == dataOf(3, 1) &&
                w.vgpr(12, 3) == dataOf(3, 2) && w.vgpr(13, 3) == dataOf(3, 0),
            "st64 forms");
      });
}

void testAtomics() {
  struct {
    const char *name;
    uint32_t a, b, result;
  } const cases[] = {
      {"add", 5, 7, 12},     {"sub", 5, 7, uint32_t(-2)},
      {"umax", 5, ~0u, ~0u}, {"umin", 5, ~0u, 5},
      {"smax", 5, ~0u, 5},   {"smin", 5, ~0u, ~0u},
      {"or", 5, 8, 13},      {"and", 5, 4, 4},
      {"swap", 5, 7, 7},     {"add_f32", 0x3f800000, 0x3f800000, 0x40000000},
  };
  for (const auto &c : cases) {
    std::string text = "v_mov_b32 v4, " + hex(c.a) + "\nv_mov_b32 v5, " +
                       hex(c.b) + "\nglobal_store_dword v0, v4, s[0:1]\n" +
                       "global_atomic_" + c.name + " v8, v0, v5, s[0:1] sc0\n" +
                       "global_load_dword v9, v0, s[0:1]\ns_waitcnt vmcnt(0)";
    run(text, [&](WaveRegisters &w) {
      tally().check(w.vgpr(8, 9) == c.a && w.vgpr(9, 9) == c.result,
                    text + ": but got " + hex(w.vgpr(9, 9)));
    });
  }
}

void testToLds() {
  run("global_store_dword v0, v4, s[0:1]\ns_movk_i32 m0, 0x40\n"
      "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, v2, v0\n"
      "v_addc_co_u32 v3, vcc, 0, v3, vcc\n"
      "global_load_lds_dword v[2:3], off\ns_waitcnt vmcnt(0)\n"
      "v_lshrrev_b32 v9, 2, v0\nds_read_b32 v8, v9 offset:64\n"
      "s_waitcnt lgkmcnt(0)",
      [](WaveRegisters &w) {
        tally().check(w.vgpr(8, 9) == dataOf(9, 0), "global_load_lds_dword");
      });
}

void testScalarWidths() {
  for (unsigned count : {8, 16}) {
    std::string name = "dwordx" + std::to_string(count);
    std::string to = "s[16:" + std::to_string(15 + count) + "]";
    for (std::string load :
         {"s_load_" + name + " " + to + ", s[0:1], 0x40",
          "s_buffer_load_" + name + " " + to + ", s[4:7], 0x40"})
      run("global_store_dwordx4 v0, v[4:7], s[0:1]\ns_waitcnt vmcnt(0)\n" +
              load + "\ns_waitcnt lgkmcnt(0)",
          [&](WaveRegisters &w) {
            bool ok = true;
            for (unsigned i = 0; i < count; ++i)
              ok &= w.sgpr(16 + i) == dataOf(4 + i / 4, i % 4);
            tally().check(ok, load);
          });
  }
  run("global_store_dwordx4 v0, v[4:7], s[0:1]\ns_waitcnt vmcnt(0)\n"
      "s_buffer_load_dwordx2 s[16:17], s[4:7], 0x10\n"
      "s_buffer_load_dwordx4 s[20:23], s[4:7], 0x20\ns_waitcnt lgkmcnt(0)",
      [](WaveRegisters &w) {
        tally().check(w.sgpr(17) == dataOf(1, 1) && w.sgpr(23) == dataOf(2, 3),
                      "s_buffer_load_dwordx2, x4");
      });
}

} // namespace

void emulator_test::testWidths() {
  for (const Kind &kind : kKinds)
    testKind(kind);
  testStride64();
  testAtomics();
  testToLds();
  testScalarWidths();
}
