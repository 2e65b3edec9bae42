//===- Cluster.h - What the CTAs of a cluster show each other ---*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace attn {

/// Distributed shared memory (NVPTX's address spaces).
constexpr unsigned kSharedCluster = 7;

/// Rows of tiles start at multiples of this in shared memory.
constexpr int64_t kExchangeAlignment = 16;
/// Where the tiles of an exchange lie, from the start of shared memory.
constexpr llvm::StringLiteral kExchangePlaceAttr = "data";

/// Places the tiles of each attn.exchange behind `bytes` bytes of shared
/// memory; returns the bytes in all.
int64_t placeExchanges(mlir::LLVM::LLVMFuncOp function, int64_t bytes);
/// Bytes of a view in the memory of one CTA.
int64_t placedBytesOf(ExchangeOp op, ViewType view);

/// Which rows of a scattered exchange are whose.
class Scatter {
public:
  /// The exchange that a view of these is cast from, or of an operation; none
  /// where tiles are not scattered.
  static std::optional<Scatter> ofView(mlir::Value view);
  explicit Scatter(ExchangeOp op);

  /// Marks the cast that stands for a view.
  void mark(mlir::Operation *cast) const;

  /// The CTA that row `row` belongs to, and its number among the rows there.
  mlir::Value ownerOf(const ThreadBuilder &t, mlir::Value row,
                      mlir::Value ctas) const;
  mlir::Value placeOf(const ThreadBuilder &t, mlir::Value row,
                      mlir::Value ctas) const;
  /// Rows of one tile that a CTA has room for.
  mlir::Value roomOf(const ThreadBuilder &t, mlir::Value ctas) const;
  /// Rows of one tile that belong to CTA `rank`.
  mlir::Value rowsOf(const ThreadBuilder &t, mlir::Value rank,
                     mlir::Value ctas) const;

private:
  Scatter(int64_t group, int64_t rows) : group(group), rows(rows) {}
  int64_t groups() const { return llvm::divideCeil(rows, group); }

  int64_t group, rows;
};

/// The number of an element, row by row, in a tile of `shape`.
mlir::Value elementOf(const ThreadBuilder &t, mlir::ValueRange coordinates,
                      llvm::ArrayRef<int64_t> shape);

/// Readies the barriers that scattered tiles arrive at, for other CTAs to see
/// before they send any. `fence` is behind those of rings, or null.
void openExchanges(mlir::LLVM::LLVMFuncOp function, mlir::Operation *fence);
/// attn.exchange with `scatter`.
void populateScatterPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

/// What the threads of a warp write of a tile: neighbouring elements together.
class GivenTile {
public:
  GivenTile(mlir::OpBuilder &b, mlir::Location loc, FragmentAttr layout,
            ViewType view);

  /// Where the element with these coordinates goes, by values of one's own.
  using Place = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const ThreadBuilder &, mlir::ValueRange coordinates)>;
  using Write = llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange at,
                                        mlir::ValueRange elements)>;
  /// Calls `place` and `write` for each run of registers: `write` within a
  /// branch of whoever holds elements that the view has.
  void forEachRun(mlir::Value registers, Place place, Write write) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  FragmentAttr layout;
  llvm::ArrayRef<int64_t> shape;
};

/// Calls `give` for each tile of an exchange, in registers: what writes it, its
/// view, and where that lies in shared memory. Fails where one is not in
/// registers.
llvm::LogicalResult
forEachGiven(ExchangeOp op, mlir::ValueRange registers,
             mlir::ConversionPatternRewriter &rewriter,
             llvm::function_ref<void(const GivenTile &, mlir::Value registers,
                                     ViewType view, mlir::Value place)>
                 give);

/// Makes the views of each placed attn.exchange casts, as those of parameters
/// are (ViewParameters), of the address of the CTA's own tile.
void castExchanges(mlir::LLVM::LLVMFuncOp function);

/// Whether a view is one of these.
bool isShown(mlir::Value view);

/// The part of such a view that a tile is loaded from.
class ShownTile {
public:
  ShownTile(LoadOp op, mlir::OpBuilder &b);

  /// Whether element (i), (i, j) of the tile lies in the view.
  mlir::Value contains(mlir::ValueRange coordinates) const;
  /// Address of an element, in the memory of the CTA that gave it, or, where
  /// tiles are scattered, in this one's.
  mlir::Value address(mlir::ValueRange coordinates) const;
  /// An address that can be read in place of what is not in the view.
  mlir::Value elsewhere() const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  ViewParameters view;
  int64_t bytes;
  mlir::Value exists, base;
  /// What the number of a row's place is more than the row's, of scattered
  /// tiles.
  mlir::Value row;
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<int64_t> sizes;
};

/// attn.exchange, through shared memory.
void populateClusterPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H
