//===- StridedArray.cpp - Where the elements of a tensor are --------------===//

#include "StridedArray.h"
#include "attn-mlir/Conversion/SizeExpression.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

std::optional<int64_t> attn::numberOf(Attribute expression) {
  if (auto integer = dyn_cast<IntegerAttr>(expression))
    return integer.getInt();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Attribute ExpressionBuilder::leaf(StringRef name, int64_t view, int64_t dim) {
  return apply(name, {number(view), number(dim)});
}

Attribute ExpressionBuilder::apply(StringRef name,
                                   ArrayRef<Attribute> operands) {
  SmallVector<Attribute> parts{b.getStringAttr(name)};
  parts.append(operands.begin(), operands.end());
  return b.getArrayAttr(parts);
}

Attribute ExpressionBuilder::mul(Attribute x, Attribute y) {
  std::optional<int64_t> left = numberOf(x), right = numberOf(y);
  int64_t product;
  if (left && right && !llvm::MulOverflow(*left, *right, product))
    return number(product);
  if (left == 1)
    return y;
  if (right == 1)
    return x;
  return apply("mul", {x, y});
}

Attribute ExpressionBuilder::equal(Attribute x, Attribute y) {
  if (x == y)
    return number(1);
  if (numberOf(x) && numberOf(y))
    return number(0);
  return apply("eq", {x, y});
}

Attribute ExpressionBuilder::atMostOne(Attribute x) {
  if (std::optional<int64_t> value = numberOf(x))
    return number(*value <= 1);
  return apply("le", {x, number(1)});
}

Attribute ExpressionBuilder::either(Attribute x, Attribute y) {
  for (auto [one, other] : {std::pair(x, y), std::pair(y, x)})
    if (std::optional<int64_t> value = numberOf(one))
      return *value ? one : other;
  return apply("or", {x, y});
}

Attribute ExpressionBuilder::select(Attribute condition, Attribute then,
                                    Attribute otherwise) {
  if (std::optional<int64_t> value = numberOf(condition))
    return *value ? then : otherwise;
  return apply("select", {condition, then, otherwise});
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

StridedArray StridedArray::expand(ExpressionBuilder &b,
                                  ArrayRef<ReassociationIndices> groups,
                                  ArrayRef<Attribute> split) const {
  StridedArray result{base, contiguous, llvm::to_vector(split), {}};
  result.strides.resize(split.size());
  for (auto [dim, group] : llvm::enumerate(groups)) {
    if (group.size() == 1)
      result.sizes[group.front()] = sizes[dim];
    Attribute stride = strides[dim];
    for (int64_t part : llvm::reverse(group)) {
      result.strides[part] = stride;
      stride = b.mul(stride, split[part]);
    }
  }
  // Of rank 0 are the sizes 1.
  for (auto [size, stride] : llvm::zip(result.sizes, result.strides))
    if (!stride)
      stride = b.number(1);
  return result;
}

StridedArray
StridedArray::collapse(ExpressionBuilder &b,
                       ArrayRef<ReassociationIndices> groups,
                       SmallVectorImpl<Attribute> &conditions) const {
  StridedArray result{base, contiguous, {}, {}};
  for (const ReassociationIndices &group : groups) {
    Attribute size = sizes[group.back()], stride = strides[group.back()];
    for (int64_t dim : llvm::reverse(ArrayRef(group).drop_back())) {
      // Strides of dimensions of size 1 are not looked at.
      Attribute inner = b.atMostOne(size);
      Attribute fits = b.either(b.either(b.atMostOne(sizes[dim]), inner),
                                b.equal(strides[dim], b.mul(stride, size)));
      if (!contiguous) {
        if (numberOf(fits) != 1)
          conditions.push_back(fits);
        stride = b.select(inner, strides[dim], stride);
      }
      size = b.mul(sizes[dim], size);
    }
    result.sizes.push_back(size);
    result.strides.push_back(stride);
  }
  return result;
}
