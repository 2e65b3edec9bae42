//===- PartitionStream.h - The kernels of a streamable op -------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONSTREAM_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONSTREAM_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"

namespace attn {

/// How the stream of an op is divided.
struct StreamSplit {
  /// Parts, each with a state of its own; 0: as many as CTAs are free for, by
  /// the sizes of a call (only `overCtas`).
  int64_t parts = 1;
  /// Elements of a part, a multiple of the streamed tile, whatever their number
  /// then is; 0: parts are even.
  int64_t length = 0;
  /// Whether CTAs of their own stream the parts and store the states, which a
  /// second kernel merges.
  bool overCtas = false;
  /// Whether these are the CTAs of a cluster, which merge the states
  /// themselves.
  bool inCluster = false;
  /// Whether the one of them that is done last merges the states.
  bool byLast = false;
  /// CTAs that share the tiles of the last round evenly, whose parts a second
  /// kernel merges; 0: CTAs take whole tiles.
  int64_t ctas = 0;
  /// Whether tiles of packed queries come from a list, longest sequences first.
  bool listTiles = false;
};

/// The packed axis that tiles are along, if there is one.
std::optional<PackedAxis> packedGroupOf(StreamableOpInterface op);

/// The kernels that an op became, in the order in which they are launched.
struct PartitionedStream {
  llvm::SmallVector<KernelOp, 3> kernels;
  /// The one that streams, of which a schedule speaks.
  KernelOp streaming;
  /// Segments of all streams.
  unsigned numSegments = 0;
};

/// Replaces `op` by launches of kernels over tiles of these sizes, one for each
/// axis.
PartitionedStream partitionStream(StreamableOpInterface op,
                                  llvm::ArrayRef<int64_t> sizes,
                                  const StreamSplit &split);

/// Replaces one result of `op`, which stays, by the launch of a kernel that
/// computes it alone. The stream is not split over CTAs.
PartitionedStream partitionResult(StreamableOpInterface op,
                                  llvm::ArrayRef<int64_t> sizes,
                                  const StreamSplit &split, unsigned result);

/// Erases from streams what they carry and no store follows from.
void dropUnusedCarried(KernelOp kernel);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_PARTITIONSTREAM_H
