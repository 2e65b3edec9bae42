//===- hip-test.cpp - A launcher's calls of HIP, over dlopen --------------===//
//
// usage: attn-hip-test LIBRARY HSACO
//
// Runs `softmax` of Inputs/kernels.cl in both forms of argument passing, and
// calls that must fail.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

enum { kRows = 2, kColumns = 300, kCount = kRows * kColumns };

static void *library;

static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "no %s\n", name);
    exit(2);
  }
  return found;
}

/// Calls an entry point whose parameters have the types of `arguments`.
template <typename... Arguments>
static int call(const char *name, Arguments... arguments) {
  return reinterpret_cast<int (*)(Arguments...)>(function(name))(arguments...);
}

static int failures;
static void expect(int got, int wanted, const char *what) {
  if (got == wanted)
    return;
  ++failures;
  fprintf(
      stderr, "%s: but got %d, expected %d: %s\n", what, got, wanted,
      reinterpret_cast<const char *(*)()>(function("attnEmulatorLastError"))());
}

static void *readFile(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size_t size = ftell(file);
  rewind(file);
  void *data = malloc(size);
  if (fread(data, 1, size, file) != size)
    exit(2);
  fclose(file);
  return data;
}

/// Against exp in double.
static void check(const float *in, const float *out, const char *what) {
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i)
      sum += exp(in[row * kColumns + i]);
    for (int i = 0; i < kColumns; ++i) {
      double wanted = exp(in[row * kColumns + i]) / sum;
      if (!(fabs(out[row * kColumns + i] - wanted) < 1e-6)) {
        ++failures;
        fprintf(stderr, "%s: row %d column %d is %g, expected %g\n", what, row,
                i, out[row * kColumns + i], wanted);
        return;
      }
    }
  }
}

static int launch(void *kernel, void **params, void **extra) {
  void *stream = nullptr;
  return call("hipModuleLaunchKernel", kernel, unsigned(kRows), 1u, 1u, 256u,
              1u, 1u, 0u, stream, params, extra);
}

static int copyBytes(void *to, const void *from, size_t size, int kind) {
  return call("hipMemcpy", to, from, size, kind);
}

int main(int argc, char **argv) {
  if (argc != 3 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))) {
    fprintf(stderr, "usage: attn-hip-test LIBRARY HSACO: %s\n", dlerror());
    return 2;
  }
  int count = 0, warp = 0, lds = 0;
  expect(call("hipInit", 0u), 0, "hipInit");
  expect(call("hipGetDeviceCount", &count), 0, "hipGetDeviceCount");
  expect(count, 1, "devices");
  expect(call("hipDeviceGetAttribute", &warp, 87, 0), 0, "warp size");
  expect(warp, 64, "warp size");
  expect(call("hipDeviceGetAttribute", &lds, 74, 0), 0, "LDS");
  expect(lds, 65536, "LDS");
  // hipDeviceProp_tR0600 has gcnArchName at byte 1160 of 1472.
  static char properties[1472];
  expect(call("hipGetDevicePropertiesR0600", properties, 0), 0, "properties");
  expect(strcmp(properties + 1160, "gfx942:sramecc+:xnack-"), 0, "gcnArchName");

  void *module = nullptr, *kernel = nullptr, *in = nullptr, *out = nullptr;
  void *image = readFile(argv[2]);
  expect(call("hipModuleLoadData", &module, image), 0, "hipModuleLoadData");
  free(image); // a module keeps nothing of its image
  expect(call("hipModuleGetFunction", &kernel, module, "softmax"), 0,
         "hipModuleGetFunction");
  expect(call("hipMalloc", &in, size_t(kCount * 4)), 0, "hipMalloc");
  expect(call("hipMalloc", &out, size_t(kCount * 4)), 0, "hipMalloc");
  static float source[kCount], result[kCount];
  for (int i = 0; i < kCount; ++i)
    source[i] = float(i * 7919 % 1000) / 250 - 2;
  expect(copyBytes(in, source, sizeof source, 1), 0, "hipMemcpy");

  int n = kColumns;
  void *params[] = {&in, &out, &n};
  expect(launch(kernel, params, nullptr), 0, "launch by kernelParams");
  expect(copyBytes(result, out, sizeof result, 4), 0, "hipMemcpy");
  check(source, result, "kernelParams");

  memset(result, 0, sizeof result);
  expect(copyBytes(out, result, sizeof result, 1), 0, "hipMemcpy");
  struct {
    void *in, *out;
    int n;
  } buffer = {in, out, n};
  size_t size = sizeof buffer;
  void *extra[] = {reinterpret_cast<void *>(1), &buffer,
                   reinterpret_cast<void *>(2), &size,
                   reinterpret_cast<void *>(3)};
  expect(launch(kernel, nullptr, extra), 0, "launch by extra");
  expect(call("hipDeviceSynchronize"), 0, "hipDeviceSynchronize");
  expect(copyBytes(result, out, sizeof result, 2), 0, "hipMemcpy");
  check(source, result, "extra");

  // What must fail, with the runtime's codes.
  void *none = nullptr;
  expect(call("hipModuleGetFunction", &none, module, "nothing"), 500,
         "no kernel");
  expect(call("hipModuleLoadData", &none, "no ELF file"), 200, "no module");
  expect(launch(kernel, params, extra), 1, "both forms");
  expect(launch(out, params, nullptr), 400, "no function");
  n = kColumns + 1; // reads past the end
  expect(launch(kernel, params, nullptr), 719, "out of bounds");
  expect(call("hipGetLastError"), 719, "hipGetLastError");
  expect(call("hipGetLastError"), 0, "hipGetLastError");
  expect(call("hipFree", static_cast<void *>(static_cast<char *>(in) + 4)), 17,
         "hipFree of no buffer");
  expect(call("hipFree", in), 0, "hipFree");
  expect(call("hipModuleUnload", module), 0, "hipModuleUnload");
  expect(launch(kernel, params, nullptr), 400, "a function of no module");
  printf("%d failures\n", failures);
  return failures != 0;
}
