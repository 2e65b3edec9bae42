//===- TouchCompressor.h - Accesses as loops, as they come ------*- C++ -*-===//
//
// A CTA's accesses are loops: K and V at j, then K and V at j + 1. They are
// found while the trace runs, so that it is never held in full.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_SIMULATION_TOUCHCOMPRESSOR_H
#define ATTN_MLIR_LIB_SIMULATION_TOUCHCOMPRESSOR_H

#include "attn-mlir/Runtime/CpuKernel.h"
#include <array>
#include <cstdint>
#include <vector>

namespace attn {

/// Dimensions of a view that a touch reports.
constexpr unsigned kTouchDims = 5;

/// The accesses of consecutive CTAs.
class TouchCompressor {
public:
  /// An access in a loop; its offsets move by the strides each round.
  struct Entry {
    std::array<int64_t, kTouchDims> offsets{}, strides{};
    int64_t bytes = 0;
    uint16_t view = 0;
    bool store = false;
  };
  struct Loop {
    uint64_t first;
    uint32_t period, count;
  };

  /// `views` gives the number of the view for each argument.
  explicit TouchCompressor(llvm::ArrayRef<uint16_t> views) : views(views) {}

  void add(const Access &access) {
    // Nearly all accesses are the ones that a loop expects.
    if (position < period && access.cta == cta) {
      Expected &entry = next[position];
      if (entry.matches(access)) {
        for (unsigned d = 0; d < kTouchDims; ++d)
          entry.offsets[d] += entry.strides[d];
        if (++position == period) {
          position = 0;
          ++rounds;
        }
        return;
      }
    }
    addOther(access);
  }

  /// CTAs are added in order, from `begin` on, up to `end`: those without
  /// accesses, too.
  void start(int64_t begin) { cta = begin; }
  void finish(int64_t end) {
    while (cta < end)
      nextCta();
  }

  std::vector<Entry> entries;
  std::vector<Loop> loops;
  /// Behind the last loop of each CTA.
  std::vector<uint64_t> ctaEnds;

private:
  /// Loops of more accesses a round are kept access by access.
  static constexpr unsigned kMaxPeriod = 8;
  static constexpr unsigned kMaxPending = 64;

  /// An access of the next round of a loop.
  struct Expected {
    int64_t offsets[kTouchDims], strides[kTouchDims];
    int64_t bytes, kind, view;

    bool matches(const Access &access) const {
      int64_t different =
          (access.bytes ^ bytes) | (access.kind ^ kind) | (access.view ^ view);
      for (unsigned d = 0; d < kTouchDims; ++d)
        different |= access.offsets[d] ^ offsets[d];
      return different == 0;
    }
  };

  void addOther(const Access &access) {
    while (cta < access.cta)
      nextCta();
    // Nothing of the view: no memory is accessed.
    if (access.bytes == 0)
      return;
    Entry entry;
    for (unsigned d = 0; d < kTouchDims; ++d)
      entry.offsets[d] = access.offsets[d];
    entry.bytes = access.bytes;
    entry.view = views[access.view];
    entry.store = access.kind != 0;
    if (period > 0)
      endLoop();
    pending.push_back({entry, access.view});
    for (unsigned length = 1; length <= kMaxPeriod; ++length)
      if (beginLoop(length))
        return;
    if (pending.size() >= kMaxPending)
      flush(pending.size() - 2 * kMaxPeriod);
  }

  static bool alike(const Entry &a, const Entry &b) {
    return a.view == b.view && a.bytes == b.bytes && a.store == b.store;
  }

  /// Takes the last two rounds of pending accesses for a loop, if they are one.
  bool beginLoop(unsigned length) {
    size_t size = pending.size();
    if (size < 2 * length)
      return false;
    size_t first = size - 2 * length;
    for (unsigned i = 0; i < length; ++i)
      if (!alike(pending[first + i].entry, pending[first + length + i].entry))
        return false;
    flush(first);
    loops.push_back({entries.size(), length, 0});
    for (unsigned i = 0; i < length; ++i) {
      Entry entry = pending[i].entry;
      const Entry &second = pending[length + i].entry;
      Expected &expected = next[i];
      expected.bytes = entry.bytes;
      expected.kind = entry.store;
      expected.view = pending[i].argument;
      for (unsigned d = 0; d < kTouchDims; ++d) {
        entry.strides[d] = second.offsets[d] - entry.offsets[d];
        expected.strides[d] = entry.strides[d];
        expected.offsets[d] = second.offsets[d] + entry.strides[d];
      }
      entries.push_back(entry);
    }
    pending.clear();
    period = length;
    rounds = 2;
    position = 0;
    return true;
  }

  void endLoop() {
    loops.back().count = static_cast<uint32_t>(rounds);
    // What was there of a round that did not come to its end.
    uint64_t first = loops.back().first;
    for (unsigned i = 0; i < position; ++i) {
      Entry entry = entries[first + i];
      for (unsigned d = 0; d < kTouchDims; ++d) {
        entry.offsets[d] += rounds * entry.strides[d];
        entry.strides[d] = 0;
      }
      pending.push_back({entry, next[i].view});
    }
    period = position = 0;
  }

  /// Keeps the first `count` pending accesses as they are.
  void flush(size_t count) {
    if (count == 0)
      return;
    loops.push_back({entries.size(), static_cast<uint32_t>(count), 1});
    for (size_t i = 0; i < count; ++i)
      entries.push_back(pending[i].entry);
    pending.erase(pending.begin(), pending.begin() + count);
  }

  void nextCta() {
    if (period > 0)
      endLoop();
    flush(pending.size());
    ctaEnds.push_back(loops.size());
    ++cta;
  }

  llvm::ArrayRef<uint16_t> views;
  int64_t cta = 0;
  struct Pending {
    Entry entry;
    int64_t argument;
  };
  /// Accesses that are in no loop yet.
  std::vector<Pending> pending;
  /// The next round of the loop that is going on; period 0: none is.
  std::array<Expected, kMaxPeriod> next;
  unsigned position = 0, period = 0;
  int64_t rounds = 0;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_SIMULATION_TOUCHCOMPRESSOR_H
