//===- FakeCuda.cpp - A CUDA driver that only writes down its calls -------===//
//
// What the launcher calls of libcuda.so.1, for tests without a GPU. Arguments
// are checked as the real driver checks them. Environment, besides Fake.h's:
//
//   ATTN_FAKE_CURRENT=DEVICE   whose primary context is current at first
//   ATTN_FAKE_STATIC=BYTES     static shared memory of every kernel
//   ATTN_FAKE_THREADS=N        most threads of a CTA of every kernel
//   ATTN_FAKE_ATTRIBUTES=TEXT  attributes of the devices, "number=value ..."
//   ATTN_FAKE_PARAMETERS=TEXT  bytes of each parameter that cuFuncGetParamInfo
//                              tells of every kernel, whatever its code says
//
// What it accepts of tensor maps was compared with driver 580 on an H200 (null
// and any other address, sizes of 0 and above 2^32, strides of 0, 8 and 2^40,
// no context).
//
// There are 2 devices. As the real driver does, it takes from the code how many
// parameters a kernel has and of how many bytes, and reads so many at a launch.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Launcher/CudaTypes.h"
#include "Fake.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace attn::cuda;

// The opaque types of CudaTypes.h are this driver's to define.
struct attn::cuda::CUctxObject {
  Device device;
  unsigned long long id;
};
struct attn::cuda::CUfuncObject {
  std::string name;
  std::vector<size_t> parameterBytes;
  int dynamicShared = 48 << 10;
};
struct attn::cuda::CUmodObject {
  std::map<std::string, std::unique_ptr<CUfuncObject>> functions;
};

namespace {
constexpr int kDeviceCount = 2;
constexpr int kMaxShared = 227 << 10;
constexpr Result kInvalidContext = 201, kInvalidPtx = 218, kInvalidDevice = 101,
                 kNotFound = 500;

std::mutex mutex;
std::set<Module> modules;
Context primary[kDeviceCount];
unsigned long long nextContext = 1;
uint64_t nextMap = 1;
DevicePointer nextAddress = 0x700000000;
std::set<DevicePointer> allocated, managed;

thread_local std::vector<Context> stack;
thread_local bool started = false;
} // namespace

//===----------------------------------------------------------------------===//
// Lists, entering
//===----------------------------------------------------------------------===//

template <typename Number>
static std::string list(const Number *numbers, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(numbers[i]);
  return "[" + text + "]";
}

#define ATTN_FAKE_ENTER(name)                                                  \
  std::lock_guard<std::mutex> lock(mutex);                                     \
  if (Result result = injected(name)) {                                        \
    note("%s -> %d", name, result);                                            \
    return result;                                                             \
  }

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static Context primaryOf(Device device) {
  if (!primary[device])
    primary[device] = new attn::cuda::CUctxObject{device, nextContext++};
  return primary[device];
}

static Context current() {
  if (!started) {
    started = true;
    int device = numberFrom("ATTN_FAKE_CURRENT", -1);
    if (device >= 0)
      stack.push_back(primaryOf(device));
  }
  return stack.empty() ? nullptr : stack.back();
}

extern "C" {

Result cuInit(unsigned) {
  ATTN_FAKE_ENTER("cuInit");
  note("cuInit");
  return kSuccess;
}

Result cuGetErrorName(Result code, const char **name) {
  *name = code == 700   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == 1   ? "CUDA_ERROR_INVALID_VALUE"
          : code == 218 ? "CUDA_ERROR_INVALID_PTX"
                        : "CUDA_ERROR_FAKE";
  return kSuccess;
}

/// As the real one for a code it does not know.
Result cuGetErrorString(Result code, const char **text) {
  *text = nullptr;
  if (code == 999)
    return kInvalidValue;
  *text = "text of the fake driver";
  return kSuccess;
}

Result cuCtxGetCurrent(Context *context) {
  ATTN_FAKE_ENTER("cuCtxGetCurrent");
  *context = current();
  note("cuCtxGetCurrent -> %llu", *context ? (*context)->id : 0);
  return kSuccess;
}

Result cuCtxGetDevice(Device *device) {
  ATTN_FAKE_ENTER("cuCtxGetDevice");
  if (!current())
    return kInvalidContext;
  *device = current()->device;
  note("cuCtxGetDevice -> %d", *device);
  return kSuccess;
}

Result cuCtxGetId(Context context, unsigned long long *id) {
  ATTN_FAKE_ENTER("cuCtxGetId");
  if (!context->id)
    std::abort();
  *id = context->id;
  note("cuCtxGetId -> %llu", *id);
  return kSuccess;
}

Result cuCtxPushCurrent_v2(Context context) {
  ATTN_FAKE_ENTER("cuCtxPushCurrent");
  if (!context->id)
    std::abort();
  current();
  stack.push_back(context);
  note("cuCtxPushCurrent %llu", context->id);
  return kSuccess;
}

Result cuCtxPopCurrent_v2(Context *context) {
  ATTN_FAKE_ENTER("cuCtxPopCurrent");
  if (stack.empty())
    return kInvalidContext;
  *context = stack.back();
  stack.pop_back();
  note("cuCtxPopCurrent");
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  ATTN_FAKE_ENTER("cuDevicePrimaryCtxRetain");
  note("cuDevicePrimaryCtxRetain %d", device);
  if (device < 0 || device >= kDeviceCount)
    return kInvalidDevice;
  *context = primaryOf(device);
  return kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  ATTN_FAKE_ENTER("cuDevicePrimaryCtxRelease");
  note("cuDevicePrimaryCtxRelease %d", device);
  return kSuccess;
}

Result cuDevicePrimaryCtxGetState(Device device, unsigned *flags, int *active) {
  ATTN_FAKE_ENTER("cuDevicePrimaryCtxGetState");
  *flags = 0;
  *active = primary[device] != nullptr;
  return kSuccess;
}

/// For tests: a context of its own becomes current; -1 destroys it.
/// The real driver (580) crashes where a destroyed one is used: so does this.
void attnFakeOwnContext(Device device) {
  std::lock_guard<std::mutex> lock(mutex);
  current();
  if (device >= 0) {
    stack.push_back(new attn::cuda::CUctxObject{device, nextContext++});
    return;
  }
  stack.back()->id = 0;
  stack.pop_back();
}

/// For tests: device's primary context is another from now on, at its address.
void attnFakeReset(Device device) {
  std::lock_guard<std::mutex> lock(mutex);
  primaryOf(device)->id = nextContext++;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static Function addFunction(Module module, const std::string &name) {
  auto &function = module->functions[name];
  function = std::make_unique<attn::cuda::CUfuncObject>();
  function->name = name;
  return function.get();
}

/// What describes a kernel, the section ".nv.info.KERNEL". NVIDIA documents it
/// nowhere; what is read of it was found in cubins of ptxas 13.0, whose kernels
/// are known: entries of a format, an attribute and 16 bits, which are the
/// value or the size of what follows.
static void parseInfo(const char *at, const char *end,
                      std::vector<size_t> &bytes) {
  while (at < end) {
    uint16_t size;
    std::memcpy(&size, at + 2, sizeof(size));
    bool sized = at[0] == 4;
    if (sized && at[1] == 0x17) {
      uint16_t number;
      uint32_t flags;
      std::memcpy(&number, at + 8, sizeof(number));
      std::memcpy(&flags, at + 12, sizeof(flags));
      bytes.resize(std::max<size_t>(bytes.size(), number + 1));
      bytes[number] = flags >> 18;
    }
    at += 4 + (sized ? size : 0);
  }
}

static void parseCubin(Module module, const char *image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!sections.empty())
    std::memcpy(sections.data(), image + header.e_shoff,
                sections.size() * sizeof(Elf64_Shdr));
  const std::string prefix = ".nv.info.";
  for (const Elf64_Shdr &section : sections) {
    std::string name =
        image + sections[header.e_shstrndx].sh_offset + section.sh_name;
    if (name.compare(0, prefix.size(), prefix) == 0)
      parseInfo(
          image + section.sh_offset,
          image + section.sh_offset + section.sh_size,
          addFunction(module, name.substr(prefix.size()))->parameterBytes);
  }
}

/// As LLVM writes it.
static void parsePtx(Module module, const std::string &text) {
  static const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
  static const std::regex parameter(
      R"(\.param[^,]*?\.[a-z](8|16|32|64)\s[^,[]*(\[(\d+)\])?)");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end;
       ++it) {
    Function function = addFunction(module, (*it)[1]);
    std::string list = (*it)[2];
    for (std::sregex_iterator p(list.begin(), list.end(), parameter); p != end;
         ++p)
      function->parameterBytes.push_back(
          std::stoul((*p)[1]) / 8 *
          ((*p)[3].matched ? std::stoul((*p)[3]) : 1));
  }
}

Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                          int *options, void **values) {
  auto text = static_cast<const char *>(image);
  bool cubin = !std::memcmp(text,
                            "\x7f"
                            "ELF",
                            4);
  for (unsigned i = 0; i + 1 < count; ++i)
    if (options[i] == kJitErrorLogBuffer &&
        options[i + 1] == kJitErrorLogBufferSizeBytes)
      std::snprintf(static_cast<char *>(values[i]),
                    reinterpret_cast<size_t>(values[i + 1]),
                    std::strstr(text, "broken") ? "ptxas: line 1: broken" : "");
  ATTN_FAKE_ENTER("cuModuleLoadDataEx");
  note("cuModuleLoadDataEx %s", cubin ? "cubin" : "ptx");
  if (!current())
    return kInvalidContext;
  if (!cubin && std::strstr(text, "broken"))
    return kInvalidPtx;
  *module = new attn::cuda::CUmodObject;
  if (cubin)
    parseCubin(*module, text);
  else
    parsePtx(*module, text);
  modules.insert(*module);
  return kSuccess;
}

Result cuModuleUnload(Module module) {
  ATTN_FAKE_ENTER("cuModuleUnload");
  bool known = modules.erase(module);
  note("cuModuleUnload%s", known ? "" : " of no module");
  if (known)
    delete module;
  return kSuccess;
}

Result cuModuleGetFunction(Function *function, Module module,
                           const char *name) {
  ATTN_FAKE_ENTER("cuModuleGetFunction");
  note("cuModuleGetFunction %s", name);
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return kNotFound;
  *function = found->second.get();
  return kSuccess;
}

Result cuFuncGetAttribute(int *value, int attribute, Function function) {
  ATTN_FAKE_ENTER("cuFuncGetAttribute");
  if (attribute == kFuncMaxThreadsPerBlock)
    *value = numberFrom("ATTN_FAKE_THREADS", 1024);
  else if (attribute == kFuncSharedSizeBytes)
    *value = numberFrom("ATTN_FAKE_STATIC", 0);
  else
    return kInvalidValue;
  note("cuFuncGetAttribute %d -> %d", attribute, *value);
  return kSuccess;
}

Result cuFuncSetAttribute(Function function, int attribute, int value) {
  ATTN_FAKE_ENTER("cuFuncSetAttribute");
  note("cuFuncSetAttribute %d %d", attribute, value);
  if (attribute != kFuncMaxDynamicSharedSizeBytes ||
      value + numberFrom("ATTN_FAKE_STATIC", 0) > kMaxShared)
    return kInvalidValue;
  function->dynamicShared = value;
  return kSuccess;
}

Result cuFuncGetParamInfo(Function function, size_t index, size_t *offset,
                          size_t *bytes) {
  ATTN_FAKE_ENTER("cuFuncGetParamInfo");
  std::vector<size_t> told = function->parameterBytes;
  if (const char *text = std::getenv("ATTN_FAKE_PARAMETERS")) {
    told.clear();
    std::istringstream words(text);
    for (size_t each; words >> each;)
      told.push_back(each);
  }
  if (index >= told.size())
    return kInvalidValue;
  *offset = 0;
  *bytes = told[index];
  return kSuccess;
}

Result cuFuncLoad(Function function) {
  ATTN_FAKE_ENTER("cuFuncLoad");
  note("cuFuncLoad %s", function->name.c_str());
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static bool validMap(int type, uint32_t rank, uint64_t address,
                     const uint64_t *sizes, const uint64_t *strides,
                     const uint32_t *box, const uint32_t *steps, int swizzle) {
  if (rank < 1 || rank > kTensorMapMaxRank || address % 16)
    return false;
  uint64_t element = type == kTensorMapFloat32 ? 4 : 2;
  uint64_t spans[] = {256 * element, 32, 64, 128};
  for (uint32_t i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || sizes[i] > uint64_t(1) << 32 || box[i] < 1 ||
        box[i] > 256 || steps[i] < 1 || steps[i] > 8)
      return false;
    if (i > 0 && (strides[i - 1] % 16 || strides[i - 1] >> 40))
      return false;
  }
  return box[0] * element % 16 == 0 && swizzle >= 0 && swizzle <= 3 &&
         box[0] * element <= spans[swizzle];
}

Result cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank,
                              void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *steps, int interleave,
                              int swizzle, int promotion, int fill) {
  ATTN_FAKE_ENTER("cuTensorMapEncodeTiled");
  auto base = reinterpret_cast<uint64_t>(address);
  note("cuTensorMapEncodeTiled map%llu type=%d base=0x%llx sizes=%s strides=%s "
       "box=%s steps=%s interleave=%d swizzle=%d promotion=%d fill=%d",
       (unsigned long long)nextMap, type, (unsigned long long)base,
       list(sizes, rank).c_str(), list(strides, rank - 1).c_str(),
       list(box, rank).c_str(), list(steps, rank).c_str(), interleave, swizzle,
       promotion, fill);
  if (!current())
    return kInvalidContext;
  if (reinterpret_cast<uint64_t>(map) % 64 || interleave || fill ||
      !validMap(type, rank, base, sizes, strides, box, steps, swizzle))
    return kInvalidValue;
  std::memset(map, 0, sizeof(*map));
  map->opaque[0] = nextMap++;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string parameterText(size_t bytes, const void *parameter) {
  uint64_t word = 0;
  std::memcpy(&word, parameter, bytes < 8 ? bytes : 8);
  if (bytes == sizeof(TensorMap))
    return "map" + std::to_string(word);
  char text[40];
  std::snprintf(text, sizeof(text), "0x%llx:%zu", (unsigned long long)word,
                bytes);
  return text;
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                        void **parameters, void **extra) {
  ATTN_FAKE_ENTER("cuLaunchKernelEx");
  std::string text;
  for (size_t i = 0; i < function->parameterBytes.size(); ++i)
    text += " " + parameterText(function->parameterBytes[i], parameters[i]);
  for (unsigned i = 0; i < config->attributeCount; ++i)
    if (config->attributes[i].id == kLaunchClusters)
      text += " cluster=" + std::to_string(config->attributes[i].cluster.x);
  note(
      "cuLaunchKernelEx %s grid=%u,%u,%u block=%u,%u,%u shared=%u stream=0x%zx "
      "attributes=%u:%s",
      function->name.c_str(), config->gridDimX, config->gridDimY,
      config->gridDimZ, config->blockDimX, config->blockDimY, config->blockDimZ,
      config->sharedMemBytes, reinterpret_cast<size_t>(config->stream),
      config->attributeCount, text.c_str());
  if (!current() || extra)
    return kInvalidContext;
  if (int(config->sharedMemBytes) > function->dynamicShared ||
      !config->gridDimX)
    return kInvalidValue;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Addresses that nothing else has.
static Result allocate(DevicePointer *data, size_t bytes) {
  if (!current())
    return kInvalidContext;
  *data = nextAddress;
  nextAddress += (bytes + 511) / 512 * 512;
  allocated.insert(*data);
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer *data, size_t bytes) {
  ATTN_FAKE_ENTER("cuMemAlloc");
  Result result = allocate(data, bytes);
  note("cuMemAlloc %zu -> 0x%llx", bytes, *data);
  return result;
}

/// Memory of this process, which the CPU addresses too.
Result cuMemAllocManaged(DevicePointer *data, size_t bytes, unsigned) {
  ATTN_FAKE_ENTER("cuMemAllocManaged");
  void *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  *data = reinterpret_cast<DevicePointer>(memory);
  managed.insert(*data);
  note("cuMemAllocManaged %zu", bytes);
  return kSuccess;
}

Result cuMemFree_v2(DevicePointer data) {
  ATTN_FAKE_ENTER("cuMemFree");
  note("cuMemFree 0x%llx", data);
  if (managed.erase(data)) {
    std::free(reinterpret_cast<void *>(data));
    return kSuccess;
  }
  return allocated.erase(data) ? kSuccess : kInvalidValue;
}

Result cuMemAllocAsync(DevicePointer *data, size_t bytes, Stream stream) {
  ATTN_FAKE_ENTER("cuMemAllocAsync");
  Result result = allocate(data, bytes);
  note("cuMemAllocAsync %zu stream=0x%zx -> 0x%llx", bytes,
       reinterpret_cast<size_t>(stream), *data);
  return result;
}

Result cuMemFreeAsync(DevicePointer data, Stream stream) {
  ATTN_FAKE_ENTER("cuMemFreeAsync");
  note("cuMemFreeAsync 0x%llx stream=0x%zx", data,
       reinterpret_cast<size_t>(stream));
  return allocated.erase(data) ? kSuccess : kInvalidValue;
}

Result cuStreamCreate(Stream *stream, unsigned) {
  ATTN_FAKE_ENTER("cuStreamCreate");
  static char streams;
  *stream = reinterpret_cast<Stream>(&streams);
  note("cuStreamCreate");
  return kSuccess;
}

Result cuStreamSynchronize(Stream) {
  ATTN_FAKE_ENTER("cuStreamSynchronize");
  note("cuStreamSynchronize");
  return kSuccess;
}

Result cuDeviceGet(Device *device, int ordinal) {
  ATTN_FAKE_ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= kDeviceCount)
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char *name, int room, Device) {
  ATTN_FAKE_ENTER("cuDeviceGetName");
  std::snprintf(name, room, "a device that is not there");
  return kSuccess;
}

/// As an H200 says it, but for ATTN_FAKE_ATTRIBUTES ("16=114 38=1048576").
Result cuDeviceGetAttribute(int *value, int attribute, Device) {
  ATTN_FAKE_ENTER("cuDeviceGetAttribute");
  std::map<int, int> values = {{kDeviceMultiprocessorCount, 132},
                               {kDeviceMemoryClockRate, 3201000},
                               {kDeviceMemoryBusWidth, 6144},
                               {kDeviceL2CacheSize, 62914560},
                               {kDeviceCapabilityMajor, 9},
                               {kDeviceCapabilityMinor, 0},
                               {kDeviceSharedPerMultiprocessor, 233472},
                               {kDeviceRegistersPerMultiprocessor, 65536},
                               {kDeviceSharedPerBlockOptin, 232448},
                               {kDeviceBlocksPerMultiprocessor, 32}};
  if (const char *text = std::getenv("ATTN_FAKE_ATTRIBUTES")) {
    std::istringstream words(text);
    int key = 0, other = 0;
    for (char equals; words >> key >> equals >> other;)
      values[key] = other;
  }
  if (!values.count(attribute))
    return kInvalidValue;
  *value = values[attribute];
  return kSuccess;
}

} // extern "C"
