//===- AbsentParts.cpp - Parts of LLVM that are left out ------------------===//
//
// For programs in bitcode, which we never give it, lld refers to every back end
// that Debian's LLVM has, and to Polly. Linked, they would be more than half of
// the library. What it calls of them is defined here to do nothing.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

#define ABSENT_BACK_END(NAME)                                                  \
  extern "C" void LLVMInitialize##NAME##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##NAME##Target() {}                            \
  extern "C" void LLVMInitialize##NAME##TargetMC() {}                          \
  extern "C" void LLVMInitialize##NAME##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##NAME##AsmParser() {}
#include "AbsentBackEnds.def"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}, {}};
}
