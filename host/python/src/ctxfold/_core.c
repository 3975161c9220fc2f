/* The extension ctxfold._core: instances of the module, on top of the C library (host/c). It uses Python's stable
 * ABI (3.9). */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <string.h>

#include "ctxfold.h"

typedef struct {
  PyObject_HEAD
  ctxfold_instance *instance;
  unsigned long traps;
  int busy;
} Instance;

static PyObject *instance_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"limit", NULL};
  unsigned long long limit = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|K", names, &limit)) return NULL;
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Instance *self = (Instance *)alloc(type, 0);
  if (!self) return NULL;
  ctxfold_options options = {.memory_limit = limit};
  Py_BEGIN_ALLOW_THREADS
  self->instance = ctxfold_new(&options);
  Py_END_ALLOW_THREADS
  if (!self->instance) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject *)self;
}

static void instance_dealloc(Instance *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->instance) ctxfold_delete(self->instance);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

typedef struct {
  const char *data;
  Py_ssize_t size;
} piece;

/* Returns an answer as a Python object: bytes, or a tuple of code and message if the instance was replaced. Raises
 * ValueError if the module has no such operation, and MemoryError. */
static PyObject *answered(Instance *self, ctxfold_answer *answer) {
  switch (answer->status) {
    case CTXFOLD_OK:
    case CTXFOLD_ERROR:
      if (answer->json) return PyBytes_FromStringAndSize(answer->json, (Py_ssize_t)answer->length);
      PyErr_SetString(PyExc_ValueError, answer->message ? answer->message : "the module did not answer");
      return NULL;
    case CTXFOLD_NO_MEMORY:
      return PyErr_NoMemory();
    default:
      self->traps++;
      return Py_BuildValue("(ss)", answer->code ? answer->code : "trap", answer->message ? answer->message : "");
  }
}

static PyObject *instance_call(Instance *self, PyObject *args) {
  const char *op;
  PyObject *pieces;
  if (!PyArg_ParseTuple(args, "sO!", &op, &PyTuple_Type, &pieces)) return NULL;
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError, "an instance of ctxfold serves one thread at a time");
    return NULL;
  }
  Py_ssize_t count = PyTuple_Size(pieces);
  piece *parts = PyMem_Malloc((size_t)(count + 1) * sizeof *parts);
  if (!parts) return PyErr_NoMemory();
  size_t size = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    char *data;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(pieces, i), &data, &parts[i].size) < 0) {
      PyMem_Free(parts);
      return NULL;
    }
    parts[i].data = data;
    size += (size_t)parts[i].size;
  }
  /* bytes are immutable and the tuple keeps them alive, so reading them does not require the GIL. */
  ctxfold_answer answer;
  memset(&answer, 0, sizeof answer);
  self->busy = 1;
  Py_BEGIN_ALLOW_THREADS
  char *joined = count == 1 ? NULL : malloc(size + 1);
  if (!joined && count != 1) {
    answer.status = CTXFOLD_NO_MEMORY;
  } else {
    char *at = joined;
    for (Py_ssize_t i = 0; joined && i < count; i++) {
      memcpy(at, parts[i].data, (size_t)parts[i].size);
      at += parts[i].size;
    }
    ctxfold_call(self->instance, op, joined ? joined : parts[0].data, size, &answer);
    free(joined);
  }
  Py_END_ALLOW_THREADS
  self->busy = 0;
  PyMem_Free(parts);
  PyObject *out = answered(self, &answer);
  ctxfold_answer_free(&answer);
  return out;
}

static PyObject *instance_memory(Instance *self, PyObject *none) {
  (void)none;
  ctxfold_memory m = ctxfold_memory_of(self->instance);
  return Py_BuildValue("(KKKk)", (unsigned long long)m.limit, (unsigned long long)m.current, (unsigned long long)m.peak, self->traps);
}

static PyMethodDef instance_methods[] = {
    {"call", (PyCFunction)instance_call, METH_VARARGS, NULL},
    {"memory", (PyCFunction)instance_memory, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot instance_slots[] = {
    {Py_tp_new, instance_new},
    {Py_tp_dealloc, instance_dealloc},
    {Py_tp_methods, instance_methods},
    {0, NULL},
};

static PyType_Spec instance_spec = {
    .name = "ctxfold._core.Instance",
    .basicsize = sizeof(Instance),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = instance_slots,
};

static const char *blank(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  return p;
}

static const char *string_end(const char *p, const char *end) {
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\') p++;
  return p < end ? p + 1 : end;
}

/* Returns the end of the value that begins at p. Answers are valid JSON. */
static const char *value_end(const char *p, const char *end) {
  int depth = 0;
  while (p < end) {
    char c = *p;
    if (c == '"') {
      p = string_end(p, end);
      if (depth == 0) return p;
    } else if (c == '{' || c == '[') {
      depth++, p++;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return p;
      p++;
      if (--depth == 0) return p;
    } else if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
      return p;
    } else {
      p++;
    }
  }
  return end;
}

static PyObject *members(PyObject *module, PyObject *answer) {
  (void)module;
  char *text;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(answer, &text, &size) < 0) return NULL;
  PyObject *out = PyDict_New();
  if (!out) return NULL;
  const char *end = text + size, *p = blank(text, end);
  if (p == end || *p != '{') return out;
  for (p = blank(p + 1, end); p < end && *p == '"'; p = blank(p, end)) {
    const char *name = p + 1, *name_end = string_end(p, end);
    p = blank(name_end, end);
    if (p == end || *p != ':') break;
    const char *value = blank(p + 1, end);
    p = value_end(value, end);
    PyObject *key = PyUnicode_FromStringAndSize(name, name_end - 1 - name);
    PyObject *bytes = PyBytes_FromStringAndSize(value, p - value);
    int failed = !key || !bytes || PyDict_SetItem(out, key, bytes) < 0;
    Py_XDECREF(key);
    Py_XDECREF(bytes);
    if (failed) {
      Py_DECREF(out);
      return NULL;
    }
    p = blank(p, end);
    if (p < end && *p == ',') p++;
  }
  return out;
}

static PyMethodDef functions[] = {
    {"members", members, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static int prepare(PyObject *module) {
  PyObject *type = PyType_FromSpec(&instance_spec);
  if (!type) return -1;
  if (PyModule_AddObject(module, "Instance", type) < 0) {
    Py_DECREF(type);
    return -1;
  }
  return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, prepare},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "ctxfold._core",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
