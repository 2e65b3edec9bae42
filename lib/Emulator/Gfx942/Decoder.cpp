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

  explicit Tools(const char *cpu);

  /// Decodes what is at `code`; the bytes that it takes, 0 where it is nothing.
  uint64_t decode(ArrayRef<uint8_t> code, uint64_t pc, MCInst &mc);
  std::string print(const MCInst &inst, uint64_t pc) {
    std::string text;
    raw_string_ostream os(text);
    printer->printInst(&inst, pc, "", *subtarget, os);
    return StringRef(text).trim().str();
  }
  bool implicitly(const MCInst &inst, StringRef reg);
};

Decoder::Tools::Tools(const char *cpu) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return;
  registers.reset(target->createMCRegInfo(triple));
  asmInfo.reset(target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  instrs.reset(target->createMCInstrInfo());
  // With literals behind any instruction, which CDNA has not: see decode().
  subtarget.reset(target->createMCSubtargetInfo(triple, cpu, "+vop3-literal"));
  context = std::make_unique<MCContext>(triple, asmInfo.get(), registers.get(),
                                        subtarget.get());
  disassembler.reset(target->createMCDisassembler(*subtarget, *context));
  printer.reset(target->createMCInstPrinter(
      triple, asmInfo->getAssemblerDialect(), *asmInfo, *instrs, *registers));
}

Decoder::Decoder(Arch arch)
    : arch(arch), tools(std::make_unique<Tools>(infoOf(arch).name)) {}

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
  assignSemantics(inst, arch);
}

/// LLVM looks for a literal behind every operand 255 and crashes where it sees
/// no bytes for it. So it sees some, and what takes them is no instruction.
uint64_t Decoder::Tools::decode(ArrayRef<uint8_t> code, uint64_t pc,
                                MCInst &mc) {
  constexpr size_t kMostBytes = 8, kLiteralBytes = 4;
  uint8_t bytes[kMostBytes + kLiteralBytes] = {};
  size_t count = std::min(code.size(), std::size(bytes));
  llvm::copy(code.take_front(count), bytes);
  uint64_t size = 0;
  auto status = disassembler->getInstruction(mc, size, bytes, pc, nulls());
  bool fits = size <= std::min(count, kMostBytes);
  return status == MCDisassembler::Success && fits ? size : 0;
}

/// Names what is no instruction here: of which architecture it is one, if of
/// any.
void Decoder::describeForeign(Inst &inst, ArrayRef<uint8_t> code) {
  std::string here = infoOf(arch).name;
  inst.name = "<not an instruction of " + here + ">";
  for (unsigned n = 0; n < kArchs; ++n) {
    const ArchInfo &other = infoOf(static_cast<Arch>(n));
    if (other.arch == arch)
      continue;
    if (!foreign[n])
      foreign[n] = std::make_unique<Tools>(other.name);
    MCInst mc;
    uint64_t size = foreign[n]->decode(code, inst.pc, mc);
    if (!size)
      continue;
    inst.size = size;
    inst.name = "<" + foreign[n]->print(mc, inst.pc) + ">, an instruction of " +
                other.name + " and not of " + here;
  }
  inst.text = inst.name;
}

Expected<Program> Decoder::decode(const CodeObject &object,
                                  const KernelInfo &kernel) {
  if (!tools->disassembler)
    return createStringError("this LLVM has no AMDGPU disassembler");
  Program program;
  ArrayRef<uint8_t> image = object.image();
  for (uint64_t pc = kernel.codeBegin; pc + 4 <= kernel.codeEnd;) {
    MCInst mc;
    ArrayRef<uint8_t> code = image.slice(pc, kernel.codeEnd - pc);
    uint64_t size = tools->decode(code, pc, mc);
    Inst inst;
    inst.pc = pc;
    inst.size = size ? size : 4;
    if (size)
      fill(inst, mc);
    else
      describeForeign(inst, code);
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
