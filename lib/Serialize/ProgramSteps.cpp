//===- ProgramSteps.cpp - Axes, workspace and steps of a function ---------===//

#include "FunctionProgram.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static bool isSize(Attribute expression) {
  auto parts = dyn_cast<ArrayAttr>(expression);
  return parts && cast<StringAttr>(parts[0]).getValue() == "size";
}

Attribute AxisClasses::find(Attribute size) const {
  for (auto it = parents.find(size); it != parents.end();
       it = parents.find(size))
    size = it->second;
  return size;
}

void AxisClasses::unite(Attribute x, Attribute y) {
  x = find(x);
  y = find(y);
  if (x != y)
    parents[y] = x;
}

Attribute AxisClasses::canonical(Attribute expression) const {
  auto parts = dyn_cast<ArrayAttr>(expression);
  if (!parts)
    return expression;
  if (isSize(expression))
    return find(expression);
  SmallVector<Attribute> result{parts[0]};
  for (Attribute operand : parts.getValue().drop_front())
    result.push_back(canonical(operand));
  return ArrayAttr::get(expression.getContext(), result);
}

/// Dimensions that a kernel takes for one axis are as long as each other.
LogicalResult ProgramBuilder::uniteAxes() {
  for (Launched &launched : launches) {
    llvm::StringMap<Attribute> first;
    for (auto [view, value] : llvm::enumerate(launched.tensors())) {
      FailureOr<SmallVector<Attribute>> all = sizesOf(value);
      if (failed(all))
        return failure();
      for (unsigned dim = 0; dim < all->size(); ++dim) {
        StringRef name = launched.facts.axisOf(view, dim);
        Attribute size = (*all)[launched.dimOf(view, dim)];
        if (name.empty() || !isSize(size))
          continue;
        axes.unite(first.try_emplace(name, size).first->second, size);
        namedSizes.push_back({size, name.str()});
      }
    }
  }
  return success();
}

LogicalResult ProgramBuilder::forResultSizes(
    llvm::function_ref<void(Attribute, Attribute)> fn) {
  for (auto [number, view] : llvm::enumerate(program.views)) {
    if (!view.written)
      continue;
    FailureOr<SmallVector<Attribute>> all = sizesOf(valueOfView[number]);
    if (failed(all))
      return failure();
    StridedArray array = arrayOf(number);
    for (auto [computed, own] : llvm::zip(*all, array.sizes))
      fn(computed, own);
  }
  return success();
}

LogicalResult ProgramBuilder::uniteResults() {
  return forResultSizes([&](Attribute computed, Attribute own) {
    if (isSize(computed) && isSize(own))
      axes.unite(computed, own);
  });
}

/// What callers of all variants know: dimensions of one name.
void ProgramBuilder::uniteLike() {
  llvm::StringMap<Attribute> first;
  for (auto [number, view] : llvm::enumerate(program.views))
    for (auto [dim, name] : llvm::enumerate(view.axes))
      if (!name.empty()) {
        Attribute size = b.size(number, dim);
        axes.unite(first.try_emplace(name, size).first->second, size);
      }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// `name`, or with the first number that makes it another than those taken.
static std::string uniqueName(llvm::StringSet<> &taken, StringRef name) {
  std::string result = name.str();
  for (unsigned i = 1; !taken.insert(result).second; ++i)
    result = (name + "_" + Twine(i)).str();
  return result;
}

static std::string numberedName(const ProgramView &view, unsigned number,
                                unsigned reads) {
  return view.written ? "result" + std::to_string(number - reads)
                      : "arg" + std::to_string(number);
}

void ProgramBuilder::nameViews() {
  llvm::StringSet<> taken;
  unsigned reads = program.views.size() - returned.size();
  for (auto [number, view] : llvm::enumerate(program.views)) {
    std::string other = numberedName(view, number, reads);
    if (view.name.empty() || !taken.insert(view.name).second)
      view.name = uniqueName(taken, other);
  }
}

void ProgramBuilder::nameAxes() {
  llvm::DenseMap<Attribute, std::string> axisNames;
  for (auto &[size, name] : namedSizes)
    axisNames.try_emplace(axes.find(size), name);
  llvm::DenseMap<Attribute, std::string> names;
  llvm::StringSet<> taken;
  unsigned reads = program.views.size() - returned.size();
  for (auto [number, view] : llvm::enumerate(program.views))
    for (auto [dim, axis] : llvm::enumerate(view.axes)) {
      if (!ShapedType::isDynamic(view.shape[dim]))
        continue;
      Attribute axisClass = axes.find(b.size(number, dim));
      auto [it, isNew] = names.try_emplace(axisClass);
      if (isNew) {
        std::string name = axis.empty() ? axisNames.lookup(axisClass) : axis;
        if (name.empty())
          name = numberedName(view, number, reads) + "_dim" +
                 std::to_string(view.permutation[dim]);
        it->second = uniqueName(taken, name);
      }
      axis = it->second;
    }
  // An array that is several operands of a kernel has one name of them: guards
  // may say the others.
  for (auto &[size, name] : namedSizes)
    if (!taken.contains(name))
      program.otherAxes.try_emplace(name, axes.find(size));
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

void ProgramBuilder::require(SmallVectorImpl<Attribute> &limits, Attribute one,
                             Attribute other, Attribute limit) {
  if (axes.canonical(one) != axes.canonical(other) &&
      !llvm::is_contained(limits, limit))
    limits.push_back(limit);
}

/// A result is as large as what was computed.
LogicalResult ProgramBuilder::limitResults() {
  return forResultSizes([&](Attribute computed, Attribute own) {
    require(program.limits, own, computed, b.equal(own, computed));
  });
}

/// The parts of a dimension are its size.
LogicalResult ProgramBuilder::limitReshapes() {
  for (auto expand : function.getOps<tensor::ExpandShapeOp>()) {
    FailureOr<SmallVector<Attribute>> split = sizesOf(expand.getResult()),
                                      whole = sizesOf(expand.getSrc());
    if (failed(split) || failed(whole))
      return failure();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      Attribute product = b.number(1);
      for (int64_t part : group)
        product = b.mul(product, (*split)[part]);
      require(program.limits, product, (*whole)[dim],
              b.equal(product, (*whole)[dim]));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// A result's array is the caller's: what it is a reshape of lies in it, too,
/// and what a launch that makes it wrote over.
LogicalResult ProgramBuilder::placeResult(unsigned number) {
  Value value = valueOfView[number];
  StridedArray array = arrayOf(number);
  arrays[value] = array;
  while (true) {
    if (auto launch = value.getDefiningOp<LaunchOp>()) {
      FailureOr<Value> before = overwrittenBy(launch, cast<OpResult>(value));
      if (failed(before) || !*before)
        return failure(failed(before));
      value = *before;
    } else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
      value = collapse.getSrc();
      FailureOr<SmallVector<Attribute>> split = sizesOf(value);
      if (failed(split))
        return failure();
      array = array.expand(b, collapse.getReassociationIndices(), *split);
    } else {
      auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
      value = expand.getSrc();
      array =
          array.collapse(b, expand.getReassociationIndices(), program.limits);
    }
    arrays[value] = array;
  }
  return success();
}

bool ProgramBuilder::hasName(StringRef name) {
  auto isIt = [&](const auto &entry) { return entry.name == name; };
  return llvm::any_of(program.views, isIt) ||
         llvm::any_of(program.workspace, isIt);
}

/// What another launch wrote that a result of a launch is written over; null
/// where there is none.
FailureOr<Value> ProgramBuilder::overwrittenBy(LaunchOp launch,
                                               OpResult result) {
  Value init = launch.getInits()[result.getResultNumber()];
  if (!init.getDefiningOp<LaunchOp>())
    return Value();
  if (init.hasOneUse())
    return init;
  launch.emitOpError("expected to be all that uses what it writes over, but "
                     "got init ")
      << result.getResultNumber() << ", which has other uses";
  return failure();
}

/// What is written over something lies where that does.
FailureOr<bool> ProgramBuilder::placeInPlace(LaunchOp launch, OpResult value) {
  FailureOr<Value> before = overwrittenBy(launch, value);
  if (failed(before))
    return failure();
  if (*before)
    arrays[value] = arrays.lookup(*before);
  return static_cast<bool>(*before);
}

/// What launches write that is not returned.
LogicalResult ProgramBuilder::placeWorkspace() {
  for (Launched &launched : launches)
    for (OpResult value : launched.op->getResults()) {
      if (arrays.contains(value))
        continue;
      FailureOr<bool> held = placeInPlace(launched.op, value);
      if (failed(held))
        return failure();
      if (*held)
        continue;
      auto type = cast<RankedTensorType>(value.getType());
      if (failed(checkTensor(launched.op, type)))
        return failure();
      FailureOr<SmallVector<Attribute>> shape = sizesOf(value);
      if (failed(shape))
        return failure();
      std::string name =
          launched.facts
              .nameOf(launched.op.getInputs().size() + value.getResultNumber())
              .str();
      if (name.empty() || hasName(name))
        name = "workspace" + std::to_string(program.workspace.size());
      int64_t base = program.views.size() + program.workspace.size();
      StridedArray array{base, true, {}, {}};
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        array.sizes.push_back(numberOf((*shape)[dim]) ? (*shape)[dim]
                                                      : b.size(base, dim));
        array.strides.push_back(b.stride(base, dim));
      }
      arrays[value] = array;
      program.workspace.push_back({name, type.getElementType(), *shape});
    }
  return success();
}

FailureOr<StridedArray> ProgramBuilder::arrayOf(Value value) {
  auto known = arrays.find(value);
  if (known != arrays.end())
    return known->second;
  auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!expand && !collapse) {
    mlir::emitError(value.getLoc())
        << "expected kernels to read arguments, what kernels wrote and "
           "reshapes of them, but got something else";
    return failure();
  }
  FailureOr<StridedArray> source =
      arrayOf(expand ? expand.getSrc() : collapse.getSrc());
  if (failed(source))
    return failure();
  StridedArray result;
  if (collapse) {
    result =
        source->collapse(b, collapse.getReassociationIndices(), program.limits);
  } else {
    FailureOr<SmallVector<Attribute>> split = sizesOf(value);
    if (failed(split))
      return failure();
    result = source->expand(b, expand.getReassociationIndices(), *split);
  }
  arrays[value] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// In the order of the kernel's dimensions.
StepView ProgramBuilder::stepViewOf(const StridedArray &array,
                                    Launched &launched, unsigned number) {
  StepView view;
  view.base = array.base;
  bool asItIs = true;
  bool isView = array.base < static_cast<int64_t>(program.views.size());
  for (unsigned dim = 0; dim < array.sizes.size(); ++dim) {
    int64_t at = launched.dimOf(number, dim);
    view.shape.push_back(array.sizes[at]);
    view.strides.push_back(array.strides[at]);
    asItIs &= view.strides.back() == b.stride(array.base, dim);
    asItIs &= numberOf(view.shape.back()) ||
              view.shape.back() == b.size(array.base, dim);
  }
  size_t rank =
      isView
          ? program.views[array.base].shape.size()
          : program.workspace[array.base - program.views.size()].shape.size();
  if (asItIs && rank == view.shape.size()) {
    view.shape.clear();
    view.strides.clear();
  }
  return view;
}

bool ProgramBuilder::takesViewsAsTheyAre(const ProgramStep &step) {
  if (step.views.size() != program.views.size())
    return false;
  return llvm::all_of(llvm::enumerate(step.views), [](auto entry) {
    return entry.value().base == static_cast<int64_t>(entry.index()) &&
           entry.value().shape.empty();
  });
}

/// What the kernel takes for granted of its views.
LogicalResult ProgramBuilder::limitStep(Launched &launched, ProgramStep &step) {
  llvm::StringMap<std::pair<Attribute, Attribute>> first;
  for (auto [view, value] : llvm::enumerate(launched.tensors())) {
    FailureOr<SmallVector<Attribute>> all = sizesOf(value);
    if (failed(all))
      return failure();
    auto type = launched.facts.viewType(view);
    for (unsigned dim = 0; dim < all->size(); ++dim) {
      Attribute size = (*all)[launched.dimOf(view, dim)],
                own = b.size(view, dim);
      StringRef name = launched.facts.axisOf(view, dim);
      if (int64_t wanted = type.getShape()[dim];
          !ShapedType::isDynamic(wanted)) {
        require(step.limits, size, b.number(wanted),
                b.equal(own, b.number(wanted)));
      } else if (!name.empty()) {
        auto &[other, its] = first.try_emplace(name, size, own).first->second;
        require(step.limits, size, other, b.equal(own, its));
      }
    }
  }
  return success();
}

LogicalResult ProgramBuilder::setScalars(Launched &launched,
                                         ProgramStep &step) {
  std::vector<StepScalar> result;
  bool asTheyAre = launched.op.getScalars().size() == program.scalars.size();
  for (auto [i, value] : llvm::enumerate(launched.op.getScalars())) {
    StepScalar scalar;
    auto known = scalars.find(value);
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (known != scalars.end()) {
      scalar.index = known->second;
      asTheyAre &= known->second == i;
    } else if (constant && isa<IntegerAttr, FloatAttr>(constant.getValue())) {
      scalar.constant = constant.getValue();
      asTheyAre = false;
    } else {
      return launched.op.emitOpError()
             << "expected scalar " << i
             << " to be an argument of the function or a constant, but got "
                "something else";
    }
    result.push_back(scalar);
  }
  if (!asTheyAre)
    step.scalars = std::move(result);
  return success();
}

FailureOr<ProgramStep> ProgramBuilder::stepOf(Launched &launched) {
  ProgramStep step;
  step.kernel = launched.kernel;
  for (auto [i, value] : llvm::enumerate(launched.tensors())) {
    FailureOr<StridedArray> array = arrayOf(value);
    if (failed(array))
      return failure();
    step.views.push_back(stepViewOf(*array, launched, i));
  }
  if (takesViewsAsTheyAre(step))
    step.views.clear();
  if (failed(limitStep(launched, step)) || failed(setScalars(launched, step)))
    return failure();
  return step;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

FailureOr<Program> ProgramBuilder::run() {
  program.name = function.getSymName().str();
  program.op = function;
  if (failed(check()) || failed(findResults()))
    return failure();
  declareViews();
  declareScalars();
  if (like)
    uniteLike();
  else if (failed(uniteAxes()) || failed(uniteResults()))
    return failure();
  if (!like) {
    nameViews();
    nameAxes();
  }
  for (unsigned i = 0; i < program.views.size(); ++i)
    if (program.views[i].written && failed(placeResult(i)))
      return failure();
  if (failed(limitReshapes()) || failed(limitResults()) ||
      failed(placeWorkspace()))
    return failure();
  for (Launched &launched : launches) {
    FailureOr<ProgramStep> step = stepOf(launched);
    if (failed(step))
      return failure();
    program.steps.push_back(std::move(*step));
  }
  return std::move(program);
}

FailureOr<Program> attn::functionProgram(func::FuncOp function,
                                         const Program *like) {
  return ProgramBuilder(function, like).run();
}
