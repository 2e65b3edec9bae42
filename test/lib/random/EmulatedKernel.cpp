//===- EmulatedKernel.cpp - A kernel for gfx942 in the emulator -----------===//

#include "EmulatedKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace attn;
using namespace attn_random;
using attn::gfx942::Machine;

std::unique_ptr<EmulatedKernel> EmulatedKernel::compile(ModuleOp lowered) {
  FailureOr<LLVM::LLVMFuncOp> function = findDeviceFunction(lowered);
  if (failed(function))
    return {};
  auto device = (*function)->getParentOfType<gpu::GPUModuleOp>();
  FailureOr<Hsaco> code =
      compileToHsaco(device, TargetAttr::of(lowered).getArch().getValue());
  if (failed(code))
    return {};
  auto object = gfx942::CodeObject::load(code->code, "kernel");
  if (!object) {
    lowered.emitError() << "the emulator does not load the code object: "
                        << llvm::toString(object.takeError());
    return {};
  }
  auto kernel = std::make_unique<EmulatedKernel>();
  kernel->object = std::move(*object);
  kernel->name = (*function).getName().str();
  kernel->manifest = (*function)->getAttrOfType<DictionaryAttr>(kManifestAttr);
  return kernel;
}

namespace {

/// A view on the device.
struct DeviceView {
  StridedBuffer host;
  int64_t elementBytes;
  /// In elements.
  SmallVector<int64_t> strides;
  uint64_t address = 0;

  /// Calls `body` with the offsets of each row, host's and device's, in bytes,
  /// and the bytes of a row.
  void forRows(llvm::function_ref<void(int64_t, int64_t, int64_t)> body) const {
    SmallVector<int64_t> index(host.sizes.size() - 1, 0);
    if (llvm::is_contained(host.sizes, 0))
      return;
    int64_t bytes = host.sizes.back() * elementBytes;
    while (true) {
      int64_t at = 0, there = 0;
      for (auto [i, n] : llvm::enumerate(index)) {
        at += n * host.strides[i];
        there += n * strides[i];
      }
      body(at * elementBytes, there * elementBytes, bytes);
      unsigned dim = index.size();
      while (dim > 0 && ++index[dim - 1] == host.sizes[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        return;
    }
  }

  /// Bytes from the first element to the end of the last.
  int64_t span() const {
    int64_t last = 0;
    for (auto [size, stride] : llvm::zip(host.sizes, host.strides)) {
      if (size == 0)
        return 0;
      last += (size - 1) * stride;
    }
    return (last + 1) * elementBytes;
  }
};

/// One launch: memory, arguments, results.
class Launch {
public:
  Launch(DictionaryAttr manifest, ArrayRef<StridedBuffer> views,
         const EmulatedLaunch &how)
      : manifest(manifest), how(how) {
    for (auto [view, type] : llvm::zip(
             views, manifest.getAs<ArrayAttr>("views").getAsRange<TypeAttr>()))
      devices.push_back({view,
                         cast<ViewType>(type.getValue())
                                 .getElementType()
                                 .getIntOrFloatBitWidth() /
                             8,
                         view.strides});
  }

  llvm::Error copyIn() {
    for (DeviceView &view : devices)
      if (llvm::Error error = how.rowBytes && view.host.sizes.size() == 4
                                  ? scatter(view)
                                  : copyWhole(view))
        return error;
    return llvm::Error::success();
  }

  llvm::Error copyOut() {
    for (DeviceView &view : devices) {
      llvm::Error error = llvm::Error::success();
      auto read = [&](int64_t host, int64_t device, int64_t bytes) {
        if (!error)
          error = machine.memory().read(view.address + device,
                                        {hostAt(view, host), size_t(bytes)});
      };
      // Whole, so that a write between rows shows.
      if (view.strides == view.host.strides)
        read(0, 0, view.span());
      else
        view.forRows(read);
      if (error)
        return error;
    }
    return llvm::Error::success();
  }

  /// Whether strides are as the variant wants them.
  bool aligned() {
    auto wanted = manifest.getAs<ArrayAttr>("align");
    if (!wanted)
      return true;
    return llvm::all_of(wanted.getAsRange<DictionaryAttr>(), [&](auto entry) {
      const DeviceView &view = devices[integer(entry.get("view"))];
      int64_t bytes = integer(entry.get("bytes"));
      for (unsigned i = 0; i + 1 < view.strides.size(); ++i)
        if (view.host.sizes[i] > 1 &&
            view.strides[i] * view.elementBytes % bytes != 0)
          return false;
      return true;
    });
  }

  /// Whether the manifest's guard and limits hold.
  bool guarded() {
    Attribute guard = manifest.get("guard");
    if (guard && evaluate(guard) == 0)
      return false;
    auto limits = manifest.getAs<ArrayAttr>("limits");
    return !limits || llvm::all_of(limits, [&](Attribute limit) {
      return evaluate(limit) != 0;
    });
  }

  llvm::Error launch(const gfx942::CodeObject &object, StringRef name,
                     ArrayRef<ScalarBytes> scalars) {
    auto kernel = object.find(name);
    if (!kernel)
      return kernel.takeError();
    int64_t grid = evaluate(manifest.get("grid"));
    if (grid == 0)
      return llvm::Error::success();
    auto parameters = manifest.getAs<ArrayAttr>("parameters");
    SmallVector<gfx942::KernelArgument> wanted;
    for (const gfx942::KernelArgument &argument : (*kernel)->arguments)
      if (!argument.hidden())
        wanted.push_back(argument);
    if (wanted.size() != parameters.size())
      return llvm::createStringError("parameters of the manifest and of the "
                                     "code object differ in number");
    std::vector<uint8_t> bytes((*kernel)->kernargBytes);
    for (auto [slot, what] :
         llvm::zip(wanted, parameters.getAsRange<DictionaryAttr>())) {
      uint64_t value = parameter(what, scalars);
      std::memcpy(bytes.data() + slot.offset, &value,
                  std::min<size_t>(slot.size, sizeof(value)));
    }
    gfx942::LaunchOptions options;
    options.interleaving = how.interleaving;
    options.seed = how.seed;
    // A loop without end, in what takes millions at most.
    options.maxInstructions = uint64_t(1) << 28;
    auto counters = machine.launch(object, name, {uint32_t(grid)},
                                   {uint32_t(integer(manifest.get("block")))},
                                   bytes, 0, options);
    return counters ? llvm::Error::success() : counters.takeError();
  }

private:
  static int64_t integer(Attribute attribute) {
    return cast<IntegerAttr>(attribute).getInt();
  }
  static uint8_t *hostAt(const DeviceView &view, int64_t offset) {
    return static_cast<uint8_t *>(view.host.data) + offset;
  }

  llvm::Error copyWhole(DeviceView &view) {
    view.address = machine.memory().allocate(view.span(), "view");
    return machine.memory().write(view.address,
                                  {hostAt(view, 0), size_t(view.span())});
  }

  /// Each row as a buffer of its own, `rowBytes` from the one before.
  llvm::Error scatter(DeviceView &view) {
    int64_t row = how.rowBytes / view.elementBytes;
    view.strides[2] = row;
    view.strides[1] = row * std::max<int64_t>(view.host.sizes[2], 1);
    view.strides[0] =
        view.strides[1] * std::max<int64_t>(view.host.sizes[1], 1);
    std::vector<uint64_t> offsets;
    uint64_t rowBytes = 0;
    view.forRows([&](int64_t, int64_t device, int64_t bytes) {
      offsets.push_back(device);
      rowBytes = bytes;
    });
    if (offsets.empty())
      return copyWhole(view);
    auto address = machine.memory().allocateRows(offsets, rowBytes, "rows");
    if (!address)
      return address.takeError();
    view.address = *address;
    llvm::Error error = llvm::Error::success();
    view.forRows([&](int64_t host, int64_t device, int64_t bytes) {
      if (!error)
        error = machine.memory().write(view.address + device,
                                       {hostAt(view, host), size_t(bytes)});
    });
    return error;
  }

  uint64_t parameter(DictionaryAttr what, ArrayRef<ScalarBytes> scalars) {
    StringRef kind = what.getAs<StringAttr>("kind").getValue();
    if (kind == "scalar") {
      uint64_t value = 0;
      const ScalarBytes &bytes = scalars[integer(what.get("index"))];
      std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
      return value;
    }
    const DeviceView &view = devices[integer(what.get("view"))];
    if (kind == "pointer")
      return view.address;
    int64_t dim = integer(what.get("dim"));
    return kind == "size" ? view.host.sizes[dim] : view.strides[dim];
  }

  /// An expression of docs/bundle.md.
  int64_t evaluate(Attribute attribute) {
    auto list = dyn_cast<ArrayAttr>(attribute);
    if (!list)
      return integer(attribute);
    StringRef name = cast<StringAttr>(list[0]).getValue();
    if (name == "size")
      return devices[integer(list[1])].host.sizes[integer(list[2])];
    if (name == "stride")
      return devices[integer(list[1])].strides[integer(list[2])];
    SmallVector<int64_t> v;
    for (Attribute operand : llvm::drop_begin(list))
      v.push_back(evaluate(operand));
    return apply(name, v);
  }

  static int64_t apply(StringRef name, ArrayRef<int64_t> v) {
    if (name == "select")
      return v[0] ? v[1] : v[2];
    int64_t a = v[0], b = v[1];
    if (name == "floordiv" || name == "ceildiv")
      return name == "floordiv" ? llvm::divideFloorSigned(a, b)
                                : llvm::divideCeilSigned(a, b);
    return llvm::StringSwitch<int64_t>(name)
        .Case("add", a + b)
        .Case("sub", a - b)
        .Case("mul", a * b)
        .Case("rem", b ? a % b : 0)
        .Case("min", std::min(a, b))
        .Case("max", std::max(a, b))
        .Case("and", a && b)
        .Case("or", a || b)
        .Case("eq", a == b)
        .Case("ne", a != b)
        .Case("lt", a < b)
        .Case("le", a <= b)
        .Case("gt", a > b)
        .Case("ge", a >= b)
        .Default(0);
  }

  DictionaryAttr manifest;
  const EmulatedLaunch &how;
  std::vector<DeviceView> devices;
  Machine machine;
};

} // namespace

llvm::Error EmulatedKernel::run(ArrayRef<StridedBuffer> views,
                                ArrayRef<ScalarBytes> scalars,
                                const EmulatedLaunch &how) {
  // Counters come last, and are zero when the kernel is launched.
  SmallVector<StridedBuffer> all(views);
  std::vector<int32_t> zeros(
      manifest.getAs<ArrayAttr>("views").size() - views.size(), 0);
  for (int32_t &zero : zeros)
    all.push_back({&zero, {1}, {1}});
  Launch launch(manifest, all, how);
  if (llvm::Error error = launch.copyIn())
    return error;
  if (!launch.aligned() || !launch.guarded())
    return llvm::createStringError(kUnaligned);
  if (llvm::Error error = launch.launch(*object, name, scalars))
    return error;
  return launch.copyOut();
}
