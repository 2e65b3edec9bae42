//===- FragmentsToVectors.h - Tiles as the registers of one thread --------===//
//
// Target-neutral: what a thread does with its part of a tile, whose layout says
// which part that is. Masks, online softmax, score modifications and epilogues
// are lowered by this alone; targets add products, copies and math functions.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_FRAGMENTSTOVECTORS_H
#define ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_FRAGMENTSTOVECTORS_H

#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "mlir/Transforms/DialectConversion.h"
#include <functional>

namespace attn {

/// The layout of a tile in registers, or null.
FragmentAttr fragmentOf(mlir::Type type);
/// The layout of a tile in shared memory, or null.
SharedAttr sharedOf(mlir::Type type);

/// Turns tiles in registers into vectors of one thread's elements, in the order
/// of its registers. Indices are 32 bits wide.
void addFragmentConversions(mlir::TypeConverter &converter);

/// 32-bit arithmetic of one thread.
struct ThreadBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The number of the thread, where it is at hand already.
  mlir::Value known = {};

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value add(mlir::Value x, int64_t y) const;
  mlir::Value mul(mlir::Value x, int64_t y) const;
  mlir::Value div(mlir::Value x, int64_t y) const;
  mlir::Value rem(mlir::Value x, int64_t y) const;
  mlir::Value bitXor(mlir::Value x, mlir::Value y) const;
  mlir::Value shl(mlir::Value x, int64_t y) const;
  mlir::Value less(mlir::Value x, mlir::Value y) const;
  mlir::Value equals(mlir::Value x, int64_t y) const;
  mlir::Value both(mlir::Value x, mlir::Value y) const;
  /// An index as 32 bits.
  mlir::Value narrow(mlir::Value index) const;
  /// Number of the thread in its CTA.
  mlir::Value thread() const;
  /// Coordinate `dim` of register 0 of this thread.
  mlir::Value threadOffset(FragmentAttr layout, unsigned dim) const;
  /// Whether this thread is the first of those that hold copies; null if none
  /// do.
  mlir::Value ownsFirstCopy(FragmentAttr layout) const;
};

/// For each register of `tile` the one of its row slice that has its row.
llvm::SmallVector<int64_t> rowRegisters(FragmentAttr tile);

/// Whether any of a thread's registers, a vector of i1, is true.
mlir::Value anyRegister(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value registers);

/// How the lanes of a warp reduce what they share of a row.
struct Reduction {
  /// Lanes of a warp.
  int64_t lanes = 32;
  /// The value of the lane whose number differs in the bits of `mask`.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                            mlir::Value value, int64_t mask)>
      exchange;
  /// A maximum need not be NaN where an element is, if that takes more than one
  /// instruction: the exponentials of the row are, and their sum.
  bool ignoresNaN = false;
  /// Sums of a lane's registers are made by pairs, of which one instruction
  /// adds two.
  bool sumsPairs = false;
};

/// Reads the number of a thread anew.
using ReadThread =
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location)>;

/// Elementwise arithmetic, constants, splats, index tiles, broadcasts, row
/// reductions (within a warp) and conversions between fragment layouts. Index
/// tiles follow from what `readThread` gives, where there is one: registers
/// then need not hold it between them.
void populateFragmentsToVectors(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns,
                                const Reduction &reduction,
                                const ReadThread &readThread = {});

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_FRAGMENTSTOVECTORS_H
