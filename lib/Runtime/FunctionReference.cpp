//===- FunctionReference.cpp - A level-1 function in float64 --------------===//

#include "FunctionReference.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Runtime/GradientReference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace attn;

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Calls `body` with every index of a shape, in order.
static void forIndices(ArrayRef<int64_t> shape,
                       function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = countOf(shape); i < count; ++i) {
    body(index);
    for (unsigned d = index.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}

static int64_t placeOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t place = 0;
  for (auto [i, size] : llvm::zip(index, shape))
    place = place * size + i;
  return place;
}

/// Whether a packed element lies outside of all sequences, whose results are
/// not written.
static bool isOfNoSequence(ArrayRef<double> offsets, int64_t element) {
  return offsets.empty() || double(element) < offsets.front() ||
         double(element) >= offsets.back();
}

/// The part of a tensor that a slice is: `sizes` in all of its dimensions.
namespace {
struct SlicePart {
  SmallVector<int64_t> offsets, sizes, strides;

  /// Calls `body` with places in the whole and in the slice.
  bool forPlaces(ArrayRef<int64_t> shape,
                 function_ref<void(int64_t, int64_t)> body) const {
    for (auto [offset, size, stride, whole] :
         llvm::zip(offsets, sizes, strides, shape))
      if (offset < 0 || size < 0 ||
          (size > 0 && offset + (size - 1) * stride >= whole))
        return false;
    int64_t place = 0;
    forIndices(sizes, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at;
      for (auto [i, offset, stride] : llvm::zip(index, offsets, strides))
        at.push_back(offset + i * stride);
      body(placeOf(at, shape), place++);
    });
    return true;
  }
};
} // namespace

int64_t FunctionReference::valueOf(OpFoldResult size) const {
  if (auto attr = dyn_cast<Attribute>(size))
    return cast<IntegerAttr>(attr).getInt();
  return scalars.lookup(cast<Value>(size)).i;
}

SmallVector<int64_t>
FunctionReference::valuesOf(ArrayRef<OpFoldResult> sizes) const {
  return llvm::map_to_vector(sizes, [&](OpFoldResult s) { return valueOf(s); });
}

ReferenceTensor &FunctionReference::make(Value result,
                                         ArrayRef<int64_t> shape) {
  ReferenceTensor &tensor = tensors[result];
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.values.assign(countOf(shape), 0.0);
  tensor.slack.assign(countOf(shape), 0.0);
  return tensor;
}

bool FunctionReference::evaluateConstant(Operation &op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
    scalars[constant] = number.getValueAsDouble();
    return true;
  }
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) {
    scalars[constant] = number.getValue().getSExtValue();
    return true;
  }
  auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  if (!numbers)
    return false;
  ReferenceTensor &tensor = make(constant, numbers.getType().getShape());
  for (auto [value, number] : llvm::zip(tensor.values, numbers))
    value = FloatAttr::get(numbers.getElementType(), number).getValueAsDouble();
  return true;
}

/// What changes the shape of tensors or takes parts of them.
bool FunctionReference::evaluateMove(Operation &op) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    ReferenceTensor &t = make(empty, valuesOf(empty.getMixedSizes()));
    llvm::fill(t.slack, std::numeric_limits<double>::infinity());
    return true;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    const ReferenceTensor &source = tensors[dim.getSource()];
    int64_t at = scalars.lookup(dim.getIndex()).i;
    if (at < 0 || at >= int64_t(source.shape.size()))
      return false;
    scalars[dim] = source.shape[at];
    return true;
  }
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    ReferenceTensor moved = tensors[op.getOperand(0)];
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      moved.shape = valuesOf(expand.getMixedOutputShape());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      SmallVector<int64_t> shape;
      for (const ReassociationIndices &group :
           collapse.getReassociationIndices()) {
        shape.push_back(1);
        for (int64_t dim : group)
          shape.back() *= moved.shape[dim];
      }
      moved.shape = shape;
    }
    if (countOf(moved.shape) != int64_t(moved.values.size()))
      return false;
    tensors[op.getResult(0)] = std::move(moved);
    return true;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    ReferenceTensor source = tensors[slice.getSource()];
    SlicePart part{valuesOf(slice.getMixedOffsets()),
                   valuesOf(slice.getMixedSizes()),
                   valuesOf(slice.getMixedStrides())};
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(part.sizes))
      if (!dropped.test(dim))
        shape.push_back(size);
    ReferenceTensor &result = make(slice, shape);
    result.bound = source.bound;
    result.isLog = source.isLog;
    return part.forPlaces(source.shape, [&](int64_t from, int64_t to) {
      result.values[to] = source.values[from];
      result.slack[to] = source.slack[from];
    });
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    ReferenceTensor result = tensors[insert.getDest()];
    const ReferenceTensor &source = tensors[insert.getSource()];
    SlicePart part{valuesOf(insert.getMixedOffsets()),
                   valuesOf(insert.getMixedSizes()),
                   valuesOf(insert.getMixedStrides())};
    if (!part.forPlaces(result.shape, [&](int64_t to, int64_t from) {
          result.values[to] = source.values[from];
          result.slack[to] = source.slack[from];
        }))
      return false;
    result.bound = std::max(result.bound, source.bound);
    result.isLog |= source.isLog;
    tensors[insert] = std::move(result);
    return true;
  }
  return false;
}

/// V by columns, with zeros behind the last key.
bool FunctionReference::evaluateArrangement(Operation &op) {
  auto arrange = dyn_cast<ArrangeValuesOp>(op);
  if (!arrange)
    return false;
  const ReferenceTensor source = tensors[arrange.getValues()];
  unsigned head = headDimOf(arrange.getLayout()),
           seq = seqDimOf(arrange.getLayout());
  int64_t keys = source.shape[seq],
          room = llvm::alignTo(keys, InterleaveOp::kGroup);
  ReferenceTensor &result = make(
      arrange, {source.shape[0], source.shape[head], source.shape[3], room});
  forIndices(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t key = InterleaveOp::sourceOf(index[3]);
    if (key >= keys)
      return;
    SmallVector<int64_t> from(4);
    from[0] = index[0];
    from[head] = index[1];
    from[seq] = key;
    from[3] = index[2];
    int64_t to = placeOf(index, result.shape), at = placeOf(from, source.shape);
    result.values[to] = source.values[at];
    result.slack[to] = source.slack[at];
  });
  return true;
}

/// One scale for each batch and group of heads, or block of their rows, and
/// rows divided by it.
bool FunctionReference::evaluateQuantization(Operation &op) {
  auto quantize = dyn_cast<QuantizeOp>(op);
  if (!quantize)
    return false;
  ReferenceTensor rows = tensors[quantize.getInput()];
  for (double &value : rows.values)
    value = roundTo(getElementTypeOrSelf(quantize.getInput()), value);
  ReferenceTensor whole = rotated(quantize, rows);
  if (quantize.getCentered())
    center(quantize, rows);
  rows = rotated(quantize, std::move(rows));
  int64_t heads = quantize.getNumHeads(), groups = quantize.getNumScales();
  unsigned head = headDimOf(quantize.getLayout()),
           seq = seqDimOf(quantize.getLayout());
  int64_t block = quantize.getScaleBlock().value_or(
              std::max<int64_t>(rows.shape[seq], 1)),
          blocks = quantize.getScaleBlock()
                       ? llvm::divideCeil(rows.shape[seq], block)
                       : 1;
  SmallVector<int64_t> shape{rows.shape[0], groups};
  if (quantize.getScaleBlock())
    shape.push_back(blocks);
  ReferenceTensor &scales = make(quantize.getScales(), shape);
  auto scaleOf = [&](ArrayRef<int64_t> index) {
    int64_t group = index[0] * groups + index[head] * groups / heads;
    return group * blocks + index[seq] / block;
  };
  // Of rows that equal their mean the rounding of what was subtracted is left.
  constexpr double kLost = 0x1p-10,
                   kAny = std::numeric_limits<double>::infinity();
  std::vector<double> wholes(scales.values.size());
  forIndices(rows.shape, [&](ArrayRef<int64_t> index) {
    int64_t place = placeOf(index, rows.shape), scale = scaleOf(index);
    auto grow = [&](double &largest, double value) {
      largest = std::max(largest, std::abs(value));
    };
    grow(scales.values[scale], rows.values[place]);
    grow(wholes[scale], whole.values[place]);
  });
  for (auto [slack, most, all] : llvm::zip(scales.slack, scales.values, wholes))
    slack = most < kLost * all ? kAny : 0;
  Type element = getElementTypeOrSelf(quantize.getNumbers());
  for (double &scale : scales.values)
    scale = scale == 0 ? 1
                       : std::max<double>(scale / largestOfFloat8(element),
                                          QuantizeOp::kLeastScale);
  forIndices(rows.shape, [&](ArrayRef<int64_t> index) {
    int64_t place = placeOf(index, rows.shape), scale = scaleOf(index);
    rows.values[place] /= scales.values[scale];
    rows.slack[place] += scales.slack[scale];
  });
  scales.bound = rows.bound + usualBound(Float32Type::get(op.getContext()));
  rows.bound += usualBound(element);
  tensors[quantize.getNumbers()] = std::move(rows);
  return true;
}

/// Subtracts from the rows of each head their mean, which is a result.
void FunctionReference::center(QuantizeOp op, ReferenceTensor &rows) {
  unsigned head = headDimOf(op.getLayout()), seq = seqDimOf(op.getLayout());
  ReferenceTensor &means =
      make(op.getMeans(), {rows.shape[0], rows.shape[head], rows.shape[3]});
  auto meanOf = [&](ArrayRef<int64_t> index) -> double & {
    return means
        .values[placeOf({index[0], index[head], index[3]}, means.shape)];
  };
  forIndices(rows.shape, [&](ArrayRef<int64_t> index) {
    meanOf(index) +=
        rows.values[placeOf(index, rows.shape)] / double(rows.shape[seq]);
  });
  forIndices(rows.shape, [&](ArrayRef<int64_t> index) {
    rows.values[placeOf(index, rows.shape)] -= meanOf(index);
  });
  means.bound = rows.bound + usualBound(Float32Type::get(op.getContext()));
}

/// Rows times a matrix, where there is one.
ReferenceTensor FunctionReference::rotated(QuantizeOp op,
                                           ReferenceTensor rows) {
  if (!op.getRotation())
    return rows;
  const std::vector<double> &entries = tensors[op.getRotation()].values;
  double factor = op.getFactor().convertToDouble();
  int64_t columns = op.getDim(), block = op.getBlockDim();
  Type element = getElementTypeOrSelf(op.getRotation());
  // Blocks along the diagonal have all rows, and Sylvester's matrix the signs
  // of what is between them.
  std::vector<double> matrix(columns * columns);
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double value = roundTo(element, entries[i * block + j % block]);
      bool negative = llvm::popcount(uint64_t(i / block & j / block)) % 2;
      matrix[i * columns + j] = negative ? -value : value;
    }
  std::vector<double> sums(columns);
  for (size_t at = 0; at < rows.values.size(); at += columns) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t i = 0; i < columns; ++i)
      for (int64_t j = 0; j < columns; ++j)
        sums[j] += rows.values[at + i] * matrix[i * columns + j];
    for (int64_t j = 0; j < columns; ++j)
      rows.values[at + j] = factor * sums[j];
  }
  return rows;
}

/// arith and math, on scalars and on tensors of floats.
bool FunctionReference::evaluateElementwise(Operation &op) {
  std::function<Slot(ArrayRef<Slot>)> fn = compileScalarOp(op);
  if (!fn)
    return false;
  SmallVector<Slot> slots(op.getNumOperands());
  if (!isa<RankedTensorType>(op.getResult(0).getType())) {
    for (auto [slot, operand] : llvm::zip(slots, op.getOperands()))
      slot = scalars.lookup(operand);
    scalars[op.getResult(0)] = fn(slots);
    return true;
  }
  for (Value value : llvm::concat<Value>(llvm::to_vector(op.getOperands()),
                                         llvm::to_vector(op.getResults())))
    if (!isa<RankedTensorType>(value.getType()) ||
        !isa<FloatType>(getElementTypeOrSelf(value)))
      return false;
  ReferenceTensor result = tensors[op.getOperand(0)];
  for (auto [i, value] : llvm::enumerate(result.values)) {
    for (auto [slot, operand] : llvm::zip(slots, op.getOperands())) {
      slot = roundTo(getElementTypeOrSelf(operand), tensors[operand].values[i]);
      result.slack[i] = std::max(result.slack[i], tensors[operand].slack[i]);
    }
    value = fn(slots).f;
  }
  // Operands that differ make a result that does, and it is rounded once more.
  result.bound = usualBound(getElementTypeOrSelf(op.getResult(0)));
  for (Value operand : op.getOperands())
    result.bound += tensors[operand].bound;
  tensors[op.getResult(0)] = std::move(result);
  return true;
}

LogicalResult FunctionReference::evaluateStreamable(StreamableOpInterface op) {
  SmallVector<SmallVector<int64_t>> perms = op.getViewPermutations();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(operand);
  // From the dimensions of a tensor to those of its view.
  auto viewShape = [&](unsigned view, ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(perms[view],
                               [&](int64_t dim) { return shape[dim]; });
  };
  std::vector<std::vector<double>> inputs;
  double bound = 0, slack = 0;
  for (unsigned view = 0; view < operands.size(); ++view) {
    const ReferenceTensor &tensor = tensors[operands[view]];
    std::vector<double> &values = inputs.emplace_back();
    Type element = getElementTypeOrSelf(operands[view]);
    forIndices(viewShape(view, tensor.shape), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at(index.size());
      for (auto [d, dim] : llvm::enumerate(perms[view]))
        at[dim] = index[d];
      int64_t place = placeOf(at, tensor.shape);
      values.push_back(roundTo(element, tensor.values[place]));
      slack = std::max(slack, tensor.slack[place]);
    });
    bound = std::max(bound, tensor.bound);
  }
  SmallVector<int64_t> extents;
  for (const StreamAxis &axis : op.getStreamAxes())
    extents.push_back(
        ShapedType::isDynamic(axis.extent)
            ? axis.extentBy(viewShape(
                  axis.view, tensors[operands[axis.view]].shape)[axis.dim])
            : axis.extent);
  OracleOptions withScalars = options;
  withScalars.scalars.clear();
  for (Value capture : op.getScalarCaptures()) {
    Slot slot = scalars.lookup(capture);
    withScalars.scalars.push_back(isa<FloatType>(capture.getType()) ? slot.f
                                                                    : slot.i);
  }
  AttentionReference expected;
  if (failed(evaluateReference(op, extents, inputs, withScalars, expected)))
    return failure();
  SmallVector<AffineMap> maps = op.getViewMaps();
  SmallVector<PackedAxis> axes = op.getPackedAxes();
  auto isWritten = [&](unsigned view, ArrayRef<int64_t> index) {
    return llvm::none_of(axes, [&](const PackedAxis &packed) {
      auto axis = getAffineDimExpr(packed.axis, op.getContext());
      auto dims = maps[view].getResults();
      auto place = llvm::find(dims, axis);
      return place != dims.end() && isOfNoSequence(inputs[packed.offsets],
                                                   index[place - dims.begin()]);
    });
  };
  for (auto [i, value] : llvm::enumerate(op->getResults())) {
    unsigned view = operands.size() + i;
    const std::vector<double> &source = i == 0 ? expected.output : expected.lse;
    const std::vector<double> &own = expected.slack;
    SmallVector<int64_t> logical = viewSizes(op, view, extents),
                         shape(logical.size());
    for (auto [d, dim] : llvm::enumerate(perms[view]))
      shape[dim] = logical[d];
    ReferenceTensor &result = make(value, shape);
    result.bound = bound + (i == 0 ? usualBound(op)
                                   : usualBound(getElementTypeOrSelf(value)));
    result.isLog = i > 0;
    int64_t columns = i > 0 ? 1 : logical.back(), place = 0;
    forIndices(logical, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at(index.size());
      for (auto [d, dim] : llvm::enumerate(perms[view]))
        at[dim] = index[d];
      int64_t to = placeOf(at, shape);
      result.values[to] = source[place];
      result.slack[to] = isWritten(view, index)
                             ? slack + (own.empty() ? 0 : own[place / columns])
                             : std::numeric_limits<double>::infinity();
      ++place;
    });
  }
  return success();
}

/// Gradients of what is of no sequence may be anything.
void FunctionReference::allowUnwritten(AttentionBackwardOp op, Value value,
                                       ReferenceTensor &result) {
  Value offsets =
      value == op.getQueryGradient() ? op.getQueryOffsets()
      : value == op.getKeyGradient() || value == op.getValueGradient()
          ? op.getKeyOffsets()
          : Value();
  if (!offsets)
    return;
  unsigned dim = op.getLayout() == TensorLayout::BSHD ? 1 : 2;
  forIndices(result.shape, [&](ArrayRef<int64_t> index) {
    if (isOfNoSequence(tensors[offsets].values, index[dim]))
      result.slack[placeOf(index, result.shape)] =
          std::numeric_limits<double>::infinity();
  });
}

LogicalResult FunctionReference::evaluateGradient(Operation &op) {
  std::vector<GradientInput> inputs;
  std::vector<double> numbers;
  double bound = 0;
  for (Value operand : op.getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      Slot slot = scalars.lookup(operand);
      numbers.push_back(isa<FloatType>(operand.getType()) ? slot.f : slot.i);
      continue;
    }
    const ReferenceTensor &tensor = tensors[operand];
    GradientInput &input = inputs.emplace_back();
    input.shape = tensor.shape;
    input.values.reserve(tensor.values.size());
    for (double value : tensor.values)
      input.values.push_back(roundTo(getElementTypeOrSelf(operand), value));
    bound = std::max(bound, tensor.bound);
  }
  std::vector<GradientResult> results;
  if (failed(referenceGradient(&op, inputs, numbers, results)))
    return failure();
  // Weights are rounded to the type of Q, however wide a result is.
  bound += usualBound(getElementTypeOrSelf(op.getOperand(0)));
  for (auto [value, made] : llvm::zip_equal(op.getResults(), results)) {
    ReferenceTensor &result = make(value, made.shape);
    result.values = std::move(made.values);
    result.units = std::move(made.units);
    result.bound = bound;
    if (auto gradients = dyn_cast<AttentionBackwardOp>(op))
      allowUnwritten(gradients, value, result);
  }
  return success();
}

bool FunctionReference::evaluate(Operation &op) {
  return evaluateConstant(op) || evaluateMove(op) || evaluateArrangement(op) ||
         evaluateQuantization(op) || evaluateElementwise(op);
}

FailureOr<std::vector<ReferenceTensor>>
FunctionReference::run(func::FuncOp function, std::string &unknown) {
  if (!function.getBody().hasOneBlock()) {
    unknown = "several blocks";
    return failure();
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isGradient(&op)) {
      if (failed(evaluateGradient(op)))
        return failure();
      continue;
    }
    if (auto streamable = dyn_cast<StreamableOpInterface>(op)) {
      if (failed(evaluateStreamable(streamable)))
        return failure();
      continue;
    }
    if (evaluate(op))
      continue;
    unknown = op.getName().getStringRef();
    return failure();
  }
  std::vector<ReferenceTensor> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(tensors[value]);
  return results;
}
