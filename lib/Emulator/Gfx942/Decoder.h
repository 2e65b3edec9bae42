//===- Decoder.h - From machine code to instructions ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_DECODER_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_DECODER_H

#include "Instruction.h"
#include "attn-mlir/Emulator/Gfx942/CodeObject.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class MCInst;
} // namespace llvm

namespace attn::gfx942 {

/// A kernel's instructions in the order of the text.
struct Program {
  std::vector<Inst> insts;
  llvm::DenseMap<uint64_t, unsigned> indexOf; // by pc
  unsigned entry = 0;
  unsigned barriers = 0;
};

/// LLVM's disassembler for an architecture.
class Decoder {
public:
  explicit Decoder(Arch arch);
  ~Decoder();
  /// Decodes all of the kernel's function. Code that does not disassemble is an
  /// instruction without semantics: an error only where it is executed.
  llvm::Expected<Program> decode(const CodeObject &object,
                                 const KernelInfo &kernel);

private:
  void fill(Inst &inst, const llvm::MCInst &mc);
  void describeForeign(Inst &inst, llvm::ArrayRef<uint8_t> code);

  struct Tools;
  const Arch arch;
  std::unique_ptr<Tools> tools;
  /// Of the other architectures, made where they are asked; by number.
  std::unique_ptr<Tools> foreign[kArchs];
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_DECODER_H
