//===- Driver.cpp - The CUDA driver, opened at run time -------------------===//

#include "Driver.h"
#include "Failure.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace attn;
using namespace attn::cuda;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

namespace {
std::mutex openMutex;
std::atomic<const Driver *> opened{nullptr};
} // namespace

static void *openLibrary(std::string &file) {
  const char *override = std::getenv("ATTN_CUDA_DRIVER");
  file = override && *override ? override : "libcuda.so.1";
  if (void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const char *why = dlerror();
  fail(ATTN_ERROR_DRIVER, "cannot open the CUDA driver '" + file +
                              "': " + (why ? why : "unknown error") +
                              " (ATTN_CUDA_DRIVER names another file)");
}

template <typename Function>
static void lookUp(void *library, const std::string &file, const char *symbol,
                   Function *&function, bool required) {
  function = reinterpret_cast<Function *>(dlsym(library, symbol));
  if (!function && required)
    fail(ATTN_ERROR_DRIVER, "the CUDA driver '" + file + "' has no " + symbol +
                                ": expected one of CUDA 12.0 or newer");
}

static const Driver *openDriver() {
  std::string file;
  void *library = openLibrary(file);
  auto result = new Driver; // Lives as long as the process.
  try {
#define ATTN_LOOK_UP(member, symbol, ...)                                      \
  lookUp(library, file, symbol, result->member, /*required=*/true);
    ATTN_CUDA_FUNCTIONS(ATTN_LOOK_UP)
#undef ATTN_LOOK_UP
#define ATTN_LOOK_UP(member, symbol, ...)                                      \
  lookUp(library, file, symbol, result->member, /*required=*/false);
    ATTN_CUDA_OPTIONAL_FUNCTIONS(ATTN_LOOK_UP)
#undef ATTN_LOOK_UP
    result->check(result->init(0), "cuInit");
  } catch (...) {
    delete result;
    dlclose(library);
    throw;
  }
  return result;
}

const Driver &cuda::driver() {
  if (const Driver *result = opened.load(std::memory_order_acquire))
    return *result;
  std::lock_guard<std::mutex> lock(openMutex);
  if (!opened.load(std::memory_order_relaxed))
    opened.store(openDriver(), std::memory_order_release);
  return *opened.load(std::memory_order_relaxed);
}

const Driver *cuda::openedDriver() {
  return opened.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void Driver::raise(Result result, const char *call,
                   const std::string &doing) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  std::string message = std::string(call) + " failed";
  if (!doing.empty())
    message += " " + doing;
  message += std::string(": ") + (name ? name : "unknown CUDA error") + " (" +
             std::to_string(result) + ")";
  if (text)
    message += std::string(": ") + text;
  throw Failure{ATTN_ERROR_CUDA, message, result};
}
