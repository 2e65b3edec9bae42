/*===- launch_overhead.c - What the launcher adds to a launch
 * ---------------===*
 *
 *   launch_overhead BUNDLE [CALLS] [LENGTH]
 *
 * Times single calls on the host: attnBundleLaunch, attnPreparedLaunch and
 * cuLaunchKernelEx alone with the same parameters, in turns. Prints the medians
 * in nanoseconds as JSON. Dynamic dimensions named "batch" are 1, others
 * LENGTH.
 *
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "attn-mlir-c/Launcher.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The little of the driver's interface that is used here. */
typedef struct {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void *stream;
  void *attributes;
  unsigned attributeCount;
} LaunchConfig;

static int (*initialize)(unsigned);
static int (*getDevice)(int *, int);
static int (*retainContext)(void **, int);
static int (*setContext)(void *);
static int (*allocate)(unsigned long long *, size_t);
static int (*fill)(unsigned long long, unsigned char, size_t);
static int (*createStream)(void **, unsigned);
static int (*synchronize)(void *);
static int (*launchKernel)(const LaunchConfig *, void *, void **, void **);

static void stop(const char *what, const char *why) {
  fprintf(stderr, "launch_overhead: %s: %s\n", what, why);
  exit(1);
}

static void cuda(int result, const char *call) {
  char text[32];
  if (result == 0)
    return;
  snprintf(text, sizeof(text), "CUDA error %d", result);
  stop(call, text);
}

static void attn(AttnStatus status, const char *call) {
  if (status != ATTN_SUCCESS)
    stop(call, attnLastError());
}

static void openDriver(void) {
  const char *name = getenv("ATTN_CUDA_DRIVER");
  void *library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  if (!library)
    stop("dlopen", dlerror());
#define GET(function, symbol)                                                  \
  do {                                                                         \
    *(void **)&function = dlsym(library, symbol);                              \
    if (!function)                                                             \
      stop(symbol, "not in the driver");                                       \
  } while (0)
  GET(initialize, "cuInit");
  GET(getDevice, "cuDeviceGet");
  GET(retainContext, "cuDevicePrimaryCtxRetain");
  GET(setContext, "cuCtxSetCurrent");
  GET(allocate, "cuMemAlloc_v2");
  GET(fill, "cuMemsetD8_v2");
  GET(createStream, "cuStreamCreate");
  GET(synchronize, "cuStreamSynchronize");
  GET(launchKernel, "cuLaunchKernelEx");
#undef GET
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, count, sizeof(double), compare);
  return count % 2 ? values[count / 2]
                   : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A contiguous array for a view. */
static AttnTensor makeTensor(const AttnViewInfo *view, long length) {
  AttnTensor tensor;
  size_t bytes = view->dtype == ATTN_F32 ? 4 : 2;
  int64_t stride = 1;
  unsigned long long data = 0;
  memset(&tensor, 0, sizeof(tensor));
  tensor.dtype = view->dtype;
  tensor.rank = view->rank;
  for (int i = 0; i < view->rank; ++i) {
    int64_t size = view->sizes[i];
    if (size < 0)
      size = strcmp(view->axes[i], "batch") == 0 ? 1 : length;
    tensor.sizes[view->permutation[i]] = size;
  }
  for (int i = view->rank - 1; i >= 0; --i) {
    tensor.strides[i] = stride;
    stride *= tensor.sizes[i];
  }
  bytes *= (size_t)stride;
  cuda(allocate(&data, bytes ? bytes : 1), "cuMemAlloc");
  /* 0x2e2e is a small number in every type. */
  cuda(fill(data, 0x2e, bytes ? bytes : 1), "cuMemsetD8");
  tensor.data = data;
  return tensor;
}

int main(int argc, char **argv) {
  if (argc < 2)
    stop("usage", "launch_overhead BUNDLE [CALLS] [LENGTH]");
  int calls = argc > 2 ? atoi(argv[2]) : 10000;
  long length = argc > 3 ? atol(argv[3]) : 128;
  if (calls < 1 || length < 1)
    stop("usage", "CALLS and LENGTH are positive numbers");
  if (attnAbiVersion() != ATTN_ABI_VERSION)
    stop("libattn_launcher", "has another ABI than the header");

  void *context = NULL, *stream = NULL;
  int device = 0;
  openDriver();
  cuda(initialize(0), "cuInit");
  cuda(getDevice(&device, 0), "cuDeviceGet");
  cuda(retainContext(&context, device), "cuDevicePrimaryCtxRetain");
  cuda(setContext(context), "cuCtxSetCurrent");
  cuda(createStream(&stream, 1 /* non-blocking */), "cuStreamCreate");

  AttnBundle *bundle = NULL;
  attn(attnBundleOpen(argv[1], &bundle), "attnBundleOpen");
  int views = attnBundleViewCount(bundle);
  int scalars = attnBundleScalarCount(bundle);
  AttnTensor *tensors = calloc(views + 1, sizeof(AttnTensor));
  AttnScalar *values = calloc(scalars + 1, sizeof(AttnScalar));
  for (int i = 0; i < views; ++i) {
    AttnViewInfo info;
    attn(attnBundleView(bundle, i, &info), "attnBundleView");
    tensors[i] = makeTensor(&info, length);
    tensors[i].device = device;
  }
  for (int i = 0; i < scalars; ++i) {
    AttnScalarInfo info;
    attn(attnBundleScalar(bundle, i, &info), "attnBundleScalar");
    values[i].type = info.type;
  }

  AttnPrepared *prepared = NULL;
  AttnLaunchInfo info;
  attn(attnBundlePrepare(bundle, tensors, views, values, scalars, &prepared),
       "attnBundlePrepare");
  attn(attnPreparedInfo(prepared, 0, &info), "attnPreparedInfo");
  if (!info.function)
    stop("attnPreparedInfo", "nothing to launch");
  LaunchConfig config;
  memset(&config, 0, sizeof(config));
  config.gridX = info.grid;
  config.blockX = info.block;
  config.gridY = config.gridZ = config.blockY = config.blockZ = 1;
  config.sharedBytes = info.sharedBytes;
  config.stream = stream;

  double *whole = malloc(calls * sizeof(double));
  double *again = malloc(calls * sizeof(double));
  double *alone = malloc(calls * sizeof(double));
  int warmUp = 200;
  for (int i = -warmUp; i < calls; ++i) {
    double t0 = now();
    attn(attnBundleLaunch(bundle, tensors, views, values, scalars, stream),
         "attnBundleLaunch");
    double t1 = now();
    attn(attnPreparedLaunch(prepared, stream), "attnPreparedLaunch");
    double t2 = now();
    cuda(launchKernel(&config, info.function, info.parameters, NULL),
         "cuLaunchKernelEx");
    double t3 = now();
    if (i >= 0) {
      whole[i] = t1 - t0;
      again[i] = t2 - t1;
      alone[i] = t3 - t2;
    }
    /* The queue of the device must not fill up: then launches wait. */
    if (i % 32 == 0)
      cuda(synchronize(stream), "cuStreamSynchronize");
  }
  cuda(synchronize(stream), "cuStreamSynchronize");
  double a = median(whole, calls), b = median(again, calls),
         c = median(alone, calls);
  printf("{\"calls\": %d, \"attnBundleLaunch_ns\": %.0f, "
         "\"attnPreparedLaunch_ns\": %.0f, \"cuLaunchKernelEx_ns\": %.0f, "
         "\"overhead_ns\": %.0f}\n",
         calls, a, b, c, a - c);
  attnPreparedDestroy(prepared);
  attnBundleClose(bundle);
  return 0;
}
