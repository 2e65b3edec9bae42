/*===- _tensors.c - PyTorch's tensors as the launcher takes them ----------===*
 *
 * Calls of any kernel: what Python would pack field by field. In CPython's
 * limited interface of 3.10.
 *
 *===----------------------------------------------------------------------===*/

#include "_tensors.h"
#include <string.h>

enum { kMostViews = 32 };

/* AttnType of an element type, or -1. */
static int32_t typeOf(DLDataType dtype) {
  if (dtype.lanes != 1)
    return -1;
  switch (dtype.code << 8 | dtype.bits) {
  case kDLBfloat << 8 | 16:
    return ATTN_BF16;
  case kDLFloat << 8 | 16:
    return ATTN_F16;
  case kDLFloat << 8 | 32:
    return ATTN_F32;
  case kDLInt << 8 | 8:
  case kDLBool << 8 | 8:
    return ATTN_I8;
  case kDLInt << 8 | 32:
    return ATTN_I32;
  case kDLInt << 8 | 64:
    return ATTN_I64;
  case kDLFloat8E4M3FN << 8 | 8:
    return ATTN_F8E4M3FN;
  case kDLFloat8E4M3FNUZ << 8 | 8:
    return ATTN_F8E4M3FNUZ;
  case kDLFloat8E5M2 << 8 | 8:
    return ATTN_F8E5M2;
  default:
    return -1;
  }
}

bool fillTensor(AttnTensor *tensor, const DLTensor *view) {
  tensor->data = (uint64_t)(uintptr_t)view->data + view->byte_offset;
  tensor->dtype = typeOf(view->dtype);
  tensor->rank = view->ndim;
  tensor->device = view->device.device_id;
  tensor->reserved = 0;
  size_t bytes = sizeof(int64_t) * (size_t)view->ndim;
  memcpy(tensor->sizes, view->shape, bytes);
  memcpy(tensor->strides, view->strides, bytes);
  return tensor->dtype >= 0;
}

/* Records of arguments that are all tensors of such a device. */
typedef struct Records {
  ReadFn read;
  int32_t deviceType, deviceId;
  int count;
  AttnTensor views[kMostViews];
} Records;

static bool add(Records *records, PyObject *tensor) {
  DLTensor view;
  if (records->count == kMostViews || !records->read(tensor, &view) ||
      view.device.device_type != records->deviceType ||
      !fillTensor(&records->views[records->count], &view))
    return false;
  if (records->count++ == 0)
    records->deviceId = view.device.device_id;
  return true;
}

static bool addAll(Records *records, PyObject *given) {
  if (!PyTuple_Check(given))
    return add(records, given);
  Py_ssize_t count = PyTuple_Size(given);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add(records, PyTuple_GetItem(given, i)))
      return false;
  return true;
}

/* The handle of the stream; false where it is not known. */
static bool streamOf(const DLPackExchangeAPI *exchange, PyObject *given,
                     const Records *records, void **stream) {
  *stream = NULL;
  if (given != Py_None) {
    *stream = PyLong_AsVoidPtr(given);
    return !PyErr_Occurred();
  }
  return records->deviceType == kDLCPU ||
         exchange->current_work_stream(records->deviceType, records->deviceId,
                                       stream) == 0;
}

PyObject *launchTensors(const DLPackExchangeAPI *exchange, ReadFn read,
                        PyObject *args) {
  unsigned long long function, bundle, scalars;
  int viewCount, scalarCount;
  PyObject *inputs, *outputs, *given;
  Records records;
  records.count = 0;
  records.read = read;
  if (!PyArg_ParseTuple(args, "KKiiOOKiO:launch", &function, &bundle,
                        &records.deviceType, &viewCount, &inputs, &outputs,
                        &scalars, &scalarCount, &given))
    return NULL;
  void *stream;
  if (!exchange || !addAll(&records, inputs) || !addAll(&records, outputs) ||
      records.count != viewCount ||
      !streamOf(exchange, given, &records, &stream)) {
    PyErr_Clear();
    return PyLong_FromLong(-1);
  }
  LaunchFn launch = (LaunchFn)(uintptr_t)function;
  AttnStatus status;
  Py_BEGIN_ALLOW_THREADS status =
      launch((AttnBundle *)(uintptr_t)bundle, records.views, records.count,
             (const AttnScalar *)(uintptr_t)scalars, scalarCount, stream);
  Py_END_ALLOW_THREADS return PyLong_FromLong((long)status);
}
