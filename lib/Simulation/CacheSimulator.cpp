//===- CacheSimulator.cpp - L2 under the accesses of all CTAs -------------===//

#include "attn-mlir/Simulation/CacheSimulator.h"
#include "DomainSymmetry.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace attn;

CacheConfig CacheConfig::of(KernelOp kernel) {
  TargetAttr target = TargetAttr::of(kernel);
  CacheConfig config;
  config.sms = target.get(Fact::SMs);
  config.resident = residentCtas(target, footprintOf(kernel));
  config.l2Bytes = target.get(Fact::L2Bytes);
  config.domains = target.get(Fact::L2Domains);
  config.chunk = target.get(Fact::DispatchChunk);
  config.partitions = target.get(Fact::L2Partitions);
  config.sectorBytes = target.get(Fact::L2SectorBytes);
  return config;
}

double CacheCounts::hitRate() const {
  return accesses() ? double(hits()) / double(accesses()) : 0;
}

CacheCounts &CacheCounts::operator+=(const CacheCounts &other) {
  loads += other.loads;
  stores += other.stores;
  ownHits += other.ownHits;
  sharedHits += other.sharedHits;
  cold += other.cold;
  capacity += other.capacity;
  loadMisses += other.loadMisses;
  fabric += other.fabric;
  fabricMisses += other.fabricMisses;
  dramReads += other.dramReads;
  dramWrites += other.dramWrites;
  return *this;
}

//===----------------------------------------------------------------------===//
// LRU
//===----------------------------------------------------------------------===//

namespace {

enum class Outcome { OwnHit, SharedHit, Cold, Capacity };

bool isHit(Outcome outcome) { return outcome <= Outcome::SharedHit; }

/// A least-recently-used cache of tiles, in constant time an access.
///
/// A tile is in it exactly if the distinct bytes touched since its last access,
/// its own among them, are no more than the capacity: LRU and reuse distance
/// say the same (Mattson et al. 1970). The queue holds accesses in order; only
/// the last one of a tile counts, the others are skipped when they come to the
/// front.
class LruCache {
public:
  LruCache(int64_t capacity, size_t tiles) : capacity(capacity), tiles(tiles) {
    queue.reserve(kLeastQueue);
  }

  /// `fresh`: set if the tile becomes dirty.
  Outcome access(uint32_t tile, uint32_t bytes, uint32_t cta, bool store,
                 bool &fresh) {
    Tile &entry = tiles[tile];
    bool present = entry.position != 0;
    Outcome outcome =
        present ? (entry.owner == cta ? Outcome::OwnHit : Outcome::SharedHit)
                : (entry.bytes ? Outcome::Capacity : Outcome::Cold);
    if (!present) {
      entry.bytes = bytes;
      entry.owner = cta;
      entry.dirty = false;
      held += bytes;
    }
    fresh = store && !entry.dirty;
    entry.dirty |= store;
    // A run of accesses to one tile leaves one in the queue.
    if (entry.position != queue.size() || !present) {
      if (queue.size() == queue.capacity())
        compact();
      queue.push_back(tile);
      entry.position = queue.size();
    }
    while (held > capacity)
      evict();
    return outcome;
  }

  /// Bytes of a tile, 0 if it was not accessed.
  uint32_t bytesOf(uint32_t tile) const { return tiles[tile].bytes; }

private:
  struct Tile {
    /// Of its last access in the queue, plus one; 0: not in the cache.
    uint32_t position = 0;
    uint32_t bytes = 0;
    uint32_t owner = 0;
    bool dirty = false;
  };
  static constexpr size_t kLeastQueue = 1 << 16;

  void evict() {
    Tile &entry = tiles[queue[front]];
    if (entry.position == ++front) {
      entry.position = 0;
      held -= entry.bytes;
    }
  }

  /// Forgets all accesses but the last of each tile.
  void compact() {
    size_t kept = 0;
    for (size_t i = front; i < queue.size(); ++i) {
      Tile &entry = tiles[queue[i]];
      if (entry.position != i + 1)
        continue;
      queue[kept] = queue[i];
      entry.position = ++kept;
    }
    queue.resize(kept);
    front = 0;
    // Half of it is free now, so this happens once in as many accesses.
    if (2 * kept > queue.capacity())
      queue.reserve(4 * kept);
  }

  int64_t capacity, held = 0;
  std::vector<Tile> tiles;
  std::vector<uint32_t> queue;
  size_t front = 0;
};

//===----------------------------------------------------------------------===//
// A domain
//===----------------------------------------------------------------------===//

/// The L2 of one domain: one cache, or partitions that copy from each other.
///
/// Every tile is spread over the homes of all partitions. What an SM reads
/// whose home is another partition is fetched from there and kept; what it
/// writes goes to the home.
class Domain {
public:
  Domain(const AccessTrace &trace, const CacheConfig &config)
      : partitions(config.partitions), views(trace.viewNames().size()) {
    for (unsigned i = 0; i < partitions; ++i)
      caches.emplace_back(config.l2Bytes / partitions,
                          size_t(trace.numTiles()) * partitions);
  }

  void access(const TileAccess &access, uint32_t cta, unsigned partition) {
    CacheCounts &counts = views[access.view];
    (access.store ? counts.stores : counts.loads) += access.bytes;
    if (partitions == 1)
      return visitHome(counts, 0, access.tile, access.bytes, cta, access.store);
    for (unsigned home = 0; home < partitions; ++home) {
      uint32_t bytes = (access.bytes + home) / partitions;
      if (bytes == 0)
        continue;
      uint32_t tile = access.tile * partitions + home;
      if (home == partition)
        visitHome(counts, home, tile, bytes, cta, access.store);
      else
        visitRemote(counts, partition, home, tile, bytes, cta, access.store);
    }
  }

  ArrayRef<CacheCounts> ofViews() const { return views; }

  /// Bytes of a tile, 0 if it was not accessed.
  uint32_t bytesOf(uint32_t tile) const {
    uint32_t bytes = 0;
    for (unsigned home = 0; home < partitions; ++home)
      bytes += caches[home].bytesOf(size_t(tile) * partitions + home);
    return bytes;
  }

private:
  static void count(CacheCounts &counts, Outcome outcome, int64_t bytes,
                    bool store) {
    switch (outcome) {
    case Outcome::OwnHit:
      counts.ownHits += bytes;
      return;
    case Outcome::SharedHit:
      counts.sharedHits += bytes;
      return;
    case Outcome::Cold:
      counts.cold += bytes;
      break;
    case Outcome::Capacity:
      counts.capacity += bytes;
      break;
    }
    if (!store)
      counts.loadMisses += bytes;
  }

  void visitHome(CacheCounts &counts, unsigned home, uint32_t tile,
                 uint32_t bytes, uint32_t cta, bool store) {
    bool fresh;
    Outcome outcome = caches[home].access(tile, bytes, cta, store, fresh);
    count(counts, outcome, bytes, store);
    // Whole sectors are written: nothing is read for a store.
    if (!store && !isHit(outcome))
      counts.dramReads += bytes;
    if (fresh)
      counts.dramWrites += bytes;
  }

  void visitRemote(CacheCounts &counts, unsigned partition, unsigned home,
                   uint32_t tile, uint32_t bytes, uint32_t cta, bool store) {
    bool fresh;
    if (!store) {
      Outcome outcome =
          caches[partition].access(tile, bytes, cta, false, fresh);
      count(counts, outcome, bytes, false);
      if (isHit(outcome))
        return;
    }
    counts.fabric += bytes;
    Outcome outcome = caches[home].access(tile, bytes, cta, store, fresh);
    if (store)
      count(counts, outcome, bytes, true);
    else if (!isHit(outcome)) {
      counts.fabricMisses += bytes;
      counts.dramReads += bytes;
    }
    if (fresh)
      counts.dramWrites += bytes;
  }

  unsigned partitions;
  std::vector<LruCache> caches;
  std::vector<CacheCounts> views;
};

/// Calls `body` with each number below `count`, on several threads.
void forEachNumber(int64_t count, unsigned wanted,
                   llvm::function_ref<void(int64_t)> body) {
  int64_t threads =
      wanted ? wanted : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<int64_t> next{0};
  auto work = [&]() {
    for (int64_t number; (number = next++) < count;)
      body(number);
  };
  std::vector<std::thread> pool;
  for (int64_t i = 1; i < std::min(threads, count); ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

/// A domain and those that do the same with other tiles.
struct AlikeDomains {
  int64_t first;
  uint64_t signature;
  std::vector<std::pair<int64_t, BlockMap>> others;
};

std::vector<AlikeDomains> findAlike(const AccessTrace &trace,
                                    const CacheConfig &config) {
  std::vector<AlikeDomains> result;
  for (int64_t domain = 0; domain < config.domains; ++domain) {
    uint64_t signature = signatureOf(trace, config, domain);
    bool found = false;
    for (AlikeDomains &alike : result) {
      if (alike.signature != signature)
        continue;
      std::optional<BlockMap> map =
          findSymmetry(trace, config, alike.first, domain);
      if (!map)
        continue;
      alike.others.emplace_back(domain, std::move(*map));
      found = true;
      break;
    }
    if (!found)
      result.push_back({domain, signature, {}});
  }
  return result;
}

/// Adds the counts of one domain to a report, and notes the tiles accessed.
class Collector {
public:
  Collector(const AccessTrace &trace, CacheReport &report)
      : trace(trace), report(report), touched(trace.numTiles(), 0) {}

  /// `map`: from the tiles of `domain` to those of the domain `number`.
  void add(int64_t number, const Domain &domain, const BlockMap *map) {
    for (auto [sum, own] : llvm::zip(report.views, domain.ofViews())) {
      sum += own;
      report.domains[number] += own;
      report.total += own;
    }
    for (size_t i = 0; i < trace.views().size(); ++i) {
      const AccessTrace::View &view = trace.views()[i];
      uint32_t end = i + 1 < trace.views().size()
                         ? trace.views()[i + 1].firstTile
                         : trace.numTiles();
      for (uint32_t tile = view.firstTile; tile < end; ++tile)
        if (uint32_t bytes = domain.bytesOf(tile))
          touched[map ? mapTile(view, *map, tile) : tile] = bytes;
    }
  }

  void finish() {
    for (uint32_t bytes : touched)
      report.distinctBytes += bytes;
  }

private:
  const AccessTrace &trace;
  CacheReport &report;
  /// Bytes of each tile that was accessed.
  std::vector<uint32_t> touched;
};

} // namespace

namespace {

/// Tells how far all threads are together, now and then.
class Progress {
public:
  Progress(const AccessTrace &trace, const CacheConfig &config, int64_t domains)
      : tell(config.progress),
        all(tell ? double(trace.numAccesses()) * domains / config.domains : 1) {
  }

  /// One access; `untold` is the thread's own.
  void add(int64_t &untold) {
    if (++untold < kTold)
      return;
    int64_t sum = done += untold;
    untold = 0;
    if (tell)
      tell(std::min(1.0, sum / all));
  }

private:
  static constexpr int64_t kTold = 1 << 20;
  const ProgressFn &tell;
  double all;
  std::atomic<int64_t> done{0};
};

} // namespace

CacheReport attn::simulateCache(const AccessTrace &trace,
                                const CacheConfig &config) {
  CacheReport report;
  report.config = config;
  report.ctas = trace.numCtas();
  report.viewNames = trace.viewNames().vec();
  report.views.resize(report.viewNames.size());
  report.domains.resize(config.domains);
  std::vector<AlikeDomains> groups = findAlike(trace, config);
  Collector collector(trace, report);
  std::mutex mutex;
  Progress progress(trace, config, groups.size());
  forEachNumber(groups.size(), config.threads, [&](int64_t i) {
    const AlikeDomains &alike = groups[i];
    Domain domain(trace, config);
    int64_t untold = 0;
    forEachAccess(trace, config, alike.first,
                  [&](const TileAccess &access, int64_t cta, int64_t sm) {
                    domain.access(access, cta, sm % config.partitions);
                    progress.add(untold);
                  });
    std::lock_guard<std::mutex> lock(mutex);
    collector.add(alike.first, domain, nullptr);
    for (const auto &[number, map] : alike.others)
      collector.add(number, domain, &map);
  });
  collector.finish();
  return report;
}

//===----------------------------------------------------------------------===//
// Reuse distance
//===----------------------------------------------------------------------===//

namespace {

/// Distinct bytes between two accesses to a tile: the bytes of the tiles that
/// were last accessed since, by a Fenwick tree over time.
class ReuseDistance {
public:
  static constexpr int64_t kNever = -1;

  explicit ReuseDistance(size_t tiles) : last(tiles, 0), bytes(tiles, 0) {
    sums.resize(1 << 12);
    tileAt.resize(sums.size());
  }

  /// Bytes that a cache must hold for this access to hit; kNever for the first.
  int64_t access(uint32_t tile, uint32_t size) {
    if (last[tile] && last[tile] == now)
      return size;
    if (now + 1 == sums.size())
      compact();
    int64_t distance = kNever;
    if (uint32_t before = last[tile]) {
      distance = held - sum(before - 1);
      add(before, -int64_t(bytes[tile]));
      held -= bytes[tile];
    }
    bytes[tile] = size;
    last[tile] = ++now;
    tileAt[now] = tile;
    add(now, size);
    held += size;
    return distance;
  }

private:
  void add(uint32_t time, int64_t value) {
    for (; time < sums.size(); time += time & -time)
      sums[time] += value;
  }
  int64_t sum(uint32_t time) const {
    int64_t total = 0;
    for (; time; time -= time & -time)
      total += sums[time];
    return total;
  }

  /// Numbers the last accesses anew, from 1; half of the times are free then.
  void compact() {
    uint32_t kept = 0;
    for (uint32_t time = 1; time <= now; ++time) {
      uint32_t tile = tileAt[time];
      if (last[tile] != time)
        continue;
      last[tile] = ++kept;
      tileAt[kept] = tile;
    }
    now = kept;
    size_t size = sums.size();
    while (size < 2 * size_t(kept) + 2)
      size *= 2;
    sums.assign(size, 0);
    tileAt.resize(size);
    for (uint32_t time = 1; time <= kept; ++time)
      add(time, bytes[tileAt[time]]);
  }

  std::vector<uint32_t> last, bytes, tileAt;
  std::vector<int64_t> sums;
  uint32_t now = 0;
  int64_t held = 0;
};

} // namespace

std::vector<int64_t> attn::missCurve(const AccessTrace &trace,
                                     const CacheConfig &config,
                                     ArrayRef<int64_t> l2Bytes) {
  // Positions in ascending order of size.
  std::vector<unsigned> order(l2Bytes.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return l2Bytes[a] < l2Bytes[b]; });
  std::vector<int64_t> result(l2Bytes.size(), 0);
  std::mutex mutex;
  forEachNumber(config.domains, config.threads, [&](int64_t domain) {
    ReuseDistance reuse(trace.numTiles());
    // Bytes that the first n sizes miss and the others do not.
    std::vector<int64_t> missed(order.size() + 1, 0);
    forEachAccess(
        trace, config, domain, [&](const TileAccess &access, int64_t, int64_t) {
          int64_t wanted = reuse.access(access.tile, access.bytes);
          unsigned n = order.size();
          if (wanted != ReuseDistance::kNever)
            for (n = 0; n < order.size() && l2Bytes[order[n]] < wanted;)
              ++n;
          missed[n] += access.bytes;
        });
    std::lock_guard<std::mutex> lock(mutex);
    int64_t sum = 0;
    for (unsigned n = order.size(); n-- > 0;)
      result[order[n]] += sum += missed[n + 1];
  });
  return result;
}
