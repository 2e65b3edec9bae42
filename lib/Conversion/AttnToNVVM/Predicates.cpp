//===- Predicates.cpp - Products that only some rows take -----------------===//
//
// A product that is selected where a condition holds, and is its own factor
// elsewhere, is one instruction under a predicate. LLVM has no such thing
// before its machine code and would compute all products and select. A thread
// whose predicate is false reads and writes nothing: on Hopper exact loops take
// up to 5 % less time, as measured
// (docs/notebooks/performance.md, "Products under predicates").
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// What `x` is multiplied by, where a product has it as a factor.
Value otherFactor(arith::MulFOp product, Value x) {
  if (product.getLhs() == x)
    return product.getRhs();
  return product.getRhs() == x ? product.getLhs() : Value();
}

/// `x * factor` where `holds`, and `x` elsewhere.
Value multiplyIf(OpBuilder &b, Location loc, Value holds, Value x,
                 Value factor) {
  return assembly(b, loc, x.getType(), {x, factor, holds},
                  "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b",
                  /*hasSideEffects=*/false)
      .getResult(0);
}

struct SelectedProductPattern : OpConversionPattern<arith::SelectOp> {
  SelectedProductPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto product = op.getTrueValue().getDefiningOp<arith::MulFOp>();
    if (!fragmentOf(op.getType()) || !product || !product->hasOneUse() ||
        !getElementTypeOrSelf(op.getType()).isF32() ||
        !fragmentOf(op.getCondition().getType()))
      return rewriter.notifyMatchFailure(op, "no product of f32 that is "
                                             "selected by elements");
    Value factor = otherFactor(product, op.getFalseValue());
    if (!factor)
      return rewriter.notifyMatchFailure(op, "no factor of the product");
    Location loc = op.getLoc();
    auto elementsOf = [&](Value vector) {
      return vector::ToElementsOp::create(rewriter, loc, vector).getResults();
    };
    SmallVector<Value> results;
    for (auto [holds, x, by] :
         llvm::zip_equal(elementsOf(adaptor.getCondition()),
                         elementsOf(adaptor.getFalseValue()),
                         elementsOf(rewriter.getRemappedValue(factor))))
      results.push_back(multiplyIf(rewriter, loc, holds, x, by));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, adaptor.getFalseValue().getType(), results);
    return success();
  }
};

} // namespace

void attn::populatePredicatePatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<SelectedProductPattern>(converter, patterns.getContext());
}
