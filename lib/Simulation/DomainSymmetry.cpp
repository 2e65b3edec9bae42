//===- DomainSymmetry.cpp - Domains that do the same ----------------------===//

#include "DomainSymmetry.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn;

namespace {

/// A bijection of blocks, found step by step.
class Matcher {
public:
  explicit Matcher(const AccessTrace &trace)
      : trace(trace), map(trace.numBlocks(), kNoBlock),
        inverse(trace.numBlocks(), kNoBlock) {}

  bool match(int64_t from, int64_t to) {
    llvm::ArrayRef<AccessTrace::Loop> a = trace.loopsOf(from),
                                      b = trace.loopsOf(to);
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip(a, b), [&](auto loops) {
             return match(std::get<0>(loops), std::get<1>(loops));
           });
  }

  BlockMap take() { return std::move(map); }

private:
  bool match(const AccessTrace::Loop &a, const AccessTrace::Loop &b) {
    return a.period == b.period && a.count == b.count &&
           llvm::all_of(llvm::zip(trace.accessesOf(a), trace.accessesOf(b)),
                        [&](auto pair) {
                          return match(std::get<0>(pair), std::get<1>(pair));
                        });
  }

  bool match(const AccessTrace::Access &a, const AccessTrace::Access &b) {
    if (a.view != b.view || a.bytes != b.bytes || a.store != b.store ||
        a.stride != b.stride)
      return false;
    const AccessTrace::View &view = trace.views()[a.view];
    if (view.positionOf(a.tile) != view.positionOf(b.tile))
      return false;
    uint32_t from = view.blockOf(a.tile), to = view.blockOf(b.tile);
    if (map[from] == kNoBlock && inverse[to] == kNoBlock) {
      map[from] = to;
      inverse[to] = from;
    }
    return map[from] == to && inverse[to] == from;
  }

  const AccessTrace &trace;
  BlockMap map, inverse;
};

} // namespace

uint64_t attn::signatureOf(const AccessTrace &trace, const CacheConfig &config,
                           int64_t domain) {
  llvm::hash_code hash = llvm::hash_value(smsOf(config, domain));
  for (int64_t n = 0;; ++n) {
    int64_t cta = ctaOf(config, domain, n);
    if (cta >= trace.numCtas())
      return hash;
    hash = llvm::hash_combine(hash, n);
    for (const AccessTrace::Loop &loop : trace.loopsOf(cta)) {
      hash = llvm::hash_combine(hash, loop.period, loop.count);
      for (const AccessTrace::Access &access : trace.accessesOf(loop))
        hash = llvm::hash_combine(
            hash, access.view, access.bytes, access.store, access.stride,
            trace.views()[access.view].positionOf(access.tile));
    }
  }
}

std::optional<BlockMap> attn::findSymmetry(const AccessTrace &trace,
                                           const CacheConfig &config,
                                           int64_t from, int64_t to) {
  if (smsOf(config, from) != smsOf(config, to))
    return std::nullopt;
  Matcher matcher(trace);
  for (int64_t n = 0;; ++n) {
    int64_t a = ctaOf(config, from, n), b = ctaOf(config, to, n);
    bool aEnds = a >= trace.numCtas(), bEnds = b >= trace.numCtas();
    if (aEnds && bEnds)
      return matcher.take();
    if (aEnds || bEnds || !matcher.match(a, b))
      return std::nullopt;
  }
}
