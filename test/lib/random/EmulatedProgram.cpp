//===- EmulatedProgram.cpp - A program for gfx942 in the emulator ---------===//

#include "EmulatedProgram.h"
#include "EmulatedKernel.h"
#include "attn-mlir-c/Launcher.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir;
using namespace attn;
using namespace attn_random;

namespace {

/// What of HIP's interface is called here.
struct EmulatedHip {
  int (*allocate)(void **, size_t) = nullptr;
  int (*free)(void *) = nullptr;
  int (*copy)(void *, const void *, size_t, int) = nullptr;
  int (*set)(void *, int, size_t) = nullptr;
  const char *(*lastError)() = nullptr;

  static constexpr int kToDevice = 1, kToHost = 2;

  /// That of the emulator, which the launcher opens, too.
  static const EmulatedHip &get() {
    static const EmulatedHip hip = open();
    return hip;
  }

private:
  static EmulatedHip open() {
    setenv("ATTN_HIP_RUNTIME", ATTN_HIP_EMULATOR, /*replace=*/0);
    void *library = dlopen(std::getenv("ATTN_HIP_RUNTIME"), RTLD_NOW);
    if (!library)
      llvm::report_fatal_error(dlerror());
    EmulatedHip hip;
    lookUp(library, "hipMalloc", hip.allocate);
    lookUp(library, "hipFree", hip.free);
    lookUp(library, "hipMemcpy", hip.copy);
    lookUp(library, "hipMemset", hip.set);
    lookUp(library, "attnEmulatorLastError", hip.lastError);
    return hip;
  }
  template <typename Function>
  static void lookUp(void *library, const char *name, Function &function) {
    void *found = dlsym(library, name);
    if (!found)
      llvm::report_fatal_error(dlerror());
    std::memcpy(&function, &found, sizeof(found));
  }
};

llvm::Error hipError(const char *what) {
  return llvm::createStringError(llvm::Twine(what) + ": " +
                                 EmulatedHip::get().lastError());
}

llvm::Error launcherError(AttnStatus status) {
  if (status == ATTN_ERROR_NO_VARIANT)
    return llvm::createStringError(EmulatedKernel::kUnaligned + ": " +
                                   attnLastError());
  return llvm::createStringError(attnLastError());
}

/// Memory on the device, full of NaN.
class DeviceMemory {
public:
  explicit DeviceMemory(size_t bytes) {
    const EmulatedHip &hip = EmulatedHip::get();
    if (hip.allocate(&data, bytes) != 0 || hip.set(data, 0xff, bytes) != 0)
      llvm::report_fatal_error("no memory on the emulated device");
  }
  ~DeviceMemory() {
    if (data)
      EmulatedHip::get().free(data);
  }
  DeviceMemory(DeviceMemory &&other)
      : data(std::exchange(other.data, nullptr)) {}
  DeviceMemory &operator=(DeviceMemory &&) = delete;

  void *get() const { return data; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }

private:
  void *data = nullptr;
};

AttnType typeOf(Type type) {
  if (type.isF16())
    return ATTN_F16;
  if (type.isBF16())
    return ATTN_BF16;
  if (type.isF32())
    return ATTN_F32;
  return type.isInteger(64) ? ATTN_I64 : ATTN_I32;
}

/// The views of one launch, on the device.
class DeviceViews {
public:
  DeviceViews(StreamableOpInterface op, ArrayRef<StridedBuffer> views)
      : views(views) {
    SmallVector<SmallVector<int64_t>> permutations = op.getViewPermutations();
    SmallVector<Type> types = llvm::filter_to_vector(
        op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
    llvm::append_range(types, op->getResultTypes());
    for (auto [view, type, permutation] :
         llvm::zip_equal(views, types, permutations)) {
      Type element = cast<ShapedType>(type).getElementType();
      bytes.push_back(spanOf(view) * element.getIntOrFloatBitWidth() / 8);
      memory.emplace_back(bytes.back());
      tensors.push_back(
          describe(view, element, permutation, memory.back().address()));
    }
  }

  llvm::Error copyIn() {
    for (auto [view, count, at] : llvm::zip(views, bytes, memory))
      if (EmulatedHip::get().copy(at.get(), view.data, count,
                                  EmulatedHip::kToDevice) != 0)
        return hipError("cannot copy to the device");
    return llvm::Error::success();
  }

  /// Whole, so that a write between rows shows.
  llvm::Error copyOut() {
    for (auto [view, count, at] : llvm::zip(views, bytes, memory))
      if (EmulatedHip::get().copy(view.data, at.get(), count,
                                  EmulatedHip::kToHost) != 0)
        return hipError("cannot copy from the device");
    return llvm::Error::success();
  }

  ArrayRef<AttnTensor> get() const { return tensors; }

private:
  /// Elements from the first to the last.
  static int64_t spanOf(const StridedBuffer &view) {
    int64_t last = 0;
    for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
      if (size == 0)
        return 0;
      last += (size - 1) * stride;
    }
    return last + 1;
  }

  /// Dimensions are the caller's.
  static AttnTensor describe(const StridedBuffer &view, Type element,
                             ArrayRef<int64_t> permutation, uint64_t address) {
    AttnTensor tensor{};
    tensor.data = address;
    tensor.dtype = typeOf(element);
    tensor.rank = int32_t(view.sizes.size());
    for (auto [dim, at] : llvm::enumerate(permutation)) {
      tensor.sizes[at] = view.sizes[dim];
      tensor.strides[at] = view.strides[dim];
    }
    return tensor;
  }

  ArrayRef<StridedBuffer> views;
  std::vector<size_t> bytes;
  std::vector<DeviceMemory> memory;
  std::vector<AttnTensor> tensors;
};

/// How the emulator interleaves waves, which it asks the environment.
void setInterleaving(uint64_t seed) {
  const char *const orders[] = {"forward", "reverse", "random"};
  setenv("ATTN_EMULATE_INTERLEAVE", orders[seed % 3], /*replace=*/1);
  setenv("ATTN_EMULATE_SEED", std::to_string(seed).c_str(), /*replace=*/1);
  // A loop without end, in what takes millions at most.
  setenv("ATTN_EMULATE_INSTRUCTIONS", std::to_string(uint64_t(1) << 28).c_str(),
         /*replace=*/1);
}

AttnScalar captureOf(const ScalarBytes &bytes) {
  AttnScalar scalar{};
  scalar.type = ATTN_F32;
  std::memcpy(&scalar.value.f32, bytes.data(), sizeof(float));
  return scalar;
}

} // namespace

EmulatedProgram::~EmulatedProgram() { attnBundleClose(bundle); }

std::unique_ptr<EmulatedProgram> EmulatedProgram::compile(ModuleOp lowered) {
  SmallString<128> directory;
  if (llvm::sys::fs::createUniqueDirectory("attn-random", directory)) {
    lowered.emitError("expected to make a directory for a bundle, but cannot");
    return {};
  }
  llvm::scope_exit remove(
      [&] { llvm::sys::fs::remove_directories(directory); });
  FailureOr<Bundle> files = compileBundle(lowered, /*ptxas=*/"");
  if (failed(files) || failed(writeBundle(*files, lowered, directory)))
    return {};
  auto program = std::make_unique<EmulatedProgram>();
  if (attnBundleOpen(directory.c_str(), &program->bundle) != ATTN_SUCCESS) {
    lowered.emitError() << "the launcher does not open the bundle: "
                        << attnLastError();
    return {};
  }
  return program;
}

llvm::Error EmulatedProgram::run(StreamableOpInterface op,
                                 ArrayRef<StridedBuffer> views,
                                 ArrayRef<ScalarBytes> scalars, uint64_t seed) {
  setInterleaving(seed);
  DeviceViews device(op, views);
  if (llvm::Error error = device.copyIn())
    return error;
  SmallVector<AttnScalar> captures = llvm::map_to_vector(scalars, captureOf);
  ArrayRef<AttnTensor> tensors = device.get();
  AttnWorkspace workspace{};
  AttnStatus status = attnBundleWorkspaceBytes(
      bundle, tensors.data(), int32_t(tensors.size()), captures.data(),
      int32_t(captures.size()), &workspace.bytes);
  if (status != ATTN_SUCCESS)
    return launcherError(status);
  DeviceMemory memory(workspace.bytes);
  workspace.data = memory.address();
  workspace.device = ATTN_DEVICE_UNKNOWN;
  status = attnBundleLaunchIn(bundle, tensors.data(), int32_t(tensors.size()),
                              captures.data(), int32_t(captures.size()),
                              &workspace, /*stream=*/nullptr);
  if (status != ATTN_SUCCESS)
    return launcherError(status);
  return device.copyOut();
}
