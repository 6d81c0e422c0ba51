import type { FieldAnnotations } from '../../harness/knowledge/abi/table-format.ts';

/** What the header says in prose only, or what only the code of XLA shows. Exactly one of the two proves it. */
interface Proof {
  /** Text of the header, without comment marks. `from-headers.ts` looks whether it is still there. */
  header?: string;
  /** A file of XLA, and what it does there. */
  source?: string;
}

/** Annotations that cannot be derived (annotate.ts), of the fields `struct.field`; they replace derived ones. */
export interface AnnotationFact extends Proof, FieldAnnotations {
  fields: string[];
}

const WRAPPER = 'xla/pjrt/c/pjrt_c_api_wrapper_impl.cc';

export const ANNOTATION_FACTS: readonly AnnotationFact[] = [
  // What counts what, where the names do not say it.
  {
    fields: ['PJRT_NamedValue.string_value', 'PJRT_NamedValue.int64_array_value'],
    count: 'value_size',
    header: '`value_size` is the number of elements for array/string and 1 for scalar values.',
  },
  {
    fields: ['PJRT_Client_Create_Args.create_options', 'PJRT_TopologyDescription_Create_Args.create_options'],
    count: 'num_options',
    header:
      'Extra platform-specific options to create a client. const PJRT_NamedValue* create_options; size_t num_options;',
  },
  {
    fields: ['PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args.transfer_metadata'],
    count: 'num_metadata',
    header: 'const PJRT_NamedValue* transfer_metadata; size_t num_metadata;',
  },
  {
    fields: ['PJRT_Buffer_UnpaddedDimensions_Args.unpadded_dims'],
    count: 'num_dims',
    header: 'Has the lifetime of `buffer` and length `num_dims`. const int64_t* unpadded_dims;',
  },
  {
    fields: ['PJRT_Buffer_DynamicDimensionIndices_Args.dynamic_dim_indices'],
    count: 'num_dynamic_dims',
    header: 'Has the lifetime of `buffer` and length `num_dynamic_dims`.',
  },
  {
    fields: ['PJRT_Buffer_MemoryLayout_Tiled.tile_dims'],
    count: 'tile_dim_sizes',
    header: 'A concatenated list of tile dimensions. const int64_t* tile_dims; The list of tile dimension sizes.',
  },
  {
    fields: ['PJRT_Buffer_MemoryLayout_Tiled.tile_dim_sizes'],
    count: 'num_tiles',
    header: 'The list of tile dimension sizes. The size of this list is `num_tiles`.',
  },
  {
    fields: ['PJRT_Executable_OutputDimensions_Args.dims'],
    count: 'dim_sizes',
    header: 'Has length: sum of all elements in the list `dim_sizes`.',
  },
  {
    fields: ['PJRT_Executable_OutputDimensions_Args.dim_sizes'],
    count: 'num_outputs',
    header: 'Has length `num_outputs`. const size_t* dim_sizes;',
  },
  {
    fields: ['PJRT_Executable_OutputMemoryKinds_Args.memory_kinds'],
    count: 'num_outputs',
    inner: 'memory_kind_sizes',
    header: 'Has length `num_outputs`. const char* const* memory_kinds;',
  },
  {
    fields: ['PJRT_Executable_OutputMemoryKinds_Args.memory_kind_sizes'],
    count: 'num_outputs',
    header: 'Has length `num_outputs`. const size_t* memory_kind_sizes;',
  },
  {
    fields: ['PJRT_Executable_ParameterMemoryKinds_Args.memory_kinds'],
    count: 'num_parameters',
    inner: 'memory_kind_sizes',
    header: 'Has length `num_parameters`. const char* const* memory_kinds;',
  },
  {
    fields: ['PJRT_Executable_ParameterMemoryKinds_Args.memory_kind_sizes'],
    count: 'num_parameters',
    header: 'Has length `num_parameters`. const size_t* memory_kind_sizes;',
  },
  {
    fields: ['PJRT_ExecuteOptions.send_callbacks'],
    inner: 'num_send_ops',
    header: 'Each inner list contains callback info for each send/recv op in `executable`',
  },
  {
    fields: ['PJRT_ExecuteOptions.recv_callbacks'],
    inner: 'num_recv_ops',
    header: 'Each inner list contains callback info for each send/recv op in `executable`',
  },
  {
    fields: ['PJRT_ExecuteOptions.task_ids', 'PJRT_ExecuteOptions.incarnation_ids'],
    count: 'num_tasks',
    header: 'For every 0 <= i < num_tasks, task task_ids[i] has incarnation incarnation_ids[i].',
  },
  {
    fields: ['PJRT_LoadedExecutable_Execute_Args.argument_lists'],
    count: 'num_devices',
    inner: 'num_args',
    header: 'Execution input of size [`num_devices`, `num_args`].',
  },
  {
    fields: ['PJRT_LoadedExecutable_Execute_Args.output_lists'],
    count: 'num_devices',
    header: 'Execution output of size [`num_devices`, num_outputs`]',
  },
  {
    fields: ['PJRT_LoadedExecutable_Execute_Args.device_complete_events'],
    count: 'num_devices',
    header: '`device_complete_events` needs to be the same length as `output_lists` (i.e. of length `num_devices`)',
  },
  {
    fields: ['PJRT_Client_DmaMap_Args.data'],
    count: 'size',
    source: `${WRAPPER}: PJRT_Client_DmaMap passes args->data and args->size to PjRtClient::DmaMap`,
  },
  {
    fields: ['PJRT_Chunk.data'],
    count: 'size',
    header: 'typedef struct PJRT_Chunk { void* data; size_t size; void (*deleter)(void* data, void* deleter_arg);',
  },
  {
    fields: ['PJRT_AsyncHostToDeviceTransferManager_TransferData_Args.data'],
    count: 'transfer_size',
    source: `${WRAPPER}: data, offset and transfer_size go to TransferRawDataToSubBuffer`,
  },
  {
    fields: ['PJRT_Buffer_CopyRawToHost_Args.dst'],
    count: 'transfer_size',
    source: `${WRAPPER}: dst, offset and transfer_size go to PjRtBuffer::CopyRawToHost`,
  },

  // What characters are, where the names do not say it.
  {
    fields: ['PJRT_NamedValue.string_value'],
    content: 'text',
    header: 'PJRT_NamedValue_kString = 0,',
  },
  {
    fields: ['PJRT_Program.code'],
    content: 'bytes',
    header: '"mlir": code string takes MLIR module bytecode (or string).',
  },
  {
    fields: [
      'PJRT_Client_Compile_Args.compile_options',
      'PJRT_Client_Load_Args.compile_options',
      'PJRT_Compile_Args.compile_options',
    ],
    content: 'bytes',
    header: 'Serialized CompileOptionsProto. const char* compile_options;',
  },
  {
    fields: ['PJRT_ExecuteOptions.call_location'],
    content: 'terminated',
    header: 'The `call_location` pointer is owned by the caller and must point to a null-terminated string.',
  },
  {
    fields: [
      'PJRT_KeyValueGetCallback_Args.value',
      'PJRT_KeyValueTryGetCallback_Args.value',
      'PJRT_KeyValuePutCallback_Args.value',
    ],
    content: 'bytes',
    source: 'xla/pjrt/distributed/topology_util.cc: ExchangeTopologies stores serialized LocalTopologyProtos',
  },

  // Integers that hold values of an enum.
  {
    fields: ['PJRT_ProcessInfo.error_code'],
    holds: 'PJRT_Error_Code',
    source: `${WRAPPER}: error_code goes into the CoordinatedTaskStateInfo, where it is an absl::StatusCode`,
  },

  // Who frees what, where neither a deleter nor a destroy function beside it says so.
  {
    fields: ['PJRT_Plugin_Attributes_Args.attributes'],
    keeper: 'process',
    header: 'Returned attributes have the lifetime of the process.',
  },
  {
    fields: ['PJRT_Client_TopologyDescription_Args.topology'],
    keeper: 'client',
    header: 'The returned topology is owned by the client and should not be deleted by the caller.',
  },
  {
    fields: ['PJRT_Executable_OptimizedProgram_Args.program'],
    given: true,
    header: '`program->code` must point to a client-owned buffer of size >= `program->code_size`',
  },
  {
    fields: ['PJRT_KeyValueGetCallback_Args.value', 'PJRT_KeyValueTryGetCallback_Args.value'],
    deleter: 'value_deleter_callback',
    header: 'The implementation is responsible for copying `value` and then calling value_deleter_callback.',
  },
  {
    fields: ['PJRT_Client_CreateAliasBuffer_Args.fulfill_alias_buffer_cb'],
    spentBy: 'PJRT_Client_FulfillAliasBuffer',
    header: 'size_t error_message_size; in PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb; in',
  },
  {
    fields: ['PJRT_Buffer_CopyRawToHostFuture_Args.callback_data'],
    spentBy: 'future_ready_callback',
    header: 'callback_data should be sent to the future_ready, when dst is ready.',
  },
  {
    fields: ['PJRT_Buffer_DonateWithControlDependency_Args.callback_data'],
    spentBy: 'dependency_ready_callback',
    header:
      'void* callback_data; out void (*dependency_ready_callback)( PJRT_Buffer_DonateWithControlDependency_Callback_Args* args);',
  },

  // What starts work.
  ...starts('PJRT_AsyncHostToDeviceTransferManager_TransferData', {
    source: `${WRAPPER}: done_with_h2d_transfer is completed by the on_done of TransferRawDataToSubBuffer`,
  }),
  ...starts('PJRT_AsyncHostToDeviceTransferManager_TransferLiteral', {
    header: 'Asynchronously copies a host literal to a buffer managed by a transfer manager.',
  }),
  ...starts('PJRT_Buffer_Bitcast', { header: 'Bitcasts the buffer to a new type, dimensions, and layout.' }),
  ...starts('PJRT_Buffer_CopyRawToHost', {
    source: `${WRAPPER}: event is the future of PjRtBuffer::CopyRawToHost`,
  }),
  ...starts('PJRT_Buffer_CopyToDevice', {
    header: 'Copies the buffer to device `dst_device` within the same client.',
  }),
  ...starts('PJRT_Buffer_CopyToMemory', {
    header: 'Copies the buffer to memory `dst_memory` within the same client.',
  }),
  ...starts('PJRT_Buffer_ToHostBuffer', {
    header: "Asynchronously copies the buffer's value into a preallocated host buffer.",
  }),
  ...starts('PJRT_Client_BufferFromHostBuffer', {
    header: 'Asynchronously copies a buffer stored on host to device memory.',
  }),
  ...starts('PJRT_Client_CreateUninitializedBuffer', {
    source: `${WRAPPER}: the buffer is that of PjRtClient::CreateUninitializedBuffer, ready once it is allocated`,
  }),
  ...starts('PJRT_LoadedExecutable_Execute', {
    header: 'each `PJRT_Event` will become ready once the corresponding device execution is complete',
  }),
];

function starts(fn: string, proof: Proof): AnnotationFact[] {
  return [{ fields: [`PJRT_Api.${fn}`], starts: true, ...proof }];
}

/** Objects that a caller never owns. Each output of such a type is kept by what the function is about. */
export const KEPT_TYPES: Readonly<Record<string, Proof>> = {
  PJRT_Device: { header: '`device` has the same lifetime as `client`. It is owned by `client`.' },
  PJRT_Memory: { header: '`memory` has the same lifetime as `device`.' },
  PJRT_DeviceDescription: { header: 'Has the same lifetime as topology. PJRT_DeviceDescription* const* descriptions;' },
};

/** Fields of type size_t that count no elements of a pointer, and what they are. */
export const QUANTITIES: Readonly<Record<string, string>> = {
  'PJRT_Error_FunctionTable.instance_size': 'the size of the error objects',
  'PJRT_Memory_FunctionTable.instance_struct_size': 'the size of the memory objects',
  'PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args.buffer_count': 'the answer itself',
  'PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args.buffer_size': 'the answer itself',
  'PJRT_Executable_NumReplicas_Args.num_replicas': 'the answer itself',
  'PJRT_Executable_NumPartitions_Args.num_partitions': 'the answer itself',
  'PJRT_Executable_NumOutputs_Args.num_outputs': 'the answer itself',
  'PJRT_Buffer_OnDeviceSizeInBytes_Args.on_device_size_in_bytes': 'the answer itself',
  'PJRT_HloOutputCallbackInfo.num_operands': 'how often the callback is called, once for each operand',
};

/** Functions that return an event or a buffer of the caller's, start no work, and why. */
export const STARTS_NOTHING: Readonly<Record<string, string>> = {
  PJRT_Event_Create: 'PJRT_Event_Set completes the event',
  PJRT_Client_CreateErrorBuffer: 'the buffer is an error from the beginning',
  PJRT_Client_CreateAliasBuffer: 'PJRT_Client_FulfillAliasBuffer completes the buffer',
  PJRT_Client_CreateViewOfDeviceBuffer: 'the memory is there already',
  PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer: 'transfers of the manager complete the buffer',
  PJRT_Buffer_CopyRawToHostFuture: 'a call of future_ready_callback starts the copy',
  PJRT_Buffer_DonateWithControlDependency: 'a call of dependency_ready_callback completes the buffer',
  PJRT_Buffer_ReadyEvent: 'asks about work that was started before',
  PJRT_CopyToDeviceStream_AddChunk: 'a stream exists only inside a receive callback',
};
