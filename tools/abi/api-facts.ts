import type { AbiTable } from '../../harness/knowledge/abi/table-format.ts';

/** What the expanded per-version tables do not say: return types, callback types, version numbers used twice. */
export const API_FACTS: Pick<AbiTable, 'repository' | 'reused' | 'returnsVoid' | 'inOut' | 'callbacks'> = {
  repository: 'openxla/xla',
  reused: [
    {
      minor: 56,
      tableBytes: [808],
      why: 'first published without PJRT_Buffer_CopyRawToHost and rolled back, then with it in the middle of the table',
    },
    {
      minor: 61,
      tableBytes: [],
      why: 'published three times: try-get callbacks, two float types, try-get callbacks again; the last one stayed',
    },
    {
      minor: 70,
      tableBytes: [],
      why: 'first published with overridden compile options for PJRT_Executable_DeserializeAndLoad, then without',
    },
  ],
  returnsVoid: ['PJRT_Error_Destroy', 'PJRT_Error_Message'],
  inOut: [
    'PJRT_Program.code',
    'PJRT_Client_DefaultDeviceAssignment_Args.default_assignment',
    'PJRT_LoadedExecutable_Execute_Args.output_lists',
    'PJRT_LoadedExecutable_Execute_Args.device_complete_events',
    'PJRT_Buffer_ToHostBuffer_Args.dst',
    'PJRT_Buffer_ToHostBuffer_Args.dst_size',
  ],
  callbacks: {
    PJRT_CallbackError:
      'PJRT_Error* (*PJRT_CallbackError)(PJRT_Error_Code code, const char* message, size_t message_size)',
    PJRT_Error_PayloadVisitor:
      'void (*PJRT_Error_PayloadVisitor)(const char* key, size_t key_size, const char* value, size_t value_size, void* user_arg)',
    PJRT_Event_OnReadyCallback: 'void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg)',
    PJRT_KeyValueGetCallback_ValueDeleter: 'void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value)',
    PJRT_KeyValueGetCallback: 'PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args)',
    PJRT_KeyValueTryGetCallback_ValueDeleter: 'void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value)',
    PJRT_KeyValueTryGetCallback: 'PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args)',
    PJRT_KeyValuePutCallback: 'PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args)',
    PJRT_SendCallback:
      'PJRT_Error* (*PJRT_SendCallback)(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error, size_t total_size_in_bytes, bool done, void* user_arg)',
    PJRT_RecvCallback: 'void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg)',
    PJRT_HloOutputCallback:
      'void (*PJRT_HloOutputCallback)(int64_t replica_id, int64_t partition_id, const void* data, const int64_t* shape_dims, size_t shape_num_dims, PJRT_Buffer_Type shape_element_type, int64_t operand_index, void* user_arg)',
  },
};
