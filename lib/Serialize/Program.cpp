//===- Program.cpp - What a launcher runs of a module ---------------------===//

#include "Program.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelFacts::KernelFacts(LLVM::LLVMFuncOp kernel)
    : facts(kernel->getAttrOfType<DictionaryAttr>(kManifestAttr)) {
  auto listOf = [&](StringRef key) -> ArrayRef<Attribute> {
    auto list = facts ? facts.getAs<ArrayAttr>(key) : ArrayAttr();
    return list ? list.getValue() : ArrayRef<Attribute>();
  };
  views = listOf("views");
  scalars = listOf("scalars");
}

unsigned KernelFacts::readCount() const {
  auto outputs = facts.getAs<IntegerAttr>(KernelOp::kOutputsAttr);
  int64_t written = outputs ? outputs.getInt() : 1;
  return std::max<int64_t>(views.size() - written, 0);
}

ViewType KernelFacts::viewType(unsigned view) const {
  return cast<ViewType>(cast<TypeAttr>(views[view]).getValue());
}

/// Entry of a list of lists; null where there is none.
static Attribute entryOf(ArrayAttr list, unsigned i) {
  return list && i < list.size() ? list[i] : Attribute();
}

StringRef KernelFacts::nameOf(unsigned argument) const {
  auto name = dyn_cast_or_null<StringAttr>(
      entryOf(facts.getAs<ArrayAttr>("names"), argument));
  return name ? name.getValue() : "";
}

StringRef KernelFacts::axisOf(unsigned view, unsigned dim) const {
  auto dims = dyn_cast_or_null<ArrayAttr>(
      entryOf(facts.getAs<ArrayAttr>(KernelOp::kDimNamesAttr), view));
  auto name = dyn_cast_or_null<StringAttr>(entryOf(dims, dim));
  return name ? name.getValue() : "";
}

int64_t KernelFacts::permuted(unsigned view, unsigned dim) const {
  auto map = dyn_cast_or_null<AffineMapAttr>(
      entryOf(facts.getAs<ArrayAttr>(KernelOp::kPermutationsAttr), view));
  return map ? map.getValue().getDimPosition(dim) : dim;
}

static ProgramView kernelViewOf(const KernelFacts &facts, unsigned number) {
  ViewType type = facts.viewType(number);
  ProgramView view;
  view.name = facts.nameOf(number);
  if (view.name.empty())
    view.name = "view" + std::to_string(number);
  view.written = number >= facts.readCount();
  view.element = type.getElementType();
  llvm::append_range(view.shape, type.getShape());
  for (unsigned dim = 0; dim < view.shape.size(); ++dim) {
    view.permutation.push_back(facts.permuted(number, dim));
    std::string axis = facts.axisOf(number, dim).str();
    if (!ShapedType::isDynamic(view.shape[dim]))
      axis.clear();
    else if (axis.empty())
      axis = "view" + std::to_string(number) + "_dim" + std::to_string(dim);
    view.axes.push_back(axis);
  }
  return view;
}

/// Kernels of a module by their names.
using KernelNames = llvm::StringMap<LLVM::LLVMFuncOp>;

/// The names of what makes a kernel's counters zero, which are its last views.
static ArrayRef<Attribute> clearsOf(const KernelFacts &facts) {
  auto clears = cast_or_null<ArrayAttr>(facts.get(KernelOp::kClearedByAttr));
  return clears ? clears.getValue() : ArrayRef<Attribute>();
}

/// Makes counters from `first` on zero. Those of a known size are workspace,
/// which nobody passes, if all behind them are.
static void addClears(Program &program, const KernelFacts &facts,
                      unsigned first, const KernelNames &kernels) {
  unsigned views = facts.viewCount(), passed = views;
  auto isWorkspace = [&](unsigned view) {
    auto name = cast<StringAttr>(clearsOf(facts)[view - first]);
    return !name.empty() &&
           !ShapedType::isDynamicShape(facts.viewType(view).getShape());
  };
  while (passed > first && isWorkspace(passed - 1))
    --passed;
  Builder b(program.op->getContext());
  for (unsigned i = passed; i < views; ++i) {
    const ProgramView &view = program.views[i];
    program.workspace.push_back({view.name, view.element, {}});
    for (int64_t size : view.shape)
      program.workspace.back().shape.push_back(b.getI64IntegerAttr(size));
  }
  program.views.resize(passed);
  for (auto [i, name] : llvm::enumerate(clearsOf(facts))) {
    LLVM::LLVMFuncOp clear = kernels.lookup(cast<StringAttr>(name));
    if (!clear)
      continue;
    program.steps.emplace_back();
    program.steps.back().kernel = clear;
    program.steps.back().views.push_back(
        {first + static_cast<int64_t>(i), {}, {}});
    program.steps.back().scalars.emplace();
  }
}

/// A kernel that no function launches: one step, which takes what is passed,
/// behind those that clear its counters.
static Program kernelProgram(LLVM::LLVMFuncOp kernel,
                             const KernelNames &kernels) {
  KernelFacts facts(kernel);
  Program program;
  program.name = kernel.getName().str();
  program.op = kernel;
  for (unsigned i = 0; i < facts.viewCount(); ++i)
    program.views.push_back(kernelViewOf(facts, i));
  for (auto [i, type] : llvm::enumerate(facts.scalarTypes())) {
    StringRef name = facts.nameOf(facts.viewCount() + i);
    program.scalars.push_back(
        {name.empty() ? "scalar" + std::to_string(i) : name.str(),
         cast<TypeAttr>(type).getValue()});
  }
  addClears(program, facts, facts.viewCount() - clearsOf(facts).size(),
            kernels);
  program.steps.emplace_back();
  program.steps.back().kernel = kernel;
  if (!clearsOf(facts).empty())
    for (int64_t i = 0; i < facts.viewCount(); ++i)
      program.steps.back().views.push_back({i, {}, {}});
  return program;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Modules in the LLVM dialect may have been edited.
static LogicalResult checkFacts(LLVM::LLVMFuncOp kernel) {
  auto facts = kernel->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto isView = [](Attribute entry) {
    auto type = dyn_cast<TypeAttr>(entry);
    return type && isa<ViewType>(type.getValue());
  };
  auto views = facts.getAs<ArrayAttr>("views"),
       scalars = facts.getAs<ArrayAttr>("scalars");
  if (views && scalars && facts.getAs<ArrayAttr>("parameters") &&
      llvm::all_of(views, isView) &&
      llvm::all_of(scalars, llvm::IsaPred<TypeAttr>))
    return success();
  return kernel.emitError() << "expected a manifest with 'parameters', 'views' "
                               "and 'scalars', but got "
                            << facts;
}

namespace {
/// What becomes programs: functions, and kernels that none launches; all
/// kernels.
struct Candidates {
  SmallVector<func::FuncOp> functions;
  SmallVector<LLVM::LLVMFuncOp> kernels;
  KernelNames names;
};
} // namespace

/// Whether a kernel makes views of a type zero and does nothing else.
static bool isClearOf(LLVM::LLVMFuncOp clear, ViewType view) {
  KernelFacts facts(clear);
  auto step = dyn_cast_or_null<StringAttr>(facts.get(KernelOp::kStepAttr));
  if (!step || step.getValue() != KernelOp::kClearStep ||
      facts.get(KernelOp::kClearedByAttr) || facts.viewCount() != 1 ||
      !facts.scalarTypes().empty())
    return false;
  ViewType cleared = facts.viewType(0);
  if (cleared.getElementType() != view.getElementType() ||
      cleared.getRank() != view.getRank())
    return false;
  return llvm::all_of(llvm::zip(cleared.getShape(), view.getShape()),
                      [](auto sizes) {
                        auto [size, other] = sizes;
                        return ShapedType::isDynamic(size) || size == other;
                      });
}

/// Names of the kernels that clear counters of one. Text may name any.
static FailureOr<SmallVector<StringAttr>>
findClears(LLVM::LLVMFuncOp kernel, const KernelNames &kernels) {
  SmallVector<StringAttr> result;
  KernelFacts facts(kernel);
  Attribute stated = facts.get(KernelOp::kClearedByAttr);
  if (!stated)
    return result;
  auto counters =
      dyn_cast_or_null<IntegerAttr>(facts.get(KernelOp::kCountersAttr));
  unsigned most = facts.viewCount() - facts.readCount();
  auto list = dyn_cast<ArrayAttr>(stated);
  if (!list || !counters || counters.getValue() != list.size() ||
      list.size() > most) {
    kernel.emitError() << "expected '" << KernelOp::kClearedByAttr
                       << "' to be a name for each counter, which are at most "
                       << most << " views, but got " << stated;
    return failure();
  }
  unsigned first = facts.viewCount() - list.size();
  for (auto [i, entry] : llvm::enumerate(list)) {
    auto name = dyn_cast<StringAttr>(entry);
    if (name && name.empty())
      continue;
    LLVM::LLVMFuncOp clear = name ? kernels.lookup(name.getValue()) : nullptr;
    ViewType view = facts.viewType(first + i);
    if (!clear || !isClearOf(clear, view)) {
      kernel.emitError() << "expected '" << KernelOp::kClearedByAttr
                         << "' to name a kernel that clears " << view
                         << " and does nothing else, but got " << entry;
      return failure();
    }
    result.push_back(name);
  }
  return result;
}

static FailureOr<Candidates> findCandidates(ModuleOp module) {
  Candidates result;
  llvm::DenseSet<StringAttr> launched;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      result.functions.push_back(function);
  module.walk([&](LaunchOp launch) {
    launched.insert(launch.getKernelAttr().getAttr());
  });
  bool valid = true, any = false;
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    if (!kernel->getAttrOfType<DictionaryAttr>(kManifestAttr))
      return;
    any = true;
    valid &= succeeded(checkFacts(kernel));
    result.names[kernel.getName()] = kernel;
  });
  if (!any) {
    module.emitError() << "expected a kernel for a GPU, but got none";
    return failure();
  }
  if (!valid)
    return failure();
  // What clears a kernel's counters is a step of that one's program.
  for (const auto &named : result.names) {
    FailureOr<SmallVector<StringAttr>> clears =
        findClears(named.second, result.names);
    if (failed(clears))
      return failure();
    launched.insert(clears->begin(), clears->end());
  }
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    if (result.names.contains(kernel.getName()) &&
        !launched.contains(kernel.getNameAttr()))
      result.kernels.push_back(kernel);
  });
  return result;
}

/// What callers see of a program: its name and the types of what is passed.
static Attribute interfaceOf(func::FuncOp function) {
  return Builder(function.getContext())
      .getArrayAttr({SymbolTable::getSymbolName(function),
                     TypeAttr::get(function.getFunctionType())});
}

/// The same of any program; of a kernel without its workspace.
static Attribute interfaceOf(const Program &program) {
  if (auto function = dyn_cast<func::FuncOp>(program.op))
    return interfaceOf(function);
  Builder b(program.op->getContext());
  SmallVector<Attribute> parts{b.getStringAttr(program.name)};
  for (const ProgramView &view : program.views) {
    SmallVector<StringRef> axes(view.axes.begin(), view.axes.end());
    Type type = ViewType::get(b.getContext(), view.shape, view.element);
    parts.push_back(
        b.getArrayAttr({b.getStringAttr(view.name),
                        b.getStringAttr(view.written ? "written" : "read"),
                        TypeAttr::get(type), b.getStrArrayAttr(axes),
                        b.getDenseI64ArrayAttr(view.permutation)}));
  }
  for (const ProgramScalar &scalar : program.scalars)
    parts.push_back(b.getArrayAttr(
        {b.getStringAttr(scalar.name), TypeAttr::get(scalar.type)}));
  return b.getArrayAttr(parts);
}

static LogicalResult checkLike(ModuleOp module, Attribute ours,
                               Attribute theirs) {
  if (ours == theirs)
    return success();
  return module.emitError() << "a variant expects the views of the last one, "
                            << theirs << ", but got " << ours;
}

FailureOr<std::vector<Program>> attn::findPrograms(ModuleOp module,
                                                   ArrayRef<Program> like) {
  FailureOr<Candidates> found = findCandidates(module);
  if (failed(found))
    return failure();
  size_t count = found->functions.size() + found->kernels.size();
  if (!like.empty() && like.size() != count) {
    module.emitError() << "a variant expects " << like.size()
                       << " programs as the last one, but got " << count;
    return failure();
  }
  std::vector<Program> programs;
  for (func::FuncOp function : found->functions) {
    const Program *other = like.empty() ? nullptr : &like[programs.size()];
    if (other &&
        failed(checkLike(module, interfaceOf(function), interfaceOf(*other))))
      return failure();
    FailureOr<Program> program = functionProgram(function, other);
    if (failed(program))
      return failure();
    programs.push_back(std::move(*program));
  }
  for (LLVM::LLVMFuncOp kernel : found->kernels) {
    Program program = kernelProgram(kernel, found->names);
    if (!like.empty() && failed(checkLike(module, interfaceOf(program),
                                          interfaceOf(like[programs.size()]))))
      return failure();
    programs.push_back(std::move(program));
  }
  return programs;
}
