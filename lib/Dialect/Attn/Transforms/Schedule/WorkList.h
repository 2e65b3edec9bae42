//===- WorkList.h - Parts of streams that the device deals ------*- C++ -*-===//
//
// Where the lengths of streams are read on the device, a kernel of its own
// makes a list there: an entry for each part of each stream. CTAs that stream
// parts have an axis of the grid over its entries.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_WORKLIST_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_WORKLIST_H

#include "StreamKernel.h"

namespace attn {

/// Names the rows of views of a kernel from `first` on, which are no axis of
/// its own.
void nameRows(KernelOp kernel, llvm::ArrayRef<llvm::StringRef> names,
              unsigned first);
/// A view of new numbers, where `host` builds: `rows` of so many columns, for a
/// kernel with so many axes.
KernelView makeArray(mlir::OpBuilder &host, mlir::Location loc,
                     llvm::StringRef name, mlir::Value rows, int64_t columns,
                     unsigned numAxes);

/// Makes the list of one op, and the arithmetic by which kernels read it.
///
/// list[entry] = {unit coordinates that select a stream, from, to, slot}:
///   elements of what a tile visits of its stream, and where the partial state
///   goes. Those that are as long as a part come first, since there may be more
///   than run at once. Entries behind the last visit nothing.
/// table[stream] = {first slot, slots}, for the merge; behind the last stream:
///   {entries, elements of a part}.
class WorkList {
public:
  /// Parts of `partLength` elements, or (0) even ones.
  WorkList(StreamableOpInterface op, llvm::ArrayRef<int64_t> sizes,
           unsigned streamed, llvm::ArrayRef<KernelView> inputs,
           int64_t partLength);

  /// The unit axes that select a stream.
  llvm::ArrayRef<unsigned> getOwners() const { return owners; }

  /// Tiles of the stream that an even part has at least: fewer take less time
  /// than a merge.
  void setLeastTiles(int64_t tiles) { leastTiles = tiles; }
  /// Tiles whose time a part more takes, for its state: where no stream is
  /// longer than an even part by more, streams stay whole.
  void setPartCost(int64_t tiles) { partCost = tiles; }

  /// Makes and launches the kernel, for so many streams and as many entries as
  /// there can be, both numbers where the op is: for even parts as many as
  /// there are streams, and one less than the parts that are wanted.
  KernelOp deal(llvm::StringRef name, mlir::Value streams,
                mlir::Value capacity);

  /// Views of what was made, for kernels of which `work` is the axis over the
  /// entries.
  KernelView getList(unsigned work) const;
  KernelView getTable(unsigned work) const;

  /// Enters the grid of a kernel over the entries, of which those that exist
  /// are the first; its input `table` is the table.
  void enterGrid(StreamKernel &kernel, unsigned table) const;
  /// Sets the coordinates of the stream in a kernel whose input `list` is the
  /// list; returns the range of its entry.
  std::pair<mlir::Value, mlir::Value>
  enterEntry(StreamKernel &kernel, unsigned work, unsigned list) const;
  /// The slots of the tile's stream, in a kernel whose input `table` is the
  /// table.
  Segment slotsOf(StreamKernel &kernel, unsigned table) const;
  /// Whether the tile's stream is one part, whose CTA makes the results, and
  /// whether it is not.
  std::pair<mlir::Value, mlir::Value> isWhole(StreamKernel &kernel,
                                              unsigned table) const;

private:
  mlir::Value streamOf(StreamKernel &kernel) const;
  mlir::Value countStreams(StreamKernel &kernel) const;
  mlir::Value visitsOf(StreamKernel &kernel, mlir::Value length) const;
  void buildDeal(StreamKernel &kernel);
  mlir::Value buildPartTiles(StreamKernel &kernel, mlir::Value streams);

  /// Calls `body` in a loop over the streams with the number of one and the
  /// tiles that it visits.
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value stream, mlir::Value visits,
                                         mlir::ValueRange carried)>;
  Values coordinatesOf(StreamKernel &kernel, mlir::Value stream) const;
  void selectStream(StreamKernel &kernel, mlir::Value stream) const;
  Values forStreams(StreamKernel &kernel, mlir::Value streams,
                    const Values &init, Body body) const;

  /// Of a row: tiles that its stream visits, parts and whole parts of the
  /// streams in front of it, whole parts of all.
  struct Place {
    mlir::Value visits, slot, whole, allWhole;
  };
  Place placeOf(StreamKernel &kernel, mlir::Value streams, mlir::Value row,
                mlir::Value partTiles) const;

  /// Writes an entry for the part of the stream at the context's coordinates.
  void writeEntry(StreamKernel &kernel, mlir::Value entry, mlir::Value from,
                  mlir::Value to, mlir::Value slot) const;
  void writeTable(StreamKernel &kernel, mlir::Value row, mlir::Value first,
                  mlir::Value second) const;
  /// Parts are written by a loop over their numbers in the stream.
  void writeParts(StreamKernel &kernel, mlir::Value length, mlir::Value slot,
                  mlir::Value first, mlir::Value end, mlir::Value entry) const;
  /// What one CTA writes: a row of the table and the entries of its stream; of
  /// the last row the entries that no stream has.
  void writeRow(StreamKernel &kernel, mlir::Value streams, mlir::Value row,
                mlir::Value partTiles) const;

  int64_t numFields() const { return owners.size() + 3; }

  /// A handle, whose methods are not const.
  mutable StreamableOpInterface op;
  llvm::SmallVector<StreamAxis> axes;
  llvm::SmallVector<int64_t> sizes;
  unsigned streamed;
  llvm::SmallVector<KernelView> inputs;
  int64_t partLength, leastTiles = 1, partCost = 0;
  llvm::SmallVector<unsigned> owners;
  mlir::Value list, table;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_WORKLIST_H
