//===- BrainFloats.h - Numbers of bf16 as their bits ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_BRAINFLOATS_H
#define ATTN_MLIR_LIB_SERIALIZE_BRAINFLOATS_H

#include "llvm/IR/Module.h"

namespace attn {

/// Moves numbers of bf16 about as the 16 bits that they are. CPUs without
/// registers for them would convert each that is loaded and stored, by
/// functions of the compiler's runtime library.
void moveBrainFloatsAsBits(llvm::Module &module);

/// The function of that library that rounds f32 to bf16.
constexpr char kBrainFloatRounding[] = "__truncsfbf2";

/// Defines the function of that library that rounds f32 to bf16, for what is
/// computed in bf16: to the nearest, ties to even, denormals too.
void defineBrainFloatRounding(llvm::Module &module);

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_BRAINFLOATS_H
