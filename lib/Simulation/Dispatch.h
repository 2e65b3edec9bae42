//===- Dispatch.h - CTAs in flight, access by access ------------*- C++ -*-===//
//
// The order in which the accesses of one L2 domain's CTAs reach its cache.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_SIMULATION_DISPATCH_H
#define ATTN_MLIR_LIB_SIMULATION_DISPATCH_H

#include "attn-mlir/Simulation/CacheSimulator.h"
#include <algorithm>

namespace attn {

/// How far behind the foremost CTA one of them is: from 0, where all start, it
/// wanders between 0 and `most` accesses, linearly between random values, and
/// never faster than half as fast as it goes on.
class Lag {
public:
  Lag(int64_t most, uint64_t seed, uint64_t slot)
      : most(most), state(seed * 0x9e3779b97f4a7c15u + slot) {
    while ((int64_t(1) << shift) < 2 * most)
      ++shift;
    to = random();
  }

  /// The lag at the next access.
  int64_t next() {
    if (most == 0)
      return 0;
    int64_t lag = from + (((to - from) * step) >> shift);
    if (++step == int64_t(1) << shift) {
      step = 0;
      from = to;
      to = random();
    }
    return lag;
  }

private:
  /// SplitMix64 (Steele, Lea, Flood 2014), uniform in [0, most].
  int64_t random() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int64_t>((z ^ (z >> 31)) %
                                static_cast<uint64_t>(most + 1));
  }

  int64_t most;
  uint64_t state;
  int64_t from = 0, to = 0, step = 0;
  /// Accesses between two random values, at least 2^12: CTAs differ by a few
  /// percent in speed.
  unsigned shift = 12;
};

/// The n-th CTA that is dispatched to a domain; beyond the last one, any number
/// that is too large.
inline int64_t ctaOf(const CacheConfig &config, int64_t domain, int64_t n) {
  int64_t turn = n / config.chunk;
  return (turn * config.domains + domain) * config.chunk + n % config.chunk;
}

/// SMs of a domain, at least one.
inline int64_t smsOf(const CacheConfig &config, int64_t domain) {
  return std::max<int64_t>(1, config.sms / config.domains +
                                  (domain < config.sms % config.domains));
}

/// Calls `access(tile access, CTA, SM of the domain)` for every access of the
/// CTAs that are dispatched to `domain`. CTAs go to domains in turn, `chunk` at
/// a time; a domain starts its next CTA when one ends. Those in flight make one
/// access each in a unit of time, but for their lags.
template <typename Callback>
void forEachAccess(const AccessTrace &trace, const CacheConfig &config,
                   int64_t domain, Callback access) {
  int64_t sms = smsOf(config, domain);
  struct Slot {
    AccessTrace::Cursor cursor;
    int64_t cta = -1, sm, done = 0, due;
    Lag lag;
  };
  int64_t dispatched = 0;
  auto start = [&](Slot &slot) {
    while (slot.cursor.done()) {
      slot.cta = ctaOf(config, domain, dispatched++);
      if (slot.cta >= trace.numCtas()) {
        slot.cta = -1;
        return;
      }
      slot.cursor = trace.cta(slot.cta);
    }
  };
  std::vector<Slot> slots;
  for (int64_t i = 0; i < sms * config.resident; ++i) {
    Lag lag(config.drift, config.seed, i);
    int64_t due = lag.next();
    slots.push_back({{}, -1, i % sms, 0, due, lag});
    start(slots.back());
    if (slots.back().cta < 0) {
      slots.pop_back();
      break;
    }
  }
  for (int64_t now = 0; !slots.empty(); ++now) {
    bool ended = false;
    for (Slot &slot : slots)
      while (slot.due <= now && slot.cta >= 0) {
        access(slot.cursor.next(), slot.cta, slot.sm);
        slot.due = ++slot.done + slot.lag.next();
        if (slot.cursor.done()) {
          start(slot);
          ended |= slot.cta < 0;
        }
      }
    if (ended)
      slots.erase(std::remove_if(slots.begin(), slots.end(),
                                 [](const Slot &slot) { return slot.cta < 0; }),
                  slots.end());
  }
}

} // namespace attn

#endif // ATTN_MLIR_LIB_SIMULATION_DISPATCH_H
