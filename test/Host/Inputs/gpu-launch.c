/*===- gpu-launch.c - A runtime of MLIR's, and a call of what it runs -----===*\
|*
|* What the GPU dialect's conversion to LLVM calls, on the HIP runtime that
|* ATTN_HIP_RUNTIME names, and a call of mean.mlir's function: prints how many
|* numbers are no mean of the rows of V.
|*
\*===---------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Heads = 2, Rows = 40, Features = 64, Count = Heads * Rows * Features };
enum { ToDevice = 1, ToHost = 2 };

/* A function of the runtime, whose type the caller knows. */
static void lookUp(const char *name, void *function) {
  static void *library;
  const char *file = getenv("ATTN_HIP_RUNTIME");
  if (!library && file)
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, name) : NULL;
  if (!found)
    exit(2);
  memcpy(function, &found, sizeof found);
}

static void require(int failed, const char *what) {
  if (!failed)
    return;
  fprintf(stderr, "%s: %d\n", what, failed);
  exit(1);
}

/*===----------------------------------------------------------------------===*\
|* What compiled code calls
\*===----------------------------------------------------------------------===*/

void *mgpuModuleLoad(void *data, size_t bytes) {
  int (*load)(void **, const void *);
  void *module = NULL;
  (void)bytes;
  lookUp("hipModuleLoadData", &load);
  require(load(&module, data), "hipModuleLoadData");
  return module;
}
void mgpuModuleUnload(void *module) {
  int (*unload)(void *);
  lookUp("hipModuleUnload", &unload);
  require(unload(module), "hipModuleUnload");
}
void *mgpuModuleGetFunction(void *module, const char *name) {
  int (*get)(void **, void *, const char *);
  void *function = NULL;
  lookUp("hipModuleGetFunction", &get);
  require(get(&function, module, name), "hipModuleGetFunction");
  return function;
}
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t shared, void *stream,
                      void **parameters, void **extra, size_t count) {
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  (void)count;
  printf("%d x %d, %d parameters\n", (int)gridX, (int)blockX, (int)count);
  lookUp("hipModuleLaunchKernel", &launch);
  require(launch(function, (unsigned)gridX, (unsigned)gridY, (unsigned)gridZ,
                 (unsigned)blockX, (unsigned)blockY, (unsigned)blockZ,
                 (unsigned)shared, stream, parameters, extra),
          "hipModuleLaunchKernel");
}
/* The legacy default stream will do. */
void *mgpuStreamCreate(void) { return NULL; }
void mgpuStreamDestroy(void *stream) { (void)stream; }
void mgpuStreamSynchronize(void *stream) { (void)stream; }

/*===----------------------------------------------------------------------===*\
|* The call
\*===----------------------------------------------------------------------===*/

typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[4], strides[4];
} Array;

void _mlir_ciface_mean(Array *q, Array *v, Array *o);

static Array arrayOf(const uint16_t *values) {
  int (*allocate)(void **, size_t);
  int (*copy)(void *, const void *, size_t, int);
  void *data = NULL;
  lookUp("hipMalloc", &allocate);
  lookUp("hipMemcpy", &copy);
  require(allocate(&data, Count * sizeof *values), "hipMalloc");
  require(copy(data, values, Count * sizeof *values, ToDevice), "hipMemcpy");
  Array array = {data,
                 data,
                 0,
                 {1, Heads, Rows, Features},
                 {Count, Rows * Features, Features, 1}};
  return array;
}

/* The upper half of a float: exact for whole numbers to 256. */
static uint16_t bf16(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (uint16_t)(bits >> 16);
}

int main(void) {
  static uint16_t zeros[Count], values[Count], results[Count];
  int (*copy)(void *, const void *, size_t, int);
  int wrong = 0;
  for (int i = 0; i < Count; ++i)
    values[i] = bf16((float)(i / Features % Rows));
  memset(results, 0xff, sizeof results);
  Array q = arrayOf(zeros), v = arrayOf(values), o = arrayOf(results);
  _mlir_ciface_mean(&q, &v, &o);
  lookUp("hipMemcpy", &copy);
  require(copy(results, o.aligned, sizeof results, ToHost), "hipMemcpy");
  for (int i = 0; i < Count; ++i)
    wrong += results[i] != bf16((Rows - 1) / 2.0f);
  printf("%d are wrong\n", wrong);
  return wrong != 0;
}
