/*===- _results.c - Tensors that calls of attention() return --------------===*/

#include "_results.h"
#include <string.h>

typedef struct TensorHandle *TensorHandle;

/* What PyTorch exports for code that is compiled once for many of its releases
 * (torch/csrc/inductor/aoti_torch/c/shim.h), and what makes a Python object of
 * such a tensor. A result by DLPack costs twice as much. */
static struct {
  int32_t (*emptyStrided)(int64_t rank, const int64_t *sizes,
                          const int64_t *strides, int32_t dtype, int32_t device,
                          int32_t index, TensorHandle *result);
  int32_t (*dataPointer)(TensorHandle, void **);
  int32_t (*destroy)(TensorHandle);
  /* THPVariable_Wrap(const at::TensorBase &), which a handle points to. */
  PyObject *(*wrap)(TensorHandle);
  int32_t f16, bf16, f32, cpu, cuda;
  bool isUsable;
} shim;

bool sameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

bool sameDevice(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

bool isContiguous(const DLTensor *view) {
  int64_t wanted = 1;
  for (int dim = view->ndim; dim-- > 0;) {
    if (view->shape[dim] != 1 && view->strides[dim] != wanted)
      return false;
    wanted *= view->shape[dim];
  }
  return true;
}

/* Whether elements lie behind each other, in some order of dimensions. */
static bool isDense(const DLTensor *view) {
  int64_t wanted = 1;
  unsigned done = 0, all = (1u << view->ndim) - 1;
  for (int dim = 0; dim < view->ndim; ++dim)
    if (view->shape[dim] == 1)
      done |= 1u << dim;
  while (done != all) {
    int next = 0;
    while (next < view->ndim &&
           (done >> next & 1 || view->strides[next] != wanted))
      ++next;
    if (next == view->ndim || view->shape[next] == 0)
      return false;
    done |= 1u << next;
    wanted *= view->shape[next];
  }
  return true;
}

void describeOutput(Output *output, const DLTensor *like, DLDataType dtype,
                    int rank, const int64_t *shape) {
  output->tensor = NULL;
  output->view = *like;
  output->view.dtype = dtype;
  output->view.ndim = rank;
  output->view.byte_offset = 0;
  output->view.shape = output->shape;
  output->view.strides = output->strides;
  memcpy(output->shape, shape, sizeof(int64_t) * (size_t)rank);
  int64_t stride = 1;
  for (int dim = rank; dim-- > 0;) {
    output->strides[dim] = stride;
    stride *= shape[dim] > 0 ? shape[dim] : 1;
  }
}

static void setError(void *context, const char *kind, const char *message) {
  (void)context;
  (void)kind;
  PyErr_SetString(PyExc_RuntimeError, message);
}

static bool makeByExchange(const DLPackExchangeAPI *exchange, Output *output) {
  DLTensor prototype = output->view;
  prototype.strides = NULL;
  DLManagedTensorVersioned *managed = NULL;
  void *result = NULL;
  if (exchange->managed_tensor_allocator(&prototype, &managed, NULL,
                                         setError) != 0 ||
      exchange->managed_tensor_to_py_object_no_sync(managed, &result) != 0)
    return false;
  output->tensor = result;
  return exchange->dltensor_from_py_object_no_sync(result, &output->view) == 0;
}

static int32_t shimType(DLDataType dtype) {
  if (dtype.code == kDLBfloat)
    return shim.bf16;
  return dtype.bits == 16 ? shim.f16 : shim.f32;
}

static bool makeByShim(Output *output) {
  DLTensor *view = &output->view;
  bool isCpu = view->device.device_type == kDLCPU;
  TensorHandle handle = NULL;
  if (shim.emptyStrided(view->ndim, view->shape, view->strides,
                        shimType(view->dtype), isCpu ? shim.cpu : shim.cuda,
                        view->device.device_id, &handle) != 0)
    return false;
  if (shim.dataPointer(handle, &view->data) == 0)
    output->tensor = shim.wrap(handle);
  shim.destroy(handle);
  return output->tensor != NULL;
}

bool makeOutput(const DLPackExchangeAPI *exchange, Output *output) {
  return shim.isUsable ? makeByShim(output) : makeByExchange(exchange, output);
}

bool makeOutputLike(const DLTensor *like, Output *output) {
  if (!shim.isUsable || !isDense(like))
    return false;
  memcpy(output->strides, like->strides, sizeof(int64_t) * (size_t)like->ndim);
  return makeByShim(output);
}

/* Whether PyTorch's C interface makes a tensor that is what it shall be. */
static bool isRightFor(const DLPackExchangeAPI *exchange, DLDataType dtype) {
  const int64_t shape[2] = {3, 5};
  DLTensor like, found;
  memset(&like, 0, sizeof(like));
  like.device.device_type = kDLCPU;
  Output output;
  describeOutput(&output, &like, dtype, 2, shape);
  bool isRight =
      makeByShim(&output) &&
      exchange->dltensor_from_py_object_no_sync(output.tensor, &found) == 0 &&
      found.ndim == 2 && found.shape[0] == 3 && found.shape[1] == 5 &&
      isContiguous(&found) && sameType(found.dtype, dtype) &&
      sameDevice(found.device, like.device) &&
      (char *)found.data + found.byte_offset == output.view.data;
  Py_XDECREF(output.tensor);
  PyErr_Clear();
  return isRight;
}

PyObject *useShim(const DLPackExchangeAPI *exchange, PyObject *args) {
  unsigned long long functions[4];
  shim.isUsable = false;
  if (!PyArg_ParseTuple(args, "KKKKiiiii:use_shim", &functions[0],
                        &functions[1], &functions[2], &functions[3], &shim.f16,
                        &shim.bf16, &shim.f32, &shim.cpu, &shim.cuda))
    return NULL;
  if (!exchange)
    Py_RETURN_FALSE;
  memcpy(&shim.emptyStrided, &functions[0], sizeof(void *));
  memcpy(&shim.dataPointer, &functions[1], sizeof(void *));
  memcpy(&shim.destroy, &functions[2], sizeof(void *));
  memcpy(&shim.wrap, &functions[3], sizeof(void *));
  const DLDataType types[] = {
      {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}, {kDLFloat, 32, 1}};
  shim.isUsable = isRightFor(exchange, types[0]) &&
                  isRightFor(exchange, types[1]) &&
                  isRightFor(exchange, types[2]);
  return PyBool_FromLong(shim.isUsable);
}
