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

namespace {
/// result[row] = combine(tile[row, column], result[row]).
struct RowReduction {
  linalg::GenericOp op;
  Operation *combine;
  vector::CombiningKind kind;
  double unit;
  int64_t rows, columns, width;

  static std::optional<RowReduction> match(linalg::GenericOp op);
  void lower(RewriterBase &rewriter) const;

private:
  bool matchBody();
};
} // namespace

bool RowReduction::matchBody() {
  Block *body = op.getBody();
  combine = body->getTerminator()->getOperand(0).getDefiningOp();
  // All that there is: the order of a sum is free only where that is said.
  if (!combine || !llvm::hasSingleElement(body->without_terminator()) ||
      !llvm::equal(combine->getOperands(), body->getArguments()))
    return false;
  if (auto add = dyn_cast<arith::AddFOp>(combine)) {
    kind = vector::CombiningKind::ADD;
    unit = 0;
    return bitEnumContainsAny(add.getFastmath(), arith::FastMathFlags::reassoc);
  }
  kind = vector::CombiningKind::MAXIMUMF;
  unit = -std::numeric_limits<double>::infinity();
  return isa<arith::MaximumFOp>(combine);
}

std::optional<RowReduction> RowReduction::match(linalg::GenericOp op) {
  using utils::IteratorType;
  const IteratorType iterators[] = {IteratorType::parallel,
                                    IteratorType::reduction};
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray() != ArrayRef(iterators))
    return std::nullopt;
  Value tile = op.getDpsInputs()[0], result = op.getDpsInits()[0];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  RowReduction reduction{op, nullptr, vector::CombiningKind::ADD, 0, 0, 0, 0};
  if (!isBufferOfRows(tile) || !isBufferOfRows(result) ||
      !maps[0].isIdentity() ||
      maps[1] !=
          AffineMap::getMultiDimMapWithTargets(2, {0}, op.getContext()) ||
      !reduction.matchBody())
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
  reduction.rows = shape[0];
  reduction.columns = shape[1];
  reduction.width = vectorWidth(shape[1]);
  return reduction.width ? std::optional(reduction) : std::nullopt;
}

void RowReduction::lower(RewriterBase &rewriter) const {
  Location loc = combine->getLoc();
  linalg::GenericOp generic = op;
  Value tile = generic.getDpsInputs()[0], result = generic.getDpsInits()[0];
  rewriter.setInsertionPoint(generic);
  auto type = VectorType::get(width, rewriter.getF32Type());
  Value units = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(type, static_cast<float>(unit)));
  Value row = loopOver(rewriter, loc, rows, 1).getInductionVar();
  scf::ForOp inRow = loopOver(rewriter, loc, columns, width, units);
  Value part = vector::LoadOp::create(rewriter, loc, type, tile,
                                      ValueRange{row, inRow.getInductionVar()});
  Operation *both =
      rewriter.create(loc, combine->getName().getIdentifier(),
                      ValueRange{part, inRow.getRegionIterArgs()[0]},
                      TypeRange{type}, combine->getAttrs());
  scf::YieldOp::create(rewriter, loc, both->getResults());
  rewriter.setInsertionPointAfter(inRow);
  Value before = memref::LoadOp::create(rewriter, loc, result, row);
  auto fastmath = kind == vector::CombiningKind::ADD
                      ? arith::FastMathFlags::reassoc
                      : arith::FastMathFlags::none;
  Value all = vector::ReductionOp::create(rewriter, loc, kind,
                                          inRow.getResult(0), before, fastmath);
  memref::StoreOp::create(rewriter, loc, all, result, row);
  rewriter.eraseOp(generic);
}

namespace {
struct VectorizeReductionsPass
    : attn::impl::AttnVectorizeReductionsBase<VectorizeReductionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      std::optional<RowReduction> reduction = RowReduction::match(op);
      if (!reduction)
        return;
      reduction->lower(rewriter);
      ++numReductions;
    });
  }
};
} // namespace
