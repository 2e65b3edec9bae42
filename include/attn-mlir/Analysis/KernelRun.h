//===- KernelRun.h - What every CTA of a kernel does ------------*- C++ -*-===//
//
// Runs the index arithmetic of a level-2 kernel for given sizes, without its
// tiles: which CTA visits what, and how many steps each stream takes. The IR is
// the only description of the schedule: what is written by hand runs as well.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_ANALYSIS_KERNELRUN_H
#define ATTN_MLIR_ANALYSIS_KERNELRUN_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <vector>

namespace attn {
class KernelOp;

/// What views of integers hold, by their names.
using ViewContents = llvm::StringMap<std::vector<int64_t>>;

/// What tile operations ask of an SM, counted from level 2.
struct TileWork {
  /// Multiplications and additions of products.
  double tensorOps = 0;
  /// Exponentials, logarithms and the like.
  double specials = 0;
  /// Instructions an element that FMA and integer units take: a product that
  /// only feeds a sum or difference counts with it, a conversion to 16 bits
  /// half (two elements an instruction).
  double lanes = 0;
  double loadedBytes = 0, storedBytes = 0;
  /// Of what CTAs of a cluster show each other.
  double exchangedBytes = 0;

  TileWork &operator+=(const TileWork &other);
  TileWork operator*(double times) const;
};

/// One stream of the kernel, a static operation.
struct StreamWork {
  TileWork step;
  /// What a step in a masked segment does.
  TileWork maskedStep;
  /// Elements of scores: of products that start from a constant.
  int64_t scores = 0;
  /// f32 values that the stream carries.
  int64_t state = 0;
  int64_t stepSize = 0;
  /// Whether it merges what CTAs of a cluster show each other.
  bool onChip = false;
};

/// What one CTA does.
struct CtaRun {
  int64_t visits = 0;
  /// Tiles that it merges behind exchanges of its cluster.
  int64_t merges = 0;
  /// For each stream of the kernel.
  llvm::SmallVector<int64_t, 1> steps, maskedSteps;
};

/// One walk of a CTA through what a load of a stream reads.
struct Walk {
  int64_t cta;
  /// Running number of the walk in its CTA.
  int64_t round;
  /// Tells apart what is streamed: equal for walks through the same data.
  uint64_t data;
  int64_t bytes;
  bool reverse;
};

/// What a CTA stores once: the first element of the tile in its view.
struct StoredTile {
  int64_t cta;
  llvm::SmallVector<int64_t, 4> offsets;
};

struct KernelRun {
  std::vector<StreamWork> streams;
  /// What a visit does beside its streams.
  TileWork visit;
  /// What it does for each tile that it merges behind an exchange, likewise.
  TileWork merge;
  std::vector<CtaRun> ctas;
  std::vector<Walk> walks;
  /// In the order of CTAs and of their visits: the first store of each.
  std::vector<StoredTile> tiles;
  /// Shape of these tiles, and the names of the dimensions of their view.
  llvm::SmallVector<int64_t> tileShape;
  llvm::SmallVector<std::string> tileDims;
  /// Shared memory of tiles: one stage of streamed ones (of the stream with
  /// most), and of those that stay.
  int64_t streamedTileBytes = 0, residentTileBytes = 0;
  /// CTAs of a cluster, and what one of them shows the others at a time.
  int64_t clusterCtas = 1, exchangedBytes = 0;
  /// Rows of a tile of scores or, without, of the state.
  int64_t rows = 0;
  /// Whether it merges states: one launch behind the kernel that makes them,
  /// each tile in the registers of a warp.
  bool merges = false;
  /// Bytes of all views that are read, and that are written, once.
  double viewBytesRead = 0, viewBytesWritten = 0;

  int64_t totalVisits() const;
  int64_t totalMerges() const;
  TileWork total() const;
};

/// Runs `kernel` for these sizes of its dynamic dimensions: by the name of the
/// axis (the kernel's `dim_names`), or by view and dimension ("k.2"). Views of
/// integers that `contents` does not name hold the largest i32. Fails
/// after a diagnostic where a size is missing or not of an axis, or where
/// control depends on what index arithmetic does not know. The context wants
/// the dialects scf and arith loaded.
mlir::FailureOr<KernelRun> runKernel(KernelOp kernel,
                                     const llvm::StringMap<int64_t> &sizes,
                                     const ViewContents &contents = {});

/// What following a kernel takes, before it is followed.
struct WorkEstimate {
  /// Visits of CTAs to tiles of the grid, and loads and stores of tiles.
  double visits = 0, accesses = 0;

  /// In units of one access. A visit that is followed takes as long as about so
  /// many, and memory for its part of a trace.
  double work() const { return accesses + kAccessesPerVisit * visits; }
  static constexpr double kAccessesPerVisit = 100;
};

/// Told how much of the work is done, from 0 to 1; from several threads.
using ProgressFn = std::function<void(double share)>;

/// Work for which a tool does not ask: about a minute on one core.
constexpr int64_t kDefaultMaxWork = 4'000'000'000;

/// From a sample of the kernel's CTAs, exact for small grids; in milliseconds.
/// Sizes as for runKernel, and fails like it.
mlir::FailureOr<WorkEstimate>
estimateWork(KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
             const ViewContents &contents = {});

/// Runs a kernel that writes elements of views of integers (attn.write), and
/// adds what it wrote to `contents`, by the names of the views.
mlir::LogicalResult runWrites(KernelOp kernel,
                              const llvm::StringMap<int64_t> &sizes,
                              ViewContents &contents);

/// "wants about 2.6e+11 accesses of tiles (58 minutes) for WHAT, at most 4e+09
/// are made (--max-work)".
std::string tooMuchWork(llvm::StringRef what, double work, double most);

/// Sizes by name, of texts "name=size" as options of passes have them; fails
/// after a diagnostic at `op` where a text is not of this form or a size is
/// negative.
mlir::FailureOr<llvm::StringMap<int64_t>>
parseSizes(llvm::ArrayRef<std::string> texts, mlir::Operation *op);

/// A dynamic dimension of a view of a kernel, and its name.
struct DynamicDim {
  std::string name;
  unsigned view, dim;
};
llvm::SmallVector<DynamicDim> dynamicDims(KernelOp kernel);

/// Names of the dynamic dimensions of a kernel, as runKernel takes them.
llvm::SmallVector<std::string> dynamicSizes(KernelOp kernel);

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_KERNELRUN_H
