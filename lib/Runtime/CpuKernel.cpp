//===- CpuKernel.cpp - Kernels compiled for and run on the CPU ------------===//

#include "attn-mlir/Runtime/CpuKernel.h"
#include "CalledFunctions.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace attn;

namespace {

/// Where attn_touch of this thread goes.
thread_local const std::function<void(const Access &)> *currentSink = nullptr;

/// The first error in the use of a ring that a run met.
struct RingReport {
  std::mutex mutex;
  std::string message;
};
/// Where attn_ring_error of this thread goes.
thread_local RingReport *currentReport = nullptr;

StringRef describe(RingError error) {
  switch (error) {
  case RingError::AcquiredOutOfTurn:
    return "is acquired out of turn: 'ahead' is not the number of slots that "
           "are acquired and not released";
  case RingError::LandedOutOfTurn:
    return "is landed in out of turn";
  case RingError::WaitedEmpty:
    return "is waited for, but nothing landed: a GPU would wait forever";
  case RingError::ReleasedUnread:
    return "is released without a wait";
  case RingError::UsedReleased:
    return "has a tile that is used after its release";
  case RingError::LandedOccupied:
    return "is landed in while all of its memory is in use";
  case RingError::AcquiredShared:
    return "is acquired while a ring in the same memory has a slot";
  }
  llvm_unreachable("unknown error");
}

void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, []() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

/// More threads than this would only wait for each other.
constexpr int64_t kMaxThreads = 256;

/// The arguments of a call in the layout of the C interface: pointers to memref
/// descriptors (base, aligned, offset, sizes, strides), and scalars.
class PackedArguments {
public:
  PackedArguments(ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars)
      : scalars(scalars) {
    for (const StridedBuffer &view : views) {
      auto data = reinterpret_cast<int64_t>(view.data);
      std::vector<int64_t> words{data, data, 0};
      llvm::append_range(words, view.sizes);
      llvm::append_range(words, view.strides);
      descriptors.push_back(std::move(words));
    }
    for (std::vector<int64_t> &words : descriptors)
      pointers.push_back(words.data());
  }

  /// Pointers to the arguments, after those in `leading`.
  SmallVector<void *> pack(ArrayRef<void *> leading) {
    SmallVector<void *> packed(leading);
    for (int64_t *&pointer : pointers)
      packed.push_back(&pointer);
    for (const ScalarBytes &scalar : scalars)
      packed.push_back(const_cast<char *>(scalar.data()));
    return packed;
  }

private:
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<int64_t *> pointers;
  ArrayRef<ScalarBytes> scalars;
};

std::string wrapper(StringRef name) { return ("_mlir_ciface_" + name).str(); }

} // namespace

extern "C" void attn_touch(int64_t cta, int64_t kind, int64_t view, int64_t o0,
                           int64_t o1, int64_t o2, int64_t o3, int64_t o4,
                           int64_t bytes) {
  if (currentSink)
    (*currentSink)(Access{cta, kind, view, {o0, o1, o2, o3, o4}, bytes});
}

extern "C" void attn_ring_error(int64_t ring, int64_t error) {
  if (!currentReport)
    return;
  std::lock_guard<std::mutex> lock(currentReport->mutex);
  if (currentReport->message.empty())
    currentReport->message =
        ("ring " + Twine(ring) + " " + describe(static_cast<RingError>(error)))
            .str();
}

CpuModule::CpuModule(std::unique_ptr<ExecutionEngine> engine)
    : engine(std::move(engine)) {}

CpuModule::~CpuModule() = default;

llvm::Expected<std::unique_ptr<CpuModule>> CpuModule::compile(ModuleOp module,
                                                              unsigned level) {
  initializeNativeTarget();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  // Without a target machine the optimizer would vectorize for the baseline.
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // The processor's conversions to bf16 take denormal numbers for zero.
  builder->addFeatures({"-avx512bf16", "-avxneconvert", "-avx10.2"});
  builder->setCodeGenOptLevel(level == 0 ? llvm::CodeGenOptLevel::None
                                         : llvm::CodeGenOptLevel::Default);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  auto optimize =
      makeOptimizingTransformer(level, /*sizeLevel=*/0, machine->get());
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](StringRef name, auto *function) {
      symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                 llvm::JITSymbolFlags::Exported};
    };
    add("attn_touch", &attn_touch);
    add("attn_ring_error", &attn_ring_error);
    for (const CalledFunction &function : calledFunctions())
      add(function.name, function.address);
    return symbols;
  });
  std::unique_ptr<CpuModule> compiled(new CpuModule(std::move(*engine)));
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto views = function->getAttrOfType<ArrayAttr>(kKernelViewsAttr);
    auto counters =
        function->getAttrOfType<IntegerAttr>(KernelOp::kCountersAttr);
    if (views && counters)
      compiled->counted[function.getName()] = {
          views.size(), static_cast<size_t>(counters.getInt())};
  }
  return compiled;
}

SmallVector<StridedBuffer>
CpuModule::withCounters(StringRef kernel, ArrayRef<StridedBuffer> views,
                        std::vector<int32_t> &zeros) const {
  SmallVector<StridedBuffer> all(views);
  auto its = counted.find(kernel);
  if (its == counted.end() ||
      its->second.views != views.size() + its->second.counters)
    return all;
  zeros.assign(its->second.counters, 0);
  for (int32_t &zero : zeros)
    all.push_back({&zero, {1}, {1}});
  return all;
}

llvm::Expected<int64_t> CpuModule::countCtas(StringRef kernel,
                                             ArrayRef<StridedBuffer> views,
                                             ArrayRef<ScalarBytes> scalars) {
  std::vector<int32_t> zeros;
  SmallVector<StridedBuffer> all = withCounters(kernel, views, zeros);
  PackedArguments arguments(all, scalars);
  int64_t count = 0;
  SmallVector<void *> packed = arguments.pack({});
  packed.push_back(&count);
  if (llvm::Error error =
          engine->invokePacked(wrapper((kernel + "_ctas").str()), packed))
    return std::move(error);
  return count;
}

llvm::Error CpuModule::run(StringRef kernel, ArrayRef<StridedBuffer> views,
                           ArrayRef<ScalarBytes> scalars, unsigned threads) {
  llvm::Expected<int64_t> ctas = countCtas(kernel, views, scalars);
  if (!ctas)
    return ctas.takeError();
  auto function = engine->lookupPacked(wrapper(kernel));
  if (!function)
    return function.takeError();
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  threads =
      std::min<int64_t>(threads, std::clamp<int64_t>(*ctas, 1, kMaxThreads));
  // Small ranges, since CTAs under a causal mask differ in length.
  int64_t range = std::max<int64_t>(1, *ctas / (8 * threads));
  std::atomic<int64_t> next{0};
  RingReport report;
  std::vector<int32_t> zeros;
  SmallVector<StridedBuffer> all = withCounters(kernel, views, zeros);
  auto work = [&]() {
    currentReport = &report;
    PackedArguments arguments(all, scalars);
    for (int64_t begin; (begin = next.fetch_add(range)) < *ctas;) {
      int64_t end = std::min(begin + range, *ctas);
      (*function)(arguments.pack({&begin, &end}).data());
    }
    currentReport = nullptr;
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
  if (!report.message.empty())
    return llvm::createStringError(kernel + ": " + report.message);
  return llvm::Error::success();
}

llvm::Error CpuModule::trace(StringRef kernel, ArrayRef<StridedBuffer> views,
                             ArrayRef<ScalarBytes> scalars, int64_t begin,
                             int64_t end,
                             std::function<void(const Access &)> sink) {
  std::vector<int32_t> zeros;
  SmallVector<StridedBuffer> all = withCounters(kernel, views, zeros);
  PackedArguments arguments(all, scalars);
  SmallVector<void *> packed = arguments.pack({&begin, &end});
  currentSink = &sink;
  llvm::Error error = engine->invokePacked(wrapper(kernel), packed);
  currentSink = nullptr;
  return error;
}

llvm::Error CpuModule::call(StringRef function,
                            MutableArrayRef<void *> arguments) {
  RingReport report;
  currentReport = &report;
  llvm::Error error = engine->invokePacked(function, arguments);
  currentReport = nullptr;
  if (error || report.message.empty())
    return error;
  return llvm::createStringError(function + ": " + report.message);
}

llvm::Expected<int64_t> CpuModule::callIndex(StringRef function,
                                             ArrayRef<int64_t> arguments) {
  SmallVector<int64_t> values(arguments);
  SmallVector<void *> packed;
  for (int64_t &value : values)
    packed.push_back(&value);
  int64_t result = 0;
  packed.push_back(&result);
  if (llvm::Error error = engine->invokePacked(function, packed))
    return std::move(error);
  return result;
}

/// One kernel, all of whose views are in `views`.
static LoweredKernel describeKernel(LLVM::LLVMFuncOp function,
                                    ArrayAttr views) {
  LoweredKernel kernel;
  kernel.name = function.getName().str();
  // Two arguments for the range, then each view in the words of its memref.
  unsigned arguments = 2;
  for (auto attr : views.getAsRange<TypeAttr>()) {
    auto view = cast<ViewType>(attr.getValue());
    arguments += 3 + 2 * view.getRank();
    kernel.views.push_back(view);
  }
  kernel.numScalars = function.getNumArguments() - arguments;
  return kernel;
}

std::vector<LoweredKernel> attn::findLoweredKernels(ModuleOp module) {
  std::vector<LoweredKernel> kernels;
  bool isDealt = false, isListed = false;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto views = function->getAttrOfType<ArrayAttr>(kKernelViewsAttr);
    // The wrapper of the C interface has the attributes of what it wraps.
    if (!views || function.getName().starts_with(wrapper("")))
      continue;
    LoweredKernel kernel = describeKernel(function, views);
    auto named = function->getAttrOfType<StringAttr>(KernelOp::kStepAttr);
    StringRef step = named ? named.getValue() : "";
    auto outputs = function->getAttrOfType<IntegerAttr>(KernelOp::kOutputsAttr);
    size_t written = outputs ? outputs.getInt() : 0;
    if (step == KernelOp::kClearStep || step == KernelOp::kArrangeStep ||
        step == AppendCacheOp::kStep || step == QuantizeOp::kStep)
      continue;
    // Counters are no views of the operation, and a function clears them.
    if (auto counters =
            function->getAttrOfType<IntegerAttr>(KernelOp::kCountersAttr)) {
      size_t count = counters.getInt();
      kernel.views.truncate(kernel.views.size() - count);
      written -= count;
      kernel.needsFunction = true;
    }
    if (step == KernelOp::kDealStep) {
      isDealt = true;
      continue;
    }
    if (step == KernelOp::kOrderStep) {
      isListed = true;
      continue;
    }
    // Neither is the list of tiles, the last of what is read.
    if (std::exchange(isListed, false)) {
      kernel.views.erase(kernel.views.end() - written - 1);
      kernel.needsFunction = true;
    }
    if (step == KernelOp::kSplitStep) {
      kernel.states.assign(kernel.views.end() - written, kernel.views.end());
      kernel.views.truncate(kernel.views.size() - written);
      // Last come the list and the table, which are no views of the operation.
      if (std::exchange(isDealt, false)) {
        kernel.views.truncate(kernel.views.size() - 2);
        kernel.needsFunction = true;
      }
    } else if (step == KernelOp::kMergeStep && !kernels.empty()) {
      LoweredKernel &split = kernels.back();
      split.merge = kernel.name;
      split.needsFunction |=
          kernel.views.size() - written != split.states.size();
      split.views.append(kernel.views.end() - written, kernel.views.end());
      continue;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}
