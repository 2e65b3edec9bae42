//===- Facts.h - Facts about hardware ---------------------------*- C++ -*-===//
//
// The facts that a target states, and the table of known targets. No IR here:
// the dialect's target attribute is built on top.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TARGET_FACTS_H
#define ATTN_MLIR_TARGET_FACTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>

namespace attn {

/// A fact about a target; see describeFact for meaning and unit.
enum class Fact : unsigned {
  SMs,
  MaxResidentCTAs,
  MaxClusterCTAs,
  MaxClusters,
  SmemPerSM,
  SmemPerBlock,
  RegistersPerSM,
  L2Bytes,
  L2EffectiveBytes,
  L2Domains,
  L2Partitions,
  L2SectorBytes,
  DispatchChunk,
  DramGBps,
  TensorGflops,
  ClockMHz,
  SpecialPerClock,
  FmaPerClock,
  L2GBps,
};
constexpr unsigned kNumFacts = static_cast<unsigned>(Fact::L2GBps) + 1;

/// Name of a fact in the IR and on the command line ("l2_bytes").
llvm::StringRef factName(Fact fact);

/// Meaning and unit of a fact, for documentation.
llvm::StringRef describeFact(Fact fact);

/// Why a fact cannot have a value, for a diagnostic; empty where it can.
std::string misfitOf(Fact fact, int64_t value);

/// The fact of this name.
std::optional<Fact> findFact(llvm::StringRef name);

/// A value and where it comes from.
struct SourcedFact {
  Fact fact;
  int64_t value;
  const char *source;
};

/// A row of the table of known targets.
struct KnownTarget {
  llvm::StringRef name;
  llvm::StringRef arch;
  llvm::StringRef summary;
  llvm::ArrayRef<llvm::StringRef> capabilities;
  llvm::ArrayRef<SourcedFact> facts;
};

/// All known targets; each has every fact.
llvm::ArrayRef<KnownTarget> knownTargets();

/// The known target of this name, or null.
const KnownTarget *findTarget(llvm::StringRef name);

/// The candidate nearest to `name` in edit distance, quoted and introduced
/// ("; did you mean 'gb10'?"), or nothing where none is near.
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates);

/// Prints the table, with the source of each figure.
void printTargets(llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_MLIR_TARGET_FACTS_H
