/*===- _tensors.h - PyTorch's tensors as the launcher takes them --*- C -*-===*
 *
 * Internal to the extension.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_PYTHON_TENSORS_H
#define ATTN_MLIR_PYTHON_TENSORS_H

#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "_dlpack.h"
#include "attn-mlir-c/Launcher.h"
#include <stdbool.h>

/** What attnBundleLaunch is, in the library that Python opened. */
typedef AttnStatus (*LaunchFn)(AttnBundle *, const AttnTensor *, int32_t,
                               const AttnScalar *, int32_t, void *);

/** The record of a tensor; false where its element type is none of a kernel's.
 */
bool fillTensor(AttnTensor *tensor, const DLTensor *view);

/** Reads a tensor; false, without a Python error, where that cannot be. */
typedef bool (*ReadFn)(PyObject *tensor, DLTensor *view);

/** launch(function, bundle, device_type, views, inputs, outputs, scalars,
 * scalar_count, stream): launches with tensors, as many as there are views;
 * ``outputs`` is a tensor or a tuple, ``stream`` a number or None for the
 * current one. The AttnStatus, or -1 where nothing was launched, since an
 * argument is none that is read so. */
PyObject *launchTensors(const DLPackExchangeAPI *exchange, ReadFn read,
                        PyObject *args);

#endif /* ATTN_MLIR_PYTHON_TENSORS_H */
