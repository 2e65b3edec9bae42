//===- TransferModel.cpp - Data that an algorithm moves -------------------===//

#include "attn-mlir/Analysis/TransferModel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cmath>

using namespace mlir;

namespace attn {

double TransferProblem::transfers(ArrayRef<double> groups) const {
  double numGroups = 1, perGroup = 0;
  for (auto [axis, group] : llvm::zip(axes, groups))
    if (axis.grouped)
      numGroups *= axis.extent / group;
  for (const Array &array : arrays) {
    double values = 1;
    for (unsigned axis : array.axes)
      values *= axes[axis].grouped ? groups[axis] : axes[axis].extent;
    perGroup += values;
  }
  return numGroups * perGroup;
}

TransferProblem transferProblem(StreamableOpInterface op,
                                ArrayRef<int64_t> extents) {
  TransferProblem problem;
  SmallVector<StreamAxis> axes = op.getStreamAxes();
  SmallVector<int64_t> one;
  for (auto [axis, extent] : llvm::zip(axes, extents)) {
    problem.axes.push_back({axis.name.str(), static_cast<double>(extent),
                            axis.kind == AxisKind::Group});
    one.push_back(axis.kind == AxisKind::Whole ? extent : 1);
  }
  for (auto [name, map] : llvm::zip(op.getViewNames(), op.getViewMaps())) {
    TransferProblem::Array array{name.str(), {}};
    for (unsigned axis = 0; axis < axes.size(); ++axis)
      if (map.isFunctionOfDim(axis))
        array.axes.push_back(axis);
      else if (axes[axis].kind == AxisKind::Unit)
        problem.axes[axis].grouped = true;
    problem.arrays.push_back(std::move(array));
  }
  problem.state = op.getStateElements(one);
  return problem;
}

double OptimalTransfers::operator()(double memory) const {
  double sum = 0;
  for (const TransferTerm &term : terms)
    sum += term.alpha * std::pow(memory, -term.beta);
  return sum;
}

namespace {

/// Grouped axes that the same arrays lack. `load` is what these arrays move in
/// all if the class has groups of 1; it shrinks in proportion to them.
struct AxisClass {
  llvm::SmallBitVector axes;
  double load;
};

} // namespace

std::optional<OptimalTransfers>
optimalTransfers(const TransferProblem &problem) {
  double constant = 0;
  SmallVector<AxisClass> classes;
  for (const TransferProblem::Array &array : problem.arrays) {
    llvm::SmallBitVector lacks(problem.axes.size());
    double load = 1;
    for (auto [i, axis] : llvm::enumerate(problem.axes)) {
      bool has = llvm::is_contained(array.axes, i);
      if (has || axis.grouped)
        load *= axis.extent;
      if (!has && axis.grouped && axis.extent > 1)
        lacks.set(i);
    }
    if (lacks.none()) {
      constant += load;
      continue;
    }
    AxisClass *same = llvm::find_if(
        classes, [&](const AxisClass &c) { return c.axes == lacks; });
    if (same != classes.end()) {
      same->load += load;
      continue;
    }
    if (llvm::any_of(classes, [&](const AxisClass &c) {
          return c.axes.anyCommon(lacks);
        }))
      return std::nullopt;
    classes.push_back({lacks, load});
  }
  OptimalTransfers result;
  result.terms.push_back({constant, 0});
  if (classes.empty())
    return result;
  // Lagrange: every class moves as much as every other. With n classes of loads
  // C_i and groups g_i, product of g_i = M / y, that is n (prod C_i y /
  // M)^(1/n).
  double n = classes.size(), logarithm = std::log(problem.state);
  for (const AxisClass &c : classes)
    logarithm += std::log(c.load);
  result.terms.push_back({n * std::exp(logarithm / n), 1 / n});
  return result;
}

SmallVector<WeightedLevel> weighLevels(ArrayRef<HierarchyLevel> levels) {
  SmallVector<WeightedLevel> result(levels.size());
  // From the lowest up: memories of levels that hold nothing are those of their
  // children together.
  for (size_t i = levels.size(); i-- > 0;) {
    const HierarchyLevel &level = levels[i];
    bool holds = level.kind == LevelKind::Memory || i + 1 == levels.size();
    result[i] = {level.name, 1 / level.bytesPerSecond,
                 holds ? level.bytes : level.children * result[i + 1].bytes};
    if (level.kind != LevelKind::CrossTransfer || i + 1 == levels.size())
      continue;
    double fromAbove = 1 / levels[i + 1].bytesPerSecond;
    double between = 1 / level.bytesPerSecond;
    result[i].secondsPerByte = fromAbove - between;
    result[i + 1].secondsPerByte = between;
  }
  return result;
}

double weightedSeconds(const OptimalTransfers &transfers,
                       ArrayRef<WeightedLevel> levels, double valueBytes) {
  double seconds = 0;
  for (const WeightedLevel &level : levels)
    seconds +=
        level.secondsPerByte * valueBytes * transfers(level.bytes / valueBytes);
  return seconds;
}

double quantisationFactor(double beta, double wide, double narrow) {
  return std::pow(wide / narrow, 1 + beta);
}

} // namespace attn
