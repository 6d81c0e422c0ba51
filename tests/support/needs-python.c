// A plugin that expects to be called in a Python process, as some do that are written for JAX alone: the base named by
// NEEDS_PYTHON_BASE, whose Client_Create runs Python code and ends a process that has no interpreter.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

extern int Py_IsInitialized(void);
extern int PyGILState_Ensure(void);
extern void PyGILState_Release(int state);
extern int PyRun_SimpleString(const char* code);

static PJRT_Api table;
static PJRT_Client_Create* base_create;

static PJRT_Error* Create(PJRT_Client_Create_Args* args) {
  if (!Py_IsInitialized()) abort();
  int state = PyGILState_Ensure();
  int failed = PyRun_SimpleString("import json, sys; assert sys.prefix");
  PyGILState_Release(state);
  if (failed) abort();
  return base_create(args);
}

const PJRT_Api* GetPjrtApi(void) {
  void* base = dlopen(getenv("NEEDS_PYTHON_BASE"), RTLD_NOW);
  const PJRT_Api* api = ((const PJRT_Api* (*)(void))dlsym(base, "GetPjrtApi"))();
  memcpy(&table, api, sizeof(table));
  base_create = table.PJRT_Client_Create;
  table.PJRT_Client_Create = Create;
  return &table;
}
