//===- ScalarControl.cpp - SOPP, mode register, program counter -----------===//
//
// CDNA3 ISA, sections 4 (program flow control) and 12.5 (SOPP).
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "Wave.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

template <typename F> Handler branchIf(F condition) {
  return [condition](Wave &w, const Inst &i) {
    if (condition(w))
      w.jump(i);
  };
}

/// gfx9: vmcnt in bits 15:14 and 3:0, expcnt 6:4, lgkmcnt 11:8.
void waitcnt(Wave &w, const Inst &i) {
  unsigned imm = i.imms[0];
  unsigned vmcnt = (imm & 0xf) | (imm >> 14 & 3) << 4;
  unsigned lgkmcnt = imm >> 8 & 0xf;
  if (vmcnt != 63)
    w.waitVmem(vmcnt);
  if (lgkmcnt != 15)
    w.waitLgkm(lgkmcnt);
}

void barrier(Wave &w, const Inst &i) {
  ++w.group.counters.barrierExecutions[i.ordinal];
  w.state = WaveState::AtBarrier;
}

void endProgram(Wave &w, const Inst &) {
  w.drain();
  w.state = WaveState::Ended;
}

struct HardwareRegister {
  unsigned id, offset, width;
  explicit HardwareRegister(unsigned imm)
      : id(imm & 0x3f), offset(imm >> 6 & 31), width((imm >> 11 & 31) + 1) {}
  uint32_t mask() const {
    return uint32_t(((uint64_t(1) << width) - 1) << offset);
  }
};
constexpr unsigned kModeRegister = 1;

bool checkMode(Wave &w, const HardwareRegister &hw) {
  if (hw.id == kModeRegister)
    return true;
  w.fail("the emulator has no hardware register " + Twine(hw.id));
  return false;
}

void getreg(Wave &w, const Inst &i) {
  HardwareRegister hw(i.imms.back());
  if (checkMode(w, hw))
    w.write32(i.ops[0], (w.mode & hw.mask()) >> hw.offset);
}

void setMode(Wave &w, const HardwareRegister &hw, uint32_t value) {
  if (!checkMode(w, hw))
    return;
  w.mode = (w.mode & ~hw.mask()) | (value << hw.offset & hw.mask());
  if (w.mode & 0xf)
    w.fail("the emulator has no rounding mode but to nearest even");
}

void setreg(Wave &w, const Inst &i) {
  setMode(w, HardwareRegister(i.imms.back()), w.read32(i.ops[0]));
}
void setregImm(Wave &w, const Inst &i) {
  // The operands of the MCInst: the literal, then the register.
  setMode(w, HardwareRegister(i.imms[1]), i.imms[0]);
}

/// The index of the instruction at a device address, for s_setpc_b64.
void jumpTo(Wave &w, uint64_t address) {
  const auto &indexOf = w.group.program->indexOf;
  auto it = indexOf.find(address - w.group.codeBase);
  if (it == indexOf.end())
    return w.fail("jumps out of the kernel: " +
                  w.group.memory->describe(address));
  w.pc = it->second;
}

uint64_t nextAddress(const Wave &w, const Inst &i) {
  return w.group.codeBase + i.pc + i.size;
}

void addProgramCounter(SemanticsTable &t) {
  const InstClass c = InstClass::Branch;
  t.add("s_getpc_b64", InstClass::Salu,
        [](Wave &w, const Inst &i) { w.write64(i.ops[0], nextAddress(w, i)); });
  t.add("s_setpc_b64", c,
        [](Wave &w, const Inst &i) { jumpTo(w, w.read64(i.ops[0])); });
  t.add("s_swappc_b64", c, [](Wave &w, const Inst &i) {
    uint64_t to = w.read64(i.ops[1]);
    w.write64(i.ops[0], nextAddress(w, i));
    jumpTo(w, to);
  });
  t.add("s_branch", c, branchIf([](Wave &) { return true; }));
  t.add("s_cbranch_scc0", c, branchIf([](Wave &w) { return !w.sccBit; }));
  t.add("s_cbranch_scc1", c, branchIf([](Wave &w) { return w.sccBit; }));
  t.add("s_cbranch_vccz", c, branchIf([](Wave &w) { return w.vcc() == 0; }));
  t.add("s_cbranch_vccnz", c, branchIf([](Wave &w) { return w.vcc() != 0; }));
  t.add("s_cbranch_execz", c, branchIf([](Wave &w) { return w.exec() == 0; }));
  t.add("s_cbranch_execnz", c, branchIf([](Wave &w) { return w.exec() != 0; }));
}

} // namespace

void attn::gfx942::addScalarControl(SemanticsTable &t) {
  addProgramCounter(t);
  t.add("s_waitcnt", InstClass::Waitcnt, waitcnt);
  t.add("s_barrier", InstClass::Barrier, barrier);
  t.add("s_endpgm", InstClass::Other, endProgram);
  t.add("s_getreg_b32", InstClass::Salu, getreg);
  t.add("s_setreg_b32", InstClass::Salu, setreg);
  t.add("s_setreg_imm32_b32", InstClass::Salu, setregImm);
  // No effect on values: priorities, hints, caches.
  for (StringRef name :
       {"s_nop", "s_setprio", "s_sleep", "s_icache_inv", "s_dcache_inv",
        "s_dcache_wb", "buffer_wbl2", "buffer_inv"})
    t.add(name, InstClass::Other, [](Wave &, const Inst &) {});
}
