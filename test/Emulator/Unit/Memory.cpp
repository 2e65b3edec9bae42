//===- Memory.cpp - LDS, buffers, global, scratch, scalar loads -----------===//

#include "Harness.h"
#include "llvm/Support/Error.h"

using namespace emulator_test;

namespace {

const uint64_t kAll = ~uint64_t(0);

/// v0 = lane * stride + base.
Registers addresses(uint32_t stride, uint32_t base = 0, uint64_t exec = kAll) {
  return [=](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      w.vgpr(0, lane) = lane * stride + base;
      for (unsigned r = 2; r <= 5;
           ++r) // data in v2..v5, destination in v8..v11
        w.vgpr(r, lane) = 1000 * (r - 1) + lane;
      for (unsigned r = 8; r < 12; ++r)
        w.vgpr(r, lane) = 0xcccccccc;
    }
    setPair(w, kExecLo, exec);
  };
}

void runLds(const std::string &text, Registers before, Registers after) {
  Snippet snippet;
  snippet.text = text;
  snippet.ldsBytes = 4096;
  snippet.options.beforeWave = std::move(before);
  snippet.options.afterWave = std::move(after);
  std::string error = snippet.run();
  tally().check(error.empty(), text + ": " + error);
}

/// Expects v8.. of every lane to be want(lane, n).
Registers destination(const std::string &what, unsigned count,
                      std::function<uint32_t(unsigned, unsigned)> want) {
  return [=](WaveRegisters &w) {
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned n = 0; n < count; ++n)
        tally().check(w.vgpr(8 + n, lane) == want(lane, n),
                      what + ": lane " + std::to_string(lane) + " but got " +
                          hex(w.vgpr(8 + n, lane)) + ", expects " +
                          hex(want(lane, n)));
  };
}

uint32_t data(unsigned lane, unsigned n) { return 1000 * (n + 1) + lane; }

void testLdsWidths() {
  const std::string wait = "\ns_waitcnt lgkmcnt(0)\n";
  runLds("ds_write_b32 v0, v2 offset:8\nds_read_b32 v8, v0 offset:8" + wait,
         addresses(4), destination("b32", 1, data));
  runLds("ds_write_b64 v0, v[2:3]\nds_read_b64 v[8:9], v0" + wait, addresses(8),
         destination("b64", 2, data));
  runLds("ds_write_b128 v0, v[2:5]\nds_read_b128 v[8:11], v0" + wait,
         addresses(16), destination("b128", 4, data));
  runLds("ds_write2_b32 v0, v2, v3 offset0:0 offset1:64\n"
         "ds_read2_b32 v[8:9], v0 offset0:64 offset1:0" +
             wait,
         addresses(4), destination("read2_b32", 2, [](unsigned l, unsigned n) {
           return data(l, 1 - n);
         }));
  runLds("ds_write2st64_b32 v0, v2, v3 offset0:1 offset1:2\n"
         "ds_read_b32 v8, v0 offset:256\nds_read_b32 v9, v0 offset:512" +
             wait,
         addresses(4), destination("write2st64_b32", 2, data));
  runLds("ds_write2_b64 v0, v[2:3], v[4:5] offset0:0 offset1:64\n"
         "ds_read2_b64 v[8:11], v0 offset0:0 offset1:64" +
             wait,
         addresses(8), destination("read2_b64", 4, data));
  // An accumulation register as data and destination.
  runLds("v_accvgpr_write_b32 a5, v2\ns_nop 1\nds_write_b32 v0, a5\n"
         "ds_read_b32 a6, v0" +
             wait + "v_accvgpr_read_b32 v8, a6",
         addresses(4), destination("AGPRs", 1, data));
}

void testLdsParts() {
  const std::string wait = "\ns_waitcnt lgkmcnt(0)";
  runLds("v_or_b32 v2, 0xf0008000, v2\nds_write_b32 v0, v2\n"
         "ds_read_u16 v8, v0\nds_read_i16 v9, v0\nds_read_u16_d16 v10, v0\n"
         "ds_read_u16_d16_hi v11, v0" +
             wait,
         addresses(4), [](WaveRegisters &w) {
           uint32_t x = (0xf0008000 | data(3, 0)) & 0xffff;
           tally().check(w.vgpr(8, 3) == x, "u16");
           tally().check(w.vgpr(9, 3) == (x | 0xffff0000), "i16");
           tally().check(w.vgpr(10, 3) == (0xcccc0000 | x), "u16_d16");
           tally().check(w.vgpr(11, 3) == (0xcccc | x << 16), "u16_d16_hi");
         });
  runLds("v_mov_b32 v2, 0xaabbccdd\nv_mov_b32 v3, 0\nds_write_b32 v0, v3\n"
         "ds_write_b8 v0, v2\nds_write_b16_d16_hi v0, v2 offset:2\n"
         "ds_read_b32 v8, v0\nds_read_u8 v9, v0\nds_read_i8 v10, v0" +
             wait,
         addresses(4), [](WaveRegisters &w) {
           tally().check(w.vgpr(8, 3) == 0xaabb00dd, "b8, b16_d16_hi");
           tally().check(w.vgpr(9, 3) == 0xdd, "u8");
           tally().check(w.vgpr(10, 3) == 0xffffffdd, "i8");
         });
  // Inactive lanes neither write nor are written.
  runLds("ds_write_b32 v0, v2\ns_mov_b64 exec, -1\nds_read_b32 v8, v0" + wait,
         addresses(4, 0, 0xff), [](WaveRegisters &w) {
           tally().check(w.vgpr(8, 3) == data(3, 0) && w.vgpr(8, 8) == kPoison,
                         "LDS starts poisoned, inactive lanes do not write");
         });
}

struct BankCase {
  const char *text;
  uint32_t stride;
  unsigned cycles, conflicts;
};

void testBanks() {
  const BankCase cases[] = {
      {"ds_read_b32 v8, v0", 4, 2, 0},
      {"ds_read_b32 v8, v0", 8, 4, 2},
      {"ds_read_b32 v8, v0", 128, 64, 62},
      {"ds_read_b32 v8, v0", 0, 2, 0},
      {"ds_read_b64 v[8:9], v0", 8, 4, 0},
      {"ds_read_b128 v[8:11], v0", 16, 8, 0},
      {"ds_read_b128 v[8:11], v0", 128, 64, 56},
      {"ds_write_b128 v0, v[2:5]", 16, 8, 0},
      // Rows of 64 bytes: eight lanes of a write's phase meet in pairs of
      // banks.
      {"ds_write_b128 v0, v[2:5]", 64, 32, 24},
  };
  for (const BankCase &c : cases) {
    Snippet snippet;
    snippet.text = std::string(c.text) + "\ns_waitcnt lgkmcnt(0)";
    snippet.ldsBytes = 16384;
    snippet.options.beforeWave = addresses(c.stride);
    Counters counters;
    std::string error = snippet.run(&counters);
    tally().check(error.empty() && counters.ldsCycles == c.cycles &&
                      counters.ldsConflictCycles == c.conflicts,
                  std::string(c.text) + " of stride " +
                      std::to_string(c.stride) + ": " +
                      std::to_string(counters.ldsCycles) + " cycles, " +
                      std::to_string(counters.ldsConflictCycles) +
                      " of conflicts " + error);
  }
}

//===----------------------------------------------------------------------===//
// Global memory and buffers
//===----------------------------------------------------------------------===//

constexpr unsigned kDwords = 1024;

/// A machine with a buffer of dwords 0x5000 + i.
struct Device {
  Machine machine;
  uint64_t buffer;

  Device() : buffer(machine.memory().allocate(4 * kDwords, "buffer")) {
    for (uint32_t i = 0; i < kDwords; ++i)
      store(i, 0x5000 + i);
  }
  void store(uint32_t i, uint32_t x) {
    uint8_t bytes[4];
    std::memcpy(bytes, &x, 4);
    llvm::cantFail(machine.memory().write(buffer + 4 * i, bytes));
  }
  uint32_t load(uint32_t i) {
    uint8_t bytes[4];
    llvm::cantFail(machine.memory().read(buffer + 4 * i, bytes));
    uint32_t x;
    std::memcpy(&x, bytes, 4);
    return x;
  }
  /// Runs `text` with the buffer's address in s[0:1] (+ 256 bytes in s[2:3])
  /// and as V# of `records` bytes in s[4:7], and 64-bit addresses of lane * 4
  /// in v[6:7].
  void run(const std::string &text, uint32_t records, Registers before,
           Registers after, Counters *counters = nullptr) {
    Snippet snippet;
    snippet.text = text;
    snippet.ldsBytes = 4096;
    snippet.machine = &machine;
    snippet.options.beforeWave = [&](WaveRegisters &w) {
      setPair(w, 0, buffer), setPair(w, 2, buffer + 256);
      setPair(w, 4, buffer), w.sgpr(6) = records, w.sgpr(7) = 0x00020000;
      before(w);
      for (unsigned lane = 0; lane < 64; ++lane) {
        w.vgpr(6, lane) = uint32_t(buffer + 4 * lane);
        w.vgpr(7, lane) = uint32_t((buffer + 4 * lane) >> 32);
      }
    };
    snippet.options.afterWave = std::move(after);
    std::string error = snippet.run(counters);
    tally().check(error.empty(), text + ": " + error);
  }
};

void testGlobal() {
  Device device;
  const std::string wait = "\ns_waitcnt vmcnt(0)";
  auto dword = [](unsigned i) { return 0x5000 + i; };
  device.run("global_load_dword v8, v0, s[2:3] offset:-256" + wait, 0,
             addresses(4),
             destination("global_load_dword, saddr", 1,
                         [&](unsigned l, unsigned) { return dword(l); }));
  device.run("global_load_dword v8, v[6:7], off offset:8" + wait, 0,
             addresses(4),
             destination("global_load_dword, vaddr", 1,
                         [&](unsigned l, unsigned) { return dword(l + 2); }));
  Counters counters;
  device.run(
      "global_load_dwordx4 v[8:11], v0, s[0:1]" + wait, 0, addresses(16),
      destination("global_load_dwordx4", 4,
                  [&](unsigned l, unsigned n) { return dword(4 * l + n); }),
      &counters);
  tally().check(counters.globalLoadBytes == 1024 &&
                    counters.globalLoadLines == 8,
                "bytes and lines of a contiguous load");
  device.run(
      "global_load_dword v8, v0, s[0:1]" + wait, 0, addresses(128, 0, 0xff),
      [](WaveRegisters &) {}, &counters);
  tally().check(counters.globalLoadBytes == 32 && counters.globalLoadLines == 8,
                "bytes and lines of a strided load");
  device.run("global_load_ushort v8, v0, s[0:1]\n"
             "global_load_short_d16_hi v9, v0, s[0:1]\n"
             "global_load_sbyte v10, v0, s[0:1] offset:1" +
                 wait,
             0, addresses(4), [&](WaveRegisters &w) {
               tally().check(w.vgpr(8, 2) == dword(2), "ushort");
               tally().check(w.vgpr(9, 2) == (dword(2) << 16 | 0xcccc),
                             "short_d16_hi");
               tally().check(w.vgpr(10, 2) == 0x50, "sbyte");
             });
  device.run("global_store_dwordx2 v0, v[2:3], s[0:1] offset:1024\n"
             "global_store_short_d16_hi v0, v4, s[0:1]\ns_waitcnt vmcnt(0)",
             0, addresses(8, 0, 0xf), [](WaveRegisters &) {});
  tally().check(device.load(256 + 2 * 3) == data(3, 0) &&
                    device.load(256 + 2 * 3 + 1) == data(3, 1),
                "global_store_dwordx2");
  tally().check(device.load(256 + 2 * 4) == dword(256 + 2 * 4),
                "inactive lanes do not store");
  tally().check(device.load(2) == (dword(2) & 0xffff0000),
                "global_store_short_d16_hi");
  device.run("global_atomic_add v8, v0, v2, s[0:1] offset:2048 sc0" + wait, 0,
             addresses(0, 0, 0x3), [&](WaveRegisters &w) {
               tally().check(w.vgpr(8, 0) == dword(512) &&
                                 w.vgpr(8, 1) == dword(512) + data(0, 0),
                             "global_atomic_add returns the old value");
             });
  tally().check(device.load(512) == dword(512) + data(0, 0) + data(1, 0),
                "global_atomic_add");
}

void testBuffers() {
  Device device;
  const std::string wait = "\ns_waitcnt vmcnt(0)";
  auto dword = [](unsigned i) { return 0x5000 + i; };
  device.run("buffer_load_dword v8, v0, s[4:7], 0 offen offset:4" + wait, 4096,
             addresses(4),
             destination("buffer_load_dword", 1,
                         [&](unsigned l, unsigned) { return dword(l + 1); }));
  // 200 bytes are 50 dwords: lane 12 has two of its four in bounds.
  device.run(
      "buffer_load_dwordx4 v[8:11], v0, s[4:7], 0 offen" + wait, 200,
      addresses(16),
      destination("bounds of each dword", 4, [&](unsigned l, unsigned n) {
        unsigned i = 4 * l + n;
        return i < 50 ? dword(i) : 0;
      }));
  device.run(
      "s_movk_i32 s8, 64\n"
      "buffer_load_dword v8, off, s[4:7], s8 offset:4" +
          wait,
      4096, addresses(4),
      destination("soffset", 1, [&](unsigned, unsigned) { return dword(17); }));
  device.run("buffer_load_dwordx2 a[0:1], v0, s[4:7], 0 offen" + wait +
                 "\nv_accvgpr_read_b32 v8, a1",
             4096, addresses(8),
             destination("AGPRs", 1, [&](unsigned l, unsigned) {
               return dword(2 * l + 1);
             }));
  device.run("buffer_store_dword v2, v0, s[4:7], 0 offen" + wait, 100,
             addresses(4), [](WaveRegisters &) {});
  tally().check(device.load(24) == data(24, 0) && device.load(25) == dword(25),
                "a store out of bounds is dropped");
  // To LDS: M0 + offset + 4 * lane, whatever the address's order.
  device.run(
      "s_movk_i32 m0, 0x100\n"
      "buffer_load_dword v0, s[4:7], 0 offen offset:16 lds" +
          wait +
          "\nv_mbcnt_lo_u32_b32 v2, -1, 0\nv_mbcnt_hi_u32_b32 v2, -1, v2\n"
          "v_lshlrev_b32 v2, 2, v2\nds_read_b32 v8, v2 offset:272\n"
          "s_waitcnt lgkmcnt(0)",
      4096, addresses(uint32_t(-4), 63 * 4 + 1024),
      destination("load to LDS", 1, [&](unsigned l, unsigned) {
        return dword(63 - l + 256 + 4);
      }));
}

void testScratch() {
  Snippet snippet;
  snippet.text =
      "scratch_store_dwordx2 off, v[2:3], s0 offset:8\n"
      "s_waitcnt vmcnt(0)\nscratch_load_dword v8, off, s0 offset:12\n"
      "s_waitcnt vmcnt(0)";
  snippet.scratchBytes = 32;
  snippet.options.beforeWave = [](WaveRegisters &w) {
    addresses(4)(w);
    w.sgpr(0) = 4;
  };
  snippet.options.afterWave = destination(
      "scratch", 1, [](unsigned l, unsigned) { return data(l, 1); });
  tally().check(snippet.run().empty(), "scratch");
}

} // namespace

void emulator_test::testLds() {
  testLdsWidths();
  testLdsParts();
  testBanks();
}

void emulator_test::testVectorMemory() {
  testGlobal();
  testBuffers();
  testScratch();
}

void emulator_test::testScalarMemory() {
  Device device;
  device.run("s_load_dwordx4 s[8:11], s[0:1], 0x10\ns_movk_i32 s16, 0x20\n"
             "s_load_dwordx2 s[12:13], s[0:1], s16\n"
             "s_load_dword s14, s[2:3], -0x4\n"
             "s_buffer_load_dword s15, s[4:7], 0x8\ns_waitcnt lgkmcnt(0)",
             4096, addresses(4), [](WaveRegisters &w) {
               tally().check(w.sgpr(8) == 0x5004 && w.sgpr(11) == 0x5007,
                             "s_load_dwordx4");
               tally().check(w.sgpr(12) == 0x5008 && w.sgpr(13) == 0x5009,
                             "s_load_dwordx2 with an SGPR");
               tally().check(w.sgpr(14) == 0x503f, "a negative offset");
               tally().check(w.sgpr(15) == 0x5002, "s_buffer_load_dword");
             });
}
