/*===- hip-hooks.c - Operands are copied to an AMD GPU -------------------===*\
|*
|* The HIP runtime is the file that ATTN_HIP_RUNTIME names, or libamdhip64.so,
|* as for the launcher. Copies wait for the kernels before them: a compiler
|* that keeps its buffers on the device has one hook less.
|*
\*===---------------------------------------------------------------------===*/

#include "common.h"
#include <stdlib.h>

enum { ToDevice = 1, ToHost = 2 };

static int (*hipMalloc)(void **, size_t);
static int (*hipFree)(void *);
static int (*hipMemcpy)(void *, const void *, size_t, int);

static size_t elementBytes(int32_t dtype) {
  switch (dtype) {
  case ATTN_I8:
    return 1;
  case ATTN_F16:
  case ATTN_BF16:
    return 2;
  case ATTN_I64:
    return 8;
  default:
    return 4;
  }
}

/* From the first element to behind the last. */
static size_t spanOf(const AttnTensor *tensor) {
  int64_t last = 0;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    if (tensor->sizes[i] == 0)
      return 0;
    last += (tensor->sizes[i] - 1) * tensor->strides[i];
  }
  return (size_t)(last + 1) * elementBytes(tensor->dtype);
}

static void *address(uint64_t data) { return (void *)(uintptr_t)data; }

static int32_t acquire(void *user, AttnTensor *tensor, int32_t access,
                       void *stream) {
  size_t bytes = spanOf(tensor);
  void *device = NULL;
  int error = hipMalloc(&device, bytes ? bytes : 1);
  (void)user, (void)stream, (void)access;
  if (error)
    return error;
  /* Also of what is written: there may be gaps between its rows. */
  error = bytes ? hipMemcpy(device, address(tensor->data), bytes, ToDevice) : 0;
  if (error) {
    hipFree(device);
    return error;
  }
  tensor->data = (uint64_t)(uintptr_t)device;
  return 0;
}

static int32_t release(void *user, const AttnTensor *buffer,
                       const AttnTensor *acquired, int32_t access, void *stream,
                       int32_t status) {
  void *device = address(acquired->data);
  size_t bytes = spanOf(buffer);
  int error = 0;
  (void)user, (void)stream;
  if (status == ATTN_SUCCESS && access == ATTN_WRITE && bytes)
    error = hipMemcpy(address(buffer->data), device, bytes, ToHost);
  int freed = hipFree(device);
  return error ? error : freed;
}

int setHooks(AttnHostHooks *hooks) {
  const char *file = getenv("ATTN_HIP_RUNTIME");
  void *library = dlopen(file ? file : "libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  startHooks(hooks);
  hooks->acquire = acquire;
  hooks->release = release;
  return lookUp(library, "hipMalloc", &hipMalloc) ||
         lookUp(library, "hipFree", &hipFree) ||
         lookUp(library, "hipMemcpy", &hipMemcpy);
}

int failed(void) { return 0; }
