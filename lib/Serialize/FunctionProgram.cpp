//===- FunctionProgram.cpp - A function of launches as a program ----------===//
//
// Arguments and returned values are the program's views, what else launches
// write its workspace. Reshapes move nothing: they are other sizes and strides
// of the same memory. Sizes are expressions over those of the arguments, by
// which it is known which dimensions are the same axis.
//
//===----------------------------------------------------------------------===//

#include "FunctionProgram.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// What a function may hold
//===----------------------------------------------------------------------===//

static LogicalResult checkOperation(Operation &op) {
  if (isa<LaunchOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::DimOp, func::ReturnOp>(op) ||
      isa<arith::ArithDialect>(op.getDialect()))
    return success();
  return op.emitError()
         << "expected a launch, tensor.empty, a reshape, tensor.dim or index "
            "arithmetic in a function of a bundle, but got '"
         << op.getName() << "'";
}

static bool isViewElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || isFloat8(type) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

LogicalResult attn::checkTensor(Operation *op, Type type) {
  constexpr int64_t kMaxRank = 8;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isViewElement(tensor.getElementType()) &&
      tensor.getRank() >= 1 && tensor.getRank() <= kMaxRank)
    return success();
  return op->emitError()
         << "expected tensors of f16, bf16, f32, FP8, i8, i32 or i64 of "
            "1 to "
         << kMaxRank << " dimensions in a function of a bundle, but got "
         << type;
}

static LogicalResult checkScalar(func::FuncOp function, Type type) {
  if (type.isIndex() || (isViewElement(type) && !isFloat8(type)) ||
      type.isF64() || type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
      type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
      type.isSignlessInteger(64))
    return success();
  return function.emitError()
         << "expected tensors, numbers and indices as arguments of a function "
            "of a bundle, but got "
         << type;
}

LogicalResult ProgramBuilder::check() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block in a bundle");
  for (Operation &op : function.getBody().front())
    if (failed(checkOperation(op)))
      return failure();
  for (Type type : function.getArgumentTypes())
    if (failed(isa<ShapedType>(type) ? checkTensor(function, type)
                                     : checkScalar(function, type)))
      return failure();
  for (Type type : function.getResultTypes())
    if (failed(checkTensor(function, type)))
      return failure();
  for (auto launch : function.getOps<LaunchOp>()) {
    LLVM::LLVMFuncOp kernel = kernelOf(launch);
    if (!kernel || !launch.hasPureTensorSemantics())
      return launch.emitOpError(
          "expected a launch of a kernel for a GPU on tensors");
    launches.push_back({launch, kernel, KernelFacts(kernel)});
  }
  if (launches.empty())
    return function.emitError("expected a launch in a function of a bundle");
  return success();
}

LLVM::LLVMFuncOp ProgramBuilder::kernelOf(LaunchOp launch) {
  StringAttr name = launch.getKernelAttr().getAttr();
  auto symbol =
      SymbolRefAttr::get(StringAttr::get(launch.getContext(),
                                         name.getValue() + kDeviceModuleSuffix),
                         {FlatSymbolRefAttr::get(name)});
  return SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(launch, symbol);
}

//===----------------------------------------------------------------------===//
// Returned values
//===----------------------------------------------------------------------===//

static Value sourceOf(Value value) {
  return llvm::TypeSwitch<Operation *, Value>(value.getDefiningOp())
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [](auto reshape) { return reshape.getSrc(); })
      .Default([](Operation *) { return Value(); });
}

/// What a value is a reshape of, or it itself.
static Value rootOf(Value value) {
  while (value.getDefiningOp() && sourceOf(value))
    value = sourceOf(value);
  return value;
}

/// The argument of which a kernel writes some elements, and a result is the
/// rest.
static BlockArgument overwritten(Launched &launched, unsigned result) {
  auto step =
      dyn_cast_or_null<StringAttr>(launched.facts.get(KernelOp::kStepAttr));
  if (!step || step.getValue() != AppendCacheOp::kStep)
    return {};
  return dyn_cast<BlockArgument>(launched.op.getInits()[result]);
}

LogicalResult ProgramBuilder::findResults() {
  auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
    Value root = rootOf(value);
    if (!root.getDefiningOp<LaunchOp>())
      return ret.emitOpError()
             << "expected result " << i
             << " to be what a kernel wrote, but got "
             << (isa<BlockArgument>(root) ? "an argument" : "something else");
    if (!results.insert({root, static_cast<unsigned>(i)}).second)
      return ret.emitOpError()
             << "expected each result to be returned once, "
                "but got "
             << results[root] << " and " << i << " that are the same";
    returned.push_back(value);
  }
  for (Launched &launched : launches)
    for (auto [result, init] :
         llvm::zip(launched.op.getResults(), launched.op.getInits()))
      if (isa<BlockArgument>(rootOf(init)) && !results.contains(result))
        return launched.op.emitOpError()
               << "expected what it writes to an argument to be returned, but "
                  "got a result that is not";
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A view of the tensor's type, in its order of dimensions.
static ProgramView tensorView(RankedTensorType type, bool written) {
  ProgramView view;
  view.written = written;
  view.element = type.getElementType();
  llvm::append_range(view.shape, type.getShape());
  view.permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  view.axes.resize(type.getRank());
  return view;
}

/// Takes order and names of a kernel's view that is the array itself.
static void takeKernelView(ProgramView &view, Launched &launched,
                           unsigned number) {
  view.name = launched.facts.nameOf(number).str();
  SmallVector<int64_t> shape(view.shape);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    view.permutation[dim] = launched.dimOf(number, dim);
    view.shape[dim] = shape[view.permutation[dim]];
    if (ShapedType::isDynamic(view.shape[dim]))
      view.axes[dim] = launched.facts.axisOf(number, dim).str();
  }
}

/// The first kernel that reads or writes `value` itself, and its view.
std::pair<Launched *, unsigned> ProgramBuilder::directUse(Value value) {
  for (Launched &launched : launches)
    for (auto [i, operand] : llvm::enumerate(launched.tensors()))
      if (operand == value)
        return {&launched, i};
  return {nullptr, 0};
}

void ProgramBuilder::declareViews() {
  auto declare = [&](Value value, bool written) {
    valueOfView.push_back(value);
    program.views.push_back(
        tensorView(cast<RankedTensorType>(value.getType()), written));
    auto [launched, number] = directUse(value);
    if (launched)
      takeKernelView(program.views.back(), *launched, number);
    else
      takeStatedView(program.views.back(), function, program.views.size() - 1);
  };
  for (BlockArgument argument : function.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      declare(argument, /*written=*/false);
  for (Value value : returned)
    declare(value, /*written=*/true);
  for (Launched &launched : launches)
    for (OpResult result : launched.op->getResults()) {
      auto argument = overwritten(launched, result.getResultNumber());
      auto number = llvm::find(valueOfView, result) - valueOfView.begin();
      if (argument && number < int64_t(valueOfView.size()))
        program.views[number].over =
            llvm::find(valueOfView, argument) - valueOfView.begin();
    }
  if (like)
    program.views = like->views;
  for (auto [i, value] : llvm::enumerate(valueOfView)) {
    if (!isa<BlockArgument>(value))
      continue;
    arrays[value] = arrayOf(i);
    sizes[value] = arrays[value].sizes;
  }
}

/// A view in the dimensions of the caller's array.
StridedArray ProgramBuilder::arrayOf(unsigned number) {
  const ProgramView &view = program.views[number];
  StridedArray array{number, false, {}, {}};
  array.sizes.resize(view.shape.size());
  array.strides.resize(view.shape.size());
  for (auto [dim, at] : llvm::enumerate(view.permutation)) {
    bool dynamic = ShapedType::isDynamic(view.shape[dim]);
    array.sizes[at] = dynamic ? b.size(number, dim) : b.number(view.shape[dim]);
    array.strides[at] = b.stride(number, dim);
  }
  return array;
}

void ProgramBuilder::declareScalars() {
  for (BlockArgument argument : function.getArguments()) {
    if (isa<RankedTensorType>(argument.getType()))
      continue;
    unsigned number = program.scalars.size();
    scalars[argument] = number;
    std::string name;
    for (Launched &launched : launches)
      for (auto [i, scalar] : llvm::enumerate(launched.op.getScalars()))
        if (scalar == argument && name.empty())
          name = launched.facts.nameOf(launched.facts.viewCount() + i).str();
    program.scalars.push_back(
        {name.empty() ? "scalar" + std::to_string(number) : name,
         argument.getType()});
  }
  if (like)
    program.scalars = like->scalars;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

FailureOr<Attribute> ProgramBuilder::expressionOf(Value value) {
  if (Attribute expression = expressions.find(value))
    return expression;
  Value cause = expressions.findCause(value);
  mlir::emitError(cause.getLoc())
      << "expected a size that is integer arithmetic over sizes of arguments";
  return failure();
}

/// The size that tensor.dim asks for; null for other operations.
Attribute ProgramBuilder::sizeOfDim(Operation *op) {
  auto dim = dyn_cast<tensor::DimOp>(op);
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  auto type =
      index ? dyn_cast<RankedTensorType>(dim.getSource().getType()) : nullptr;
  if (!type || *index < 0 || *index >= type.getRank())
    return {};
  FailureOr<SmallVector<Attribute>> found = sizesOf(dim.getSource());
  return failed(found) ? Attribute() : (*found)[*index];
}

FailureOr<SmallVector<Attribute>>
ProgramBuilder::sizesFrom(RankedTensorType type, ValueRange dynamic) {
  SmallVector<Attribute> result;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      result.push_back(b.number(size));
      continue;
    }
    FailureOr<Attribute> expression = expressionOf(dynamic.front());
    if (failed(expression))
      return failure();
    dynamic = dynamic.drop_front();
    result.push_back(*expression);
  }
  return result;
}

FailureOr<SmallVector<Attribute>> ProgramBuilder::computeSizes(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return sizesFrom(empty.getType(), empty.getDynamicSizes());
  if (auto launch = dyn_cast<LaunchOp>(op))
    return sizesOf(launch.getInits()[cast<OpResult>(value).getResultNumber()]);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return sizesFrom(expand.getResultType(), expand.getOutputShape());
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse) {
    op->emitError() << "expected tensors of launches, tensor.empty and "
                       "reshapes in a function of a bundle, but got '"
                    << op->getName() << "'";
    return failure();
  }
  FailureOr<SmallVector<Attribute>> source = sizesOf(collapse.getSrc());
  if (failed(source))
    return failure();
  SmallVector<Attribute> result;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    Attribute product = b.number(1);
    for (int64_t dim : group)
      product = b.mul(product, (*source)[dim]);
    result.push_back(product);
  }
  return result;
}

FailureOr<SmallVector<Attribute>> ProgramBuilder::sizesOf(Value value) {
  auto known = sizes.find(value);
  if (known != sizes.end())
    return known->second;
  FailureOr<SmallVector<Attribute>> result = computeSizes(value);
  if (succeeded(result))
    sizes[value] = *result;
  return result;
}
