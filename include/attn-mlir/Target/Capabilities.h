//===- Capabilities.h - What targets say that they can do -------*- C++ -*-===//

#ifndef ATTN_MLIR_TARGET_CAPABILITIES_H
#define ATTN_MLIR_TARGET_CAPABILITIES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace attn {

/// Names of all capabilities that a target may state, in the order in which
/// known targets do.
std::vector<llvm::StringRef> knownCapabilities();

/// Whether the architecture of a GPU ("sm_90a") is known to have what a
/// capability of known targets stands for: what it is wanted to be ("sm_90 or
/// newer"), empty where it is or nothing is wanted.
std::string wantedArch(llvm::StringRef arch, llvm::StringRef capability);

} // namespace attn

#endif // ATTN_MLIR_TARGET_CAPABILITIES_H
