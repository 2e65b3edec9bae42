//===- TouchCompressor.h - Accesses as loops, while they are made -*- C++ -*-=//
//
// A CTA's accesses are loops: K and V at j, then K and V at j + 1. They are
// found while the trace runs, so that it is never held in full.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_ANALYSIS_TOUCHCOMPRESSOR_H
#define ATTN_MLIR_LIB_ANALYSIS_TOUCHCOMPRESSOR_H

#include "attn-mlir/Runtime/CpuKernel.h"
#include <array>
#include <cstdint>
#include <vector>

namespace attn {

/// Dimensions of a view that a touch reports.
constexpr unsigned kTouchDims = 4;

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
    add(entry);
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

  static bool alike(const Entry &a, const Entry &b) {
    return a.view == b.view && a.bytes == b.bytes && a.store == b.store;
  }

  void add(const Entry &entry) {
    if (!next.empty()) {
      Entry &expected = next[position];
      if (alike(expected, entry) && expected.offsets == entry.offsets) {
        for (unsigned d = 0; d < kTouchDims; ++d)
          expected.offsets[d] += expected.strides[d];
        if (++position == next.size()) {
          position = 0;
          ++rounds;
        }
        return;
      }
      endLoop();
    }
    pending.push_back(entry);
    for (unsigned period = 1; period <= kMaxPeriod; ++period)
      if (beginLoop(period))
        return;
    if (pending.size() >= kMaxPending)
      flush(pending.size() - 2 * kMaxPeriod);
  }

  /// Takes the last two rounds of pending accesses for a loop, if they are one.
  bool beginLoop(unsigned period) {
    size_t size = pending.size();
    if (size < 2 * period)
      return false;
    size_t first = size - 2 * period;
    for (unsigned i = 0; i < period; ++i)
      if (!alike(pending[first + i], pending[first + period + i]))
        return false;
    flush(first);
    loops.push_back({entries.size(), period, 0});
    for (unsigned i = 0; i < period; ++i) {
      Entry entry = pending[i];
      Entry &ahead = next.emplace_back(pending[period + i]);
      for (unsigned d = 0; d < kTouchDims; ++d) {
        ahead.strides[d] = ahead.offsets[d] - entry.offsets[d];
        ahead.offsets[d] += ahead.strides[d];
      }
      entry.strides = ahead.strides;
      entries.push_back(entry);
    }
    pending.clear();
    rounds = 2;
    position = 0;
    return true;
  }

  void endLoop() {
    loops.back().count = rounds;
    // What was there of a round that did not come to its end.
    for (unsigned i = 0; i < position; ++i) {
      Entry entry = next[i];
      for (unsigned d = 0; d < kTouchDims; ++d) {
        entry.offsets[d] -= entry.strides[d];
        entry.strides[d] = 0;
      }
      pending.push_back(entry);
    }
    next.clear();
  }

  /// Keeps the first `count` pending accesses as they are.
  void flush(size_t count) {
    if (count == 0)
      return;
    loops.push_back({entries.size(), static_cast<uint32_t>(count), 1});
    entries.insert(entries.end(), pending.begin(), pending.begin() + count);
    pending.erase(pending.begin(), pending.begin() + count);
  }

  void nextCta() {
    if (!next.empty())
      endLoop();
    flush(pending.size());
    ctaEnds.push_back(loops.size());
    ++cta;
  }

  llvm::ArrayRef<uint16_t> views;
  int64_t cta = 0;
  /// Accesses that are in no loop yet.
  std::vector<Entry> pending;
  /// The accesses of the next round of the loop that is going on.
  std::vector<Entry> next;
  unsigned position = 0;
  uint32_t rounds = 0;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_ANALYSIS_TOUCHCOMPRESSOR_H
