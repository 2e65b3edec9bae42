//===- Decoder.cpp - From machine code to instructions --------------------===//

#include "Decoder.h"
#include "AsmText.h"
#include "Semantics.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace attn::gfx942;
using namespace llvm;

struct Decoder::Tools {
  Triple triple{"amdgcn-amd-amdhsa"};
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCInstrInfo> instrs;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;

  std::string print(const MCInst &inst, uint64_t pc) {
    std::string text;
    raw_string_ostream os(text);
    printer->printInst(&inst, pc, "", *subtarget, os);
    return StringRef(text).trim().str();
  }
  bool implicitly(const MCInst &inst, StringRef reg);
};

Decoder::Decoder() : tools(std::make_unique<Tools>()) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  Tools &t = *tools;
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(t.triple, error);
  if (!target)
    return;
  t.registers.reset(target->createMCRegInfo(t.triple));
  t.asmInfo.reset(
      target->createMCAsmInfo(*t.registers, t.triple, MCTargetOptions()));
  t.instrs.reset(target->createMCInstrInfo());
  // With literals behind any instruction, which gfx942 has not: see decode().
  t.subtarget.reset(
      target->createMCSubtargetInfo(t.triple, "gfx942", "+vop3-literal"));
  t.context = std::make_unique<MCContext>(t.triple, t.asmInfo.get(),
                                          t.registers.get(), t.subtarget.get());
  t.disassembler.reset(target->createMCDisassembler(*t.subtarget, *t.context));
  t.printer.reset(
      target->createMCInstPrinter(t.triple, t.asmInfo->getAssemblerDialect(),
                                  *t.asmInfo, *t.instrs, *t.registers));
}

Decoder::~Decoder() = default;

bool Decoder::Tools::implicitly(const MCInst &inst, StringRef reg) {
  const MCInstrDesc &desc = instrs->get(inst.getOpcode());
  auto isReg = [&](MCPhysReg r) { return reg == registers->getName(r); };
  return any_of(desc.implicit_uses(), isReg) ||
         any_of(desc.implicit_defs(), isReg);
}

/// The address that a branch's immediate means: relative to the next
/// instruction, in dwords.
static uint64_t branchTarget(const Inst &inst) {
  return inst.pc + inst.size + 4 * int64_t(int16_t(inst.imms[0]));
}

static bool isBranch(StringRef name) {
  return name.starts_with("s_cbranch") || name == "s_branch";
}

/// Operands, registers and semantics. What the text does not tell leaves the
/// instruction without semantics.
void Decoder::fill(Inst &inst, const MCInst &mc) {
  inst.text = tools->print(mc, inst.pc);
  if (Error e = parseAsmText(inst)) {
    inst.text += " (" + toString(std::move(e)) + ")";
    return;
  }
  for (const MCOperand &op : mc)
    if (op.isImm())
      inst.imms.push_back(op.getImm());
  inst.defs = tools->instrs->get(mc.getOpcode()).getNumDefs();
  inst.implicitVcc = tools->implicitly(mc, "VCC");
  inst.implicitM0 = tools->implicitly(mc, "M0");
  assignSemantics(inst);
}

/// Decodes what is at `code`; the bytes that it takes, 0 where it is nothing.
/// LLVM looks for a literal behind every operand 255 and crashes where it sees
/// no bytes for it. So it sees some, and what takes them is no instruction.
uint64_t Decoder::decodeOne(ArrayRef<uint8_t> code, uint64_t pc, MCInst &mc) {
  constexpr size_t kMostBytes = 8, kLiteralBytes = 4;
  uint8_t bytes[kMostBytes + kLiteralBytes] = {};
  size_t count = std::min(code.size(), std::size(bytes));
  llvm::copy(code.take_front(count), bytes);
  uint64_t size = 0;
  auto status =
      tools->disassembler->getInstruction(mc, size, bytes, pc, nulls());
  bool fits = size <= std::min(count, kMostBytes);
  return status == MCDisassembler::Success && fits ? size : 0;
}

Expected<Program> Decoder::decode(const CodeObject &object,
                                  const KernelInfo &kernel) {
  if (!tools->disassembler)
    return createStringError("this LLVM has no AMDGPU disassembler");
  Program program;
  ArrayRef<uint8_t> image = object.image();
  for (uint64_t pc = kernel.codeBegin; pc + 4 <= kernel.codeEnd;) {
    MCInst mc;
    uint64_t size = decodeOne(image.slice(pc, kernel.codeEnd - pc), pc, mc);
    Inst inst;
    inst.pc = pc;
    inst.size = size ? size : 4;
    if (size)
      fill(inst, mc);
    else
      inst.name = inst.text = "<not an instruction of gfx942>";
    if (inst.name == "s_barrier")
      inst.ordinal = program.barriers++;
    program.indexOf[pc] = program.insts.size();
    pc += inst.size;
    program.insts.push_back(std::move(inst));
  }
  for (Inst &inst : program.insts) {
    if (!isBranch(inst.name) || inst.imms.empty())
      continue;
    auto target = program.indexOf.find(branchTarget(inst));
    inst.target = target == program.indexOf.end() ? -1 : target->second;
  }
  auto entry = program.indexOf.find(kernel.entry);
  if (entry == program.indexOf.end())
    return createStringError("the entry is in the middle of an instruction");
  program.entry = entry->second;
  return program;
}
