//===- Quantization.h - Builds the kernels that make FP8 --------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZATION_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZATION_H

#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

namespace attn {

/// Builds the kernels of one operation.
class Quantization {
public:
  explicit Quantization(QuantizeOp op)
      : op(op), loc(op.getLoc()), host(op), b(op.getContext()),
        head(headDimOf(op.getLayout())), row(seqDimOf(op.getLayout())) {}

  /// How many kernels that takes.
  unsigned run();

private:
  /// Rows of a tile, and tiles of a CTA, of which maxima are taken: all are
  /// under way at once, and rows in one place of their tile share a maximum.
  static constexpr int64_t kMaximaRows = 16, kMaximaTiles = 8;
  /// Rows of a tile that is rounded.
  static constexpr int64_t kRoundedRows = 64;
  /// The same of tiles that are rotated, a warp for each 16 rows: CTAs read the
  /// matrix once for so many, and two of them fit an SM. Half of them where a
  /// wide matrix leaves no room, or where a CTA is a warpgroup, which keeps the
  /// matrix: what one SM has of two waits less than one of twice the rows.
  static constexpr int64_t kRotatedRows = 128, kRotatedTiles = 2,
                           kMostRotatedColumns = 128;
  static constexpr int64_t kRotatedThreads = 256, kWarpgroup = 128;
  /// Slots for tiles of rows at most: what is under way of one tile covers the
  /// time that a copy takes.
  static constexpr int64_t kMostStages = 4;
  /// Maxima of one scale that a warp takes at once; and where several scales
  /// are made at once, how many, of how many each.
  static constexpr int64_t kMaximaAtOnce = 2048, kScalesAtOnce = 16,
                           kMaximaOfEach = 256, kLaneMaxima = 32;
  /// Rows whose sum a CTA makes, as many at once as it takes maxima of.
  static constexpr int64_t kSummedRows = 512;
  /// Columns whose means a CTA makes, and numbers of each that it adds at once.
  static constexpr int64_t kMeanColumns = 16, kAddedAtOnce = 64;

  /// The matrix with its columns in an order that attn.interleave undoes.
  mlir::Value launchMatrix();
  /// Sums of rows that have one place in their tiles, each divided by how many
  /// rows there are.
  mlir::Value launchSums();
  mlir::Value launchMeans(mlir::Value sums);
  /// The means, rotated like rows but for the factor.
  mlir::Value launchTurnedMeans();
  /// A kernel of a number for each batch, head and column: the sum of what
  /// `numbers` makes for a batch, a head and 16 columns from one on, and as
  /// many positions along a dimension of the first view.
  mlir::Value
  launchColumns(llvm::StringRef suffix, llvm::ArrayRef<TensorView> views,
                int64_t summed,
                llvm::function_ref<mlir::Value(mlir::ValueRange, mlir::Value,
                                               mlir::Value)>
                    numbers);
  mlir::Value launchMaxima();
  mlir::Value allocateMaxima();
  mlir::Value launchScales(mlir::Value maxima);
  /// The larger of so many maxima of each of some scales, from a place on.
  mlir::Value loadMaxima(mlir::ValueRange place, mlir::Value position,
                         int64_t count, int64_t columns);
  mlir::Value launchNumbers(mlir::Value scales);

  /// Folds positions from one up to another.
  mlir::Value
  foldStream(mlir::Value lower, mlir::Value upper, int64_t step,
             mlir::Value init, bool ordered,
             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

  /// Starts a kernel that writes the last of its views.
  void open(llvm::StringRef suffix, llvm::ArrayRef<TensorView> views,
            bool follows);
  /// Who computes the rows of its tiles, of which a CTA has so many at once.
  void stateThreads(int64_t tiles);
  /// Tiles of rows that are under way for each of so many, beside a matrix that
  /// stays, in the shared memory of a CTA.
  int64_t stagesOf(int64_t tiles);
  /// Its launch on the host: what it writes.
  mlir::Value launch(llvm::ArrayRef<TensorView> views);

  /// X, or what has its shape.
  TensorView rowsView(llvm::StringRef name, mlir::Value tensor) {
    return {name, tensor, {0, head, row, 3}, {"batch", "", "row", ""}};
  }
  TensorView scalesView(mlir::Value tensor) {
    if (isOfBlocks())
      return {"scales", tensor, {0, 1, 2}, {"batch", "", ""}};
    return {"scales", tensor, {0, 1}, {"batch", ""}};
  }
  /// Those of each scale are neighbours.
  TensorView maximaView(mlir::Value tensor) {
    if (isOfBlocks())
      return {"maxima", tensor, {0, 1, 2, 3}, {"batch", "", "", ""}};
    return {"maxima", tensor, {0, 1, 2}, {"batch", "", ""}};
  }
  /// A matrix, or blocks.
  TensorView rotationView(llvm::StringRef name, mlir::Value tensor) {
    if (isOfFactors())
      return {name, tensor, {0, 1, 2}, {"", "", ""}};
    return {name, tensor, {0, 1}, {"", ""}};
  }
  TensorView columnsView(llvm::StringRef name, mlir::Value tensor) {
    return {name, tensor, {0, 1, 2}, {"batch", "", ""}};
  }
  llvm::SmallVector<TensorView> inputViews() {
    llvm::SmallVector<TensorView> views{rowsView("x", op.getInput())};
    if (mlir::Value rotation = op.getRotation())
      views.push_back(rotationView("rotation", rotation));
    if (shift)
      views.push_back(columnsView("means", shift));
    return views;
  }

  /// Whether products leave columns where lanes have no four neighbours, and
  /// attn.interleave names others of which they do.
  bool storesWords() {
    TargetAttr target = TargetAttr::of(op);
    return op.getRotation() && target && target.hasCapability("ldmatrix") &&
           op.getBlockDim() % kLeastGroup == 0;
  }
  /// Columns of which a lane has a quarter as neighbours: 16 bytes of FP8 where
  /// groups of so many divide a row, and the whole sectors of memory that four
  /// lanes write, or 8.
  static constexpr int64_t kLeastGroup = 32;
  int64_t groupOfColumns() {
    return op.getBlockDim() % InterleaveOp::kMostGroup == 0
               ? InterleaveOp::kMostGroup
               : kLeastGroup;
  }

  /// Whether the rotation is blocks, and Sylvester's matrix between them.
  bool isOfFactors() { return op.getNumBlocks() > 1; }
  /// Tiles of columns of which a row consists: those of a block each.
  using Columns = llvm::SmallVector<mlir::Value>;

  /// Some columns of rows from a place on.
  mlir::Value loadColumns(mlir::ValueRange at, int64_t column,
                          llvm::ArrayRef<int64_t> shape);
  /// Rows from a place on.
  Columns loadTile(mlir::ValueRange at, int64_t rows);
  /// A tile in f32.
  mlir::Value widen(mlir::Value tile);
  /// The same rotated, and less a row of means, where they are to be.
  Columns changeRows(mlir::ValueRange tile, mlir::ValueRange rotation,
                     mlir::ValueRange means);
  /// The sums and differences of tiles that Sylvester's matrix has.
  Columns mix(Columns tiles);
  Columns loadRotation();
  /// The row of means of a head that changeRows takes; in the order of the
  /// columns of the matrix of launchMatrix, where that is read.
  Columns loadMeans(mlir::Value batch, mlir::Value itsHead, bool isOrdered);
  /// A tile of rows from `first` on, or of a number each, with zeros in the
  /// place of what zeros behind X are less a mean.
  mlir::Value keepRows(mlir::Value tile, mlir::Value first);
  /// A tile of one number, as large as another of indices.
  mlir::Value indices(mlir::Value like, int64_t value);
  /// What column of a matrix is where, in that of launchMatrix.
  mlir::Value orderColumns(mlir::Value columns);
  /// The number of the scale of a head.
  mlir::Value scaleOf(mlir::Value itsHead) {
    return index().div(itsHead, index().constant(headsOfScale()));
  }
  int64_t headsOfScale() { return op.getNumHeads() / op.getNumScales(); }
  /// Parts of the rows of one head, of which a CTA takes the maxima.
  mlir::Value countParts(IndexBuilder m, mlir::Value rows) {
    if (!isOfBlocks())
      return m.ceilDiv(rows, m.constant(rowsOfPart()));
    return m.mul(countBlocks(m, rows), m.constant(partsOfBlock()));
  }
  int64_t rowsOfPart() { return rowsOfTile() * tilesOfPart(); }
  int64_t rowsOfTile() {
    return op.getRotation() ? rotatedRows() : kMaximaRows;
  }
  int64_t tilesOfPart() {
    int64_t most = op.getRotation() ? mostRotatedTiles() : kMaximaTiles;
    return std::min(most, block() / rowsOfTile());
  }
  /// As many rows whether tiles are whole or halves, and half of them where
  /// tiles are wide: fewer maxima are left for a scale. One of wide tiles that
  /// start from means, which take the registers of a second.
  int64_t mostRotatedTiles() {
    if (isMatrixWide() || (isWide() && op.getCentered()))
      return 1;
    int64_t most = hasWarpgroups() ? 2 * kRotatedTiles : kRotatedTiles;
    return isWide() ? most / 2 : most;
  }
  bool isWide() { return op.getDim() > kMostRotatedColumns; }
  /// Whether the matrix leaves no room for a second warpgroup's rows.
  bool isMatrixWide() { return op.getBlockDim() > kMostRotatedColumns; }
  int64_t rotatedRows() {
    bool isHalf = isMatrixWide() || hasWarpgroups();
    return std::min(isHalf ? kRotatedRows / 2 : kRotatedRows, block());
  }
  int64_t rotatedThreads() {
    return kRotatedThreads * rotatedRows() / kRotatedRows;
  }
  bool hasWarpgroups() {
    TargetAttr target = TargetAttr::of(op);
    return target && target.hasCapability("wgmma");
  }
  /// CTAs of rotated rows that an SM has at once: two where one has a single
  /// warpgroup and memory for both.
  int64_t residentCtas() {
    return rotatedThreads() == kWarpgroup && !isMatrixWide() ? 2 : 1;
  }
  int64_t roundedRows() {
    return op.getRotation() ? rotatedRows() : std::min(kRoundedRows, block());
  }

  /// Whether blocks of rows have scales of their own, and their rows.
  bool isOfBlocks() { return op.getScaleBlock().has_value(); }
  int64_t block() {
    return isOfBlocks() ? static_cast<int64_t>(*op.getScaleBlock())
                        : std::numeric_limits<int64_t>::max();
  }
  mlir::Value countBlocks(IndexBuilder m, mlir::Value rows) {
    return m.ceilDiv(rows, m.constant(block()));
  }
  int64_t partsOfBlock() { return block() / rowsOfPart(); }
  /// Maxima of a scale of a block.
  int64_t maximaOfBlock() {
    return headsOfScale() * partsOfBlock() * rowsOfTile();
  }
  /// Where the maxima of a part of a head are.
  llvm::SmallVector<mlir::Value> placeOfMaxima(mlir::Value batch,
                                               mlir::Value itsHead,
                                               mlir::Value part,
                                               mlir::Value parts);
  /// The sizes of the tile of maxima that a warp takes at once.
  std::pair<int64_t, int64_t> maximaAtOnce() {
    if (!isOfBlocks() || maximaOfBlock() > kMaximaOfEach)
      return {1, kMaximaAtOnce};
    return {kScalesAtOnce,
            static_cast<int64_t>(llvm::PowerOf2Ceil(maximaOfBlock()))};
  }

  mlir::Value argument(unsigned view) { return kernel.getArgument(view); }
  mlir::Value sizeOf(unsigned view, int64_t dim) {
    return b.createOrFold<DimOp>(loc, argument(view), dim);
  }
  IndexBuilder index() { return {b, loc}; }
  TileBuilder tiles() { return {b, loc}; }

  QuantizeOp op;
  mlir::Location loc;
  mlir::OpBuilder host, b;
  int64_t head, row;
  KernelOp kernel;
  /// Of launchMatrix, where that is.
  mlir::Value matrix;
  unsigned numLaunched = 0;
  /// Where rows are centered, their means, and what rotated rows are less.
  mlir::Value means, shift;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_QUANTIZATION_H
