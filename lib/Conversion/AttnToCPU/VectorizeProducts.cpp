//===- VectorizeProducts.cpp - Products of tiles in vectors ---------------===//
//
// Rows times columns of a result stay in vector registers while the sum runs,
// of which a loop of scalars would load and store each for each term.
//
//===----------------------------------------------------------------------===//

#include "CpuVectors.h"
#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_ATTNVECTORIZEPRODUCTS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// Numbers of a block of the result: half of the registers of x86-64-v3.
constexpr int64_t kBlock = 64;

/// result[i, j] += lhs[i, k] rhs[k, j], in loops (i, k, j).
struct Product {
  linalg::GenericOp op;
  /// Of a block of the result.
  int64_t rows, columns;

  static std::optional<Product> match(linalg::GenericOp op);
  void lower(RewriterBase &rewriter);
};

} // namespace

/// The body is `sum + x * y`.
static bool addsProduct(Block &body) {
  Value x = body.getArgument(0), y = body.getArgument(1),
        sum = body.getArgument(2);
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != sum && add.getRhs() != sum))
    return false;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  auto multiply = term.getDefiningOp<arith::MulFOp>();
  return multiply && multiply.getLhs() == x && multiply.getRhs() == y;
}

static bool isProduct(linalg::GenericOp op) {
  using utils::IteratorType;
  const IteratorType iterators[] = {
      IteratorType::parallel, IteratorType::reduction, IteratorType::parallel};
  const unsigned loops[][2] = {{0, 1}, {1, 2}, {0, 2}};
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray() != ArrayRef(iterators))
    return false;
  for (auto [map, of] : llvm::zip_equal(op.getIndexingMapsArray(), loops))
    if (map != AffineMap::getMultiDimMapWithTargets(3, of, op.getContext()))
      return false;
  return llvm::all_of(op->getOperands(), isBufferOfRows) &&
         addsProduct(*op.getBody());
}

std::optional<Product> Product::match(linalg::GenericOp op) {
  if (!isProduct(op))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t columns = vectorWidth(ranges[2]);
  if (columns == 0)
    return std::nullopt;
  int64_t rows = kBlock / columns;
  while (ranges[0] % rows)
    rows /= 2;
  return Product{op, rows, columns};
}

void Product::lower(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Value lhs = op.getDpsInputs()[0], rhs = op.getDpsInputs()[1],
        result = op.getDpsInits()[0];
  auto type = VectorType::get(columns, rewriter.getF32Type());
  Value column = loopOver(rewriter, loc, ranges[2], columns).getInductionVar();
  Value first = loopOver(rewriter, loc, ranges[0], rows).getInductionVar();
  SmallVector<Value> rowsAt, sums;
  for (int64_t i = 0; i < rows; ++i) {
    Value further = arith::ConstantIndexOp::create(rewriter, loc, i);
    rowsAt.push_back(arith::AddIOp::create(rewriter, loc, first, further));
    sums.push_back(vector::LoadOp::create(rewriter, loc, type, result,
                                          ValueRange{rowsAt.back(), column}));
  }
  scf::ForOp terms = loopOver(rewriter, loc, ranges[1], 1, sums);
  Value term = terms.getInductionVar();
  Value right = vector::LoadOp::create(rewriter, loc, type, rhs,
                                       ValueRange{term, column});
  SmallVector<Value> next;
  for (auto [row, sum] : llvm::zip_equal(rowsAt, terms.getRegionIterArgs())) {
    Value number =
        memref::LoadOp::create(rewriter, loc, lhs, ValueRange{row, term});
    Value left = vector::BroadcastOp::create(rewriter, loc, type, number);
    next.push_back(
        vector::FMAOp::create(rewriter, loc, left, right, sum).getResult());
  }
  scf::YieldOp::create(rewriter, loc, next);
  rewriter.setInsertionPointAfter(terms);
  for (auto [row, sum] : llvm::zip_equal(rowsAt, terms.getResults()))
    vector::StoreOp::create(rewriter, loc, sum, result,
                            ValueRange{row, column});
  rewriter.eraseOp(op);
}

namespace {
struct VectorizeProductsPass
    : attn::impl::AttnVectorizeProductsBase<VectorizeProductsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      std::optional<Product> product = Product::match(op);
      if (!product)
        return;
      product->lower(rewriter);
      ++numProducts;
    });
  }
};
} // namespace
