// A small caller of a plugin: uploads, executes and reads, again and again. caller PLUGIN PROGRAM OPTIONS ROUNDS [fork]
// Prints a sum of all that it read, so that runs can be compared.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pjrt_c_api.h"

static const PJRT_Api* api;

static void check(PJRT_Error* error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {PJRT_Error_Message_Args_STRUCT_SIZE, NULL, error, NULL, 0};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%.*s\n", (int)message.message_size, message.message);
  exit(3);
}

#define ARGS(function, name) function##_Args name = {.struct_size = function##_Args_STRUCT_SIZE}
#define CALL(function, args) check(api->function(&args))

static char* contents(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) exit(4);
  char* bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static void await(PJRT_Event* event) {
  ARGS(PJRT_Event_Await, wait);
  wait.event = event;
  CALL(PJRT_Event_Await, wait);
  ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = event;
  CALL(PJRT_Event_Destroy, destroy);
}

static void destroy(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  CALL(PJRT_Buffer_Destroy, args);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 5;
  api = ((const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi"))();
  ARGS(PJRT_Plugin_Initialize, initialize);
  CALL(PJRT_Plugin_Initialize, initialize);
  ARGS(PJRT_Client_Create, create);
  CALL(PJRT_Client_Create, create);
  ARGS(PJRT_Client_AddressableDevices, devices);
  devices.client = create.client;
  CALL(PJRT_Client_AddressableDevices, devices);

  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE, .format = "mlir", .format_size = 4};
  program.code = contents(argv[2], &program.code_size);
  ARGS(PJRT_Client_Compile, compile);
  compile.client = create.client;
  compile.program = &program;
  compile.compile_options = contents(argv[3], &compile.compile_options_size);
  CALL(PJRT_Client_Compile, compile);

  // A child that records nothing of its parent's, and the parent goes on.
  if (argc > 5 && strcmp(argv[5], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      ARGS(PJRT_Client_PlatformName, name);
      name.client = create.client;
      CALL(PJRT_Client_PlatformName, name);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) return 6;
  }

  float data[1024];
  double sum = 0;
  const int64_t dims[] = {1024};
  for (long round = 0, rounds = atol(argv[4]); round < rounds; ++round) {
    for (int i = 0; i < 1024; ++i) data[i] = (float)(i * 0.25 + round);
    ARGS(PJRT_Client_BufferFromHostBuffer, put);
    put.client = create.client;
    put.data = data;
    put.type = PJRT_Buffer_Type_F32;
    put.dims = dims;
    put.num_dims = 1;
    put.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    put.device = devices.addressable_devices[0];
    CALL(PJRT_Client_BufferFromHostBuffer, put);
    await(put.done_with_host_buffer);

    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer* const inputs[] = {put.buffer};
    PJRT_Buffer* const* const lists[] = {inputs};
    PJRT_Buffer* outputs[1];
    PJRT_Buffer** const results[] = {outputs};
    PJRT_Event* complete[1];
    ARGS(PJRT_LoadedExecutable_Execute, execute);
    execute.executable = compile.executable;
    execute.options = &options;
    execute.argument_lists = lists;
    execute.num_devices = 1;
    execute.num_args = 1;
    execute.output_lists = results;
    execute.device_complete_events = complete;
    CALL(PJRT_LoadedExecutable_Execute, execute);
    await(complete[0]);

    float read[1024];
    ARGS(PJRT_Buffer_ToHostBuffer, get);
    get.src = outputs[0];
    get.dst = read;
    get.dst_size = sizeof(read);
    CALL(PJRT_Buffer_ToHostBuffer, get);
    await(get.event);
    for (int i = 0; i < 1024; ++i) sum += read[i];
    destroy(put.buffer);
    destroy(outputs[0]);
    if (round == 0) fprintf(stderr, "first round done\n");
  }
  ARGS(PJRT_LoadedExecutable_Destroy, unload);
  unload.executable = compile.executable;
  CALL(PJRT_LoadedExecutable_Destroy, unload);
  ARGS(PJRT_Client_Destroy, end);
  end.client = create.client;
  CALL(PJRT_Client_Destroy, end);
  char text[64];
  snprintf(text, sizeof(text), "%a", sum);
  puts(text);
  return 0;
}
