//===- AsmText.h - Operands from assembly text ------------------*- C++ -*-===//
//
// AMDGPU's generated tables (operand names, register enums) are not installed
// with LLVM; the assembly syntax is public ("Syntax of AMDGPU Instruction
// Operands" and
// "... Modifiers"). So an instruction's operands are read, once per static
// instruction, from what LLVM's disassembler prints.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_ASMTEXT_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_ASMTEXT_H

#include "Instruction.h"
#include "llvm/Support/Error.h"

namespace attn::gfx942 {

/// Fills name, ops and mods from `inst.text`. Errors: an operand or modifier
/// that is not known.
llvm::Error parseAsmText(Inst &inst);

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_ASMTEXT_H
