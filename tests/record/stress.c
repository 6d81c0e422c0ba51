// Many threads that use a plugin at the same time: stress PLUGIN PROGRAM OPTIONS ROUNDS [fork]. Each uploads, executes, reads with and
// without callbacks, looks at memory of buffers, compiles and destroys; threads end while others begin, some with calls in a destructor.
#include "record.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 8, kGenerations = 3, kBuffers = 32, kElements = 1024 };

static PJRT_Client* client;
static PJRT_LoadedExecutable* shared;
static char **arguments;
static pthread_key_t key;
static int callbacks;

/* The calls of a thread that ends. */
static void last_calls(void* buffer) { destroy(buffer); }

static void on_ready(PJRT_Error* error, void* counter) {
  if (error != NULL) {
    ARGS(PJRT_Error_Destroy, args);
    args.error = error;
    api->PJRT_Error_Destroy(&args);
  }
  __atomic_add_fetch((int*)counter, 1, __ATOMIC_RELEASE);
}

static void call_back(PJRT_Event* event) {
  ARGS(PJRT_Event_OnReady, args);
  args.event = event;
  args.callback = on_ready;
  args.user_arg = &callbacks;
  CALL(PJRT_Event_OnReady, args);
}

/* What a framework does to read without a copy. */
static void look(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = buffer;
  CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, at);
  at.buffer = buffer;
  CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, at);
  ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  CALL(PJRT_Buffer_ReadyEvent, ready);
  await(ready.event);
  ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = buffer;
  CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
}

/* An error, with its message. */
static void fail(PJRT_Buffer* buffer) {
  float nothing;
  ARGS(PJRT_Buffer_ToHostBuffer, get);
  get.src = buffer;
  get.dst = &nothing;
  get.dst_size = sizeof(nothing);
  PJRT_Error* error = api->PJRT_Buffer_ToHostBuffer(&get);
  if (error == NULL) exit(7);
  on_ready(error, &(int){0});
}

static void* work(void* number) {
  const long rounds = atol(arguments[4]);
  float data[kElements];
  float(*read)[kElements] = calloc(kBuffers, sizeof(*read));
  for (long round = 0; round < rounds; ++round) {
    PJRT_LoadedExecutable* own = round % 4 == 0 ? compile_program(client, arguments[2], arguments[3]) : shared;
    PJRT_Buffer* inputs[kBuffers];
    PJRT_Event* events[kBuffers];
    for (int i = 0; i < kBuffers; ++i) {
      for (int j = 0; j < kElements; ++j) data[j] = (float)(j + i + round) + (float)(size_t)number;
      inputs[i] = upload(client, data, kElements);
    }
    for (int i = 0; i < kBuffers; ++i) {
      PJRT_Buffer* output = i % 8 == 0 ? execute(own, inputs[i]) : inputs[i];
      events[i] = begin_read(output, read[i], kElements);
      if (i % 3 == 0) call_back(events[i]);
      if (i % 5 == 0) look(output);
      if (i % 7 == 0) fail(output);
      if (output != inputs[i]) {
        await(events[i]);
        events[i] = NULL;
        destroy(output);
      }
    }
    for (int i = 0; i < kBuffers; ++i) {
      if (events[i] != NULL) await(events[i]);
      destroy(inputs[i]);
    }
    if (own != shared) unload(own);
  }
  pthread_setspecific(key, upload(client, data, kElements));
  free(read);
  return NULL;
}

static pid_t child_that_calls(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  ARGS(PJRT_Client_PlatformName, name);
  name.client = client;
  for (int i = 0; i < 1000; ++i) CALL(PJRT_Client_PlatformName, name);
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  arguments = argv;
  load(argv[1]);
  client = create_client();
  shared = compile_program(client, argv[2], argv[3]);
  pthread_key_create(&key, last_calls);
  const int forks = argc > 5 && strcmp(argv[5], "fork") == 0;
  for (int generation = 0; generation < kGenerations; ++generation) {
    pthread_t threads[kThreads];
    for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    // While the others write.
    const pid_t child = forks ? child_that_calls() : 0;
    for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    int status = 0;
    if (forks && (waitpid(child, &status, 0) != child || status != 0)) return 6;
  }
  unload(shared);
  destroy_client(client);
  return __atomic_load_n(&callbacks, __ATOMIC_ACQUIRE) > 0 ? 0 : 8;
}
