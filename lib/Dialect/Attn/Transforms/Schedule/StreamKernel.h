//===- StreamKernel.h - A kernel that streams past its tiles ----*- C++ -*-===//
//
// What all kernels of a streamable op have in common: views by maps from the
// axes, a grid over unit axes and tiles of group axes, loads and stores of
// tiles, a stream, and the launch.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_STREAMKERNEL_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_STREAMKERNEL_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// A view of a kernel, and the tensor that its launch passes for it.
struct KernelView {
  llvm::StringRef name;
  mlir::Value tensor;
  /// From the axes to the dimensions of the view.
  mlir::AffineMap map;
  /// From the dimensions of the view to those of the tensor.
  llvm::SmallVector<int64_t> permutation;
  /// Its number among the operand views of the op, where it is one.
  std::optional<unsigned> number = std::nullopt;

  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(tensor.getType());
  }
  /// Whether elements are read one by one, as indices.
  bool holdsIndices() const {
    return llvm::isa<mlir::IntegerType>(getType().getElementType());
  }
};

/// The axes of a kernel: those of the op, then any of the kernel's own.
struct KernelAxes {
  llvm::SmallVector<StreamAxis> axes;
  /// Elements of a tile along each.
  llvm::SmallVector<int64_t> sizes;
  /// The one that the kernel streams; the grid spans the unit and group axes
  /// among the others.
  unsigned streamed;
  /// The axes in the order of the grid; empty: as they are.
  llvm::SmallVector<unsigned> gridOrder;
};

/// Makes one kernel of an op: what is built between the constructor and
/// `launch` is its body.
class StreamKernel {
public:
  StreamKernel(StreamableOpInterface op, llvm::StringRef name,
               const KernelAxes &axes, llvm::ArrayRef<KernelView> inputs,
               llvm::ArrayRef<KernelView> outputs);

  KernelOp getKernel() { return kernel; }
  mlir::OpBuilder &getBuilder() { return builder; }
  const TileContext &getContext() const { return context; }

  /// States how many elements an axis has that no view tells.
  void setExtent(unsigned axis, mlir::Value extent) {
    context.extents[axis] = extent;
  }

  /// The body of the grid begins; CTAs that agree in `sharing` axes stream the
  /// same tiles. `cluster`: those along the last axis are one.
  void enterGrid(bool cluster = false);

  /// Numbers of a listed tile: its point of the owner, where it begins there,
  /// where the point begins in its views, and how many elements it has.
  static constexpr int64_t kTileFields = 4;
  /// Tiles of a packed axis are those that input `view` lists.
  void takeListed(unsigned view) { listView = view; }

  /// What follows is about part of a tile: `size` elements along a group axis,
  /// from `offset` on.
  void narrow(unsigned axis, mlir::Value offset, int64_t size) {
    context.offsets[axis] = offset;
    context.sizes[axis] = size;
  }

  /// What follows streams this axis, in tiles of `size`.
  void streamAlong(unsigned axis, int64_t size) {
    streamed = axis;
    context.sizes[axis] = size;
  }

  /// Elements of a view of integers.
  mlir::Value readElement(unsigned view, mlir::ValueRange offsets);
  void writeElement(mlir::Value value, unsigned view, mlir::ValueRange offsets);
  /// Size of a dimension of a view; views of inputs are followed by those of
  /// outputs.
  mlir::Value sizeOf(unsigned view, int64_t dim);
  unsigned numInputViews() const { return numInputs; }

  /// Elements of an axis, as views tell.
  mlir::Value extentOf(unsigned axis);
  /// Sets the coordinate of an axis that the grid lacks.
  void setOffset(unsigned axis, mlir::Value offset) {
    context.offsets[axis] = offset;
  }

  /// Ends the stream of axis `axis` at the length that input `view` holds for
  /// the tile; returns whether that is a length that the axis can have. (Where
  /// it is not, results do not matter.)
  mlir::Value endStream(unsigned axis, unsigned view);
  mlir::Value endStreamAt(unsigned axis, mlir::Value length);

  /// What follows streams what is of the tile's point of the owner, where the
  /// stream is packed; returns whether the offsets can be those of it (else it
  /// has no elements), or null where it is not packed.
  mlir::Value enterPackedStream();
  /// A tile of a packed axis that does not exist streams nothing.
  void skipMissingTile();

  /// Tiles of the inputs that the stream passes by, `ahead` elements behind its
  /// position; or of all others.
  llvm::SmallVector<mlir::Value> loadTiles(bool streamed, int64_t ahead = 0);

  /// A loop over the segments, in steps of the streamed axis's tile. `fold` is
  /// called in its body and gives what is carried on. `order`: of its visits.
  using Fold = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> buildStream(llvm::ArrayRef<Segment> segments,
                                             mlir::ValueRange inits, Fold fold,
                                             const StreamTraversal &order = {});

  /// A loop over the steps of an axis that is streamed around another; of one
  /// step there is none.
  llvm::SmallVector<mlir::Value> buildSteps(unsigned axis,
                                            mlir::ValueRange inits, Fold body);

  /// Adds a tile to an output, at the position of the stream.
  void accumulate(mlir::Value tile, unsigned output, bool ordered);

  /// Says in `progress`, the last output, how far the tile has got: that it has
  /// passed what is in front of the stream's position; or that it is done.
  void reportProgress(bool done);
  /// Waits until the tiles in front of it have passed the position.
  void awaitProgress();
  /// Orders tiles that wait for each other so that those start first which get
  /// to a position first.
  void orderWaits();

  /// Stores a tile for each output from `first` on, or for some of these; where
  /// `stored` does not hold, nothing (null: anywhere).
  void storeTiles(mlir::ValueRange tiles, unsigned first = 0,
                  mlir::Value stored = mlir::Value());

  /// The tile of a view, `ahead` elements behind the position along an axis;
  /// views of inputs are followed by those of outputs.
  mlir::Value loadView(unsigned view, unsigned axis, int64_t ahead);

  /// Says in the last output that the CTA streams its part along `axis`, of so
  /// many.
  mlir::Value beginPart(unsigned axis, int64_t parts);

  /// Launches the kernel where the op is.
  LaunchOp launch();

private:
  unsigned numViews() const { return views.size(); }
  void createKernel(llvm::StringRef name);
  void describeViews();
  std::string nameOf(mlir::AffineExpr expr);
  mlir::ArrayAttr permutations();
  ViewType viewType(const KernelView &view);
  mlir::Value constant(int64_t value);
  void setOffsets(mlir::ValueRange coordinates);
  /// A loop over segments along an axis; masks act in these.
  StreamOp openStream(llvm::ArrayRef<Segment> segments, unsigned axis,
                      mlir::ValueRange inits);
  bool isStreamed(unsigned view) const;
  /// The row behind the last one of an output that is stored, where that is not
  /// its view's last: none where `stored` does not hold.
  mlir::Value endOfStored(unsigned view, mlir::Value stored);
  /// Where the stream stands, among all of the tile's streams, `ahead` elements
  /// behind its position.
  mlir::Value placeOfStream(int64_t ahead);
  /// Whether there are tiles of an input.
  bool hasTiles(unsigned view);
  mlir::RankedTensorType tileType(unsigned view);
  unsigned containerOf(unsigned input);
  /// The first columns of a tile, as many as the type has.
  mlir::Value firstColumns(mlir::Value tile, mlir::RankedTensorType type);
  /// Whether a view is one of offsets of a packed axis.
  bool holdsOffsets(const KernelView &view) const;
  /// Tiles of the grid along an axis.
  mlir::Value countTiles(unsigned axis);
  mlir::Value countPackedTiles(const PackedAxis &packed);
  /// The packed axis that tiles of the grid are along, or null: such tiles are
  /// those of all points of its owner, one point behind the other.
  const PackedAxis *packedGroup() const;
  /// What follows is about the elements of an axis that are of the tile's point
  /// of the owner; returns whether the offsets can be those of it. (Where they
  /// cannot, there are none.)
  mlir::Value enterPacked(const PackedAxis &packed);
  /// Finds the point of the owner that a tile of the grid belongs to, and where
  /// it begins there.
  void enterPackedTile(const PackedAxis &packed, mlir::Value tile);
  /// The same of a tile that is listed.
  void enterListedTile(const PackedAxis &packed, mlir::Value entry);
  /// Input that is operand view `number` of the op.
  unsigned inputOf(unsigned number) const;
  /// The end of an axis in its views.
  mlir::Value endInViews(unsigned axis);
  llvm::SmallVector<mlir::Value> offsetsOf(unsigned view);
  std::optional<unsigned> groupedAxis(mlir::AffineExpr expr) const;
  mlir::Value expand(mlir::AffineExpr expr, llvm::ArrayRef<mlir::Value> dims);
  llvm::SmallVector<mlir::Value> blocksOf(unsigned view);
  mlir::Value lookUp(const Lookup &lookup, unsigned view,
                     mlir::ValueRange place);
  mlir::Value boundIn(llvm::ArrayRef<mlir::Value> offsets, unsigned view);

  StreamableOpInterface op;
  llvm::SmallVector<StreamAxis> axes;
  /// As the fold sees them: lengths that are read are not static.
  llvm::SmallVector<StreamAxis> foldAxes;
  unsigned streamed, numInputs;
  /// Where the stream ends in its views, if that is not the end of these.
  mlir::Value streamBound;
  llvm::SmallVector<PackedAxis> packedAxes;
  /// Where packed axes begin in their views; null of others.
  llvm::SmallVector<mlir::Value> bases;
  /// Whether the grid's tile of a packed axis exists; null where none is
  /// packed.
  mlir::Value tileExists;
  /// Halvings that find the point of such a tile.
  mlir::Value halvings;
  /// The input that lists the tiles, if one does.
  std::optional<unsigned> listView;
  /// Axes of the grid, in its order.
  llvm::SmallVector<unsigned> gridAxes;
  llvm::SmallVector<KernelView> views;
  mlir::IRRewriter builder;
  mlir::Location loc;
  TileContext context;
  KernelOp kernel;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_STREAMKERNEL_H
