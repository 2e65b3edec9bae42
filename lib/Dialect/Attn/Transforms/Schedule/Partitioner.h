//===- Partitioner.h - Makes the kernels of a streamable op -----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONER_H

#include "PartitionStream.h"
#include "Shares.h"
#include "StreamKernel.h"
#include "WorkList.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

namespace attn {

/// Tiles of the stream that a part has at least where their number is chosen:
/// fewer take less time than a merge.
constexpr int64_t kLeastTiles = 2;
/// How often the bytes of its state are moved for a part more: written, read by
/// the merge, and about as long until its rings are full.
constexpr int64_t kPartCost = 4;
/// States that a merge reads one after another, at most, where their number is
/// chosen.
constexpr int64_t kMostChosen = 128;

/// Replaces one op by launches of kernels that it makes.
class Partitioner {
public:
  /// `only`: of this result.
  Partitioner(StreamableOpInterface op, llvm::ArrayRef<int64_t> sizes,
              const StreamSplit &split,
              std::optional<unsigned> only = std::nullopt)
      : op(op), axes(op.getStreamAxes()), contributions(op.getContributions()),
        sizes(sizes), split(split), only(only), host(op) {
    streamed = innermostStreamed(axes);
    describeViews();
  }

  PartitionedStream run();

private:
  //===--------------------------------------------------------------------===//
  // Views
  //===--------------------------------------------------------------------===//

  void describeViews();

  /// The input that is operand view `number` of the op. Sums that tiles are
  /// added to are operands, but no inputs, so that places differ.
  const KernelView &inputOf(unsigned number) const;

  /// Elements of an axis, where the op is.
  mlir::Value hostExtent(unsigned axis);

  mlir::Value emptyResult(mlir::RankedTensorType type, mlir::AffineMap map,
                          llvm::ArrayRef<int64_t> permutation);

  //===--------------------------------------------------------------------===//
  // Lengths
  //===--------------------------------------------------------------------===//

  /// Ends the stream of the op at the length that is read; whether that can be
  /// one, or null where none is read.
  mlir::Value endStream(StreamKernel &kernel);

  /// The results of a tile, or NaN where `valid` does not hold.
  llvm::SmallVector<mlir::Value> checked(StreamKernel &kernel,
                                         llvm::SmallVector<mlir::Value> tiles,
                                         mlir::Value valid);

  static mlir::Value nanLike(const TileBuilder &t, mlir::Value tile);

  //===--------------------------------------------------------------------===//
  // One kernel
  //===--------------------------------------------------------------------===//

  std::string nameWith(llvm::StringRef suffix);

  /// The segments that part number `part` of `parts` visits, of what the tile
  /// visits in all.
  llvm::SmallVector<Segment> clip(StreamKernel &kernel,
                                  llvm::ArrayRef<Segment> segments,
                                  mlir::Value part, mlir::Value parts);

  /// Likewise, of what is visited from `at` + `from` up to `at` + `to`.
  llvm::SmallVector<Segment> clip(StreamKernel &kernel,
                                  llvm::ArrayRef<Segment> segments,
                                  mlir::Value from, mlir::Value to,
                                  mlir::Value at);

  /// Folds the segments into a state.
  llvm::SmallVector<mlir::Value>
  buildFolds(StreamKernel &kernel, llvm::ArrayRef<Segment> segments,
             llvm::ArrayRef<mlir::Value> resident);

  /// Adds what a fold contributes to the results that tiles of the grid add to.
  void addContributions(StreamKernel &kernel,
                        llvm::ArrayRef<mlir::Value> tiles);

  /// Whether tiles add one after the other.
  bool ordersContributions() const {
    return llvm::any_of(contributions,
                        [](Contribution c) { return c.ordered; });
  }

  /// A number for each tile of the grid: how far it has got.
  KernelView describeProgress();
  /// Such a number of `bits` bits, or one that tiles share which differ in what
  /// the op has no axis for.
  KernelView describeNumbers(llvm::StringRef name, unsigned bits);
  /// Has what `launch` passes for it made zero.
  void clearProgress(LaunchOp launch, KernelOp kernel);

  /// Streams the axes around the innermost one, from `axis` on: `inner` makes
  /// what is carried on from what is carried.
  llvm::SmallVector<mlir::Value> buildAround(StreamKernel &kernel,
                                             unsigned axis,
                                             mlir::ValueRange carried,
                                             StreamKernel::Fold inner);

  /// Makes and launches the kernel that lists the tiles of a packed axis, the
  /// longest points of its owner first: StreamKernel::kTileFields numbers each.
  KernelView listTiles(const PackedAxis &packed);

  void runWhole();

  void finish(StreamKernel &kernel, llvm::StringRef step = "");

  //===--------------------------------------------------------------------===//
  // Two kernels
  //===--------------------------------------------------------------------===//

  unsigned splitAxis() const { return axes.size(); }

  /// Elements of an axis, where a number of parts is computed.
  using Extent = llvm::function_ref<mlir::Value(unsigned)>;

  /// CTAs of the grid without a split.
  mlir::Value countGrid(const IndexBuilder &m, Extent extent);
  /// Those, or one where there is none.
  mlir::Value countTiles(const IndexBuilder &m, Extent extent);

  /// Parts of the stream that have work enough to be worth a merge.
  mlir::Value countWorth(const IndexBuilder &m, Extent extent);

  /// The number of parts, where the op is.
  mlir::Value countParts();

  static int64_t constantOr(mlir::Value value);

  /// A dimension of the workspace.
  struct Dim {
    mlir::AffineExpr expr;
    mlir::Value size;
  };

  /// Unit axes that a state has one dimension for.
  Dim dimOf(llvm::ArrayRef<unsigned> run);

  /// Views of the workspace, one for each value of the state: of `parts` for
  /// each point of the unit axes in `units`.
  llvm::SmallVector<KernelView>
  describeStates(mlir::Value parts, llvm::ArrayRef<StreamAxis> units);

  KernelView describeState(llvm::StringRef name, llvm::ArrayRef<Dim> dims);

  /// Views by maps that know the split axis, too.
  llvm::SmallVector<KernelView> withSplitAxis(llvm::ArrayRef<KernelView> views);

  /// The axes of the op, and that of its parts.
  KernelAxes axesWithSplit(int64_t parts);

  /// The axes of both kernels. Parts of a stream come before what streams it.
  KernelAxes splitAxes(mlir::Value parts);

  /// The state of the CTA's part.
  llvm::SmallVector<mlir::Value> buildPart(StreamKernel &kernel);

  /// The state of part `ahead` behind the position of the stream, or another
  /// one where there is no such part before `end` (null: of any).
  llvm::SmallVector<mlir::Value>
  stateOrNothing(StreamKernel &kernel, unsigned axis, int64_t ahead,
                 llvm::SmallVector<mlir::Value> state,
                 llvm::ArrayRef<mlir::Value> otherwise, mlir::Value end);

  /// One state of several, neighbours first.
  llvm::SmallVector<mlir::Value>
  mergeAll(StreamKernel &kernel,
           llvm::SmallVector<llvm::SmallVector<mlir::Value>> states);

  /// Loads the state of the part that lies so many behind the position.
  using LoadState =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(int64_t ahead)>;

  /// Takes several parts, from the position of the stream on, into a state.
  using VisitParts = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange carried, int64_t several)>;

  /// One state of all these parts along an axis: many at once, then few. There
  /// is none from `end` on (null: from the last).
  llvm::SmallVector<mlir::Value> mergeParts(StreamKernel &kernel, unsigned axis,
                                            Segment parts, mlir::Value end,
                                            VisitParts visit);

  /// Folds the steps that an op streams; several are loaded before the first is
  /// folded.
  llvm::SmallVector<mlir::Value> mergeSteps(StreamKernel &kernel,
                                            const Segment &steps);

  /// Streams over all parts, or over those that `work` lists for the tile's
  /// stream, and makes the results, where `valid` holds (null: anywhere).
  void buildMerges(StreamKernel &kernel, LoadState load, mlir::Value valid,
                   const WorkList *work = nullptr);

  /// What a merge reads beside states: the lengths, and the view that tells
  /// what they may be at most.
  llvm::SmallVector<KernelView> lengthViews();

  /// What it reads elements of beside them.
  llvm::SmallVector<KernelView> tailViews();

  /// Rows of a tile of the merge: the first dimension of a value of the state.
  static int64_t mergeRows(const StreamAxis &axis, int64_t size);

  /// States of a visit of a merge, of so many parts.
  static int64_t mergedAtOnce(int64_t parts);

  /// The axis that the rows of a state are along.
  unsigned rowAxis() const;

  void runSplit();

  /// Merges states, with what `work` says of them, if anything.
  void runMerge(KernelAxes kernelAxes, llvm::ArrayRef<KernelView> states,
                const WorkList *work = nullptr);

  //===--------------------------------------------------------------------===//
  // One kernel of clusters
  //===--------------------------------------------------------------------===//

  /// CTAs of a cluster: as many as let all clusters run at once, where several
  /// small ones take the place of a large one.
  mlir::Value countInCluster(StreamKernel &kernel);

  /// Shows the CTA's state to its cluster: as many rows as there can be.
  ExchangeOp exchange(StreamKernel &kernel, llvm::ArrayRef<mlir::Value> state);
  /// Has few rows sent to who merges them, each CTA of a stated number its
  /// share.
  void scatter(ExchangeOp shown);
  /// Rows of a tile that there can be.
  int64_t heldRows() const;
  /// Rows that a CTA of a cluster merges at once, where it reads others'.
  int64_t sharedRows() const;
  /// At most so many rows, of which a tile is a multiple.
  int64_t wholeShare(int64_t rows) const;

  /// The rows of a state from `row` on, of the part at the stream's position.
  llvm::SmallVector<mlir::Value> loadShown(StreamKernel &kernel,
                                           ExchangeOp shown, mlir::Value row,
                                           int64_t ahead);

  /// Merges rows of the states that are shown, those of the CTA's part.
  void mergeShown(StreamKernel &kernel, ExchangeOp shown, mlir::Value valid);

  void runInCluster();

  /// Merges the tile's rows, so many at once: those from `from` on, and then
  /// each time the ones `step` behind. `load` is given the first of them.
  using LoadRows = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value row, int64_t ahead)>;
  void mergeRowsOfTile(StreamKernel &kernel, int64_t rows, mlir::Value from,
                       mlir::Value step, LoadRows load, mlir::Value valid);

  //===--------------------------------------------------------------------===//
  // One kernel whose last CTA merges
  //===--------------------------------------------------------------------===//

  void runLast();

  //===--------------------------------------------------------------------===//
  // CTAs that share what tiles visit, and a kernel that merges
  //===--------------------------------------------------------------------===//

  /// Axes behind that of the parts: rows of a part in the workspace, and visits
  /// of CTAs, or tiles that these share.
  unsigned slotRowAxis() const { return splitAxis() + 1; }
  unsigned workAxis() const { return splitAxis() + 2; }
  /// Parts of all tiles, at most: one ends where a tile or a share does.
  int64_t slotsOfShares() const { return 2 * split.ctas; }
  KernelAxes streamKAxes();
  /// The workspace: states of all parts.
  llvm::SmallVector<KernelView> describeSlots();
  /// Sets the coordinates of a tile, all of which have one numbering.
  void enterTile(StreamKernel &kernel, mlir::Value tile);
  Shares sharesOf(StreamKernel &kernel);
  /// What streams: whole tiles, whose results are stored, and parts of others.
  void buildShares(StreamKernel &kernel);
  /// What merges the parts.
  void mergeShares(llvm::ArrayRef<KernelView> states);
  llvm::SmallVector<mlir::Value> mergeSlots(StreamKernel &merge, Segment slots);
  void runStreamK();

  //===--------------------------------------------------------------------===//
  // Three kernels
  //===--------------------------------------------------------------------===//

  /// Entries of the list, at most. Even parts of `streams` streams are together
  /// as long as as many as are wanted, and of each stream one is cut short.
  mlir::Value countEntries(mlir::Value streams,
                           llvm::ArrayRef<StreamAxis> units);

  /// The axes of the kernel that streams what entries list: that over the
  /// entries takes the place of those that select a stream.
  /// What a part more costs, in tiles of the stream.
  int64_t partCost();
  KernelAxes dealtAxes(const WorkList &work, mlir::Value entries);

  void buildDealtParts(StreamKernel &kernel, const WorkList &work);

  void runDealt();

  /// Has views be of what a launch made, for the next one.
  static void setTensors(llvm::MutableArrayRef<KernelView> views,
                         mlir::ValueRange made);

  void replaceBy(LaunchOp launch);

  StreamableOpInterface op;
  llvm::SmallVector<StreamAxis> axes;
  llvm::SmallVector<Contribution> contributions;
  llvm::SmallVector<int64_t> sizes;
  StreamSplit split;
  std::optional<unsigned> only;
  mlir::OpBuilder host;
  unsigned streamed;
  llvm::SmallVector<KernelView> inputs, outputs;
  PartitionedStream result;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONER_H
