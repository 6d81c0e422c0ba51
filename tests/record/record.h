// What the callers of these tests have in common.
#ifndef PJRT_TESTS_RECORD_H_
#define PJRT_TESTS_RECORD_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

#define UNUSED __attribute__((unused)) static

UNUSED const PJRT_Api* api;

UNUSED void check(PJRT_Error* error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {PJRT_Error_Message_Args_STRUCT_SIZE, NULL, error, NULL, 0};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%.*s\n", (int)message.message_size, message.message);
  exit(3);
}

#define ARGS(function, name) function##_Args name = {.struct_size = function##_Args_STRUCT_SIZE}
#define CALL(function, args) check(api->function(&args))

/* Loads a plugin, and initializes it. */
UNUSED void* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) exit(5);
  api = ((const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi"))();
  ARGS(PJRT_Plugin_Initialize, initialize);
  CALL(PJRT_Plugin_Initialize, initialize);
  return library;
}

/* The plugin's table, which the C library gives to whoever asks for its dlsym by version. */
UNUSED const PJRT_Api* own_table(void* library) {
#if defined(__x86_64__)
  const char* version = "GLIBC_2.2.5";
#else
  const char* version = "GLIBC_2.17";
#endif
  void* (*own)(void*, const char*) = dlvsym(RTLD_DEFAULT, "dlsym", version);
  return ((const PJRT_Api* (*)(void))own(library, "GetPjrtApi"))();
}

UNUSED PJRT_Client* create_client(void) {
  ARGS(PJRT_Client_Create, create);
  CALL(PJRT_Client_Create, create);
  return create.client;
}

UNUSED void destroy_client(PJRT_Client* client) {
  ARGS(PJRT_Client_Destroy, end);
  end.client = client;
  CALL(PJRT_Client_Destroy, end);
}

UNUSED void await(PJRT_Event* event) {
  ARGS(PJRT_Event_Await, wait);
  wait.event = event;
  CALL(PJRT_Event_Await, wait);
  ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = event;
  CALL(PJRT_Event_Destroy, destroy);
}

UNUSED void destroy(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  CALL(PJRT_Buffer_Destroy, args);
}

/* A buffer on the first device, whose data may change when it returns. */
UNUSED PJRT_Buffer* upload(PJRT_Client* client, const float* data, int64_t count) {
  ARGS(PJRT_Client_AddressableDevices, devices);
  devices.client = client;
  CALL(PJRT_Client_AddressableDevices, devices);
  ARGS(PJRT_Client_BufferFromHostBuffer, put);
  put.client = client;
  put.data = data;
  put.type = PJRT_Buffer_Type_F32;
  put.dims = &count;
  put.num_dims = 1;
  put.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  put.device = devices.addressable_devices[0];
  CALL(PJRT_Client_BufferFromHostBuffer, put);
  await(put.done_with_host_buffer);
  return put.buffer;
}

/* The event that says that the data are there. */
UNUSED PJRT_Event* begin_read(PJRT_Buffer* buffer, float* data, size_t count) {
  ARGS(PJRT_Buffer_ToHostBuffer, get);
  get.src = buffer;
  get.dst = data;
  get.dst_size = count * sizeof(*data);
  CALL(PJRT_Buffer_ToHostBuffer, get);
  return get.event;
}

UNUSED char* contents(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) exit(4);
  char* bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

UNUSED PJRT_LoadedExecutable* compile_program(PJRT_Client* client, const char* path, const char* options) {
  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE, .format = "mlir", .format_size = 4};
  program.code = contents(path, &program.code_size);
  ARGS(PJRT_Client_Compile, compile);
  compile.client = client;
  compile.program = &program;
  compile.compile_options = contents(options, &compile.compile_options_size);
  CALL(PJRT_Client_Compile, compile);
  free((void*)program.code);
  free((void*)compile.compile_options);
  return compile.executable;
}

UNUSED void unload(PJRT_LoadedExecutable* executable) {
  ARGS(PJRT_LoadedExecutable_Destroy, args);
  args.executable = executable;
  CALL(PJRT_LoadedExecutable_Destroy, args);
}

/* The result of a program with one argument and one result, when its execution is complete. */
UNUSED PJRT_Buffer* execute(PJRT_LoadedExecutable* executable, PJRT_Buffer* input) {
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_Buffer* const inputs[] = {input};
  PJRT_Buffer* const* const lists[] = {inputs};
  PJRT_Buffer* outputs[1];
  PJRT_Buffer** const results[] = {outputs};
  PJRT_Event* complete[1];
  ARGS(PJRT_LoadedExecutable_Execute, args);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = lists;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = results;
  args.device_complete_events = complete;
  CALL(PJRT_LoadedExecutable_Execute, args);
  await(complete[0]);
  return outputs[0];
}

#endif
