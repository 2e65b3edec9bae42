//===- RegionTiles.cpp - Regions of scalars, evaluated for tiles ----------===//
//
// A region says what happens to one element. Of a tile of elements, what does
// not depend on the column is the same along a row, and the other way round: it
// is computed once for each, and repeated only where it meets the rest.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

OpBuilder attn::outsideStream(const OpBuilder &builder) {
  OpBuilder outside(builder);
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  if (isa_and_nonnull<StreamOp>(parent))
    outside.setInsertionPoint(parent);
  return outside;
}

namespace {

/// What a value of the region depends on, as bits.
enum Span : unsigned { Scalar = 0, Rows = 1, Columns = 2, Full = 3 };

/// A value of the region in the shapes that were asked for.
struct Forms {
  Span natural = Scalar;
  Value values[4];
};

class RegionInliner {
public:
  RegionInliner(OpBuilder &builder, ArrayRef<int64_t> shape)
      : inside(builder), outside(outsideStream(builder)), shape(shape) {}

  void map(Value argument, Value value) {
    Forms &forms = known[argument];
    if (!isa<RankedTensorType>(value.getType())) {
      forms.values[Scalar] = value;
      return;
    }
    auto iota = value.getDefiningOp<IotaOp>();
    forms.natural = !iota ? Full : iota.getDim() == 0 ? Rows : Columns;
    forms.values[Full] = value;
  }

  void inlineOp(Operation &op) {
    unsigned span = Scalar;
    for (Value operand : op.getOperands())
      span |= known[operand].natural;
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(get(operand, operandSpan(op, operand, Span(span))));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(typeOf(type, Span(span)));
    OperationState state(op.getLoc(), op.getName(), operands, types,
                         llvm::to_vector(op.getDiscardableAttrs()));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    Operation *clone = builderOf(Span(span)).create(state);
    for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults())) {
      Forms &forms = known[from];
      forms.natural = Span(span);
      forms.values[span] = to;
    }
  }

  /// The value as a tile of this shape.
  Value get(Value value, Span span) {
    Forms &forms = known[value];
    Value &form = forms.values[span];
    if (!form)
      form = make(forms, span);
    return form;
  }

private:
  /// Scalars among the indices of a gather stay what they are, as its source.
  Span operandSpan(Operation &op, Value operand, Span span) {
    return isa<GatherOp>(op) && known[operand].natural == Scalar ? Scalar
                                                                 : span;
  }

  OpBuilder &builderOf(Span span) { return span & Columns ? inside : outside; }

  SmallVector<int64_t> shapeOf(Span span) const {
    if (span == Rows)
      return {shape[0]};
    return {span == Columns ? 1 : shape[0], shape[1]};
  }

  Type typeOf(Type element, Span span) const {
    return span == Scalar ? element
                          : RankedTensorType::get(shapeOf(span), element);
  }

  Value make(Forms &forms, Span span) {
    OpBuilder &b = builderOf(span);
    Value natural = forms.values[forms.natural];
    if (auto iota = forms.values[Full]
                        ? forms.values[Full].getDefiningOp<IotaOp>()
                        : IotaOp())
      return IotaOp::create(b, iota.getLoc(), typeOf(b.getIndexType(), span),
                            iota.getDim(), iota.getStart());
    Location loc = natural.getLoc();
    auto type = cast<RankedTensorType>(
        typeOf(getElementTypeOrSelf(natural.getType()), span));
    if (forms.natural != Scalar)
      return BroadcastOp::create(b, loc, type, natural);
    Attribute constant;
    if (matchPattern(natural, m_Constant(&constant)))
      return arith::ConstantOp::create(
          b, loc, type,
          cast<TypedAttr>(DenseElementsAttr::get(type, constant)));
    return tensor::SplatOp::create(b, loc, type, natural);
  }

  OpBuilder inside, outside;
  ArrayRef<int64_t> shape;
  llvm::DenseMap<Value, Forms> known;
};

} // namespace

SmallVector<Value> attn::inlineOverTiles(OpBuilder &builder, Block &body,
                                         ValueRange arguments,
                                         ArrayRef<int64_t> shape) {
  RegionInliner inliner(builder, shape);
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    inliner.map(argument, value);
  for (Operation &op : body.without_terminator())
    inliner.inlineOp(op);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return inliner.get(value, Full); });
}
