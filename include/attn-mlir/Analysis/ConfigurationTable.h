//===- ConfigurationTable.h - Memory and cycles of a tile -------*- C++ -*-===//
//
// The configuration tables of "FlashAttention on a Napkin", appendix A.5: every
// variable of an algorithm with its size and place, and every column with the
// unit that computes it. From them follow how many groups of threads fit a
// block, which unit bounds, and the time.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_ANALYSIS_CONFIGURATIONTABLE_H
#define ATTN_MLIR_ANALYSIS_CONFIGURATIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace attn {

enum class Place { Registers, Shared };

/// An array that is allocated on an SM.
struct Variable {
  std::string name;
  int64_t values;
  /// Bytes of a value.
  int64_t bytes;
  Place place;
  /// Whether all groups of a block share one.
  bool perBlock = false;
};

/// Values and bytes, of a block and of each group of threads beside it.
struct Allocation {
  int64_t blockValues = 0, groupValues = 0;
  int64_t blockBytes = 0, groupBytes = 0;
  /// Groups for which `limit` bytes suffice, not rounded.
  double groups(int64_t limit) const {
    return static_cast<double>(limit - blockBytes) / groupBytes;
  }
};

Allocation allocate(llvm::ArrayRef<Variable> variables, Place place);

/// Units of an SM that work at the same time.
enum class Unit : unsigned { Tensor, Special, Fma };
constexpr unsigned kNumUnits = 3;

/// A column of operations of one thread on one tile of the stream.
struct Column {
  std::string name;
  Unit unit;
  double operations;
  /// Operations of this kind that an SM completes in a cycle.
  double perCycle;
  /// Times that the column runs in a tile of the stream.
  double times = 1;
};

/// Cycles of an SM for a thread's share of one tile of the stream.
struct UnitCycles {
  double cycles[kNumUnits] = {0, 0, 0};
  double operator[](Unit unit) const {
    return cycles[static_cast<unsigned>(unit)];
  }
  /// The unit that is busy longest: with enough groups at other columns, the
  /// time is its.
  Unit bound() const;
};

UnitCycles cyclesOf(llvm::ArrayRef<Column> columns);

llvm::StringRef unitName(Unit unit);

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_CONFIGURATIONTABLE_H
