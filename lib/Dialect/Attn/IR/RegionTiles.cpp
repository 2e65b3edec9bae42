//===- RegionTiles.cpp - Regions of scalars, evaluated for tiles ----------===//
//
// A region says what happens to one element. Of a tile of elements, what does
// not depend on the column is the same along a row, and the other way round: it
// is computed once for each, and repeated only where it meets the rest.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/RegionTiles.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
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

RegionTiles::RegionTiles(OpBuilder &builder, Block &body,
                         ArrayRef<int64_t> shape, bool hoists)
    : inside(builder),
      outside(hoists ? outsideStream(builder) : OpBuilder(builder)), body(body),
      shape(shape) {}

void RegionTiles::map(unsigned argument, Value value) {
  Forms &forms = known[body.getArgument(argument)];
  if (!isa<RankedTensorType>(value.getType())) {
    forms.values[Scalar] = value;
    return;
  }
  auto iota = value.getDefiningOp<IotaOp>();
  forms.natural = !iota ? Full : iota.getDim() == 0 ? Rows : Columns;
  forms.values[Full] = value;
}

bool RegionTiles::isKnown(Operation &op) const {
  return llvm::all_of(op.getOperands(),
                      [&](Value operand) { return known.contains(operand); });
}

void RegionTiles::readEarly() {
  // Reads, and what they are of.
  llvm::DenseSet<Operation *> wanted;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (!isa<GatherOp>(op) && !wanted.contains(&op))
      continue;
    wanted.insert(&op);
    for (Value operand : op.getOperands())
      if (Operation *defining = operand.getDefiningOp())
        wanted.insert(defining);
  }
  for (Operation &op : body.without_terminator())
    if (wanted.contains(&op) && isKnown(op))
      inlineOp(op);
}

SmallVector<Value> RegionTiles::finish() {
  for (Operation &op : body.without_terminator())
    if (!done.contains(&op))
      inlineOp(op);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return get(value, Full); });
}

void RegionTiles::inlineOp(Operation &op) {
  done.insert(&op);
  unsigned joined = Scalar;
  for (Value operand : op.getOperands())
    joined |= known[operand].natural;
  auto span = static_cast<Span>(joined);
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    // The source of a gather, and scalars among its indices, stay what they
    // are.
    bool isScalar = isa<GatherOp>(op) && known[operand].natural == Scalar;
    operands.push_back(get(operand, isScalar ? Scalar : span));
  }
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(typeOf(type, span));
  OperationState state(op.getLoc(), op.getName(), operands, types,
                       llvm::to_vector(op.getDiscardableAttrs()));
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *clone = builderOf(span).create(state);
  for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults())) {
    Forms &forms = known[from];
    forms.natural = span;
    forms.values[span] = to;
  }
}

Value RegionTiles::get(Value value, Span span) {
  Forms &forms = known[value];
  Value &form = forms.values[span];
  if (!form)
    form = make(forms, span);
  return form;
}

OpBuilder &RegionTiles::builderOf(Span span) {
  return span & Columns ? inside : outside;
}

SmallVector<int64_t> RegionTiles::shapeOf(Span span) const {
  if (span == Rows)
    return {shape[0]};
  return {span == Columns ? 1 : shape[0], shape[1]};
}

Type RegionTiles::typeOf(Type element, Span span) const {
  return span == Scalar ? element
                        : RankedTensorType::get(shapeOf(span), element);
}

Value RegionTiles::make(Forms &forms, Span span) {
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
        b, loc, type, cast<TypedAttr>(DenseElementsAttr::get(type, constant)));
  return tensor::SplatOp::create(b, loc, type, natural);
}
