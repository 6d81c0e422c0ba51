/*
 * The example plugin of docs/tutorial.md, with defects that the tutorial finds.
 *
 * All functions are those of the runtime library, which is the reference plugin under another name; a few are replaced here.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "pjrt_c_api.h"

static const PJRT_Api* runtime;

/* Defect: an id that does not exist ends the process. The function must return an error. */
static PJRT_Error* LookupDevice(PJRT_Client_LookupDevice_Args* args) {
  PJRT_Client_Devices_Args all = {.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE, .client = args->client};
  PJRT_Error* error = runtime->PJRT_Client_Devices(&all);
  if (error != NULL) return error;
  assert(args->id >= 0 && (size_t)args->id < all.num_devices);
  return runtime->PJRT_Client_LookupDevice(args);
}

/* Defect: always copies in row-major order, whatever layout the caller asks for. */
static PJRT_Error* ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  PJRT_Buffer_MemoryLayout* wanted = args->host_layout;
  args->host_layout = NULL;
  PJRT_Error* error = runtime->PJRT_Buffer_ToHostBuffer(args);
  args->host_layout = wanted;
  return error;
}

#if FOO_VERSION >= 2
/* Defect of version 2: the fast path for vectors forgets their strides. */
static PJRT_Error* BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  size_t strides = args->num_byte_strides;
  if (args->num_dims == 1) args->num_byte_strides = 0;
  PJRT_Error* error = runtime->PJRT_Client_BufferFromHostBuffer(args);
  args->num_byte_strides = strides;
  return error;
}
#endif

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api table;
  const PJRT_Api* (*get)(void) = (const PJRT_Api* (*)(void))dlsym(RTLD_NEXT, "GetPjrtApi");
  runtime = get();
  if (getenv("FOO_LOG") != NULL) fprintf(stderr, "foo: version %d\n", FOO_VERSION);
  table = *runtime;
  table.PJRT_Client_LookupDevice = LookupDevice;
  table.PJRT_Buffer_ToHostBuffer = ToHostBuffer;
#if FOO_VERSION >= 2
  table.PJRT_Client_BufferFromHostBuffer = BufferFromHostBuffer;
#endif
  return &table;
}
