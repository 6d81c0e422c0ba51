// A caller of a plugin that makes one mistake: mistakes PLUGIN MISTAKE PROGRAM OPTIONS. What the plugin does then is its own affair:
// the process may die. PROGRAM has one argument and one result, of 1024 elements.
#include "record.h"

/* Errors are destroyed. */
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

static const char* mistake;
#define MISTAKE(name) (strcmp(mistake, name) == 0)

static void on_ready(PJRT_Error* error, void* user_arg) {
  (void)user_arg;
  done(error);
}

static PJRT_Device* device_of(PJRT_Client* client) {
  ARGS(PJRT_Client_AddressableDevices, devices);
  devices.client = client;
  CALL(PJRT_Client_AddressableDevices, devices);
  return devices.addressable_devices[0];
}

/* An upload of 1024 elements, to be completed; `rank` 0 for none of the dimensions that are counted. */
static PJRT_Client_BufferFromHostBuffer_Args upload_of(PJRT_Client* client, const float* data, const int64_t* dims) {
  ARGS(PJRT_Client_BufferFromHostBuffer, put);
  put.client = client;
  put.data = data;
  put.type = PJRT_Buffer_Type_F32;
  put.dims = dims;
  put.num_dims = 1;
  put.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  put.device = device_of(client);
  return put;
}

/* What is wrong with an event. */
static void with_event(PJRT_Event* event) {
  if (MISTAKE("event-read-early")) ABOUT(PJRT_Event_Error, event, event);
  ABOUT(PJRT_Event_Await, event, event);
  ABOUT(PJRT_Event_Error, event, event);
  if (MISTAKE("event-set")) ABOUT(PJRT_Event_Set, event, event);
  if (MISTAKE("event-without-callback")) ABOUT(PJRT_Event_OnReady, event, event);
  if (MISTAKE("null-event")) ABOUT(PJRT_Event_Await, event, NULL);
  ABOUT(PJRT_Event_Destroy, event, event);
  if (MISTAKE("event-destroyed-twice")) ABOUT(PJRT_Event_Destroy, event, event);
  if (MISTAKE("callback-after-destroy")) {
    ARGS(PJRT_Event_OnReady, ready);
    ready.event = event;
    ready.callback = on_ready;
    done(api->PJRT_Event_OnReady(&ready));
  }
}

static void execute_with(PJRT_LoadedExecutable* executable, PJRT_ExecuteOptions* options, PJRT_Buffer* input, size_t count) {
  PJRT_Buffer* const inputs[] = {input, input};
  PJRT_Buffer* const* const lists[] = {inputs};
  PJRT_Buffer* outputs[1] = {NULL};
  PJRT_Buffer** const results[] = {outputs};
  ARGS(PJRT_LoadedExecutable_Execute, args);
  args.executable = executable;
  args.options = options;
  args.argument_lists = lists;
  args.num_devices = 1;
  args.num_args = count;
  args.output_lists = results;
  if (done(api->PJRT_LoadedExecutable_Execute(&args)) == NULL && outputs[0] != NULL) destroy(outputs[0]);
}

/* What is wrong with programs. */
static void with_program(PJRT_Client* client, const char* program, const char* options_file, const float* data) {
  PJRT_LoadedExecutable* executable = compile_program(client, program, options_file);
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  ARGS(PJRT_ExecuteContext_Create, create);
  CALL(PJRT_ExecuteContext_Create, create);
  PJRT_Buffer* input = upload(client, data, 1024);
  execute_with(executable, &options, input, 1);
  if (MISTAKE("argument-count")) execute_with(executable, &options, input, 2);
  if (MISTAKE("null-argument")) execute_with(executable, &options, NULL, 1);
  if (MISTAKE("null-options")) execute_with(executable, NULL, input, 1);
  if (MISTAKE("options-size")) {
    options.struct_size = 21;
    execute_with(executable, &options, input, 1);
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  }
  if (MISTAKE("deleted-argument")) {
    ABOUT(PJRT_Buffer_Delete, buffer, input);
    execute_with(executable, &options, input, 1);
  }
  ABOUT(PJRT_ExecuteContext_Destroy, context, create.context);
  if (MISTAKE("context-after-destroy")) options.context = create.context;
  if (MISTAKE("context-after-destroy")) execute_with(executable, &options, input, 1);
  destroy(input);
  if (MISTAKE("argument-after-destroy")) execute_with(executable, &options, input, 1);
  if (!MISTAKE("executable-outlives-client")) unload(executable);
  if (MISTAKE("executable-destroyed-twice")) ABOUT(PJRT_LoadedExecutable_Destroy, executable, executable);
}

/* What is wrong with transfers in pieces. */
static void with_transfers(PJRT_Client* client, const float* data, const int64_t* dims) {
  PJRT_ShapeSpec shape = {.struct_size = PJRT_ShapeSpec_STRUCT_SIZE, .dims = dims, .num_dims = 1, .element_type = PJRT_Buffer_Type_F32};
  ARGS(PJRT_Device_DefaultMemory, memory);
  memory.device = device_of(client);
  CALL(PJRT_Device_DefaultMemory, memory);
  ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  create.client = client;
  create.shape_specs = &shape;
  create.num_shape_specs = 1;
  create.memory = memory.memory;
  CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  retrieve.transfer_manager = create.transfer_manager;
  CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  if (MISTAKE("retrieved-twice")) {
    ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, again);
    again.transfer_manager = create.transfer_manager;
    done(api->PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&again));
  }
  for (int round = 0; round < (MISTAKE("sent-after-last") ? 2 : 1); ++round) {
    ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, send);
    send.transfer_manager = create.transfer_manager;
    send.data = data;
    send.transfer_size = 1024 * sizeof(float);
    send.is_last_transfer = true;
    if (done(api->PJRT_AsyncHostToDeviceTransferManager_TransferData(&send)) == NULL) await(send.done_with_h2d_transfer);
  }
  if (MISTAKE("no-such-buffer")) {
    ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
    size.transfer_manager = create.transfer_manager;
    size.buffer_index = 1;
    done(api->PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size));
  }
  destroy(retrieve.buffer_out);
  ABOUT(PJRT_AsyncHostToDeviceTransferManager_Destroy, transfer_manager, create.transfer_manager);
  if (MISTAKE("manager-after-destroy"))
    ABOUT(PJRT_AsyncHostToDeviceTransferManager_BufferCount, transfer_manager, create.transfer_manager);
}

/* What is wrong with errors: a buffer of no known type is refused. */
static void with_errors(PJRT_Client* client, const float* data, const int64_t* dims) {
  PJRT_Client_BufferFromHostBuffer_Args put = upload_of(client, data, dims);
  const int64_t negative = -1;
  put.dims = &negative;
  PJRT_Error* error = api->PJRT_Client_BufferFromHostBuffer(&put);
  if (error == NULL) exit(6);
  if (MISTAKE("error-not-destroyed")) return;
  done(error);
  if (MISTAKE("error-destroyed-twice")) done(error);
  if (MISTAKE("error-after-destroy")) {
    ARGS(PJRT_Error_GetCode, code);
    code.error = error;
    done(api->PJRT_Error_GetCode(&code));
  }
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  mistake = argv[2];
  load(argv[1]);
  PJRT_Client* client = create_client();
  PJRT_Client* other = create_client();
  PJRT_Device* device = device_of(client);
  static float data[1024], read[1024];
  const int64_t dims[] = {1024};

  PJRT_Client_BufferFromHostBuffer_Args put = upload_of(client, data, dims);
  if (MISTAKE("null-dims")) put.dims = NULL;
  if (MISTAKE("unknown-value")) put.type = (PJRT_Buffer_Type)4711;
  if (MISTAKE("other-client")) put.device = device_of(other);
  if (done(api->PJRT_Client_BufferFromHostBuffer(&put)) != NULL) return 3;
  with_event(put.done_with_host_buffer);
  ABOUT(PJRT_Client_Destroy, client, other);
  if (MISTAKE("client-after-destroy")) ABOUT(PJRT_Client_PlatformName, client, other);

  if (MISTAKE("null-object")) ABOUT(PJRT_Buffer_IsDeleted, buffer, NULL);
  if (MISTAKE("struct-size")) {
    ARGS(PJRT_Buffer_IsDeleted, asked);
    asked.struct_size = 20;
    asked.buffer = put.buffer;
    done(api->PJRT_Buffer_IsDeleted(&asked));
  }
  ABOUT(PJRT_Buffer_IncreaseExternalReferenceCount, buffer, put.buffer);
  if (!MISTAKE("reference-kept")) ABOUT(PJRT_Buffer_DecreaseExternalReferenceCount, buffer, put.buffer);
  if (MISTAKE("reference-not-taken")) ABOUT(PJRT_Buffer_DecreaseExternalReferenceCount, buffer, put.buffer);
  if (MISTAKE("not-its-own")) {
    ARGS(PJRT_Client_TopologyDescription, topology);
    topology.client = client;
    api->PJRT_Client_TopologyDescription(&topology);
    ABOUT(PJRT_TopologyDescription_Destroy, topology, topology.topology);
  }
  ARGS(PJRT_Buffer_ToHostBuffer, asked);
  asked.src = put.buffer;
  CALL(PJRT_Buffer_ToHostBuffer, asked);
  if (MISTAKE("deleted-used")) ABOUT(PJRT_Buffer_Delete, buffer, put.buffer);
  if (MISTAKE("deleted-used") || MISTAKE("read-too-small")) {
    ARGS(PJRT_Buffer_ToHostBuffer, get);
    get.src = put.buffer;
    get.dst = read;
    get.dst_size = asked.dst_size - (MISTAKE("read-too-small") ? 4 : 0);
    if (done(api->PJRT_Buffer_ToHostBuffer(&get)) == NULL) ABOUT(PJRT_Event_Await, event, get.event);
  }
  with_program(client, argv[3], argv[4], data);
  with_transfers(client, data, dims);
  with_errors(client, data, dims);
  if (!MISTAKE("outlived-client")) ABOUT(PJRT_Buffer_Destroy, buffer, put.buffer);
  if (MISTAKE("used-after-destroy")) ABOUT(PJRT_Buffer_OnDeviceSizeInBytes, buffer, put.buffer);
  if (MISTAKE("destroyed-twice")) ABOUT(PJRT_Buffer_Destroy, buffer, put.buffer);
  ABOUT(PJRT_Client_Destroy, client, client);
  if (MISTAKE("used-after-keeper")) ABOUT(PJRT_Device_GetDescription, device, device);
  return 0;
}
