//===- AccessTrace.h - Which CTA reads and writes which tile ----*- C++ -*-===//
//
// The accesses of a scheduled kernel for given sizes, in the order of each CTA:
// the kernel's own index arithmetic (attn-trace), compiled in memory and run.
// Stored as loops with constant strides, so that a trace of 10^8 accesses takes
// megabytes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_SIMULATION_ACCESSTRACE_H
#define ATTN_MLIR_SIMULATION_ACCESSTRACE_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace attn {
class KernelOp;

class CpuModule;

/// One access of a CTA to one tile. Tiles of all views are numbered from 0;
/// none overlaps another. Bytes are those inside of the view.
struct TileAccess {
  uint32_t tile = 0;
  uint32_t bytes = 0;
  uint16_t view = 0;
  bool store = false;
};

/// The accesses of all CTAs of one kernel for one set of sizes.
class AccessTrace {
public:
  /// `count` rounds over `period` accesses; after each round the tile of each
  /// access moves on by its stride.
  struct Loop {
    uint64_t first;
    uint32_t period, count;
  };
  struct Access : TileAccess {
    int32_t stride = 0;
  };

  /// How the tiles of a view are numbered: from `firstTile`, in blocks of
  /// which no loop leaves one. Blocks of all views are numbered as well.
  struct View {
    uint32_t firstTile = 0, blockTiles = 1, firstBlock = 0;
    uint32_t blockOf(uint32_t tile) const {
      return firstBlock + (tile - firstTile) / blockTiles;
    }
    uint32_t positionOf(uint32_t tile) const {
      return (tile - firstTile) % blockTiles;
    }
  };

  /// Walks through the accesses of one CTA. Valid as long as the trace is.
  class Cursor {
  public:
    Cursor() = default;
    bool done() const { return loop == end; }
    /// The current access, then on to the next. Wants !done().
    TileAccess next() {
      const Access &entry = accesses[loop->first + position];
      TileAccess result = entry;
      result.tile += entry.stride * static_cast<int32_t>(round);
      if (++position == loop->period) {
        position = 0;
        if (++round == loop->count) {
          round = 0;
          ++loop;
        }
      }
      return result;
    }

  private:
    friend class AccessTrace;
    const Loop *loop = nullptr, *end = nullptr;
    const Access *accesses = nullptr;
    uint32_t position = 0, round = 0;
  };

  int64_t numCtas() const {
    return ctaLoops.empty() ? 0 : static_cast<int64_t>(ctaLoops.size()) - 1;
  }
  Cursor cta(int64_t index) const {
    Cursor cursor;
    cursor.loop = loops.data() + ctaLoops[index];
    cursor.end = loops.data() + ctaLoops[index + 1];
    cursor.accesses = accesses.data();
    return cursor;
  }
  uint32_t numTiles() const { return tiles; }
  /// Accesses of all CTAs.
  int64_t numAccesses() const;
  /// Names of the views, by number.
  llvm::ArrayRef<std::string> viewNames() const { return names; }
  llvm::ArrayRef<View> views() const { return numbering; }
  uint32_t numBlocks() const { return blocks; }
  llvm::ArrayRef<Loop> loopsOf(int64_t cta) const {
    return llvm::ArrayRef(loops).slice(ctaLoops[cta],
                                       ctaLoops[cta + 1] - ctaLoops[cta]);
  }
  llvm::ArrayRef<Access> accessesOf(const Loop &loop) const {
    return llvm::ArrayRef(accesses).slice(loop.first, loop.period);
  }
  /// Bytes that the trace takes in memory.
  int64_t memoryBytes() const;

private:
  friend class KernelTracer;
  friend class TraceBuilder;
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  /// First loop of each CTA, and the number of loops.
  std::vector<uint64_t> ctaLoops;
  std::vector<std::string> names;
  std::vector<View> numbering;
  uint32_t tiles = 0, blocks = 0;
};

/// The index arithmetic of one kernel, compiled once for all sizes.
class KernelTracer {
public:
  /// Compiles a kernel of level 2, its grid materialised or not; the kernel
  /// stays as it is. Fails after a diagnostic.
  static mlir::FailureOr<std::unique_ptr<KernelTracer>>
  compile(KernelOp kernel);
  ~KernelTracer();

  /// Runs it on `threads` threads (0: all cores). `sizes` has a value for each
  /// dynamic dimension of a view, by the name of its axis ("query", of the
  /// kernel's dim_names) or by view and dimension ("q.2"), and for each integer
  /// argument, by name. Fails after a diagnostic.
  /// It also fails where there are more accesses than `most`.
  mlir::FailureOr<AccessTrace>
  trace(const llvm::StringMap<int64_t> &sizes, unsigned threads = 0,
        double most = std::numeric_limits<double>::infinity(),
        const std::function<void(double)> &progress = {},
        const ViewContents &contents = {}) const;

private:
  struct Impl;
  explicit KernelTracer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace attn

#endif // ATTN_MLIR_SIMULATION_ACCESSTRACE_H
