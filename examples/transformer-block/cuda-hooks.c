/*===- cuda-hooks.c - Attention and products on an NVIDIA GPU ------------===*\
|*
|* Buffers are in managed memory, which the CPU and the GPU both address: what
|* is neither attention nor a product of matrices runs on the CPU, and waits for
|* the GPU before it reads. Products are cuBLAS's. Nothing of CUDA is linked:
|* the driver is the file that ATTN_CUDA_DRIVER names, or libcuda.so.1, as for
|* the launcher; cuBLAS is the file that ATTN_CUBLAS names, or libcublas.so.13
|* or .12.
|*
\*===---------------------------------------------------------------------===*/

#include "common.h"
#include "memrefs.h"
#include <stdlib.h>

enum { AttachGlobal = 1, NonBlocking = 1, NotTransposed = 0 };

static int (*cuInit)(unsigned);
static int (*cuDeviceGet)(int *, int);
static int (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxPushCurrent)(void *);
static int (*cuMemAllocManaged)(uint64_t *, size_t, unsigned);
static int (*cuMemFree)(uint64_t);
static int (*cuStreamCreate)(void **, unsigned);
static int (*cuStreamSynchronize)(void *);

static int (*cublasCreate)(void **);
static int (*cublasSetStream)(void *, void *);
static int (*cublasSgemmStridedBatched)(void *, int, int, int, int, int,
                                        const float *, const float *, int,
                                        long long, const float *, int,
                                        long long, const float *, float *, int,
                                        long long, int);

static void *stream, *blas;
/* Of the first product that failed. */
static int failure;

/*===----------------------------------------------------------------------===*\
|* Products
\*===----------------------------------------------------------------------===*/

static int multiply(const Activations *x, const Matrix *w, Activations *y) {
  const float one = 1;
  if (x->strides[2] != 1 || w->strides[1] != 1 || y->strides[2] != 1) {
    fprintf(stderr, "expected rows that are contiguous\n");
    return 1;
  }
  /* cuBLAS has columns where we have rows: transposes of all three. */
  int error = cublasSgemmStridedBatched(
      blas, NotTransposed, NotTransposed, (int)w->sizes[1], (int)x->sizes[1],
      (int)w->sizes[0], &one, w->aligned + w->offset, (int)w->strides[0], 0,
      x->aligned + x->offset, (int)x->strides[1], x->strides[0], &one,
      y->aligned + y->offset, (int)y->strides[1], y->strides[0],
      (int)x->sizes[0]);
  if (error) {
    fprintf(stderr, "cublasSgemmStridedBatched: error %d\n", error);
    return error;
  }
  /* The CPU reads the result next. */
  error = cuStreamSynchronize(stream);
  if (error)
    fprintf(stderr, "cuStreamSynchronize: error %d\n", error);
  return error;
}

/* y += x w, of each batch: what products.cpp calls. */
void _mlir_ciface_linear(const Activations *x, const Matrix *w,
                         Activations *y) {
  if (!failure && x->sizes[0] && x->sizes[1])
    failure = multiply(x, w, y);
}

/*===----------------------------------------------------------------------===*\
|* Hooks
\*===----------------------------------------------------------------------===*/

static void *allocate(void *user, uint64_t bytes, uint64_t alignment) {
  uint64_t memory = 0;
  /* Managed memory begins at multiples of 256 or more. */
  (void)user, (void)alignment;
  return cuMemAllocManaged(&memory, bytes ? bytes : 1, AttachGlobal)
             ? NULL
             : (void *)(uintptr_t)memory;
}

static void deallocate(void *user, void *memory) {
  (void)user;
  cuMemFree((uint64_t)(uintptr_t)memory);
}

static void *streamOf(void *user) {
  (void)user;
  return stream;
}

static int32_t acquire(void *user, AttnTensor *tensor, int32_t access,
                       void *on) {
  /* The GPU addresses buffers as they are. */
  (void)user, (void)tensor, (void)access, (void)on;
  return 0;
}

static int32_t release(void *user, const AttnTensor *buffer,
                       const AttnTensor *acquired, int32_t access, void *on,
                       int32_t status) {
  (void)user, (void)buffer, (void)acquired, (void)status;
  /* The CPU reads what attention wrote. */
  return access == ATTN_WRITE ? cuStreamSynchronize(on) : 0;
}

/*===----------------------------------------------------------------------===*\
|* Libraries
\*===----------------------------------------------------------------------===*/

/* The file that a variable names, or the first of these that opens. */
static void *openFirst(const char *variable, const char *const *files) {
  const char *own = getenv(variable);
  void *library = NULL;
  if (own)
    return dlopen(own, RTLD_NOW | RTLD_LOCAL);
  for (; *files && !library; ++files)
    library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
  return library;
}

static int lookUpAll(void *driver, void *library) {
  return lookUp(driver, "cuInit", &cuInit) ||
         lookUp(driver, "cuDeviceGet", &cuDeviceGet) ||
         lookUp(driver, "cuDevicePrimaryCtxRetain",
                &cuDevicePrimaryCtxRetain) ||
         lookUp(driver, "cuCtxPushCurrent_v2", &cuCtxPushCurrent) ||
         lookUp(driver, "cuMemAllocManaged", &cuMemAllocManaged) ||
         lookUp(driver, "cuMemFree_v2", &cuMemFree) ||
         lookUp(driver, "cuStreamCreate", &cuStreamCreate) ||
         lookUp(driver, "cuStreamSynchronize", &cuStreamSynchronize) ||
         lookUp(library, "cublasCreate_v2", &cublasCreate) ||
         lookUp(library, "cublasSetStream_v2", &cublasSetStream) ||
         lookUp(library, "cublasSgemmStridedBatched",
                &cublasSgemmStridedBatched);
}

static int skip(const char *what) {
  const char *why = dlerror();
  printf("SKIPPED: %s (%s)\n", what, why ? why : "cuInit failed");
  return Skipped;
}

int setHooks(AttnHostHooks *hooks) {
  static const char *const drivers[] = {"libcuda.so.1", NULL};
  static const char *const libraries[] = {"libcublas.so.13", "libcublas.so.12",
                                          NULL};
  int device = 0;
  void *context = NULL;
  void *driver = openFirst("ATTN_CUDA_DRIVER", drivers);
  if (!driver)
    return skip("no CUDA driver");
  void *library = openFirst("ATTN_CUBLAS", libraries);
  if (!library)
    return skip("no cuBLAS");
  if (lookUpAll(driver, library))
    return 1;
  if (cuInit(0) || cuDeviceGet(&device, 0))
    return skip("no CUDA device");
  if (cuDevicePrimaryCtxRetain(&context, device) || cuCtxPushCurrent(context) ||
      cuStreamCreate(&stream, NonBlocking) || cublasCreate(&blas) ||
      cublasSetStream(blas, stream)) {
    fprintf(stderr, "expected a CUDA device with a context and cuBLAS\n");
    return 1;
  }
  startHooks(hooks);
  hooks->allocate = allocate;
  hooks->deallocate = deallocate;
  hooks->stream = streamOf;
  hooks->acquire = acquire;
  hooks->release = release;
  return 0;
}

int failed(void) { return failure; }
