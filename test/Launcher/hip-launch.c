/*===- hip-launch.c - Launch a bundle for AMD GPUs from C ------------------===*
 *
 * attn-hip-launch-test DIR: launches test/Launcher/Inputs/hip.mlir, twice on
 * each of some sizes. With Q = 0 every key weighs the same, and with V the
 * key's index row i of O is the mean index of the keys that i sees, and LSE the
 * logarithm of their number plus what the scalar adds to each score. Memory is
 * the HIP runtime's that ATTN_HIP_RUNTIME names.
 *
 *===----------------------------------------------------------------------===*/

#include "attn-mlir-c/Launcher.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, FEATURES = 64, TO_DEVICE = 1, TO_HOST = 2 };
static const float kShift = 2.5f;

typedef int (*MallocFn)(void **, size_t);
typedef int (*MemcpyFn)(void *, const void *, size_t, int);
typedef int (*FreeFn)(void *);
static MallocFn hipMalloc;
static MemcpyFn hipMemcpy;
static FreeFn hipFree;

/* dlsym's object pointer as a function's, in a way that C allows. */
static void lookUp(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  if (!found)
    exit(2);
  memcpy(function, &found, sizeof(found));
}

static void openRuntime(void) {
  const char *file = getenv("ATTN_HIP_RUNTIME");
  void *library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library)
    exit(2);
  lookUp(library, "hipMalloc", &hipMalloc);
  lookUp(library, "hipMemcpy", &hipMemcpy);
  lookUp(library, "hipFree", &hipFree);
}

/* The upper half of a float: exact for whole numbers to 256. */
static uint16_t bf16(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  return (uint16_t)(bits >> 16);
}
static float fromBf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float number;
  memcpy(&number, &bits, sizeof(number));
  return number;
}

/* An array on the device, whose elements are `value` or, where that is
 * negative, their row's index. */
static AttnTensor makeRows(int64_t heads, int64_t rows, float value) {
  AttnTensor tensor = {0};
  size_t count = (size_t)(heads * rows * FEATURES), i;
  uint16_t *host = malloc(count * sizeof(*host));
  void *data;
  for (i = 0; i < count; ++i)
    host[i] = bf16(value < 0 ? (float)(i / FEATURES % (size_t)rows) : value);
  if (hipMalloc(&data, count * sizeof(*host)) ||
      hipMemcpy(data, host, count * sizeof(*host), TO_DEVICE))
    exit(2);
  free(host);
  tensor.data = (uint64_t)(uintptr_t)data;
  tensor.dtype = ATTN_BF16;
  tensor.rank = 4;
  tensor.sizes[0] = 1;
  tensor.sizes[1] = heads;
  tensor.sizes[2] = rows;
  tensor.sizes[3] = FEATURES;
  tensor.strides[0] = heads * rows * FEATURES;
  tensor.strides[1] = rows * FEATURES;
  tensor.strides[2] = FEATURES;
  tensor.strides[3] = 1;
  return tensor;
}

static AttnTensor makeLse(int64_t rows) {
  AttnTensor tensor = {0};
  void *data;
  if (hipMalloc(&data, (size_t)(HEADS * rows) * sizeof(float)))
    exit(2);
  tensor.data = (uint64_t)(uintptr_t)data;
  tensor.dtype = ATTN_F32;
  tensor.rank = 3;
  tensor.sizes[0] = 1;
  tensor.sizes[1] = HEADS;
  tensor.sizes[2] = rows;
  tensor.strides[0] = HEADS * rows;
  tensor.strides[1] = rows;
  tensor.strides[2] = 1;
  return tensor;
}

static void *addressOf(const AttnTensor *tensor) {
  return (void *)(uintptr_t)tensor->data;
}

/* Rows that are wrong. */
static int64_t countWrong(const AttnTensor *o, const AttnTensor *lse,
                          int64_t queries, int64_t keys) {
  size_t rows = (size_t)(HEADS * queries), i, column;
  uint16_t *values = malloc(rows * FEATURES * sizeof(*values));
  float *sums = malloc(rows * sizeof(*sums));
  int64_t wrong = 0;
  if (hipMemcpy(values, addressOf(o), rows * FEATURES * sizeof(*values),
                TO_HOST) ||
      hipMemcpy(sums, addressOf(lse), rows * sizeof(*sums), TO_HOST))
    exit(2);
  for (i = 0; i < rows; ++i) {
    int64_t seen = (int64_t)(i % (size_t)queries) + keys - queries + 1;
    double mean = seen > 0 ? (double)(seen - 1) / 2 : 0;
    int good = seen > 0 ? fabs(sums[i] - kShift - log((double)seen)) < 1e-5
                        : isinf(sums[i]) && sums[i] < 0;
    for (column = 0; column < FEATURES; ++column)
      good &=
          fabs(fromBf16(values[i * FEATURES + column]) - mean) <= mean / 256;
    wrong += !good;
  }
  free(values);
  free(sums);
  return wrong;
}

static int failed(const char *what, AttnStatus status) {
  fprintf(stderr, "%s: status %d, hipError_t %d: %s\n", what, (int)status,
          (int)attnLastHipError(), attnLastError());
  return 1;
}

static int launch(AttnBundle *bundle, int64_t queries, int64_t keys) {
  AttnTensor views[5];
  AttnScalar shift = {0};
  AttnPrepared *prepared;
  AttnLaunchInfo info;
  AttnStatus status;
  int64_t wrong, i;
  views[0] = makeRows(HEADS, queries, 0);
  views[1] = makeRows(1, keys, 1);
  views[2] = makeRows(1, keys, -1);
  views[3] = makeRows(HEADS, queries, 300);
  views[4] = makeLse(queries);
  views[3].device = 0;
  shift.type = ATTN_F32;
  shift.value.f32 = kShift;

  status = attnBundleLaunch(bundle, views, 5, &shift, 1, NULL);
  if (status != ATTN_SUCCESS)
    return failed("attnBundleLaunch", status);
  wrong = countWrong(&views[3], &views[4], queries, keys);
  printf("%d queries, %d keys: %d rows are wrong\n", (int)queries, (int)keys,
         (int)wrong);

  hipFree(addressOf(&views[3]));
  views[3] = makeRows(HEADS, queries, 300);
  status = attnBundlePrepare(bundle, views, 5, &shift, 1, &prepared);
  if (status != ATTN_SUCCESS)
    return failed("attnBundlePrepare", status);
  attnPreparedInfo(prepared, 0, &info);
  printf("  %u CTAs of %u threads, context %d, function %d\n", info.grid,
         info.block, info.context != NULL, info.function != NULL);
  printf("  before: %d rows are wrong\n",
         (int)countWrong(&views[3], &views[4], queries, keys));
  status = attnPreparedLaunch(prepared, NULL);
  attnPreparedDestroy(prepared);
  if (status != ATTN_SUCCESS)
    return failed("attnPreparedLaunch", status);
  printf("  after: %d rows are wrong\n",
         (int)countWrong(&views[3], &views[4], queries, keys));
  for (i = 0; i < 5; ++i)
    hipFree(addressOf(&views[i]));
  return 0;
}

int main(int argc, char **argv) {
  AttnBundle *bundle;
  AttnStatus status;
  int result;
  if (argc != 2)
    return 2;
  openRuntime();
  status = attnBundleOpen(argv[1], &bundle);
  if (status != ATTN_SUCCESS)
    return failed("attnBundleOpen", status);
  printf("%s for %s, %s\n", attnBundleName(bundle), attnBundleTarget(bundle),
         attnBundleArch(bundle));
  result = launch(bundle, 150, 200) || launch(bundle, 70, 3);
  attnBundleClose(bundle);
  return result;
}
