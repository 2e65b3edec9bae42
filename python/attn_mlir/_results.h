/*===- _results.h - Tensors that calls of attention() return ------*- C -*-===*
 *
 * By PyTorch's C interface where that is there, else by DLPack's. Internal to
 * the extension.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_PYTHON_RESULTS_H
#define ATTN_MLIR_PYTHON_RESULTS_H

#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "_dlpack.h"
#include <stdbool.h>

/** A result: what it shall be, then what it is. */
typedef struct Output {
  PyObject *tensor;
  DLTensor view;
  int64_t shape[4], strides[4];
} Output;

bool sameType(DLDataType a, DLDataType b);
bool sameDevice(DLDevice a, DLDevice b);

/** Whether elements lie behind each other, in the order of dimensions. */
bool isContiguous(const DLTensor *view);

/** A row-major tensor, on the device of `like`. */
void describeOutput(Output *output, const DLTensor *like, DLDataType dtype,
                    int rank, const int64_t *shape);

/** Makes what was described; false with a Python error, or without. */
bool makeOutput(const DLPackExchangeAPI *exchange, Output *output);

/** The same with the strides of `like`, which has its shape; false, and
 * nothing is made, where that cannot be. */
bool makeOutputLike(const DLTensor *like, Output *output);

/** use_shim(empty_strided, data_pointer, destroy, wrap, f16, bf16, f32, cpu,
 * cuda): addresses of PyTorch's functions, and its numbers of types and
 * devices; false where they do not do what they shall. */
PyObject *useShim(const DLPackExchangeAPI *exchange, PyObject *args);

#endif /* ATTN_MLIR_PYTHON_RESULTS_H */
