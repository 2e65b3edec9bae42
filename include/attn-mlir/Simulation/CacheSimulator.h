//===- CacheSimulator.h - L2 under the accesses of all CTAs -----*- C++ -*-===//
//
// Runs the accesses of a scheduled kernel through the L2 of a target: CTAs are
// dispatched to SMs, those in flight go on side by side, and each L2 domain is
// an LRU cache of its own. No IR here but the target's facts.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_SIMULATION_CACHESIMULATOR_H
#define ATTN_MLIR_SIMULATION_CACHESIMULATOR_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Simulation/AccessTrace.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attn {
class KernelOp;

/// Accesses by which a CTA lags behind the foremost one at most, by default
/// (docs/cache-simulator.md says why so many).
constexpr int64_t kDefaultDrift = 192;

/// What the cache and the machine around it look like.
struct CacheConfig {
  int64_t sms = 1;
  /// CTAs that an SM holds at once.
  int64_t resident = 1;
  /// Bytes of L2 of one domain, all partitions together.
  int64_t l2Bytes = 1;
  int64_t domains = 1;
  /// Consecutive CTAs that go to one domain.
  int64_t chunk = 1;
  /// Parts of a domain, each of which keeps copies of what its SMs read.
  int64_t partitions = 1;
  /// Bytes by which L2 counts accesses.
  int64_t sectorBytes = 32;
  /// Accesses by which a CTA lags behind the foremost at most; 0: lock step.
  int64_t drift = kDefaultDrift;
  uint64_t seed = 1;
  /// Threads to simulate domains on; 0: all cores.
  unsigned threads = 0;
  /// Told how far simulateCache is.
  ProgressFn progress;

  /// From the target of a kernel; resident CTAs from its footprint.
  static CacheConfig of(KernelOp kernel);
};

/// Bytes that were asked for, and what became of them. All accesses are hits
/// (own or shared) or misses (cold or capacity).
struct CacheCounts {
  int64_t loads = 0, stores = 0;
  /// Hits on what this CTA brought in, and on what another one did.
  int64_t ownHits = 0, sharedHits = 0;
  /// First access in this domain, and access to what was evicted since.
  int64_t cold = 0, capacity = 0;
  /// Of the misses, those of loads.
  int64_t loadMisses = 0;
  /// Asked of another partition of the domain, and not found there.
  int64_t fabric = 0, fabricMisses = 0;
  int64_t dramReads = 0, dramWrites = 0;

  int64_t accesses() const { return loads + stores; }
  int64_t hits() const { return ownHits + sharedHits; }
  int64_t misses() const { return cold + capacity; }
  double hitRate() const;
  CacheCounts &operator+=(const CacheCounts &other);
};

struct CacheReport {
  CacheConfig config;
  CacheCounts total;
  std::vector<CacheCounts> domains;
  /// By view, over all domains.
  std::vector<CacheCounts> views;
  std::vector<std::string> viewNames;
  /// Bytes of all tiles that were accessed: what one cache would miss at least.
  int64_t distinctBytes = 0;
  int64_t ctas = 0;

  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJson() const;
};

/// Whether the simulator can number the tiles of a trace on a machine, whose
/// facts users may change; fails after a diagnostic.
mlir::LogicalResult checkMachine(KernelOp kernel, const CacheConfig &config,
                                 const AccessTrace &trace);

/// Simulates; exact LRU, in time linear in the accesses.
CacheReport simulateCache(const AccessTrace &trace, const CacheConfig &config);

/// Bytes missed in caches of several sizes (in bytes, of one domain), from one
/// pass by reuse distance: time accesses x log(tiles). Knows no partitions.
std::vector<int64_t> missCurve(const AccessTrace &trace,
                               const CacheConfig &config,
                               llvm::ArrayRef<int64_t> l2Bytes);

} // namespace attn

#endif // ATTN_MLIR_SIMULATION_CACHESIMULATOR_H
