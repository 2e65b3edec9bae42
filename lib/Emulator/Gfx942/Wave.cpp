//===- Wave.cpp - A wave's registers, queues and main loop ----------------===//

#include "Wave.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn::gfx942;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t Wave::read32(const Operand &op) const {
  switch (op.kind) {
  case Operand::Scalar:
    return s[op.reg];
  case Operand::Float:
    return bit_cast<uint32_t>(float(op.fp));
  case Operand::Scc:
    return sccBit;
  case Operand::Vccz:
    return vcc() == 0;
  case Operand::Execz:
    return exec() == 0;
  default:
    return uint32_t(op.bits);
  }
}

uint64_t Wave::read64(const Operand &op) const {
  switch (op.kind) {
  case Operand::Scalar:
    return s64At(op.reg);
  case Operand::Float:
    return bit_cast<uint64_t>(op.fp);
  case Operand::Integer:
  case Operand::Literal:
    return op.bits;
  default:
    return read32(op);
  }
}

void Wave::write32(const Operand &op, uint32_t value) { s[op.reg] = value; }
void Wave::write64(const Operand &op, uint64_t value) {
  setS64At(op.reg, value);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void Wave::fail(const Twine &message) {
  if (failed())
    return;
  std::string where = "workgroup (" + std::to_string(group.id.x) + ", " +
                      std::to_string(group.id.y) + ", " +
                      std::to_string(group.id.z) + ") wave " +
                      std::to_string(index);
  if (inst)
    where += " pc 0x" + utohexstr(inst->pc, true) + " '" + inst->text + "'";
  group.error = where + ": " + message.str();
}

void Wave::jump(const Inst &branch) {
  if (branch.target < 0)
    return fail("branches out of the kernel or into an instruction");
  pc = branch.target;
}

uint64_t Wave::run(uint64_t budget, bool trace) {
  const auto &insts = group.program->insts;
  uint64_t executed = 0;
  while (executed < budget && state == WaveState::Running && !failed()) {
    if (pc >= insts.size()) {
      fail("runs past the end of the kernel's code");
      break;
    }
    inst = &insts[pc++];
    if (vectorsPending || !scalarLoads.empty())
      checkPending(*inst);
    if (trace)
      errs() << "wave " << index << " " << utohexstr(inst->pc, true) << ": "
             << inst->text << "\n";
    if (!inst->handler) {
      fail("the emulator has no semantics for '" + inst->name + "'");
      break;
    }
    ++executed;
    ++group.counters.of(inst->cls);
    inst->handler(*this, *inst);
  }
  return executed;
}

//===----------------------------------------------------------------------===//
// Pending registers
//===----------------------------------------------------------------------===//

static std::string vectorName(unsigned reg) {
  return reg < kFirstAgpr ? "v" + std::to_string(reg)
                          : "a" + std::to_string(reg - kFirstAgpr);
}

void Wave::checkVectorPending(const Inst &inst, const Operand &op, bool isDef) {
  for (unsigned r = op.reg; r < unsigned(op.reg + op.count); ++r) {
    // A queue returns in order: a later load may replace an earlier one.
    bool vm = vmemPending[r] && !(isDef && inst.isVmemLoad);
    bool lds = ldsPending[r] && !(isDef && inst.isLdsRead);
    if (!vm && !lds)
      continue;
    const auto &queue = vm ? vmem : ldsQueue;
    std::string by;
    for (const MemOp &pending : queue)
      if (r >= pending.dst && r < unsigned(pending.dst + pending.dstCount))
        by = " by '" + pending.inst->text + "' at pc 0x" +
             utohexstr(pending.inst->pc, true);
    return fail((isDef ? "writes " : "reads ") + vectorName(r) +
                ", which is pending" + by + ": no s_waitcnt " +
                (vm ? "vmcnt" : "lgkmcnt") + " completed it");
  }
}

void Wave::checkScalarPending(unsigned reg, unsigned count) {
  for (unsigned r = reg; r < reg + count; ++r) {
    if (!scalarPending[r])
      continue;
    std::string name = r < kFlatScratch ? "s" + std::to_string(r)
                       : r < kTtmp0     ? "vcc"
                                        : "register " + std::to_string(r);
    std::string by;
    for (const ScalarLoad &load : scalarLoads)
      if (r >= load.dst && r < unsigned(load.dst + load.count))
        by = " by '" + load.inst->text + "' at pc 0x" +
             utohexstr(load.inst->pc, true);
    return fail("uses " + name + ", which is pending" + by +
                ": no s_waitcnt lgkmcnt(0) completed it");
  }
}

void Wave::checkPending(const Inst &inst) {
  for (auto [i, op] : enumerate(inst.ops)) {
    if (op.isVector() && vectorsPending)
      checkVectorPending(inst, op, i < inst.defs);
    else if (op.isScalar() && !scalarLoads.empty())
      checkScalarPending(op.reg, op.count);
  }
  if (inst.implicitVcc && !scalarLoads.empty())
    checkScalarPending(kVcc, 2);
  if (inst.implicitM0 && !scalarLoads.empty())
    checkScalarPending(kM0, 1);
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

static MemOp &push(std::deque<MemOp> &queue, const Inst &inst, Wave &wave) {
  MemOp &op = queue.emplace_back();
  op.inst = &inst;
  op.exec = wave.exec();
  op.issued = wave.epoch;
  return op;
}

MemOp &Wave::issueVmem(const Inst &inst) { return push(vmem, inst, *this); }
MemOp &Wave::issueLds(const Inst &inst) { return push(ldsQueue, inst, *this); }

void Wave::setPending(MemOp &op, unsigned reg, unsigned count, bool isVmem) {
  op.dst = reg;
  op.dstCount = count;
  auto &pending = isVmem ? vmemPending : ldsPending;
  for (unsigned r = reg; r < reg + count; ++r)
    ++pending[r];
  vectorsPending += count;
}

void Wave::issueScalar(const ScalarLoad &load) {
  scalarLoads.push_back(load);
  for (unsigned r = load.dst; r < unsigned(load.dst + load.count); ++r)
    ++scalarPending[r];
}

/// Completes the oldest operations until `left` remain.
static void retire(std::deque<MemOp> &queue, unsigned left, Wave &wave,
                   std::array<uint8_t, kVectorRegisters> &pending,
                   unsigned &vectorsPending) {
  while (queue.size() > left && !wave.failed()) {
    const MemOp &op = queue.front();
    const Inst *waiting = wave.current();
    wave.setCurrent(op.inst);
    op.complete(wave, op);
    wave.setCurrent(waiting);
    for (unsigned r = op.dst; r < unsigned(op.dst + op.dstCount); ++r)
      --pending[r];
    vectorsPending -= op.dstCount;
    queue.pop_front();
  }
}

void Wave::waitVmem(unsigned count) {
  retire(vmem, count, *this, vmemPending, vectorsPending);
}

void Wave::waitLgkm(unsigned count) {
  // Scalar loads return in any order and share the counter: of n outstanding
  // operations only those LDS operations are surely complete that would be so
  // if all scalar loads had returned first, and scalar loads only at 0.
  retire(ldsQueue, count, *this, ldsPending, vectorsPending);
  if (count != 0)
    return;
  for (const ScalarLoad &load : scalarLoads) {
    const uint8_t *from =
        group.memory->access(load.address, 4 * load.count, /*store=*/false);
    if (!from) {
      inst = load.inst;
      fail("scalar load of " + Twine(4 * load.count) + " bytes at " +
           group.memory->describe(load.address));
      return;
    }
    std::memcpy(&s[load.dst], from, 4 * load.count);
    for (unsigned r = load.dst; r < unsigned(load.dst + load.count); ++r)
      --scalarPending[r];
  }
  scalarLoads.clear();
}
