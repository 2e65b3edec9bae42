/*===- _dlpack.h - What is used of DLPack's C interface ------------*- C -*-===*
 *
 * Declarations of DLPack 1.3 (https://dmlc.github.io/dlpack/latest/c_api.html):
 * layouts are those of its structures, names are its names.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_PYTHON_DLPACK_H
#define ATTN_MLIR_PYTHON_DLPACK_H

#include <stdint.h>

enum { kDLPackMajor = 1 };
enum { kDLCPU = 1 };
enum {
  kDLInt = 0,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8E4M3FN = 10,
  kDLFloat8E4M3FNUZ = 11,
  kDLFloat8E5M2 = 12
};

typedef struct {
  uint32_t major, minor;
} DLPackVersion;

typedef struct {
  int32_t device_type, device_id;
} DLDevice;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

/** Strides are in elements. */
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

/** Handed from one function to another, never looked into. */
typedef struct DLManagedTensorVersioned DLManagedTensorVersioned;

typedef struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  /** The functions of an earlier major version, or null. */
  struct DLPackExchangeAPIHeader *prev_api;
} DLPackExchangeAPIHeader;

/** Of a type's `__dlpack_c_exchange_api__`. Functions return 0, or -1 with a
 * Python error. */
typedef struct {
  DLPackExchangeAPIHeader header;
  int (*managed_tensor_allocator)(DLTensor *prototype,
                                  DLManagedTensorVersioned **out,
                                  void *error_context,
                                  void (*set_error)(void *error_context,
                                                    const char *kind,
                                                    const char *message));
  int (*managed_tensor_from_py_object_no_sync)(void *object,
                                               DLManagedTensorVersioned **out);
  int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor,
                                             void **object);
  /** What it fills in is borrowed from the object; null where there is none. */
  int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out);
  int (*current_work_stream)(int32_t device_type, int32_t device_id,
                             void **stream);
} DLPackExchangeAPI;

#endif /* ATTN_MLIR_PYTHON_DLPACK_H */
