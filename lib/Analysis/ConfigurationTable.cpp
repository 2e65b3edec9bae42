//===- ConfigurationTable.cpp - Memory and cycles of a tile ---------------===//

#include "attn-mlir/Analysis/ConfigurationTable.h"
#include <algorithm>

namespace attn {

Allocation allocate(llvm::ArrayRef<Variable> variables, Place place) {
  Allocation result;
  for (const Variable &v : variables) {
    if (v.place != place)
      continue;
    (v.perBlock ? result.blockValues : result.groupValues) += v.values;
    (v.perBlock ? result.blockBytes : result.groupBytes) += v.values * v.bytes;
  }
  return result;
}

UnitCycles cyclesOf(llvm::ArrayRef<Column> columns) {
  UnitCycles result;
  for (const Column &column : columns)
    result.cycles[static_cast<unsigned>(column.unit)] +=
        column.operations / column.perCycle * column.times;
  return result;
}

Unit UnitCycles::bound() const {
  return static_cast<Unit>(std::max_element(cycles, cycles + kNumUnits) -
                           cycles);
}

llvm::StringRef unitName(Unit unit) {
  constexpr llvm::StringLiteral kNames[kNumUnits] = {"tensor", "exp", "fma"};
  return kNames[static_cast<unsigned>(unit)];
}

} // namespace attn
