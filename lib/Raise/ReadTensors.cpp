//===- ReadTensors.cpp - Layouts, elementwise operations, reductions ------===//

#include "OperationReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn::raise;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Takes an index apart into those of dimensions of these sizes.
static std::optional<IndexForms> takeApart(Comprehension &c, IndexForm form,
                                           ArrayRef<int64_t> sizes) {
  IndexForms forms(sizes.size());
  for (unsigned i = sizes.size(); i-- > 0;) {
    // Whatever is left belongs to the outermost dimension that is not of
    // size 1.
    if (llvm::all_of(sizes.take_front(i), [](int64_t s) { return s == 1; })) {
      forms[i] = form;
      return forms;
    }
    if (ShapedType::isDynamic(sizes[i]))
      return std::nullopt;
    auto parts = c.divide(form, sizes[i]);
    if (!parts)
      return std::nullopt;
    std::tie(form, forms[i]) = *parts;
  }
  return forms;
}

/// The index into a dimension that these are merged into.
static std::optional<IndexForm> putTogether(ArrayRef<IndexForm> forms,
                                            ArrayRef<int64_t> sizes) {
  IndexForm result;
  int64_t stride = 1;
  for (unsigned i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && ShapedType::isDynamic(stride))
      return std::nullopt;
    if (sizes[i] != 1)
      result = result.plus(forms[i].times(stride));
    if (ShapedType::isDynamic(sizes[i]))
      stride = ShapedType::kDynamic;
    else if (!ShapedType::isDynamic(stride))
      stride *= sizes[i];
  }
  return result;
}

const Expr *OperationReader::collapsed(tensor::CollapseShapeOp op,
                                       Forms forms) {
  IndexForms source(op.getSrcType().getRank());
  for (auto [group, form] : llvm::zip(op.getReassociationIndices(), forms)) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : group)
      sizes.push_back(op.getSrcType().getDimSize(dim));
    std::optional<IndexForms> parts = takeApart(c, form, sizes);
    if (!parts)
      return nullptr;
    for (auto [dim, part] : llvm::zip_equal(group, *parts))
      source[dim] = part;
  }
  return element(op.getSrc(), source);
}

const Expr *OperationReader::expanded(tensor::ExpandShapeOp op, Forms forms) {
  IndexForms source;
  for (auto &group : op.getReassociationIndices()) {
    SmallVector<int64_t> sizes;
    IndexForms parts;
    for (int64_t dim : group) {
      sizes.push_back(op.getResultType().getDimSize(dim));
      parts.push_back(forms[dim]);
    }
    std::optional<IndexForm> form = putTogether(parts, sizes);
    if (!form)
      return nullptr;
    source.push_back(*form);
  }
  return element(op.getSrc(), source);
}

const Expr *OperationReader::reshaped(Value source, ShapedType result,
                                      Forms forms) {
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type || !result.hasRank())
    return nullptr;
  // Group by group where there are any, so that sizes may be dynamic.
  auto groups = getReassociationIndicesForReshape(type, result);
  if (groups && type.getRank() >= result.getRank()) {
    IndexForms parts;
    for (auto [group, form] : llvm::zip(*groups, forms)) {
      SmallVector<int64_t> sizes;
      for (int64_t dim : group)
        sizes.push_back(type.getDimSize(dim));
      std::optional<IndexForms> some = takeApart(c, form, sizes);
      if (!some)
        return nullptr;
      parts.append(*some);
    }
    if (parts.size() == size_t(type.getRank()))
      return element(source, parts);
  }
  if (!result.hasStaticShape() || !type.hasStaticShape())
    return nullptr;
  std::optional<IndexForm> all = putTogether(forms, result.getShape());
  std::optional<IndexForms> parts =
      all ? takeApart(c, *all, type.getShape()) : std::nullopt;
  return parts ? element(source, *parts) : nullptr;
}

//===----------------------------------------------------------------------===//
// tensor, arith and math on tensors
//===----------------------------------------------------------------------===//

const Expr *OperationReader::tensorResult(Operation *op, Forms forms) {
  return llvm::TypeSwitch<Operation *, const Expr *>(op)
      .Case<tensor::CollapseShapeOp>(
          [&](auto reshape) { return collapsed(reshape, forms); })
      .Case<tensor::ExpandShapeOp>(
          [&](auto reshape) { return expanded(reshape, forms); })
      .Case<tensor::CastOp>([&](tensor::CastOp cast) -> const Expr * {
        if (!isa<RankedTensorType>(cast.getSource().getType()))
          return nullptr;
        return element(cast.getSource(), forms);
      })
      .Case<tensor::SplatOp>([&](tensor::SplatOp splat) {
        return readScalar(c, splat.getInput());
      })
      .Default([](Operation *) { return nullptr; });
}

const Expr *OperationReader::elementwiseResult(Operation *op, Forms forms) {
  SmallVector<const Expr *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? element(operand, forms)
                           : readScalar(c, operand));
  return applyScalarOp(c, op, operands);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

const Expr *OperationReader::result(OpResult result, Forms forms) {
  Operation *op = result.getOwner();
  if (isa<tosa::TosaDialect>(op->getDialect()))
    return tosaResult(op, forms);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return softmaxResult(softmax, forms);
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
    return linalgResult(linalg, result.getResultNumber(), forms);
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return tensorResult(op, forms);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return elementwiseResult(op, forms);
  return nullptr;
}

/// A tensor of one number, behind any layouts and fills.
static const Expr *oneNumber(Comprehension &c, Value tensor) {
  for (unsigned step = 0; step < 8; ++step) {
    Operation *op = tensor.getDefiningOp();
    if (!op || op->getNumOperands() > 2)
      return nullptr;
    Attribute constant;
    if (matchPattern(op, m_Constant(&constant)))
      return readConstant(c, constant,
                          cast<ShapedType>(tensor.getType()).getElementType());
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      return readScalar(c, fill.getInputs()[0]);
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return readScalar(c, splat.getInput());
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
             linalg::BroadcastOp, linalg::TransposeOp, tosa::ReshapeOp,
             tosa::TransposeOp, tosa::TileOp>(op))
      return nullptr;
    tensor = op->getOperand(0);
  }
  return nullptr;
}

/// An integer of a constant that counts along its dimensions.
static const Expr *countedNumber(Comprehension &c, Value tensor,
                                 ArrayRef<IndexForm> forms) {
  constexpr int64_t kMostElements = 1 << 20;
  DenseIntElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) ||
      elements.getElementType().isInteger(1) ||
      elements.getElementType().isIndex() || elements.getNumElements() < 2 ||
      elements.getNumElements() > kMostElements)
    return nullptr;
  auto values = elements.getValues<APInt>();
  ArrayRef<int64_t> shape = elements.getType().getShape();
  int64_t first = (*values.begin()).getSExtValue(), step = 1;
  SmallVector<int64_t> strides(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 0; step *= shape[dim])
    if (shape[dim] > 1)
      strides[dim] = values[step].getSExtValue() - first;
  int64_t number = 0;
  for (const APInt &value : values) {
    int64_t rest = number++, expected = first;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      expected += rest % shape[dim] * strides[dim];
    if (value.getSExtValue() != expected)
      return nullptr;
  }
  IndexForm form;
  form.constant = first;
  for (auto [own, stride] : llvm::zip_equal(forms, strides))
    form = form.plus(own.times(stride));
  Type index = IndexType::get(tensor.getContext());
  return c.makeCall("arith.index_cast", elements.getElementType(),
                    {c.makeIndex(form, index)});
}

const Expr *OperationReader::element(Value tensor, Forms forms) {
  if (deep)
    return c.read(tensor, forms);
  if (const Expr *number = oneNumber(c, tensor))
    return number;
  return c.makeRead(tensor, forms);
}

const Expr *Comprehension::readStep(Value tensor, ArrayRef<IndexForm> forms) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result || !isa<RankedTensorType>(tensor.getType()))
    return nullptr;
  return OperationReader{*this, /*deep=*/false}.result(result, forms);
}

/// How far reading follows operands before it takes a tensor as it is.
static constexpr unsigned kMostDepth = 100;

const Expr *Comprehension::read(Value tensor, ArrayRef<IndexForm> forms) {
  const Expr *shallow = makeRead(tensor, forms);
  if (!shallow)
    return nullptr;
  if (auto it = deepened.find(shallow); it != deepened.end())
    return it->second;
  auto result = dyn_cast<OpResult>(tensor);
  if (!result || !isa<RankedTensorType>(tensor.getType()) || wantedSplit ||
      depth > kMostDepth || --budget < 0)
    return shallow;
  const Expr *number = oneNumber(*this, tensor);
  if (!number)
    number = countedNumber(*this, tensor, forms);
  ++depth;
  const Expr *step =
      number ? number
             : OperationReader{*this, /*deep=*/true}.result(result, forms);
  --depth;
  if (step) {
    visited.insert(result.getOwner());
    origins.try_emplace(step, shallow);
  } else {
    step = shallow;
  }
  deepened[shallow] = step;
  return step;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static unsigned reducedDim(Operation *op) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return softmax.getDimension();
  return op->getAttrOfType<IntegerAttr>("axis").getInt();
}

SmallVector<IndexForm> Comprehension::makeReducedLoops(const Expr *reduction) {
  Operation *op = reduction->op;
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    auto loops = OperationReader{*this, false}.loopsOf(
        linalg, reduction->number, reduction->forms);
    SmallVector<IndexForm> made;
    for (auto [number, loop] : llvm::enumerate(*loops)) {
      if (loop)
        continue;
      std::optional<LoopExtent> extent = loopExtent(linalg, number);
      if (!extent)
        return {};
      made.push_back(
          makeLoop(op, number, extent->extent, extent->tensor, extent->dim));
    }
    return made;
  }
  unsigned dim = isa<tosa::MatMulOp>(op) ? 2 : reducedDim(op);
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  return {makeLoop(op, dim, type.getDimSize(dim), op->getOperand(0), dim)};
}

const Expr *Comprehension::reduced(const Expr *reduction,
                                   ArrayRef<IndexForm> loops) {
  Operation *op = reduction->op;
  OperationReader reader{*this, /*deep=*/false};
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    auto known = reader.loopsOf(linalg, reduction->number, reduction->forms);
    SmallVector<IndexForm> all;
    for (auto &loop : *known) {
      if (!loop && loops.empty())
        return nullptr;
      all.push_back(loop ? *loop : loops.front());
      if (!loop)
        loops = loops.drop_front();
    }
    return loops.empty() ? reader.reducedLinalg(linalg, reduction->number, all)
                         : nullptr;
  }
  if (loops.size() != 1)
    return nullptr;
  IndexForms forms(reduction->forms);
  if (isa<tosa::MatMulOp>(op))
    return makeMul(
        reader.element(op->getOperand(0), {forms[0], forms[1], loops[0]}),
        reader.element(op->getOperand(1), {forms[0], loops[0], forms[2]}));
  forms[reducedDim(op)] = loops[0];
  const Expr *element = reader.element(op->getOperand(0), forms);
  if (!isa<linalg::SoftmaxOp>(op) || reduction->kind == ExprKind::Maximum)
    return element;
  const Expr *maximum = makeReduction(ExprKind::Maximum, op, 0,
                                      reduction->forms, reduction->type);
  return makeCall("math.exp", reduction->type, {makeAdd(element, maximum, -1)});
}

const Expr *Comprehension::initial(const Expr *reduction) {
  auto linalg = dyn_cast<linalg::LinalgOp>(reduction->op);
  if (!linalg)
    return nullptr;
  return OperationReader{*this, /*deep=*/false}.element(
      linalg.getDpsInits()[unsigned(reduction->number)], reduction->forms);
}
