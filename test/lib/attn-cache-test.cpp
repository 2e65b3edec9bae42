//===- attn-cache-test.cpp - The cache simulator against definitions ------===//
//
// Traces against the accesses that they are made of, one by one; the simulator
// against an LRU cache written down as its definition, for random schedules,
// sizes and machines.
//
//===----------------------------------------------------------------------===//

#include "TestDriver.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Simulation/CacheSimulator.h"
#include <list>
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kDim = 8;

std::string attentionText(const std::string &mask) {
  auto type = [](int64_t heads) {
    return "tensor<?x" + std::to_string(heads) + "x?x" + std::to_string(kDim) +
           "xf32>";
  };
  std::string q = type(kHeads), k = type(kKvHeads);
  return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k + ") -> " + q +
         " {\n  %o = attn.attention %q, %k, %v " + mask + " scale(1.0) : (" +
         q + ", " + k + ", " + k + ") -> " + q + "\n  return %o : " + q +
         "\n}\n";
}

StridedBuffer viewOf(ArrayRef<int64_t> sizes) {
  StridedBuffer view;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.assign(sizes.size(), 0);
  return view;
}

/// One schedule: its tracer, and the module that reports accesses one by one.
struct Compiled {
  OwningOpRef<ModuleOp> scheduled;
  std::unique_ptr<KernelTracer> tracer;
  std::unique_ptr<CpuModule> plain;
};

Compiled compileKernel(MLIRContext &context, const std::string &text,
                       const std::string &schedule) {
  Compiled result;
  result.scheduled = prepare(context, text, schedule, [](OpPassManager &) {});
  if (!result.scheduled)
    return {};
  auto tracer =
      KernelTracer::compile(*result.scheduled->getOps<KernelOp>().begin());
  if (failed(tracer))
    return {};
  result.tracer = std::move(*tracer);
  result.plain = compile(context, text, schedule, true);
  return result;
}

struct Sizes {
  int64_t batch, queries, keys;

  llvm::StringMap<int64_t> named() const {
    return {{"batch", batch}, {"query", queries}, {"key", keys}};
  }
  SmallVector<StridedBuffer> views() const {
    return {viewOf({batch, kHeads, queries, kDim}),
            viewOf({batch, kKvHeads, keys, kDim}),
            viewOf({batch, kKvHeads, keys, kDim}),
            viewOf({batch, kHeads, queries, kDim})};
  }
};

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

std::vector<std::vector<TileAccess>> unroll(const AccessTrace &trace) {
  std::vector<std::vector<TileAccess>> result(trace.numCtas());
  for (int64_t cta = 0; cta < trace.numCtas(); ++cta)
    for (AccessTrace::Cursor cursor = trace.cta(cta); !cursor.done();)
      result[cta].push_back(cursor.next());
  return result;
}

/// The same accesses in the same order, with one number for each tile.
bool sameAccesses(const AccessTrace &trace, ArrayRef<Access> accesses) {
  std::vector<std::vector<Access>> wanted(trace.numCtas());
  for (const Access &access : accesses) {
    if (access.cta >= trace.numCtas())
      return false;
    if (access.bytes > 0)
      wanted[access.cta].push_back(access);
  }
  using Key = std::array<int64_t, 5>;
  std::map<Key, uint32_t> numberOf;
  std::map<uint32_t, Key> tileOf;
  std::vector<std::vector<TileAccess>> got = unroll(trace);
  int64_t count = 0;
  for (auto [w, g] : llvm::zip(wanted, got)) {
    if (w.size() != g.size())
      return false;
    count += g.size();
    for (auto [access, tile] : llvm::zip(w, g)) {
      Key key{access.view, access.offsets[0], access.offsets[1],
              access.offsets[2], access.offsets[3]};
      if (tile.view != access.view || tile.bytes != access.bytes ||
          tile.store != (access.kind == 1) || tile.tile >= trace.numTiles() ||
          numberOf.try_emplace(key, tile.tile).first->second != tile.tile ||
          tileOf.try_emplace(tile.tile, key).first->second != key)
        return false;
    }
  }
  return count == trace.numAccesses();
}

//===----------------------------------------------------------------------===//
// LRU by definition
//===----------------------------------------------------------------------===//

struct Expected {
  int64_t loads = 0, stores = 0, ownHits = 0, sharedHits = 0, cold = 0,
          capacity = 0, reads = 0, writes = 0;

  bool operator==(const CacheCounts &c) const {
    return loads == c.loads && stores == c.stores && ownHits == c.ownHits &&
           sharedHits == c.sharedHits && cold == c.cold &&
           capacity == c.capacity && reads == c.dramReads &&
           writes == c.dramWrites;
  }
};

/// A list of tiles, the last one accessed in front, cut off where it exceeds
/// the cache.
class ListCache {
public:
  explicit ListCache(int64_t capacity) : capacity(capacity) {}

  void access(const TileAccess &a, int64_t cta, Expected &e) {
    (a.store ? e.stores : e.loads) += a.bytes;
    auto found = llvm::find_if(
        lines, [&](const Line &line) { return line.tile == a.tile; });
    Line line{a.tile, a.bytes, cta, false};
    if (found != lines.end()) {
      line = *found;
      (line.owner == cta ? e.ownHits : e.sharedHits) += a.bytes;
      lines.erase(found);
    } else {
      (seen.count(a.tile) ? e.capacity : e.cold) += a.bytes;
      if (!a.store)
        e.reads += a.bytes;
    }
    if (a.store && !line.dirty) {
      line.dirty = true;
      e.writes += a.bytes;
    }
    seen.insert(a.tile);
    lines.push_front(line);
    int64_t held = 0;
    for (auto it = lines.begin(); it != lines.end();)
      it = (held += it->bytes) > capacity ? lines.erase(it) : std::next(it);
  }

private:
  struct Line {
    uint32_t tile, bytes;
    int64_t owner;
    bool dirty;
  };
  int64_t capacity;
  std::list<Line> lines;
  std::set<uint32_t> seen;
};

/// CTAs in flight side by side, in lock step: each domain takes its CTAs in
/// order and starts the next in the place of one that ended.
std::vector<Expected> expectedCounts(const AccessTrace &trace,
                                     const CacheConfig &config) {
  std::vector<std::vector<TileAccess>> ctas = unroll(trace);
  std::vector<Expected> result(config.domains);
  for (int64_t domain = 0; domain < config.domains; ++domain) {
    std::vector<int64_t> waiting;
    for (size_t cta = 0; cta < ctas.size(); ++cta)
      if (static_cast<int64_t>(cta) / config.chunk % config.domains == domain &&
          !ctas[cta].empty())
        waiting.push_back(cta);
    int64_t sms =
        config.sms / config.domains + (domain < config.sms % config.domains);
    struct Slot {
      int64_t cta;
      size_t next;
    };
    std::vector<Slot> slots;
    auto next = waiting.begin();
    while (static_cast<int64_t>(slots.size()) <
               std::max<int64_t>(sms, 1) * config.resident &&
           next != waiting.end())
      slots.push_back({*next++, 0});
    ListCache cache(config.l2Bytes);
    for (bool any = true; any;) {
      any = false;
      for (Slot &slot : slots) {
        if (slot.cta < 0)
          continue;
        any = true;
        cache.access(ctas[slot.cta][slot.next++], slot.cta, result[domain]);
        if (slot.next == ctas[slot.cta].size())
          slot = next == waiting.end() ? Slot{-1, 0} : Slot{*next++, 0};
      }
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

CacheConfig randomMachine(std::mt19937 &random) {
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(1, n)(random);
  };
  CacheConfig config;
  config.domains = upTo(3);
  config.sms = upTo(9);
  config.resident = upTo(2);
  config.chunk = upTo(3);
  config.l2Bytes = upTo(40) * 256;
  config.drift = 0;
  config.threads = upTo(2);
  return config;
}

bool consistent(const CacheCounts &c) {
  return c.hits() + c.misses() == c.accesses() && c.loadMisses <= c.loads &&
         c.fabricMisses <= c.fabric;
}

void checkMachine(Tally &tally, const AccessTrace &trace, CacheConfig config,
                  const std::string &what) {
  CacheReport report = simulateCache(trace, config);
  std::vector<Expected> wanted = expectedCounts(trace, config);
  for (auto [counts, expected] : llvm::zip(report.domains, wanted))
    tally.check(expected == counts, [&]() { return "LRU: " + what; });
  // One pass by reuse distance says the same, for this size and others.
  std::vector<int64_t> curve =
      missCurve(trace, config, {config.l2Bytes, 0, config.l2Bytes / 2});
  tally.check(curve[0] == report.total.misses() &&
                  curve[1] == report.total.accesses() && curve[2] >= curve[0],
              [&]() { return "reuse distance: " + what; });
  // Lags change the order, not what is accessed.
  config.drift = 7;
  CacheReport late = simulateCache(trace, config);
  CacheReport again = simulateCache(trace, config);
  tally.check(late.total.accesses() == report.total.accesses() &&
                  late.distinctBytes == report.distinctBytes &&
                  late.total.misses() == again.total.misses() &&
                  consistent(late.total),
              [&]() { return "drift: " + what; });
  // Partitions that hold everything: each misses what it reads once, and DRAM
  // is read once.
  config.partitions = 2;
  config.domains = 1;
  config.l2Bytes = int64_t(1) << 30;
  CacheReport copies = simulateCache(trace, config);
  tally.check(copies.total.capacity == 0 && consistent(copies.total) &&
                  copies.distinctBytes == report.distinctBytes &&
                  copies.total.dramReads + copies.total.dramWrites ==
                      report.distinctBytes &&
                  copies.total.misses() <= 2 * report.distinctBytes,
              [&]() { return "partitions: " + what; });
}

void testSchedules(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  const char *const schedules[] = {
      "tiles=query=16,key=8",
      "tiles=query=16,key=8 persistent sms=5 resident=1 sawtooth=force",
      "tiles=query=16,key=8 persistent sms=3 resident=1 pair-tiles",
      "tiles=query=16,key=8 grid-order=swizzled-head-first domains=3",
      "tiles=query=16,key=8 grid-order=naive-block-first longest-first",
      "tiles=query=32,key=24 sawtooth=force",
      "tiles=query=16,key=8 splits=2"};
  const char *const masks[] = {
      "", "mask(#attn.causal<bottom_right>)",
      "mask(#attn.window<left = 20, right = 5, align = top_left>)"};
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n)(random);
  };
  for (const char *mask : masks)
    for (const char *schedule : schedules) {
      std::string what = std::string(schedule) + " " + mask;
      Compiled kernel = compileKernel(context, attentionText(mask), schedule);
      if (!tally.check(kernel.tracer && kernel.plain,
                       [&]() { return "compiles: " + what; }))
        continue;
      for (unsigned round = 0; round < 12; ++round) {
        Sizes sizes{upTo(2), upTo(150), upTo(150)};
        auto trace = kernel.tracer->trace(sizes.named(), 1 + round % 3);
        if (!tally.check(succeeded(trace), [&]() { return "traces: " + what; }))
          continue;
        tally.check(sameAccesses(*trace, traceAll(*kernel.plain, "f_attention",
                                                  sizes.views())),
                    [&]() { return "trace: " + what; });
        checkMachine(tally, *trace, randomMachine(random), what);
      }
    }
}

/// Tiles of several shapes, at any offsets, some outside: what counts is that
/// every byte is accessed as often as the kernel accesses it.
void testGrains(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  const char *const text = R"mlir(
attn.kernel @f(%x: !attn.view<?x?xf32>, %y: !attn.view<?x?xf32>, %lo: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = attn.dim %x, 0 : !attn.view<?x?xf32>
  attn.grid (%i) visit %visit in (row = %c4) {
    %shift = arith.muli %i, %step : index
    %begin = arith.addi %lo, %shift : index
    attn.stream %j step 6 over [%begin to %n] {
      %a = attn.load %x[%j, %c0] : !attn.view<?x?xf32> -> tensor<12x4xf32>
      %b = attn.load %x[%j, %lo] : !attn.view<?x?xf32> -> tensor<6x4xf32>
      attn.store %a, %y[%j, %lo] : tensor<12x4xf32> -> !attn.view<?x?xf32>
      attn.store %b, %y[%j, %c0] : tensor<6x4xf32> -> !attn.view<?x?xf32>
    }
  }
}
)mlir";
  auto module = parseSourceString<ModuleOp>(text, &context);
  auto tracer = module
                    ? KernelTracer::compile(*module->getOps<KernelOp>().begin())
                    : FailureOr<std::unique_ptr<KernelTracer>>(failure());
  if (!tally.check(succeeded(tracer), []() { return "compiles: grains"; }))
    return;
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n)(random);
  };
  for (unsigned round = 0; round < 60; ++round) {
    int64_t rows = 1 + upTo(60), columns = 1 + upTo(9), lo = upTo(16) - 8,
            step = upTo(9);
    auto trace = (*tracer)->trace({{"x.0", rows},
                                   {"x.1", columns},
                                   {"y.0", rows},
                                   {"y.1", columns},
                                   {"lo", lo},
                                   {"step", step}});
    if (!tally.check(succeeded(trace), []() { return "traces: grains"; }))
      continue;
    int64_t wanted[3] = {};
    std::set<std::array<int64_t, 3>> elements;
    auto visit = [&](unsigned kind, unsigned view, int64_t row, int64_t column,
                     int64_t height) {
      for (int64_t r = std::max<int64_t>(row, 0);
           r < std::min(row + height, rows); ++r)
        for (int64_t c = std::max<int64_t>(column, 0);
             c < std::min(column + 4, columns); ++c) {
          ++wanted[kind];
          elements.insert({view, r, c});
        }
    };
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = lo + i * step; j < rows; j += 6) {
        visit(0, 0, j, 0, 12);
        visit(0, 0, j, lo, 6);
        visit(1, 1, j, lo, 12);
        visit(1, 1, j, 0, 6);
      }
    CacheConfig config;
    config.l2Bytes = int64_t(1) << 20;
    CacheReport report = simulateCache(*trace, config);
    tally.check(report.total.loads == 4 * wanted[0] &&
                    report.total.stores == 4 * wanted[1] &&
                    report.distinctBytes ==
                        4 * static_cast<int64_t>(elements.size()) &&
                    report.total.cold == report.distinctBytes,
                [&]() {
                  return "grains: " + std::to_string(rows) + " x " +
                         std::to_string(columns) + " from " +
                         std::to_string(lo) + " by " + std::to_string(step);
                });
  }
}

} // namespace

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::mt19937 random(20261121);
  Tally tally;
  testSchedules(tally, context, random);
  testGrains(tally, context, random);
  return tally.close();
}
