// A caller of a plugin that makes one mistake: mistakes PLUGIN MISTAKE. What the plugin does then is its own affair: the process may die.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

static const PJRT_Api* api;

#define ARGS(function, name) function##_Args name = {.struct_size = function##_Args_STRUCT_SIZE}

/* Without a mistake errors are destroyed, too. */
static PJRT_Error* done(PJRT_Error* error) {
  if (error == NULL) return NULL;
  ARGS(PJRT_Error_Destroy, args);
  args.error = error;
  api->PJRT_Error_Destroy(&args);
  return error;
}

/* Calls a function about one object. */
#define ABOUT(function, field, object) \
  do {                                 \
    ARGS(function, args_);             \
    args_.field = object;              \
    done(api->function(&args_));       \
  } while (0)

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 5;
  const char* mistake = argv[2];
#define MISTAKE(name) (strcmp(mistake, name) == 0)
  api = ((const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi"))();
  ARGS(PJRT_Client_Create, create);
  if (api->PJRT_Client_Create(&create) != NULL) return 3;
  PJRT_Client* client = create.client;
  ARGS(PJRT_Client_AddressableDevices, devices);
  devices.client = client;
  api->PJRT_Client_AddressableDevices(&devices);
  PJRT_Device* device = devices.addressable_devices[0];

  float data[4] = {1, 2, 3, 4}, read[4];
  const int64_t dims[] = {4};
  ARGS(PJRT_Client_BufferFromHostBuffer, put);
  put.client = client;
  put.data = data;
  put.type = PJRT_Buffer_Type_F32;
  put.dims = dims;
  put.num_dims = 1;
  put.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  put.device = device;
  if (api->PJRT_Client_BufferFromHostBuffer(&put) != NULL) return 3;

  if (MISTAKE("event-read-early")) ABOUT(PJRT_Event_Error, event, put.done_with_host_buffer);
  ABOUT(PJRT_Event_Await, event, put.done_with_host_buffer);
  ABOUT(PJRT_Event_Error, event, put.done_with_host_buffer);
  if (MISTAKE("event-set")) {
    ARGS(PJRT_Event_Set, set);
    set.event = put.done_with_host_buffer;
    done(api->PJRT_Event_Set(&set));
  }
  ABOUT(PJRT_Event_Destroy, event, put.done_with_host_buffer);

  if (MISTAKE("null-object")) ABOUT(PJRT_Buffer_IsDeleted, buffer, NULL);
  if (MISTAKE("struct-size")) {
    ARGS(PJRT_Buffer_IsDeleted, asked);
    asked.struct_size = 20;
    asked.buffer = put.buffer;
    done(api->PJRT_Buffer_IsDeleted(&asked));
  }
  ABOUT(PJRT_Buffer_IncreaseExternalReferenceCount, buffer, put.buffer);
  ABOUT(PJRT_Buffer_DecreaseExternalReferenceCount, buffer, put.buffer);
  if (MISTAKE("reference-not-taken")) ABOUT(PJRT_Buffer_DecreaseExternalReferenceCount, buffer, put.buffer);
  if (MISTAKE("not-its-own")) {
    ARGS(PJRT_Client_TopologyDescription, topology);
    topology.client = client;
    api->PJRT_Client_TopologyDescription(&topology);
    ABOUT(PJRT_TopologyDescription_Destroy, topology, topology.topology);
  }
  if (MISTAKE("deleted-used")) {
    ABOUT(PJRT_Buffer_Delete, buffer, put.buffer);
    ARGS(PJRT_Buffer_ToHostBuffer, get);
    get.src = put.buffer;
    get.dst = read;
    get.dst_size = sizeof(read);
    if (done(api->PJRT_Buffer_ToHostBuffer(&get)) == NULL) ABOUT(PJRT_Event_Await, event, get.event);
  }
  if (!MISTAKE("outlived-client")) ABOUT(PJRT_Buffer_Destroy, buffer, put.buffer);
  if (MISTAKE("used-after-destroy")) ABOUT(PJRT_Buffer_OnDeviceSizeInBytes, buffer, put.buffer);
  if (MISTAKE("destroyed-twice")) ABOUT(PJRT_Buffer_Destroy, buffer, put.buffer);
  ABOUT(PJRT_Client_Destroy, client, client);
  if (MISTAKE("used-after-keeper")) ABOUT(PJRT_Device_GetDescription, device, device);
  return 0;
}
