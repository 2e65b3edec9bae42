//===- Semantics.cpp - Handlers of instructions ---------------------------===//

#include "Semantics.h"

using namespace attn::gfx942;

std::vector<std::string> SemanticsTable::names() const {
  std::vector<std::string> result;
  for (const auto &entry : entries)
    if (!entry.getKey().starts_with(kOcpPrefix))
      result.push_back(entry.getKey().str());
  std::sort(result.begin(), result.end());
  return result;
}

static const SemanticsTable &semantics() {
  static const SemanticsTable table = [] {
    SemanticsTable t;
    addScalarAlu(t);
    addScalarControl(t);
    addVectorMoves(t);
    addVectorFloat(t);
    addVectorHalf(t);
    addVectorInteger(t);
    addVectorConvert(t);
    addVectorCompare(t);
    addVectorDivide(t);
    addVectorPacked(t);
    addMfma(t);
    addLds(t);
    addScalarMemory(t);
    addVectorMemory(t);
    return t;
  }();
  return table;
}

/// Names that mean other formats on gfx950: fp8 and bf8 are OCP's there, of
/// which some are here, by names of their own.
static bool hasOtherFormats(llvm::StringRef name) {
  return name.contains("fp8") || name.contains("bf8");
}

void attn::gfx942::assignSemantics(Inst &inst, Arch arch) {
  bool isOcp = arch != Arch::Gfx942 && hasOtherFormats(inst.name);
  const SemanticsTable::Entry *entry =
      semantics().find(isOcp ? std::string(kOcpPrefix) + inst.name : inst.name);
  if (!entry)
    return;
  inst.cls = entry->cls;
  inst.handler = entry->handler;
  inst.isVmemLoad = entry->vmemLoad;
  inst.isLdsRead = entry->ldsRead;
  llvm::StringRef name = inst.name;
  inst.toHighHalf = name.ends_with("_d16_hi");
  inst.toLowHalf = name.ends_with("_d16");
  inst.extendsSign = name.contains("_i8") || name.contains("_i16") ||
                     name.contains("_sbyte") || name.contains("_sshort");
}

std::vector<std::string> attn::gfx942::instructionNames() {
  return semantics().names();
}
