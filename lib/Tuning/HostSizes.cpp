//===- HostSizes.cpp - Sizes that the host computes of others -------------===//
//
// A function that launches several kernels computes what some of them take: the
// number of parts of a stream, the shape of a workspace, rows that are packed.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

int64_t attn::assumedSize(StringRef axis) {
  constexpr int64_t kBatch = 4, kLength = 4096;
  return axis == "batch" ? kBatch : kLength;
}

namespace {

/// A dimension of an argument of a function.
using ArgumentDim = std::pair<BlockArgument, int64_t>;

/// Index arithmetic between launches, for the sizes of a function's arguments.
class HostSizes {
public:
  HostSizes(KernelOp kernel, const llvm::StringMap<int64_t> &given)
      : given(given) {
    kernel->getParentOfType<ModuleOp>().walk([&](LaunchOp launch) {
      launches.push_back(launch);
      if (launch.getKernel() == kernel.getSymName())
        own = launch;
    });
  }

  /// The size of a dimension of a view of the kernel; nothing where no function
  /// launches it, or one computes sizes of what is not understood.
  std::optional<int64_t> viewSize(unsigned view, unsigned dim) {
    if (!own)
      return std::nullopt;
    return sizeOf(tensorsOf(own)[view], tensorDim(own, view, dim));
  }

  /// Whether a dimension of a view is of an argument, as the caller knows it.
  bool isOfArgument(unsigned view, unsigned dim) {
    return own &&
           rootOf(tensorsOf(own)[view], tensorDim(own, view, dim)).has_value();
  }

private:
  static SmallVector<Value> tensorsOf(LaunchOp launch) {
    SmallVector<Value> tensors(launch.getInputs());
    llvm::append_range(tensors, launch.getInits());
    return tensors;
  }

  static int64_t tensorDim(LaunchOp launch, unsigned view, unsigned dim) {
    return cast<AffineMapAttr>(launch.getViews()[view])
        .getValue()
        .getDimPosition(dim);
  }

  /// The argument's dimension that alone makes this one dynamic.
  std::optional<ArgumentDim> rootOf(Value tensor, int64_t dim) {
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return ArgumentDim{argument, dim};
    if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
      return rootOf(expand.getSrc(), expand.getCorrespondingSourceDim(dim));
    if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
      std::optional<int64_t> dynamic;
      for (int64_t part : collapse.getReassociationIndices()[dim])
        if (collapse.getSrcType().isDynamicDim(part)) {
          if (dynamic)
            return std::nullopt;
          dynamic = part;
        }
      return dynamic ? rootOf(collapse.getSrc(), *dynamic) : std::nullopt;
    }
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
      if (!empty.getType().isDynamicDim(dim))
        return std::nullopt;
      auto size = empty.getDynamicSize(dim).getDefiningOp<tensor::DimOp>();
      std::optional<int64_t> index =
          size ? size.getConstantIndex() : std::nullopt;
      return index ? rootOf(size.getSource(), *index) : std::nullopt;
    }
    return std::nullopt;
  }

  /// What kernels call an argument's dimension, or what it is part of.
  std::string nameOf(ArgumentDim dim) {
    for (LaunchOp launch : launches) {
      auto kernel = dyn_cast_or_null<KernelOp>(
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
      if (!kernel)
        continue;
      SmallVector<Value> tensors = tensorsOf(launch);
      for (const DynamicDim &its : dynamicDims(kernel))
        if (rootOf(tensors[its.view], tensorDim(launch, its.view, its.dim)) ==
            dim)
          return its.name;
    }
    return "";
  }

  std::optional<int64_t> sizeOf(Value tensor, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return std::nullopt;
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      std::string name = nameOf({argument, dim});
      if (name.empty())
        return std::nullopt;
      auto it = given.find(name);
      return it == given.end() ? assumedSize(name) : it->second;
    }
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return valueOf(empty.getDynamicSize(dim));
    if (auto launch = dyn_cast<LaunchOp>(op))
      return sizeOf(launch.getInits()[cast<OpResult>(tensor).getResultNumber()],
                    dim);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return valueOf(expand.getOutputShape()[type.getDynamicDimIndex(dim)]);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return sizeOfAll(collapse.getSrc(),
                       collapse.getReassociationIndices()[dim]);
    return std::nullopt;
  }

  std::optional<int64_t> sizeOfAll(Value tensor, ArrayRef<int64_t> dims) {
    int64_t product = 1;
    for (int64_t dim : dims) {
      std::optional<int64_t> size = sizeOf(tensor, dim);
      if (!size || llvm::MulOverflow(product, *size, product))
        return std::nullopt;
    }
    return product;
  }

  std::optional<int64_t> valueOf(Value value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return constant;
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      return index ? sizeOf(dim.getSource(), *index) : std::nullopt;
    }
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<int64_t> x = valueOf(op->getOperand(0)),
                           y = valueOf(op->getOperand(1));
    return x && y ? compute(op, *x, *y) : std::nullopt;
  }

  /// Sizes are not negative: kinds of signedness agree.
  static std::optional<int64_t> compute(Operation *op, int64_t x, int64_t y) {
    using Result = std::optional<int64_t>;
    int64_t result;
    return llvm::TypeSwitch<Operation *, Result>(op)
        .Case([&](arith::AddIOp) {
          return llvm::AddOverflow(x, y, result) ? Result() : result;
        })
        .Case([&](arith::SubIOp) {
          return llvm::SubOverflow(x, y, result) ? Result() : result;
        })
        .Case([&](arith::MulIOp) {
          return llvm::MulOverflow(x, y, result) ? Result() : result;
        })
        .Case<arith::DivUIOp, arith::DivSIOp>(
            [&](Operation *) { return y > 0 ? Result(x / y) : Result(); })
        .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](Operation *) {
          return x >= 0 && y > 0 ? Result(llvm::divideCeil(x, y)) : Result();
        })
        .Case<arith::MinUIOp, arith::MinSIOp>(
            [&](Operation *) { return std::min(x, y); })
        .Case<arith::MaxUIOp, arith::MaxSIOp>(
            [&](Operation *) { return std::max(x, y); })
        .Default([](Operation *) { return Result(); });
  }

  const llvm::StringMap<int64_t> &given;
  SmallVector<LaunchOp> launches;
  LaunchOp own;
};

} // namespace

llvm::StringMap<int64_t>
attn::completeSizes(KernelOp kernel, const llvm::StringMap<int64_t> &given) {
  HostSizes host(kernel, given);
  llvm::StringMap<int64_t> result;
  for (const DynamicDim &dim : dynamicDims(kernel)) {
    if (result.contains(dim.name))
      continue;
    auto it = given.find(dim.name);
    std::optional<int64_t> size = host.viewSize(dim.view, dim.dim);
    // What is stated counts for what is computed of several sizes.
    if (it != given.end() && !(size && host.isOfArgument(dim.view, dim.dim)))
      size = it->second;
    result[dim.name] = size.value_or(assumedSize(dim.name));
  }
  return result;
}
