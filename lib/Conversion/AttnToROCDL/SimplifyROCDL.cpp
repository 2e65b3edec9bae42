//===- SimplifyROCDL.cpp - Vectors of what the code generator does badly --===//

#include "ROCDLLowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace {

/// Takes selects apart, with their conditions: a condition of each element
/// takes two scalar registers, of which there are about a hundred. So that few
/// are alive, each is computed where it is used, comparisons of one constant
/// with several bounds become one, and other conditions that must all hold
/// become selects one behind the other.
class SelectSplitter {
public:
  explicit SelectSplitter(arith::SelectOp op)
      : op(op), rewriter(op.getContext()), loc(op.getLoc()) {}

  void run() {
    auto type = cast<VectorType>(op.getType());
    rewriter.setInsertionPoint(op);
    flatten(op.getCondition());
    for (Value condition : conditions)
      collect(condition);
    for (auto [constant, bound] : bounds)
      elementsOf(bound);
    elementsOf(op.getTrueValue());
    elementsOf(op.getFalseValue());
    SmallVector<Value> results;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      results.push_back(select(i));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
  }

private:
  /// Conditions that must all hold, as comparisons of constants with upper
  /// bounds and others.
  void flatten(Value value) {
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      flatten(both.getLhs());
      flatten(both.getRhs());
      return;
    }
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    DenseIntElementsAttr constant;
    bool orEqual =
        compare && compare.getPredicate() == arith::CmpIPredicate::sle;
    if (!compare ||
        (!orEqual && compare.getPredicate() != arith::CmpIPredicate::slt) ||
        !matchPattern(compare.getLhs(), m_Constant(&constant))) {
      conditions.push_back(value);
      return;
    }
    Value bound = compare.getRhs();
    if (orEqual)
      bound = arith::AddIOp::create(
          rewriter, loc, bound,
          arith::ConstantOp::create(
              rewriter, loc,
              cast<TypedAttr>(rewriter.getOneAttr(bound.getType()))));
    Value &known = bounds[constant];
    known = known ? arith::MinSIOp::create(rewriter, loc, known, bound) : bound;
  }

  Value select(int64_t i) {
    Value result = elementsOf(op.getTrueValue())[i];
    Value other = elementsOf(op.getFalseValue())[i];
    auto add = [&](Value condition) {
      result = arith::SelectOp::create(rewriter, loc, condition, result, other);
    };
    for (auto [constant, bound] : bounds) {
      auto elements = cast<DenseIntElementsAttr>(constant);
      Value number = arith::ConstantOp::create(
          rewriter, loc, elements.getValues<IntegerAttr>()[i]);
      add(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                number, elementsOf(bound)[i]));
    }
    for (Value value : conditions)
      add(condition(value, i));
    return result;
  }

  static bool isSplit(Operation *op) {
    return isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                           arith::CmpIOp, arith::CmpFOp>(op);
  }

  /// Takes the operands of comparisons apart, in front of all elements.
  void collect(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isSplit(op)) {
      elementsOf(value);
      return;
    }
    for (Value operand : op->getOperands())
      collect(operand);
  }

  Value condition(Value value, int64_t i) {
    Operation *op = value.getDefiningOp();
    if (!isSplit(op))
      return elementsOf(value)[i];
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return condition(operand, i);
        });
    Operation *scalar = rewriter.create(
        loc, op->getName().getIdentifier(), operands,
        {getElementTypeOrSelf(value.getType())}, op->getAttrs());
    return scalar->getResult(0);
  }

  const SmallVector<Value> &elementsOf(Value value) {
    SmallVector<Value> &list = elements[value];
    if (list.empty())
      list = llvm::to_vector_of<Value>(
          vector::ToElementsOp::create(rewriter, loc, value).getResults());
    return list;
  }

  arith::SelectOp op;
  IRRewriter rewriter;
  Location loc;
  SmallVector<Value> conditions;
  llvm::MapVector<Attribute, Value> bounds;
  llvm::DenseMap<Value, SmallVector<Value>> elements;
};

bool isF32ToBf16(arith::TruncFOp op, VectorType type) {
  return type && type.getElementType().isBF16() &&
         getElementTypeOrSelf(op.getIn().getType()).isF32();
}

/// f32 to bf16 to nearest, ties to even: an addition carries into the upper
/// half, of two of which one v_perm_b32 makes a register. The back end's own
/// takes three instructions more, for NaNs that would carry into the sign:
/// those with all bits set that a mantissa has in bf16, and more below, which
/// no instruction and no conversion from 16 bits makes.
struct RoundToBf16Pattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!isF32ToBf16(op, type))
      return b.notifyMatchFailure(op, "no vector of f32 to bf16");
    Location loc = op.getLoc();
    int64_t count = type.getNumElements();
    auto words = VectorType::get({count}, b.getI32Type());
    auto splat = [&](int32_t v) -> Value {
      return arith::ConstantOp::create(b, loc, words,
                                       DenseElementsAttr::get(words, v));
    };
    Value bits = vector::BitCastOp::create(b, loc, words, op.getIn());
    Value odd = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, bits, splat(16)), splat(1));
    Value sum = arith::AddIOp::create(
        b, loc, arith::AddIOp::create(b, loc, bits, splat(0x7fff)), odd);
    auto halves = VectorType::get({2 * count}, b.getI16Type());
    Value split = vector::BitCastOp::create(b, loc, halves, sum);
    SmallVector<int64_t> upper;
    for (int64_t i = 0; i < count; ++i)
      upper.push_back(2 * i + 1);
    Value kept = vector::ShuffleOp::create(b, loc, split, split, upper);
    b.replaceOpWithNewOp<vector::BitCastOp>(op, type, kept);
    return success();
  }
};

/// Two by two, as v_cvt_pk_bf16_f32 converts: of a longer vector the back end
/// takes one for each element.
struct TruncatePairsPattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!isF32ToBf16(op, type) || type.getNumElements() <= 2)
      return b.notifyMatchFailure(op, "no long vector of f32 to bf16");
    Location loc = op.getLoc();
    auto wide = vector::ToElementsOp::create(b, loc, op.getIn()).getResults();
    SmallVector<Value> narrow;
    for (; !wide.empty();
         wide = wide.drop_front(std::min<size_t>(2, wide.size()))) {
      SmallVector<Value> pair(wide.take_front(2));
      int64_t count = pair.size();
      Value vector = vector::FromElementsOp::create(
          b, loc, VectorType::get({count}, b.getF32Type()), pair);
      Value truncated = arith::TruncFOp::create(
          b, loc, VectorType::get({count}, b.getBF16Type()), vector);
      llvm::append_range(
          narrow, vector::ToElementsOp::create(b, loc, truncated).getResults());
    }
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, type, narrow);
    return success();
  }
};

} // namespace

void attn::splitSelects(LLVM::LLVMFuncOp function) {
  SmallVector<arith::SelectOp> selects;
  function.walk([&](arith::SelectOp op) {
    if (isa<VectorType>(op.getCondition().getType()))
      selects.push_back(op);
  });
  for (arith::SelectOp op : selects)
    SelectSplitter(op).run();
}

void attn::populateTruncatePatterns(RewritePatternSet &patterns,
                                    bool converts) {
  if (converts)
    patterns.add<TruncatePairsPattern>(patterns.getContext());
  else
    patterns.add<RoundToBf16Pattern>(patterns.getContext());
}
