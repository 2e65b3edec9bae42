//===- Relayout.cpp - From one order of dimensions to another -------------===//

#include "Relayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn::raise;

std::optional<Groups> attn::raise::groupsOf(const Comprehension &c,
                                            Value tensor,
                                            ArrayRef<IndexForm> forms) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Groups groups;
  llvm::DenseSet<unsigned> seen;
  for (auto [form, size] : llvm::zip_equal(forms, type.getShape())) {
    if (form.constant != 0)
      return std::nullopt;
    SmallVector<std::pair<unsigned, int64_t>, 2> terms(form.terms);
    llvm::sort(terms, [](const auto &a, const auto &b) {
      return a.second > b.second;
    });
    SmallVector<unsigned, 2> group;
    for (auto [variable, stride] : terms) {
      if (!seen.insert(variable).second)
        return std::nullopt;
      group.push_back(variable);
    }
    int64_t wanted = 1;
    for (auto [variable, stride] : llvm::reverse(terms)) {
      if (stride != wanted)
        return std::nullopt;
      int64_t extent = c.variable(variable).extent;
      if (ShapedType::isDynamic(extent))
        wanted = ShapedType::kDynamic;
      else if (!ShapedType::isDynamic(wanted))
        wanted *= extent;
    }
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(wanted);
    if ((known && size != wanted) || (terms.empty() && size != 1))
      return std::nullopt;
    groups.push_back(group);
  }
  return groups;
}

static SmallVector<unsigned> flatten(const Groups &groups) {
  SmallVector<unsigned> flat;
  for (const auto &group : groups)
    flat.append(group.begin(), group.end());
  return flat;
}

static bool isAnyLong(const Groups &groups) {
  return llvm::any_of(groups, [](const auto &g) { return g.size() > 1; });
}

static bool isAnyEmpty(const Groups &groups) {
  return llvm::any_of(groups, [](const auto &g) { return g.empty(); });
}

std::optional<unsigned> attn::raise::relayoutCost(const Groups &from,
                                                  const Groups &to) {
  if (from == to)
    return 0;
  SmallVector<unsigned> flatFrom = flatten(from), flatTo = flatten(to);
  if (DenseSet<unsigned>(flatFrom.begin(), flatFrom.end()) !=
      DenseSet<unsigned>(flatTo.begin(), flatTo.end()))
    return std::nullopt;
  // A transpose moves memory, reshapes mostly do not.
  return isAnyLong(from) + isAnyEmpty(from) + 4 * (flatFrom != flatTo) +
         isAnyLong(to) + isAnyEmpty(to);
}

/// An expand_shape to these groups, each of which is a dimension now.
static Value expand(OpBuilder &b, Location loc, Value tensor,
                    const Groups &groups, SizeOf sizeOf) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  auto add = [&](OpFoldResult size) {
    reassociation.back().push_back(shape.size());
    sizes.push_back(size);
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  };
  for (auto [dim, group] : llvm::enumerate(groups)) {
    reassociation.emplace_back();
    if (group.empty())
      add(b.getIndexAttr(1));
    else if (group.size() == 1)
      add(tensor::getMixedSize(b, loc, tensor, dim));
    else
      for (unsigned variable : group)
        add(sizeOf(variable));
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      reassociation, sizes);
}

static Value transpose(OpBuilder &b, Location loc, Value tensor,
                       ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> before = tensor::getMixedSizes(b, loc, tensor),
                            sizes;
  for (int64_t dim : permutation)
    sizes.push_back(before[dim]);
  Value init = tensor::EmptyOp::create(
      b, loc, sizes, cast<RankedTensorType>(tensor.getType()).getElementType());
  return linalg::TransposeOp::create(b, loc, tensor, init, permutation)
      ->getResult(0);
}

/// Dimensions of no variable become part of the one behind them.
static Value dropUnits(OpBuilder &b, Location loc, Value tensor,
                       ArrayRef<bool> isUnit) {
  SmallVector<ReassociationIndices> reassociation(1);
  bool hasVariable = false;
  for (auto [dim, unit] : llvm::enumerate(isUnit)) {
    if (!unit && hasVariable)
      reassociation.emplace_back();
    reassociation.back().push_back(dim);
    hasVariable |= !unit;
  }
  return tensor::CollapseShapeOp::create(b, loc, tensor, reassociation);
}

Value attn::raise::relayout(OpBuilder &b, Location loc, Value tensor,
                            const Groups &from, const Groups &to,
                            SizeOf sizeOf) {
  if (from == to)
    return tensor;
  if (isAnyLong(from))
    tensor = expand(b, loc, tensor, from, sizeOf);
  if (isAnyEmpty(from)) {
    SmallVector<bool> isUnit;
    for (const auto &group : from) {
      if (group.empty())
        isUnit.push_back(true);
      isUnit.append(group.size(), false);
    }
    tensor = dropUnits(b, loc, tensor, isUnit);
  }
  SmallVector<unsigned> flatFrom = flatten(from), flatTo = flatten(to);
  if (flatFrom != flatTo) {
    SmallVector<int64_t> permutation;
    for (unsigned variable : flatTo)
      permutation.push_back(llvm::find(flatFrom, variable) - flatFrom.begin());
    tensor = transpose(b, loc, tensor, permutation);
  }
  if (isAnyLong(to)) {
    SmallVector<ReassociationIndices> reassociation;
    int64_t dim = 0;
    for (const auto &group : to) {
      if (group.empty())
        continue;
      reassociation.emplace_back();
      for (size_t i = 0; i < group.size(); ++i)
        reassociation.back().push_back(dim++);
    }
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor, reassociation);
  }
  if (!isAnyEmpty(to))
    return tensor;
  // Dimensions of size 1 belong to one before them, or to the first.
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  int64_t next = 0;
  for (const auto &group : to) {
    bool isNew = !group.empty() && next > 0;
    if (reassociation.empty() || isNew)
      reassociation.emplace_back();
    reassociation.back().push_back(shape.size());
    if (group.empty()) {
      shape.push_back(1);
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    shape.push_back(type.getDimSize(next));
    sizes.push_back(tensor::getMixedSize(b, loc, tensor, next++));
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      reassociation, sizes);
}

Value attn::raise::mapElements(OpBuilder &b, Location loc, Value tensor,
                               Type element,
                               function_ref<Value(OpBuilder &, Value)> body) {
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), tensor, init, maps, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, args[0]));
             })
      .getResult(0);
}

Value attn::raise::castElements(OpBuilder &b, Location loc, Value tensor,
                                Type element) {
  auto from = cast<FloatType>(
      cast<RankedTensorType>(tensor.getType()).getElementType());
  if (from == element)
    return tensor;
  bool isWider = from.getWidth() < cast<FloatType>(element).getWidth();
  return mapElements(b, loc, tensor, element, [&](OpBuilder &b, Value x) {
    // By way of f32 between types of one width.
    if (from.getWidth() == cast<FloatType>(element).getWidth())
      x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
    return isWider ? Value(arith::ExtFOp::create(b, loc, element, x))
                   : Value(arith::TruncFOp::create(b, loc, element, x));
  });
}
