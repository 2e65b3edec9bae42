//===- StreamPartition.cpp - Streamable ops to streamed tile loops --------===//
//
// The pass: tiles and splits as asked; PartitionStream.cpp makes the kernels.
//
//===----------------------------------------------------------------------===//

#include "AppendCache.h"
#include "ArrangeValues.h"
#include "Counts.h"
#include "PartitionStream.h"
#include "Quantize.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Dialect/Attn/Utils/TileChoice.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTREAMPARTITION
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

/// Each is code of its own: 192 took minutes to compile.
static constexpr int64_t kMostSplitsOfCta = 16;
/// Over CTAs they are an axis of the grid.
static constexpr int64_t kMostSplits = 4096;
/// As sizes are, which devices have 32 bits for.
static constexpr int64_t kLongestPart = int64_t(1) << 29;

namespace {

struct StreamPartitionPass
    : attn::impl::AttnStreamPartitionBase<StreamPartitionPass> {
  using AttnStreamPartitionBase::AttnStreamPartitionBase;

  /// Reads `tiles`; every name must be a tiled axis of some op.
  FailureOr<TileSizes> parseTiles(ArrayRef<StreamableOpInterface> ops) {
    SmallVector<StringRef> known;
    for (StreamableOpInterface op : ops)
      for (const StreamAxis &axis : op.getStreamAxes())
        if (isTiled(axis) && !llvm::is_contained(known, axis.name))
          known.push_back(axis.name);
    TileSizes result;
    for (StringRef text : tiles) {
      auto [name, number] = text.split('=');
      int64_t size;
      if (number.empty() || number.getAsInteger(10, size) || size < 1 ||
          size > (1 << 20)) {
        getOperation().emitError() << "tile size expects axis=size with a size "
                                      "from 1 to 1048576, but got '"
                                   << text << "'";
        return failure();
      }
      if (!llvm::is_contained(known, name)) {
        getOperation().emitError()
            << "no operation has a tiled axis '" << name << "'"
            << didYouMean(name, known) << " (axes: " << llvm::join(known, ", ")
            << ")";
        return failure();
      }
      if (!result.try_emplace(name, size).second) {
        getOperation().emitError()
            << "tile size of '" << name << "' given twice";
        return failure();
      }
    }
    return result;
  }

  /// A number of the schedule, where the option does not say.
  static int64_t numberOf(int64_t option, ScheduleAttr schedule,
                          StringRef field) {
    if (option != 0 || !schedule)
      return option;
    return schedule.getNumber(field).value_or(0);
  }

  /// 0 is nothing asked.
  static LogicalResult checkParts(Operation *op, int64_t parts, bool overCtas) {
    int64_t most = overCtas ? kMostSplits : kMostSplitsOfCta;
    if (parts >= 0 && parts <= most)
      return success();
    return op->emitError() << "expected 1 to " << most
                           << " splits, or 0 for the schedule's, but got "
                           << parts;
  }

  static bool hasGroup(StreamableOpInterface op) {
    return llvm::any_of(op.getStreamAxes(), [](const StreamAxis &axis) {
      return axis.kind == AxisKind::Group;
    });
  }

  static LogicalResult checkCapability(StreamableOpInterface op,
                                       StringRef capability, StringRef option) {
    TargetAttr target = TargetAttr::of(op);
    if (target.hasCapability(capability))
      return success();
    return op.emitOpError("expected a target with the capability '")
           << capability << "' for " << option << ", but got "
           << target.getName() << " with " << target.getCapabilities();
  }

  static LogicalResult checkEven(StreamableOpInterface op,
                                 const StreamSplit &split, StringRef where) {
    if (split.length == 0)
      return success();
    return op.emitOpError("expected even parts ")
           << where << ", but got parts of " << split.length << " elements";
  }

  /// Whether the target has clusters of so many CTAs, else a diagnostic.
  static LogicalResult checkCluster(StreamableOpInterface op,
                                    const StreamSplit &split) {
    if (failed(checkCapability(op, "cluster", "split-cluster")))
      return failure();
    TargetAttr target = TargetAttr::of(op);
    int64_t most = target.get(Fact::MaxClusterCTAs);
    if (split.parts > most)
      return op.emitOpError("expected at most ")
             << most << " CTAs of a cluster, which " << target.getName()
             << " has, but got " << split.parts << " splits";
    if (!hasGroup(op))
      return op.emitOpError("expected a grouped axis, along which CTAs of a "
                            "cluster share a merge, but got none");
    return checkEven(op, split, "in a cluster");
  }

  /// Whether one of the CTAs of so many parts can merge on the target, else a
  /// diagnostic.
  static LogicalResult checkLast(StreamableOpInterface op,
                                 const StreamSplit &split) {
    if (failed(checkCapability(op, "nvvm", "split-last")))
      return failure();
    if (split.inCluster)
      return op.emitOpError("expected split-cluster or split-last, but got "
                            "both");
    if (failed(checkEven(op, split, "for split-last")))
      return failure();
    if (split.parts < 2 || split.parts > kMostPartsOfWord)
      return op.emitOpError("expected 2 to ")
             << kMostPartsOfWord << " splits for split-last, but got "
             << split.parts;
    if (!hasGroup(op))
      return op.emitOpError("expected a grouped axis, whose rows the last CTA "
                            "merges, but got none");
    return success();
  }

  /// Sets how many CTAs share what tiles visit, if they are to. Diagnoses
  /// operations of which they cannot.
  LogicalResult setStreamK(StreamableOpInterface op, ScheduleAttr schedule,
                           StreamSplit &split) {
    if (!streamK && !(schedule && schedule.hasFlag("stream_k")))
      return success();
    if (split.overCtas || split.parts > 1 || split.listTiles)
      return op.emitOpError("expected no other split of its streams beside "
                            "stream-k, but got one");
    int64_t groups =
        llvm::count_if(op.getStreamAxes(), [](const StreamAxis &axis) {
          return axis.kind == AxisKind::Group;
        });
    if (groups != 1)
      return op.emitOpError("expected one grouped axis for stream-k, along "
                            "which parts are merged, but got ")
             << groups;
    int64_t onEach = numberOf(resident, schedule, "resident"),
            filled = numberOf(sms, schedule, "sms");
    if (failed(checkCounts(op.getLoc(), {"sms", filled}, {"resident", onEach})))
      return failure();
    split.ctas = std::max<int64_t>(onEach, 1) *
                 (filled ? filled : TargetAttr::of(op).get(Fact::SMs));
    if (split.ctas < 2 || split.ctas > OrderAttr::kMaxCount)
      return op.emitOpError("expected 2 to ")
             << OrderAttr::kMaxCount << " CTAs for stream-k, but got "
             << split.ctas;
    split.overCtas = true;
    return success();
  }

  /// The split by the options, else by the schedule of the operation, else
  /// none.
  FailureOr<StreamSplit> splitOf(StreamableOpInterface op,
                                 ScheduleAttr schedule) {
    StreamSplit split;
    split.length = numberOf(splitLength, schedule, "split_length");
    split.overCtas = splitCtas || split.length != 0 ||
                     (schedule && schedule.hasFlag("split_ctas"));
    split.listTiles = listTiles || (schedule && schedule.hasFlag("list_tiles"));
    if (split.listTiles && !hasPackedGroup)
      return op.emitOpError("expected packed queries for list-tiles, but got "
                            "none");
    // Like tiles, it is for the operations that have such an axis.
    split.listTiles &= packedGroupOf(op).has_value();
    split.parts = numberOf(splits, schedule, "splits");
    split.inCluster =
        splitCluster || (schedule && schedule.hasFlag("split_cluster"));
    if (split.inCluster && failed(checkCluster(op, split)))
      return failure();
    split.byLast = splitLast || (schedule && schedule.hasFlag("split_last"));
    if (split.byLast && failed(checkLast(op, split)))
      return failure();
    split.overCtas |= split.inCluster || split.byLast;
    if (failed(setStreamK(op, schedule, split)))
      return failure();
    if (split.overCtas && !op.getPackedAxes().empty())
      return op.emitOpError("expected no split over CTAs where sequences are "
                            "packed (cu_seqlens), but got one"),
             failure();
    if (split.overCtas && !op.getContributions().empty())
      return op.emitOpError("expected no split over CTAs where tiles are added "
                            "to results, but got one"),
             failure();
    if (failed(checkOrdered(op)))
      return failure();
    if (failed(checkParts(op, split.parts, split.overCtas)))
      return failure();
    if (!split.overCtas)
      split.parts = std::max<int64_t>(split.parts, 1);
    if ((split.parts > 1 || split.overCtas) &&
        op.getReorder() == Reorder::Ordered) {
      op.emitOpError("cannot be split: its stream must run in its order");
      return failure();
    }
    return split;
  }

  /// Tiles that add one after the other have the same rows, by one numbering.
  LogicalResult checkOrdered(StreamableOpInterface op) {
    bool ordered = llvm::any_of(op.getContributions(),
                                [](Contribution c) { return c.ordered; });
    if (!ordered || op.getPackedAxes().empty())
      return success();
    return op.emitOpError("expected no packed sequences (cu_seqlens) where "
                          "tiles add one after the other, but got some");
  }

  /// Parts of a stated length are whole tiles.
  LogicalResult checkLength(StreamableOpInterface op, const StreamSplit &split,
                            ArrayRef<int64_t> sizes) {
    if (split.length == 0)
      return success();
    if (split.length < 0 || split.length > kLongestPart)
      return op.emitOpError("expected parts of 1 to ")
             << kLongestPart << " elements, or 0 for even ones, but got "
             << split.length;
    if (split.parts > 0)
      return op.emitOpError("expected a number of parts or their length, but "
                            "got both ")
             << split.parts << " and " << split.length;
    int64_t tile = 1;
    for (auto [axis, size] : llvm::zip(op.getStreamAxes(), sizes))
      if (axis.kind == AxisKind::Stream)
        tile = size;
    if (split.length % tile == 0)
      return success();
    return op.emitOpError("expected parts of a multiple of ")
           << tile << ", which its streamed tile has, but got " << split.length;
  }

  /// Adds the tiles that the schedule states to those of the options.
  LogicalResult addTiles(StreamableOpInterface op, ScheduleAttr schedule,
                         TileSizes &sizes) {
    SmallVector<StringRef> known;
    for (const StreamAxis &axis : op.getStreamAxes())
      if (isTiled(axis))
        known.push_back(axis.name);
    for (auto [axis, size] : schedule.getTiles()) {
      if (!llvm::is_contained(known, axis))
        return op.emitOpError("expected tiles of its axes (")
               << llvm::join(known, ", ") << "), but got '" << axis << "'"
               << didYouMean(axis, known);
      sizes.try_emplace(axis, size);
    }
    return success();
  }

  /// Makes the kernel of one operation, which keeps what its schedule says of
  /// kernels.
  LogicalResult partition(StreamableOpInterface op, const TileSizes &options) {
    ScheduleAttr schedule = ScheduleAttr::of(op);
    TileSizes asked = options;
    if (schedule && failed(addTiles(op, schedule, asked)))
      return failure();
    FailureOr<StreamSplit> split = splitOf(op, schedule);
    bool each = succeeded(split) && !split->overCtas &&
                splitsResults(schedule) && op.getContributions().empty();
    FailureOr<TileChoice> choice =
        failed(split) ? FailureOr<TileChoice>() : chooseTile(op, asked, each);
    if (failed(choice) || failed(checkLength(op, *split, choice->sizes)))
      return failure();
    reportTiles(op, *choice, options, asked);
    if (!each || op->getNumResults() < 2) {
      count(partitionStream(op, choice->sizes, *split), schedule);
      return success();
    }
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      count(partitionResult(op, choice->sizes, *split, i), schedule);
    op->erase();
    return success();
  }

  bool splitsResults(ScheduleAttr schedule) {
    return splitResults || (schedule && schedule.hasFlag("split_results"));
  }

  void count(const PartitionedStream &made, ScheduleAttr schedule) {
    // What deals or merges is not what the schedule speaks of.
    if (schedule)
      ScheduleAttr::set(
          made.streaming,
          schedule.without({"tiles", "splits", "split_ctas", "split_cluster",
                            "split_last", "stream_k", "split_length",
                            "list_tiles", "split_results", "pack_group"}));
    numSegments += made.numSegments;
    numKernels += made.kernels.size();
  }

  void reportTiles(StreamableOpInterface op, const TileChoice &choice,
                   const TileSizes &options, const TileSizes &asked) {
    SmallVector<remarks::KeyedValue> tiles;
    for (auto [axis, size] : llvm::zip(op.getStreamAxes(), choice.sizes)) {
      if (!isTiled(axis))
        continue;
      StringRef from = options.count(axis.name) ? "option"
                       : asked.count(axis.name) ? "attribute"
                       : choice.fromTable       ? "table"
                                                : "target";
      tiles.push_back({axis.name.str(), std::to_string(size)});
      tiles.push_back({(axis.name + "-from").str(), from.str()});
    }
    remarks::emitTileSizes(op, tiles);
  }

  /// Makes the kernels of what prepares operands of others; how many.
  static unsigned prepare(Operation *op) {
    if (auto quantization = dyn_cast<QuantizeOp>(op))
      return partitionQuantization(quantization);
    if (auto arrangement = dyn_cast<ArrangeValuesOp>(op))
      partitionArrangement(arrangement);
    else if (auto append = dyn_cast<AppendCacheOp>(op))
      partitionAppend(append);
    else
      partitionRotation(cast<RotateOp>(op));
    return 1;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(
            checkCounts(module.getLoc(), {"sms", sms}, {"resident", resident})))
      return signalPassFailure();
    SmallVector<StreamableOpInterface> ops;
    SmallVector<Operation *> preparations;
    // A nested module is scheduled by a pipeline of its own.
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op) && op != module)
        return WalkResult::skip();
      if (auto streamable = dyn_cast<StreamableOpInterface>(op))
        ops.push_back(streamable);
      if (isa<ArrangeValuesOp, AppendCacheOp, RotateOp, QuantizeOp>(op))
        preparations.push_back(op);
      return WalkResult::advance();
    });
    // What they are for comes behind them.
    for (Operation *op : preparations)
      numKernels += prepare(op);
    if (ops.empty() &&
        succeeded(checkParts(module, splits, splitCtas || splitLength != 0))) {
      remarks::emitNothingToPartition(module);
      return;
    }
    auto asked = parseTiles(ops);
    if (failed(asked))
      return signalPassFailure();
    hasPackedGroup = llvm::any_of(ops, [](StreamableOpInterface op) {
      return packedGroupOf(op).has_value();
    });
    for (StreamableOpInterface op : ops)
      if (failed(partition(op, *asked)))
        return signalPassFailure();
    for (auto kernel : module.getOps<KernelOp>())
      tidy(kernel);
  }

  /// Whether some operation groups packed elements, whose tiles can be listed.
  bool hasPackedGroup = false;
};

} // namespace
