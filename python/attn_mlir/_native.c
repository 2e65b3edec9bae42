/*===- _native.c - The quick way of attention() ---------------------------===*
 *
 * Calls of attention() that were seen before, from arguments to the launch:
 * tensors by DLPack's C exchange interface (PyTorch 2.10 and newer), results by
 * PyTorch's C interface where that is there, the kernel from a table, the
 * launch by the launcher's C interface. What is new, or is
 * not what kernels take, goes the way of _attention.py, which says what is
 * wrong, compiles, and remembers the kernel here.
 *
 * In CPython's limited interface of 3.10. All state is guarded by the GIL.
 *
 *===----------------------------------------------------------------------===*/

#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "_dlpack.h"
#include "_results.h"
#include "_tensors.h"
#include <stdbool.h>
#include <string.h>

/* Keywords of attention() that are part of what a kernel is looked up by, then
 * those that the quick way takes as None alone, or not at all. */
enum {
  kCausal,
  kWindow,
  kScale,
  kReturnLse,
  kLayout,
  kSchedule,
  kLower,
  kKeyCount,
  kOut = kKeyCount,
  kStream,
  kMask,
  kScoreMod,
  kSinks,
  kExplain,
  kKeywordCount
};
static const char *const kKeywordNames[kKeywordCount] = {
    "causal", "window", "scale", "return_lse", "layout", "schedule", "lower",
    "out",    "stream", "mask",  "score_mod",  "sinks",  "explain"};
static PyObject *keywordNames[kKeywordCount];
/* What those of the key are where they are not given. */
static PyObject *keyDefaults[kKeyCount];

enum { kMostBundles = 16, kBuckets = 64, kTableSize = 256 };

/* Calls that take the same kernels. */
typedef struct Entry {
  struct Entry *next;
  PyObject *key[kKeyCount];
  DLDataType dtype;
  DLDevice device;
  int64_t heads, kvHeads, qkDim, valueDim;
  bool headsLast; /* Layout bshd. */
  bool lse;
  /* The entry of _kernels.py, which is told that it is used. */
  PyObject *owner;
  bool isTold;
  /* Threads that launch by it, without the GIL. */
  int users;
  int bundleCount;
  AttnBundle *bundles[kMostBundles];
  /* Which bundle took the last call with lengths of these magnitudes. */
  uint8_t hints[kBuckets][kBuckets];
} Entry;

static Entry *table[kTableSize];
static LaunchFn launchBundle;
static PyObject *fallback; /* attention() in Python. */
/* torch.Tensor and torch.nn.Parameter, once they were seen. */
static PyObject *tensorType, *parameterType;
static PyObject *emptyLike; /* torch.empty_like. */
static PyObject *nameRequiresGrad, *nameIsUsed, *nameExchange;
static const DLPackExchangeAPI *exchange;
/* Tensor.requires_grad, and how it is asked. */
static PyObject *requiresGrad;
static descrgetfunc getRequiresGrad;

/*===----------------------------------------------------------------------===*
 * Arguments
 *===----------------------------------------------------------------------===*/

typedef struct Call {
  PyObject *tensors[3];            /* q, k, v; borrowed. */
  PyObject *values[kKeywordCount]; /* Borrowed; null where not given. */
  DLTensor views[3];
} Call;

static int keywordIndex(PyObject *name) {
  for (int i = 0; i < kKeywordCount; ++i)
    if (keywordNames[i] == name)
      return i;
  for (int i = 0; i < kKeywordCount; ++i)
    if (PyUnicode_CompareWithASCIIString(name, kKeywordNames[i]) == 0)
      return i;
  return -1;
}

static bool isNoneOrMissing(PyObject *value) {
  return !value || value == Py_None;
}

/* Whether these are arguments of the quick way. */
static bool parse(Call *call, PyObject *const *args, Py_ssize_t count,
                  PyObject *names) {
  if (count != 3)
    return false;
  memcpy(call->tensors, args, sizeof(call->tensors));
  memcpy(call->values, keyDefaults, sizeof(keyDefaults));
  memset(call->values + kKeyCount, 0,
         sizeof(call->values) - sizeof(keyDefaults));
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    int index = keywordIndex(PyTuple_GetItem(names, i));
    if (index < 0)
      return false;
    call->values[index] = args[count + i];
  }
  for (int i = kStream; i < kExplain; ++i)
    if (!isNoneOrMissing(call->values[i]))
      return false;
  return !call->values[kExplain] || call->values[kExplain] == Py_False;
}

/* Whether it is a tensor of torch itself; fills in what it is. */
static bool readAny(PyObject *tensor, DLTensor *view) {
  PyObject *type = (PyObject *)Py_TYPE(tensor);
  if (type != tensorType && type != parameterType)
    return false;
  if (exchange->dltensor_from_py_object_no_sync(tensor, view) != 0) {
    PyErr_Clear();
    return false;
  }
  return view->strides != NULL && view->ndim <= ATTN_MAX_RANK;
}

/* The same of a tensor that no gradient is asked of. */
static bool readTensor(PyObject *tensor, DLTensor *view) {
  if ((PyObject *)Py_TYPE(tensor) != tensorType)
    return false;
  PyObject *gradient = getRequiresGrad(requiresGrad, tensor, tensorType);
  Py_XDECREF(gradient);
  if (gradient != Py_False) {
    PyErr_Clear();
    return false;
  }
  return readAny(tensor, view);
}

static bool readTensors(Call *call) {
  for (int i = 0; i < 3; ++i) {
    DLTensor *view = &call->views[i];
    if (!readTensor(call->tensors[i], view) || view->ndim != 4 ||
        !sameType(view->dtype, call->views[0].dtype) ||
        !sameDevice(view->device, call->views[0].device))
      return false;
  }
  return true;
}

/*===----------------------------------------------------------------------===*
 * The table
 *===----------------------------------------------------------------------===*/

/* The entry's numbers of these tensors. */
static void describe(const Call *call, bool headsLast, Entry *entry) {
  int head = headsLast ? 2 : 1;
  entry->dtype = call->views[0].dtype;
  entry->device = call->views[0].device;
  entry->heads = call->views[0].shape[head];
  entry->kvHeads = call->views[1].shape[head];
  entry->qkDim = call->views[0].shape[3];
  entry->valueDim = call->views[2].shape[3];
}

/* Of what does not depend on the layout. */
static unsigned hashOf(const Call *call) {
  uint64_t hash = (uint64_t)call->views[0].shape[3] * 31 +
                  (uint64_t)call->views[2].shape[3];
  hash = hash * 31 + call->views[0].dtype.code * 8 + call->views[0].dtype.bits;
  hash = hash * 31 + (uint64_t)call->views[0].device.device_id;
  return (unsigned)(hash % kTableSize);
}

/* 1 and True are equal, and mean different things: types are compared too. */
static bool sameValue(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a))
    return PyFloat_AsDouble(a) == PyFloat_AsDouble(b);
  int same = PyObject_RichCompareBool(a, b, Py_EQ);
  if (same < 0)
    PyErr_Clear();
  return same == 1;
}

static bool matches(const Entry *entry, const Call *call) {
  Entry its;
  describe(call, entry->headsLast, &its);
  if (!sameType(its.dtype, entry->dtype) ||
      !sameDevice(its.device, entry->device) || its.heads != entry->heads ||
      its.kvHeads != entry->kvHeads || its.qkDim != entry->qkDim ||
      its.valueDim != entry->valueDim)
    return false;
  for (int i = 0; i < kKeyCount; ++i)
    if (!sameValue(entry->key[i], call->values[i]))
      return false;
  return true;
}

static Entry *find(const Call *call) {
  for (Entry *entry = table[hashOf(call)]; entry; entry = entry->next)
    if (matches(entry, call))
      return entry;
  return NULL;
}

static void destroy(Entry *entry) {
  for (int i = 0; i < kKeyCount; ++i)
    Py_XDECREF(entry->key[i]);
  Py_XDECREF(entry->owner);
  PyMem_Free(entry);
}

/*===----------------------------------------------------------------------===*
 * Outputs
 *===----------------------------------------------------------------------===*/

/* O lies in memory as Q does, where it has Q's shape. */
static bool allocateOutput(const Call *call, const Entry *entry,
                           Output *output) {
  const DLTensor *q = &call->views[0];
  int64_t shape[4] = {q->shape[0], q->shape[1], q->shape[2], entry->valueDim};
  describeOutput(output, q, q->dtype, 4, shape);
  if (entry->valueDim != entry->qkDim || isContiguous(q))
    return makeOutput(exchange, output);
  if (makeOutputLike(q, output))
    return true;
  output->tensor =
      PyObject_CallFunctionObjArgs(emptyLike, call->tensors[0], NULL);
  return output->tensor && readTensor(output->tensor, &output->view);
}

static bool allocateLse(const Call *call, const Entry *entry, Output *output) {
  const DLTensor *q = &call->views[0];
  int64_t shape[3] = {q->shape[0], entry->heads,
                      q->shape[entry->headsLast ? 1 : 2]};
  describeOutput(output, q, (DLDataType){kDLFloat, 32, 1}, 3, shape);
  return makeOutput(exchange, output);
}

/* O and, where the entry has it, LSE. */
static bool makeOutputs(const Call *call, const Entry *entry, Output *o,
                        Output *lse) {
  lse->tensor = NULL;
  o->tensor = call->values[kOut];
  if (isNoneOrMissing(o->tensor)) {
    if (!allocateOutput(call, entry, o))
      return false;
  } else {
    Py_INCREF(o->tensor);
    if (!readTensor(o->tensor, &o->view))
      return false;
  }
  return !entry->lse || allocateLse(call, entry, lse);
}

/*===----------------------------------------------------------------------===*
 * Launches
 *===----------------------------------------------------------------------===*/

static int magnitude(int64_t length) {
  int bits = 0;
  for (; length > 0 && bits < kBuckets - 1; length >>= 1)
    ++bits;
  return bits;
}

/* Tries the kernels, the one that took the last such call first. */
static bool launch(Entry *entry, const Call *call, const AttnTensor *views,
                   int count) {
  void *stream = NULL;
  DLDevice device = entry->device;
  if (device.device_type != kDLCPU &&
      exchange->current_work_stream(device.device_type, device.device_id,
                                    &stream) != 0) {
    PyErr_Clear();
    return false;
  }
  int sequence = entry->headsLast ? 1 : 2;
  uint8_t *hint = &entry->hints[magnitude(call->views[0].shape[sequence])]
                               [magnitude(call->views[1].shape[sequence])];
  /* Other threads may add kernels meanwhile; those that are there stay. */
  ++entry->users;
  int bundleCount = entry->bundleCount, taken = -1, first = *hint;
  AttnBundle *bundles[kMostBundles];
  memcpy(bundles, entry->bundles, sizeof(bundles));
  Py_BEGIN_ALLOW_THREADS for (int i = 0; i < bundleCount && taken < 0; ++i) {
    int index = (first + i) % bundleCount;
    AttnStatus status =
        launchBundle(bundles[index], views, count, NULL, 0, stream);
    if (status == ATTN_SUCCESS)
      taken = index;
    else if (status != ATTN_ERROR_NO_VARIANT)
      break;
  }
  Py_END_ALLOW_THREADS if (taken < 0) return false;
  /* The entry lives: only the table's users, who hold the GIL, free it, and
   * its owner was retained. */
  *hint = (uint8_t)taken;
  return true;
}

/* Tells the entry of _kernels.py that it is used, once until tellAgain(). */
static bool tell(Entry *entry) {
  if (!entry->isTold)
    entry->isTold = PyObject_SetAttr(entry->owner, nameIsUsed, Py_True) == 0;
  return entry->isTold;
}

static PyObject *run(Entry *entry, Call *call) {
  Output o, lse;
  PyObject *result = NULL;
  if (makeOutputs(call, entry, &o, &lse)) {
    AttnTensor views[5];
    int count = 0;
    bool isKnown = true;
    for (int i = 0; i < 3; ++i)
      isKnown &= fillTensor(&views[count++], &call->views[i]);
    isKnown &= fillTensor(&views[count++], &o.view);
    if (lse.tensor)
      isKnown &= fillTensor(&views[count++], &lse.view);
    if (isKnown && tell(entry) && launch(entry, call, views, count))
      result = lse.tensor ? PyTuple_Pack(2, o.tensor, lse.tensor)
                          : Py_NewRef(o.tensor);
  }
  Py_XDECREF(o.tensor);
  Py_XDECREF(lse.tensor);
  return result;
}

static PyObject *callFallback(PyObject *const *args, Py_ssize_t count,
                              PyObject *names) {
  PyObject *positional = PyTuple_New(count), *named = NULL, *result = NULL;
  if (!positional)
    return NULL;
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SetItem(positional, i, Py_NewRef(args[i]));
  Py_ssize_t more = names ? PyTuple_Size(names) : 0;
  bool failed = more > 0 && !(named = PyDict_New());
  for (Py_ssize_t i = 0; i < more && !failed; ++i)
    failed =
        PyDict_SetItem(named, PyTuple_GetItem(names, i), args[count + i]) != 0;
  if (!failed)
    result = PyObject_Call(fallback, positional, named);
  Py_DECREF(positional);
  Py_XDECREF(named);
  return result;
}

/*===----------------------------------------------------------------------===*
 * The module
 *===----------------------------------------------------------------------===*/

static PyObject *attention(PyObject *module, PyObject *const *args,
                           Py_ssize_t count, PyObject *names) {
  (void)module;
  Call call;
  if (exchange && parse(&call, args, count, names) && readTensors(&call)) {
    Entry *entry = find(&call);
    PyObject *result = entry ? run(entry, &call) : NULL;
    if (result)
      return result;
    /* Python does it again, and says what is wrong. */
    PyErr_Clear();
  }
  return callFallback(args, count, names);
}

static PyMethodDef quickMethod = {"attention",
                                  (PyCFunction)(void (*)(void))attention,
                                  METH_FASTCALL | METH_KEYWORDS, NULL};

/* wrap(function, doc): attention(), which calls the function where a call is
 * new; doc begins with its signature, as CPython's inspect reads it. */
static PyObject *wrap(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *function;
  const char *doc;
  if (!PyArg_ParseTuple(args, "Os:wrap", &function, &doc))
    return NULL;
  size_t bytes = strlen(doc) + 1;
  char *copy = PyMem_Malloc(bytes);
  if (!copy)
    return PyErr_NoMemory();
  memcpy(copy, doc, bytes);
  /* It lives as long as the method, which is never freed. */
  quickMethod.ml_doc = copy;
  Py_XDECREF(fallback);
  fallback = Py_NewRef(function);
  return PyCFunction_NewEx(&quickMethod, NULL, NULL);
}

/* use_tensors(Tensor, Parameter, empty_like): learns how PyTorch's tensors are
 * read; whether they can be. */
static PyObject *useTensors(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *type, *parameter, *empty;
  if (!PyArg_ParseTuple(args, "OOO:use_tensors", &type, &parameter, &empty))
    return NULL;
  if (exchange)
    return PyBool_FromLong(type == tensorType);
  PyObject *capsule = PyObject_GetAttr(type, nameExchange);
  const DLPackExchangeAPI *api =
      capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
  Py_XDECREF(capsule);
  PyErr_Clear();
  while (api && api->header.version.major != kDLPackMajor)
    api = (const DLPackExchangeAPI *)api->header.prev_api;
  PyObject *property = PyObject_GetAttr(type, nameRequiresGrad);
  PyErr_Clear();
  descrgetfunc get = property ? (descrgetfunc)PyType_GetSlot(Py_TYPE(property),
                                                             Py_tp_descr_get)
                              : NULL;
  if (!api || !api->dltensor_from_py_object_no_sync || !get) {
    Py_XDECREF(property);
    Py_RETURN_FALSE;
  }
  requiresGrad = property;
  getRequiresGrad = get;
  tensorType = Py_NewRef(type);
  parameterType = Py_NewRef(parameter);
  emptyLike = Py_NewRef(empty);
  exchange = api;
  Py_RETURN_TRUE;
}

static PyObject *launchAny(PyObject *module, PyObject *args) {
  (void)module;
  return launchTensors(exchange, readAny, args);
}

static Entry *newEntry(const Call *call, bool headsLast, bool lse,
                       PyObject *owner) {
  Entry *entry = PyMem_Calloc(1, sizeof(Entry));
  if (!entry) {
    PyErr_NoMemory();
    return NULL;
  }
  describe(call, headsLast, entry);
  entry->headsLast = headsLast;
  entry->lse = lse;
  entry->owner = Py_NewRef(owner);
  for (int i = 0; i < kKeyCount; ++i) {
    entry->key[i] = call->values[i];
    Py_XINCREF(entry->key[i]);
  }
  unsigned slot = hashOf(call);
  entry->next = table[slot];
  table[slot] = entry;
  return entry;
}

static bool hasBundle(const Entry *entry, const AttnBundle *bundle) {
  for (int i = 0; i < entry->bundleCount; ++i)
    if (entry->bundles[i] == bundle)
      return true;
  return false;
}

/* Whether what is looked up stays as it is: a list may change. */
static bool isKey(const Call *call) {
  for (int i = 0; i < kKeyCount; ++i)
    if (call->values[i] && PyObject_Hash(call->values[i]) == -1)
      return false;
  return true;
}

/* remember((q, k, v), keywords, heads_last, lse, owner, launch, bundle): calls
 * like this one are launched by that bundle, which stays open. `launch` is the
 * address of attnBundleLaunch. */
static PyObject *remember(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *tensors, *keywords, *owner;
  int headsLast, lse;
  unsigned long long function, address;
  if (!PyArg_ParseTuple(args, "O!O!ppOKK:remember", &PyTuple_Type, &tensors,
                        &PyDict_Type, &keywords, &headsLast, &lse, &owner,
                        &function, &address))
    return NULL;
  Call call;
  memset(&call, 0, sizeof(call));
  if (PyTuple_Size(tensors) != 3)
    Py_RETURN_FALSE;
  for (int i = 0; i < 3; ++i)
    call.tensors[i] = PyTuple_GetItem(tensors, i);
  for (int i = 0; i < kKeyCount; ++i)
    call.values[i] = PyDict_GetItemWithError(keywords, keywordNames[i]);
  if (PyErr_Occurred() || !exchange || !isKey(&call) || !readTensors(&call)) {
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  Entry *entry = find(&call);
  if (!entry && !(entry = newEntry(&call, headsLast, lse, owner)))
    return NULL;
  launchBundle = (LaunchFn)(uintptr_t)function;
  AttnBundle *bundle = (AttnBundle *)(uintptr_t)address;
  if (!hasBundle(entry, bundle)) {
    if (entry->bundleCount == kMostBundles)
      Py_RETURN_FALSE;
    entry->bundles[entry->bundleCount++] = bundle;
  }
  Py_RETURN_TRUE;
}

/* Entries that were forgotten while threads launched by them. */
static Entry *retired;

static void freeRetired(void) {
  for (Entry **place = &retired; *place;) {
    Entry *entry = *place;
    if (entry->users > 0) {
      place = &entry->next;
      continue;
    }
    *place = entry->next;
    destroy(entry);
  }
}

static PyObject *forget(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  for (int slot = 0; slot < kTableSize; ++slot)
    while (table[slot]) {
      Entry *entry = table[slot];
      table[slot] = entry->next;
      entry->next = retired;
      retired = entry;
    }
  freeRetired();
  Py_RETURN_NONE;
}

static PyObject *tellAgain(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  for (int slot = 0; slot < kTableSize; ++slot)
    for (Entry *entry = table[slot]; entry; entry = entry->next)
      entry->isTold = false;
  Py_RETURN_NONE;
}

static PyObject *useShimOfTorch(PyObject *module, PyObject *args) {
  (void)module;
  return useShim(exchange, args);
}

static PyMethodDef methods[] = {
    {"wrap", wrap, METH_VARARGS,
     "wrap(function, doc): attention(), which calls the function where a call "
     "is new."},
    {"remember", remember, METH_VARARGS,
     "remember((q, k, v), keywords, heads_last, lse, owner, launch, bundle): "
     "calls like this one are launched by that bundle."},
    {"launch", launchAny, METH_VARARGS,
     "launch(function, bundle, device_type, views, inputs, outputs, scalars, "
     "scalar_count, stream): launches; the status, or -1 where nothing was."},
    {"use_tensors", useTensors, METH_VARARGS,
     "use_tensors(Tensor, Parameter, empty_like): learns how PyTorch's tensors "
     "are read; whether they can be."},
    {"forget", forget, METH_NOARGS, "forget(): all calls are new again."},
    {"tell_again", tellAgain, METH_NOARGS,
     "tell_again(): calls set is_used of their owner once more."},
    {"use_shim", useShimOfTorch, METH_VARARGS,
     "use_shim(empty_strided, data_pointer, destroy, wrap, f16, bf16, f32, "
     "cpu, cuda): results are made by these functions of PyTorch."},
    {NULL, NULL, 0, NULL}};

static int start(PyObject *module) {
  (void)module;
  for (int i = 0; i < kKeywordCount; ++i)
    if (!(keywordNames[i] = PyUnicode_InternFromString(kKeywordNames[i])))
      return -1;
  nameRequiresGrad = PyUnicode_InternFromString("requires_grad");
  nameIsUsed = PyUnicode_InternFromString("is_used");
  nameExchange = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  for (int i = 0; i < kKeyCount; ++i)
    keyDefaults[i] = Py_NewRef(Py_None);
  keyDefaults[kCausal] = keyDefaults[kReturnLse] = Py_NewRef(Py_False);
  if (!(keyDefaults[kLayout] = PyUnicode_InternFromString("bhsd")))
    return -1;
  return nameRequiresGrad && nameIsUsed && nameExchange ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)start}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "attn_mlir._native",
                                        NULL,
                                        0,
                                        methods,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
