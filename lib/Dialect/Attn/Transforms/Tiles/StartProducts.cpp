//===- StartProducts.cpp - Products that start from a row -----------------===//
//
// A row that is taken from every row of a product, as delta is from dP, lies
// in registers beside the whole product when it has been computed, and that is
// when a kernel has the most of them. Where the product starts from minus the
// row, the registers that it is summed in hold the row before, and none beside
// them.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTARTPRODUCTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A row that is taken from a product, which nothing else uses.
struct Difference {
  DotOp product;
  BroadcastOp row;
};

struct StartProductsPass
    : attn::impl::AttnStartProductsBase<StartProductsPass> {
  /// Whether it is one value a column, computed once for each product: a thread
  /// holds those that are the same in each visit anyway.
  static bool isFreshRow(BroadcastOp row) {
    Operation *values = row.getRows().getDefiningOp();
    return row.isOfColumns() && values && values->getBlock() == row->getBlock();
  }

  /// Whether it starts from zero and sums in f32. Sums of 8-bit elements have
  /// fewer bits (attn-two-level-sums).
  static bool mayStart(DotOp product) {
    return product->hasOneUse() &&
           getElementTypeOrSelf(product.getResult().getType()).isF32() &&
           !isFloat8(getElementTypeOrSelf(product.getLhs().getType())) &&
           matchPattern(product.getAcc(), m_AnyZeroFloat());
  }

  static std::optional<Difference> match(arith::SubFOp sub) {
    auto product = sub.getLhs().getDefiningOp<DotOp>();
    auto row = sub.getRhs().getDefiningOp<BroadcastOp>();
    if (!product || !row || product->getBlock() != sub->getBlock() ||
        row->getBlock() != sub->getBlock() || !mayStart(product) ||
        !isFreshRow(row))
      return std::nullopt;
    return Difference{product, row};
  }

  static void startFrom(Difference found, arith::SubFOp sub) {
    // The row may come behind the product.
    OpBuilder b(sub);
    TileBuilder t{b, sub.getLoc()};
    auto start = BroadcastOp::create(b, sub.getLoc(), sub.getType(),
                                     t.scale(found.row.getRows(), -1));
    found.product.getAccMutable().assign(start.getResult());
    found.product->moveBefore(sub);
    sub.getResult().replaceAllUsesWith(found.product.getResult());
    sub.erase();
    if (found.row->use_empty())
      found.row.erase();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<arith::SubFOp> differences;
    kernel.walk([&](arith::SubFOp sub) { differences.push_back(sub); });
    unsigned count = 0;
    for (arith::SubFOp sub : differences) {
      std::optional<Difference> found = match(sub);
      if (!found)
        continue;
      startFrom(*found, sub);
      ++count;
    }
    numProducts += count;
    if (count == 0)
      remarks::emitStartProductsNone(kernel);
    else
      remarks::emitStartProducts(kernel, count);
  }
};

} // namespace
