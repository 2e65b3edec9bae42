//===- PlaceCounters.cpp - Counters in the workspace of a program ---------===//
//
// A counter that lived in the kernel's module would be shared by launches that
// run at the same time. As an argument each launch has its own, which a kernel
// before it makes zero: nothing is assumed of what the memory held.
//
//===----------------------------------------------------------------------===//

#include "ClearView.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPLACECOUNTERS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

constexpr StringLiteral kCounterName = "counter";

Attribute counterPermutation(MLIRContext *context) {
  return AffineMapAttr::get(AffineMap::getMultiDimIdentityMap(1, context));
}

/// Behind the last view.
unsigned endOfViews(KernelOp kernel) {
  unsigned end = 0;
  for (BlockArgument argument : kernel.getArguments())
    if (isa<ViewType>(argument.getType()))
      end = argument.getArgNumber() + 1;
  return end;
}

/// Adds an entry behind those of an array attribute, where there is one.
void append(KernelOp kernel, StringRef name, unsigned at, Attribute entry) {
  auto array = kernel->getAttrOfType<ArrayAttr>(name);
  if (!array || at > array.size())
    return;
  SmallVector<Attribute> entries(array.getValue());
  entries.insert(entries.begin() + at, entry);
  kernel->setAttr(name, ArrayAttr::get(kernel.getContext(), entries));
}

StringAttr freeArgumentName(KernelOp kernel) {
  llvm::StringSet<> taken;
  for (StringAttr name : kernel.getArgNamesAttr().getAsRange<StringAttr>())
    taken.insert(name.getValue());
  std::string name = kCounterName.str();
  for (unsigned i = 1; taken.contains(name); ++i)
    name = (kCounterName + Twine(i)).str();
  return StringAttr::get(kernel.getContext(), name);
}

/// Makes a counter the last of the views that the kernel writes.
void makeArgument(KernelOp kernel, CounterOp counter) {
  Builder b(kernel.getContext());
  unsigned at = endOfViews(kernel);
  if (kernel.getArgNamesAttr())
    append(kernel, kernel.getArgNamesAttrName(), at, freeArgumentName(kernel));
  unsigned views =
      llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<ViewType>);
  append(kernel, KernelOp::kDimNamesAttr, views, b.getStrArrayAttr({""}));
  append(kernel, KernelOp::kPermutationsAttr, views,
         counterPermutation(kernel.getContext()));
  (void)kernel.insertArgument(at, counter.getView().getType(), {},
                              counter.getLoc());
  auto numberOf = [&](StringRef name, int64_t absent) {
    auto number = kernel->getAttrOfType<IntegerAttr>(name);
    return number ? number.getInt() : absent;
  };
  auto increase = [&](StringRef name, int64_t absent) {
    kernel->setAttr(name, b.getI64IntegerAttr(numberOf(name, absent) + 1));
  };
  // Without the attribute the last view is the one that is written.
  increase(KernelOp::kOutputsAttr, 1);
  increase(KernelOp::kCountersAttr, 0);
  kernel->setAttr(KernelOp::kFollowsAttr, b.getUnitAttr());
  counter.getView().replaceAllUsesWith(kernel.getArgument(at));
  counter.erase();
}

/// Memory for a counter, which a kernel clears.
Value buildCounter(OpBuilder &b, Location loc, KernelOp kernel,
                   SymbolTable &symbols) {
  auto type = RankedTensorType::get({1}, b.getI32Type());
  Value memory = tensor::EmptyOp::create(b, loc, type, ValueRange());
  return buildCleared(b, loc, kernel, kCounterName, memory, symbols);
}

/// Has a launch pass cleared memory for so many counters.
LogicalResult passCounters(LaunchOp launch, KernelOp kernel, unsigned count,
                           SymbolTable &symbols) {
  if (!launch.hasPureTensorSemantics())
    return launch.emitOpError("expected tensors, to which workspace for the "
                              "counters of the kernel can be added, but got "
                              "memrefs");
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> inits(launch.getInits());
  SmallVector<Type> results(launch.getResultTypes());
  SmallVector<Attribute> views(launch.getViews().getValue());
  for (unsigned i = 0; i < count; ++i) {
    inits.push_back(buildCounter(b, loc, kernel, symbols));
    results.push_back(inits.back().getType());
    views.push_back(counterPermutation(b.getContext()));
  }
  auto passing =
      LaunchOp::create(b, loc, results, launch.getKernel(), launch.getInputs(),
                       inits, launch.getScalars(), b.getArrayAttr(views));
  passing->setDiscardableAttrs(launch->getDiscardableAttrDictionary());
  launch.replaceAllUsesWith(
      passing.getResults().take_front(launch.getNumResults()));
  launch.erase();
  return success();
}

/// Of all kernels that functions launch.
llvm::DenseMap<StringAttr, SmallVector<LaunchOp>>
findLaunches(ModuleOp module) {
  llvm::DenseMap<StringAttr, SmallVector<LaunchOp>> result;
  module.walk([&](LaunchOp launch) {
    result[launch.getKernelAttr().getAttr()].push_back(launch);
  });
  return result;
}

/// The counters of a kernel, as it says: the last of its views. Fails after a
/// diagnostic.
FailureOr<SmallVector<BlockArgument>> findCounters(KernelOp kernel) {
  SmallVector<BlockArgument> views;
  for (BlockArgument argument : kernel.getArguments())
    if (isa<ViewType>(argument.getType()))
      views.push_back(argument);
  Attribute stated = kernel->getAttr(KernelOp::kCountersAttr);
  if (!stated)
    return SmallVector<BlockArgument>();
  auto number = dyn_cast<IntegerAttr>(stated);
  if (!number || number.getValue().isNegative() ||
      number.getValue().ugt(views.size())) {
    kernel.emitOpError() << "expected '" << KernelOp::kCountersAttr
                         << "' to be how many of its " << views.size()
                         << " views are counters, but got " << stated;
    return failure();
  }
  views.erase(views.begin(), views.end() - number.getValue().getZExtValue());
  return views;
}

/// Has kernels clear the counters of one that no function launches: whoever
/// launches it from a bundle runs these before (Program.cpp).
LogicalResult clearCountersOf(KernelOp kernel, SymbolTable &symbols) {
  auto counters = findCounters(kernel);
  if (failed(counters))
    return failure();
  Builder b(kernel.getContext());
  Attribute stated = kernel->getAttr(KernelOp::kClearedByAttr);
  auto known = stated ? dyn_cast<ArrayAttr>(stated) : b.getArrayAttr({});
  if (!known || known.size() > counters->size())
    return kernel.emitOpError()
           << "expected '" << KernelOp::kClearedByAttr
           << "' to be a list of at most " << counters->size()
           << " names, as it has so many counters, but got " << stated;
  // Those that came since are behind the ones whose clears are named.
  SmallVector<Attribute> names(known.getValue());
  for (BlockArgument view : ArrayRef(*counters).drop_front(known.size())) {
    auto type = cast<ViewType>(view.getType());
    // Of others, such as states, nobody asks what they hold.
    bool counts = isa<IntegerType>(type.getElementType());
    names.push_back(b.getStringAttr(
        counts ? buildClear(kernel, kCounterName, type, symbols).getSymName()
               : StringRef()));
  }
  if (!names.empty())
    kernel->setAttr(KernelOp::kClearedByAttr, b.getArrayAttr(names));
  return success();
}

struct PlaceCountersPass
    : attn::impl::AttnPlaceCountersBase<PlaceCountersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto launches = findLaunches(module);
    for (KernelOp kernel : llvm::to_vector(module.getOps<KernelOp>())) {
      SmallVector<CounterOp> counters;
      kernel.walk([&](CounterOp counter) { counters.push_back(counter); });
      for (CounterOp counter : counters)
        makeArgument(kernel, counter);
      numCounters += counters.size();
      auto found = launches.find(kernel.getSymNameAttr());
      if (found == launches.end()) {
        if (failed(clearCountersOf(kernel, symbols)))
          return signalPassFailure();
        continue;
      }
      for (LaunchOp launch : found->second)
        if (!counters.empty() &&
            failed(passCounters(launch, kernel, counters.size(), symbols)))
          return signalPassFailure();
    }
  }
};

} // namespace
