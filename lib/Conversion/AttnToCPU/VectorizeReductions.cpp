//===- VectorizeReductions.cpp - Sums and maxima of rows in vectors -------===//

#include "CpuVectors.h"
#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_ATTNVECTORIZEREDUCTIONS
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// What makes result[row] of tile[row, column] and result[row]: a maximum, or a
/// sum whose order is free. Null where the body is anything else, or more.
static Operation *combinationOf(Block &body) {
  Operation *combine = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || !llvm::hasSingleElement(body.without_terminator()) ||
      !llvm::equal(combine->getOperands(), body.getArguments()))
    return nullptr;
  auto add = dyn_cast<arith::AddFOp>(combine);
  bool isFree = add && bitEnumContainsAny(add.getFastmath(),
                                          arith::FastMathFlags::reassoc);
  return isFree || isa<arith::MaximumFOp>(combine) ? combine : nullptr;
}

static bool reducesRows(linalg::GenericOp op) {
  using utils::IteratorType;
  const IteratorType iterators[] = {IteratorType::parallel,
                                    IteratorType::reduction};
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray() != ArrayRef(iterators))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return llvm::all_of(op->getOperands(), isBufferOfRows) &&
         maps[0].isIdentity() &&
         maps[1] ==
             AffineMap::getMultiDimMapWithTargets(2, {0}, op.getContext()) &&
         combinationOf(*op.getBody());
}

/// Reduces vectors of `width` numbers, and that of each row at its end.
static void lower(linalg::GenericOp op, int64_t width, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  Operation *combine = combinationOf(*op.getBody());
  bool isSum = isa<arith::AddFOp>(combine);
  Value tile = op.getDpsInputs()[0], result = op.getDpsInits()[0];
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  rewriter.setInsertionPoint(op);
  auto type = VectorType::get(width, rewriter.getF32Type());
  float unit = isSum ? 0 : -std::numeric_limits<float>::infinity();
  Value units = arith::ConstantOp::create(rewriter, loc,
                                          DenseElementsAttr::get(type, unit));
  Value row = loopOver(rewriter, loc, ranges[0], 1).getInductionVar();
  scf::ForOp inRow = loopOver(rewriter, loc, ranges[1], width, units);
  Value part = vector::LoadOp::create(rewriter, loc, type, tile,
                                      ValueRange{row, inRow.getInductionVar()});
  Operation *both =
      rewriter.create(loc, combine->getName().getIdentifier(),
                      ValueRange{part, inRow.getRegionIterArgs()[0]},
                      TypeRange{type}, combine->getAttrs());
  scf::YieldOp::create(rewriter, loc, both->getResults());
  rewriter.setInsertionPointAfter(inRow);
  Value before = memref::LoadOp::create(rewriter, loc, result, row);
  Value all = vector::ReductionOp::create(
      rewriter, loc,
      isSum ? vector::CombiningKind::ADD : vector::CombiningKind::MAXIMUMF,
      inRow.getResult(0), before,
      isSum ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
  memref::StoreOp::create(rewriter, loc, all, result, row);
  rewriter.eraseOp(op);
}

namespace {
struct VectorizeReductionsPass
    : attn::impl::AttnVectorizeReductionsBase<VectorizeReductionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      int64_t width =
          reducesRows(op) ? vectorWidth(op.getStaticLoopRanges()[1]) : 0;
      if (width == 0)
        return;
      lower(op, width, rewriter);
      ++numReductions;
    });
  }
};
} // namespace
