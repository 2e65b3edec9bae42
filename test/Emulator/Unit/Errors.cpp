//===- Errors.cpp - What the emulator refuses -----------------------------===//

#include "Harness.h"
#include "llvm/Support/Error.h"

using namespace emulator_test;

namespace {

/// v0 = 4 * work-item in the workgroup, v1 = 4 * (255 - it): other waves'
/// dwords.
const char *const kLdsSetup = "v_lshlrev_b32 v0, 2, v0\ns_movk_i32 s0, 0x3fc\n"
                              "v_sub_u32 v1, s0, v0\n";

Snippet ldsSnippet(const std::string &text, unsigned waves = 4) {
  Snippet snippet;
  snippet.text = kLdsSetup + text;
  snippet.waves = waves;
  snippet.ldsBytes = 1024;
  return snippet;
}

const attn::gfx942::Interleaving kOrders[] = {
    attn::gfx942::Interleaving::Forward, attn::gfx942::Interleaving::Reverse,
    attn::gfx942::Interleaving::Random};

void expectErrorInAnyOrder(Snippet snippet, const std::string &part) {
  for (auto order : kOrders)
    for (uint64_t seed : {1, 2, 3}) {
      snippet.options.interleaving = order;
      snippet.options.seed = seed;
      expectError(snippet, part);
    }
}
void expectNoErrorInAnyOrder(Snippet snippet) {
  for (auto order : kOrders)
    for (uint64_t seed : {1, 2, 3}) {
      snippet.options.interleaving = order;
      snippet.options.seed = seed;
      std::string error = snippet.run();
      tally().check(error.empty(), snippet.text + ": " + error);
    }
}

void testRaces() {
  const std::string wait = "\ns_waitcnt lgkmcnt(0)\n";
  const std::string write = "ds_write_b32 v0, v0", read = "ds_read_b32 v2, v1";
  const std::string barrier = "s_barrier\n";
  expectNoErrorInAnyOrder(ldsSnippet(write + wait + barrier + read + wait +
                                     barrier + write + wait));
  // Read after write, write after read, write after write.
  expectErrorInAnyOrder(ldsSnippet(write + wait + read + wait), "race on LDS");
  expectErrorInAnyOrder(
      ldsSnippet(write + wait + barrier + read + wait + write + wait),
      "race on LDS");
  expectErrorInAnyOrder(ldsSnippet(write + "\nds_write_b32 v1, v0" + wait),
                        "race on LDS");
  // A barrier, but no wait before it: the write may be late, or the read.
  expectErrorInAnyOrder(ldsSnippet(write + "\n" + barrier + read + wait),
                        "race on LDS");
  expectErrorInAnyOrder(
      ldsSnippet(write + wait + barrier + read + "\n" + barrier + write + wait),
      "race on LDS");
  // One wave is in order with itself.
  expectNoErrorInAnyOrder(
      ldsSnippet(write + "\nds_read_b32 v2, v0\n" + write + wait));
}

void testWaits() {
  Snippet snippet = ldsSnippet("ds_read_b32 v2, v0\nv_mov_b32 v3, v2", 1);
  expectError(snippet, "reads v2, which is pending by 'ds_read_b32 v2, v0'");
  snippet.text = std::string(kLdsSetup) +
                 "ds_read_b32 v2, v0\nds_read_b32 v3, v0\n"
                 "s_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2\nv_mov_b32 v4, v3";
  expectError(snippet, "reads v3, which is pending");
  snippet.text = std::string(kLdsSetup) + "ds_read_b32 v2, v0\nv_mov_b32 v2, 0";
  expectError(snippet, "writes v2, which is pending");
  snippet.text = std::string(kLdsSetup) + "ds_read_b32 a2, v0\n"
                                          "v_accvgpr_read_b32 v2, a2";
  expectError(snippet, "reads a2, which is pending");
}

/// `text` with a buffer of 256 bytes at s[0:1] and as a V# of `records` bytes.
void expectMemoryError(const std::string &text, uint32_t records,
                       const std::string &part, bool readOnly = false) {
  Machine machine;
  uint64_t buffer = machine.memory().allocate(256, "tile", readOnly);
  Snippet snippet;
  snippet.text = text;
  snippet.machine = &machine;
  snippet.ldsBytes = 1024;
  snippet.options.beforeWave = [&](WaveRegisters &w) {
    setPair(w, 0, buffer);
    setPair(w, 4, buffer), w.sgpr(6) = records, w.sgpr(7) = 0x00020000;
    for (unsigned lane = 0; lane < 64; ++lane)
      w.vgpr(0, lane) = 4 * lane;
  };
  expectError(snippet, part);
}

void testMemory() {
  const std::string wait = "\ns_waitcnt vmcnt(0)";
  expectMemoryError("s_load_dword s8, s[0:1], 0x0\ns_mov_b32 s9, s8", 0,
                    "uses s8, which is pending by 's_load_dword");
  // Scalar loads return in any order: lgkmcnt(1) completes neither.
  expectMemoryError(
      "s_load_dword s8, s[0:1], 0x0\ns_load_dword s9, s[0:1], 0x4\n"
      "s_waitcnt lgkmcnt(1)\ns_mov_b32 s10, s8",
      0, "uses s8, which is pending");
  // Nor a DS instruction before a scalar load.
  expectMemoryError("ds_read_b32 v2, v0\ns_load_dword s9, s[0:1], 0x4\n"
                    "s_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v2",
                    0, "reads v2, which is pending");
  expectMemoryError("global_load_dword v2, v0, s[0:1]\nv_mov_b32 v3, v2", 0,
                    "no s_waitcnt vmcnt completed it");
  expectMemoryError("global_load_dword v2, v0, s[0:1] offset:4" + wait, 0,
                    "lane 63: load of 4 bytes at");
  expectMemoryError("global_load_dword v2, v0, s[0:1] offset:4" + wait, 0,
                    "0 bytes past the end of 'tile' (256 bytes");
  expectMemoryError("global_store_dword v0, v0, s[0:1] offset:-4" + wait, 0,
                    "4 bytes before 'tile'");
  expectMemoryError("global_load_dword v2, v0, s[0:1] offset:2" + wait, 0,
                    "misaligned access of 4 bytes");
  expectMemoryError(
      "s_mov_b64 s[0:1], 0x1000\nglobal_load_dword v2, v0, s[0:1]", 0,
      "in no buffer");
  expectMemoryError("global_store_dword v0, v0, s[0:1]", 0,
                    "bytes into read-only 'tile'", /*readOnly=*/true);
  // A V# that claims more than the buffer has.
  expectMemoryError("buffer_load_dword v2, v0, s[4:7], 0 offen offset:16" +
                        wait,
                    512, "past the end of 'tile'");
  expectMemoryError("s_movk_i32 s8, 128\n"
                    "buffer_load_dword v2, v0, s[4:7], s8 offen" +
                        wait,
                    256, "depends on soffset");
  // Loads to LDS are there only after vmcnt.
  expectMemoryError("s_mov_b32 m0, 0x400\n"
                    "buffer_load_dword v0, s[4:7], 0 offen lds" +
                        wait,
                    256, "LDS access out of range");
}

void testLdsBounds() {
  expectError(ldsSnippet("ds_read_b32 v2, v0 offset:1024", 1),
              "LDS access out of range: 4 bytes at 1024 of 1024");
  expectError(
      ldsSnippet("ds_read_b32 v2, v0 offset:2", 1),
      "misaligned LDS access: 4 bytes at 2, but expected a multiple of 4");
  expectError(ldsSnippet("ds_read_b64 v[2:3], v0", 1),
              "expected a multiple of 8");
  expectError(ldsSnippet("ds_write_b128 v0, v[2:5]", 1),
              "expected a multiple of 16");
}

void testLaunches() {
  Snippet unknown;
  unknown.text = "s_nop 0\nv_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]";
  expectError(unknown,
              "pc 0x4 'v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]': the "
              "emulator has no semantics for 'v_mqsad_u32_u8'");
  // A buffer instruction with a literal, which it cannot have.
  Snippet reserved;
  reserved.text = "s_nop 0\n.long 0xe0787a36, 0xfff7c837";
  expectError(reserved, "pc 0x4 '<not an instruction of gfx942>'");
  Snippet endless;
  endless.text = ".Lloop:\ns_branch .Lloop";
  endless.options.maxInstructions = 1000;
  expectError(endless, "1000 wave instructions without an end");
  Snippet many;
  many.text = "s_nop 0";
  many.waves = 5;
  expectError(many, "do not fit 512");
  Snippet lds;
  lds.text = "s_nop 0";
  lds.ldsBytes = 65540;
  expectError(lds, "at most 65536 bytes of LDS, but got 65540");
  Snippet drop;
  drop.text = "s_barrier";
  drop.options.dropBarrier = 1;
  expectError(drop, "cannot delete s_barrier 1: the kernel has 1");
  Snippet flush;
  flush.text = "s_nop 0";
  flush.denormMode = 0x3;
  expectError(flush, "does not flush denormals of f16 and f64");
  Snippet rounding;
  rounding.text = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3";
  expectError(rounding, "no rounding mode");
}

/// A barrier that is not reached counts 0; a deleted one counts what it would.
void testBarrierCounts() {
  Snippet snippet;
  snippet.text = "s_barrier\ns_branch .Lend\ns_barrier\n.Lend:\ns_barrier";
  snippet.waves = 3;
  for (bool drop : {false, true}) {
    if (drop)
      snippet.options.dropBarrier = 2;
    Counters counters;
    std::string error = snippet.run(&counters);
    tally().check(error.empty() && counters.barrierExecutions ==
                                       std::vector<uint64_t>{3, 0, 3},
                  "executions of barriers " + error);
  }
}

/// What is no code object is refused with a reason.
void testFiles() {
  auto refused = [](llvm::StringRef bytes, llvm::StringRef part) {
    auto object = CodeObject::load(bytes, "file");
    std::string error = object ? "" : llvm::toString(object.takeError());
    tally().check(llvm::StringRef(error).contains(part),
                  "expected '" + part.str() + "', but got '" + error + "'");
  };
  refused("", "not an ELF file");
  refused("not an object at all, but long enough to have a header of 64 bytes",
          "not an ELF file");
  std::string elf("\x7f"
                  "ELF\2\1\1",
                  7);
  elf.resize(64);
  elf[18] = 62; // x86-64
  refused(elf, "not an AMDGPU code object (e_machine 62)");
}

} // namespace

void emulator_test::testErrors() {
  testRaces();
  testWaits();
  testMemory();
  testLdsBounds();
  testLaunches();
  testBarrierCounts();
  testFiles();
}
