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
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {
#define GEN_PASS_DEF_ATTNVECTORIZEPRODUCTS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// Loops of a product: result[row, column] += lhs[row, sum] rhs[sum, column].
enum Loop : unsigned { Row, Sum, Column };

/// Numbers of a block of the result: half of the registers of x86-64-v3.
constexpr int64_t kBlock = 64;

/// A product of buffers whose right-hand side and result lie by columns.
struct Product {
  linalg::GenericOp op;
  arith::MulFOp multiply;
  arith::AddFOp add;
  /// What is multiplied by the right-hand side's element.
  Value factor;
  OpOperand *rhs;
  int64_t rows, columns;

  static std::optional<Product> match(linalg::GenericOp op);
  void lower(RewriterBase &rewriter);

private:
  bool matchBody();
  bool isScalar(OpOperand *input);
  bool chooseBlock();
  Value factorAt(OpBuilder &b, Value row, Value sum);
};

} // namespace

static bool isMap(AffineMap map, ArrayRef<unsigned> loops) {
  return map ==
         AffineMap::getMultiDimMapWithTargets(3, loops, map.getContext());
}

std::optional<Product> Product::match(linalg::GenericOp op) {
  using utils::IteratorType;
  const IteratorType iterators[] = {
      IteratorType::parallel, IteratorType::reduction, IteratorType::parallel};
  Product product{op, {}, {}, {}, nullptr, 0, 0};
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray() != ArrayRef(iterators) ||
      !product.matchBody() || !product.chooseBlock())
    return std::nullopt;
  return product;
}

bool Product::matchBody() {
  Block *body = op.getBody();
  OpOperand *init = op.getDpsInitOperand(0);
  Value sum = op.getMatchingBlockArgument(init);
  add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || !sum.hasOneUse() || !isBufferOfRows(init->get()) ||
      !isMap(op.getMatchingIndexingMap(init), {Row, Column}))
    return false;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  multiply = term.getDefiningOp<arith::MulFOp>();
  if (!multiply || (add.getLhs() != sum && add.getRhs() != sum))
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingBlockArgument(input) == multiply.getRhs())
      rhs = input;
  factor = multiply.getLhs();
  if (!rhs || !multiply.getRhs().hasOneUse() || !isBufferOfRows(rhs->get()) ||
      !isMap(op.getMatchingIndexingMap(rhs), {Sum, Column}))
    return false;
  return llvm::all_of(body->without_terminator(),
                      [](Operation &inner) {
                        return isMemoryEffectFree(&inner) &&
                               !isa<linalg::IndexOp>(inner);
                      }) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return input == rhs || isScalar(input);
         });
}

/// It has one element for a row and term of the sum.
bool Product::isScalar(OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  return isa<MemRefType>(input->get().getType()) &&
         llvm::all_of(map.getResults(), [](AffineExpr expr) {
           auto dim = dyn_cast<AffineDimExpr>(expr);
           return isa<AffineConstantExpr>(expr) ||
                  (dim && dim.getPosition() != Column);
         });
}

bool Product::chooseBlock() {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return false;
  columns = vectorWidth(ranges[Column]);
  if (columns == 0)
    return false;
  rows = kBlock / columns;
  while (ranges[Row] % rows)
    rows /= 2;
  return true;
}

/// The factor, by the operations of the body.
Value Product::factorAt(OpBuilder &b, Value row, Value sum) {
  Location loc = op.getLoc();
  IRMapping mapping;
  Value loops[] = {row, sum};
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input == rhs)
      continue;
    SmallVector<Value> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      at.push_back(dim ? loops[dim.getPosition()]
                       : arith::ConstantIndexOp::create(
                             b, loc, cast<AffineConstantExpr>(expr).getValue())
                             .getResult());
    }
    mapping.map(op.getMatchingBlockArgument(input),
                memref::LoadOp::create(b, loc, input->get(), at));
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (&inner != multiply && &inner != add)
      b.clone(inner, mapping);
  return mapping.lookupOrDefault(factor);
}

void Product::lower(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Value result = op.getDpsInits()[0];
  auto type = VectorType::get(columns, rewriter.getF32Type());
  Value column =
      loopOver(rewriter, loc, ranges[Column], columns).getInductionVar();
  Value first = loopOver(rewriter, loc, ranges[Row], rows).getInductionVar();
  SmallVector<Value> rowsAt, sums;
  for (int64_t i = 0; i < rows; ++i) {
    Value further = arith::ConstantIndexOp::create(rewriter, loc, i);
    rowsAt.push_back(arith::AddIOp::create(rewriter, loc, first, further));
    sums.push_back(vector::LoadOp::create(rewriter, loc, type, result,
                                          ValueRange{rowsAt.back(), column}));
  }
  scf::ForOp terms = loopOver(rewriter, loc, ranges[Sum], 1, sums);
  Value term = terms.getInductionVar();
  Value right = vector::LoadOp::create(rewriter, loc, type, rhs->get(),
                                       ValueRange{term, column});
  SmallVector<Value> next;
  for (auto [row, sum] : llvm::zip_equal(rowsAt, terms.getRegionIterArgs())) {
    Value left = vector::BroadcastOp::create(rewriter, loc, type,
                                             factorAt(rewriter, row, term));
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
