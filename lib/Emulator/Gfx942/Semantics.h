//===- Semantics.h - Handlers of instructions -------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_SEMANTICS_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_SEMANTICS_H

#include "Instruction.h"
#include "attn-mlir/Emulator/Gfx942/Arch.h"
#include "llvm/ADT/StringMap.h"

namespace attn::gfx942 {

/// In front of names whose formats on gfx950 are those of OCP.
constexpr char kOcpPrefix[] = "ocp.";

/// What an instruction does, by its name without the suffix of the encoding.
class SemanticsTable {
public:
  struct Entry {
    InstClass cls;
    Handler handler;
    bool vmemLoad = false, ldsRead = false;
  };

  void add(llvm::StringRef name, InstClass cls, Handler handler) {
    entries[name] = {cls, std::move(handler)};
  }
  Entry &entry(llvm::StringRef name) { return entries[name]; }
  const Entry *find(llvm::StringRef name) const {
    auto it = entries.find(name);
    return it == entries.end() ? nullptr : &it->second;
  }

  std::vector<std::string> names() const;

private:
  llvm::StringMap<Entry> entries;
};

// One function for each chapter of the ISA.
void addScalarAlu(SemanticsTable &table);
void addScalarControl(SemanticsTable &table);
void addVectorMoves(SemanticsTable &table);
void addVectorFloat(SemanticsTable &table);
void addVectorHalf(SemanticsTable &table);
void addVectorInteger(SemanticsTable &table);
void addVectorConvert(SemanticsTable &table);
void addVectorCompare(SemanticsTable &table);
void addVectorDivide(SemanticsTable &table);
void addVectorPacked(SemanticsTable &table);
void addMfma(SemanticsTable &table);
void addLds(SemanticsTable &table);
void addScalarMemory(SemanticsTable &table);
void addVectorMemory(SemanticsTable &table);

/// Sets class and handler by `inst.name`; the handler stays empty where there
/// are no semantics for `arch`.
void assignSemantics(Inst &inst, Arch arch);
/// All names that have a handler, sorted.
std::vector<std::string> instructionNames();

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_SEMANTICS_H
