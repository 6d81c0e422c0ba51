import type { Buffer } from '../pjrt/buffer.ts';
import type { CaseContext } from './context.ts';

/** How a function is called with arguments that nobody can object to, in the value language of `call` steps. */
export interface ValidCall {
  /** Arguments by field name; `$names` are made by valid-objects.ts. */
  with: Readonly<Record<string, unknown>>;
  /** The `$name` of the argument that a successful call takes away from the caller. */
  consumes?: string;
  /** Names of event outputs to wait for, because the call's own memory is in use until then. */
  awaits?: string;
  /** Puts back what the call changed, now or at the end of the case. */
  settle?(context: CaseContext, succeeded: boolean): void;
}

const F32_2X3 = { dims: [2, 3] } as const;
const LAYOUT = {
  struct: 'PJRT_Buffer_MemoryLayout',
  with: { tiled: { struct: 'PJRT_Buffer_MemoryLayout_Tiled', with: { minor_to_major: [1, 0] } }, type: 0 },
} as const;
const PROGRAM = { struct: 'PJRT_Program', with: { code: '$program', format: 'mlir' } } as const;

/** A function that takes one object and nothing else. */
const of = (argument: string, object: string): ValidCall => ({ with: { [argument]: object } });
const group = (names: string, call: ValidCall): Record<string, ValidCall> =>
  Object.fromEntries(names.split(' ').map((name) => [name, call]));

/** Every function that can be called on its own account. Those left out are in UNSOUND, with the reason. */
export const VALID_CALLS: Readonly<Record<string, ValidCall>> = {
  PJRT_Error_Destroy: { ...of('error', '$fresh_error'), consumes: 'fresh_error' },
  ...group('PJRT_Error_Message PJRT_Error_GetCode', of('error', '$fresh_error')),
  PJRT_Error_ForEachPayload: { with: { error: '$fresh_error', visitor: '$harmless' } },
  PJRT_Plugin_Attributes: { with: {} },
  PJRT_Event_Destroy: { ...of('event', '$fresh_event'), consumes: 'fresh_event' },
  ...group('PJRT_Event_IsReady PJRT_Event_Error PJRT_Event_Await', of('event', '$event')),
  PJRT_Event_OnReady: { with: { event: '$event', callback: '$harmless' } },
  PJRT_Event_Create: { with: {} },
  PJRT_Event_Set: { with: { event: '$fresh_created_event', error_code: 0 } },
  PJRT_Client_Create: { with: { create_options: '$create_options', num_options: '$num_create_options' } },
  PJRT_Client_Destroy: { ...of('client', '$fresh_client'), consumes: 'fresh_client' },
  ...group(
    'PJRT_Client_PlatformName PJRT_Client_ProcessIndex PJRT_Client_PlatformVersion PJRT_Client_Devices ' +
      'PJRT_Client_AddressableDevices PJRT_Client_AddressableMemories PJRT_Client_TopologyDescription',
    of('client', '$client'),
  ),
  PJRT_Client_LookupDevice: { with: { client: '$client', id: '$device_id' } },
  PJRT_Client_LookupAddressableDevice: { with: { client: '$client', local_hardware_id: '$local_hardware_id' } },
  PJRT_Client_Compile: { with: { client: '$client', program: PROGRAM, compile_options: '$compile_options' } },
  PJRT_Client_DefaultDeviceAssignment: {
    with: {
      client: '$client',
      num_replicas: 1,
      num_partitions: 1,
      default_assignment_size: 1,
      default_assignment: { room: 4 },
    },
  },
  PJRT_Client_BufferFromHostBuffer: {
    with: {
      client: '$client',
      data: '$host_data',
      type: { dtype: 'f32' },
      ...F32_2X3,
      host_buffer_semantics: 0,
      device: '$device',
    },
    awaits: 'done_with_host_buffer',
  },
  PJRT_Client_CreateViewOfDeviceBuffer: {
    with: {
      client: '$client',
      device_buffer_ptr: '$device_pointer',
      ...F32_2X3,
      element_type: { dtype: 'f32' },
      layout: LAYOUT,
      device: '$device',
      on_delete_callback: '$harmless',
    },
  },
  PJRT_Client_CreateUninitializedBuffer: {
    with: {
      client: '$client',
      shape_dims: [2, 3],
      shape_element_type: { dtype: 'f32' },
      shape_layout: LAYOUT,
      device: '$device',
    },
  },
  PJRT_Client_CreateErrorBuffer: {
    with: {
      client: '$client',
      error_code: { enum: 'INTERNAL' },
      error_message: 'on purpose',
      shape_dims: [2, 3],
      shape_element_type: { dtype: 'f32' },
      shape_layout: LAYOUT,
      memory: '$memory',
    },
  },
  PJRT_Client_CreateBuffersForAsyncHostToDevice: {
    with: {
      client: '$client',
      shape_specs: [{ struct: 'PJRT_ShapeSpec', with: { dims: [2, 3], element_type: { dtype: 'f32' } } }],
      memory: '$memory',
    },
  },
  PJRT_Client_DmaMap: {
    with: { client: '$client', data: '$unmapped_pages', size: 1 << 20 },
    settle: (context, succeeded) => {
      if (!succeeded || !context.api.has('PJRT_Client_DmaUnmap')) return;
      context.api.invoke('PJRT_Client_DmaUnmap', (call) => {
        call.setWord('client', context.client.pointer);
        call.setWord('data', context.resolve('unmapped_pages') as bigint);
      });
    },
  },
  PJRT_Client_UpdateGlobalProcessInfo: { with: { client: '$client', process_infos: null, num_process_infos: 0 } },
  PJRT_Client_Load: { with: { client: '$client', executable: '$unloaded', compile_options: '$compile_options' } },
  ...group(
    'PJRT_DeviceDescription_Id PJRT_DeviceDescription_ProcessIndex PJRT_DeviceDescription_Attributes ' +
      'PJRT_DeviceDescription_Kind PJRT_DeviceDescription_DebugString PJRT_DeviceDescription_ToString',
    of('device_description', '$description'),
  ),
  ...group(
    'PJRT_Device_GetDescription PJRT_Device_IsAddressable PJRT_Device_LocalHardwareId PJRT_Device_AddressableMemories ' +
      'PJRT_Device_DefaultMemory PJRT_Device_MemoryStats PJRT_Device_GetAttributes PJRT_Device_ClearMemoryStats',
    of('device', '$device'),
  ),
  PJRT_Device_PoisonExecution: {
    with: {
      device: '$device',
      launch_id: 2000000011,
      error_code: { enum: 'INTERNAL' },
      error_message: 'on purpose',
    },
  },
  PJRT_Device_CreateAsyncTrackingEvent: { with: { device: '$device', description: 'valid' } },
  PJRT_AsyncTrackingEvent_Destroy: { ...of('event', '$fresh_tracking_event'), consumes: 'fresh_tracking_event' },
  ...group(
    'PJRT_Memory_Id PJRT_Memory_Kind PJRT_Memory_Kind_Id PJRT_Memory_DebugString PJRT_Memory_ToString ' +
      'PJRT_Memory_AddressableByDevices',
    of('memory', '$memory'),
  ),
  PJRT_Executable_Destroy: { ...of('executable', '$fresh_executable'), consumes: 'fresh_executable' },
  ...group(
    'PJRT_Executable_Name PJRT_Executable_NumReplicas PJRT_Executable_NumPartitions PJRT_Executable_NumOutputs ' +
      'PJRT_Executable_SizeOfGeneratedCodeInBytes PJRT_Executable_GetCostAnalysis PJRT_Executable_OutputMemoryKinds ' +
      'PJRT_Executable_Serialize PJRT_Executable_OutputElementTypes PJRT_Executable_OutputDimensions ' +
      'PJRT_Executable_Fingerprint PJRT_Executable_GetCompiledMemoryStats PJRT_Executable_GetCompileOptions ' +
      'PJRT_Executable_ParameterMemoryKinds',
    of('executable', '$executable'),
  ),
  PJRT_Executable_OptimizedProgram: {
    with: { executable: '$executable', program: { struct: 'PJRT_Program', with: {} } },
  },
  PJRT_Executable_DeserializeAndLoad: { with: { client: '$client', serialized_executable: '$serialized_executable' } },
  PJRT_LoadedExecutable_Destroy: { ...of('executable', '$fresh_loaded'), consumes: 'fresh_loaded' },
  PJRT_LoadedExecutable_GetExecutable: of('loaded_executable', '$loaded'),
  PJRT_LoadedExecutable_Delete: of('executable', '$fresh_loaded'),
  ...group(
    'PJRT_LoadedExecutable_AddressableDevices PJRT_LoadedExecutable_IsDeleted PJRT_LoadedExecutable_Fingerprint ' +
      'PJRT_LoadedExecutable_GetDeviceAssignment PJRT_LoadedExecutable_AddressableDeviceLogicalIds',
    of('executable', '$loaded'),
  ),
  PJRT_LoadedExecutable_Execute: {
    with: {
      executable: '$loaded',
      options: { struct: 'PJRT_ExecuteOptions', with: {} },
      argument_lists: '$argument_lists',
      num_devices: 1,
      num_args: 1,
      output_lists: '$output_lists',
      device_complete_events: '$complete_events',
    },
  },
  PJRT_Buffer_Destroy: { ...of('buffer', '$fresh_buffer'), consumes: 'fresh_buffer' },
  PJRT_Buffer_Delete: of('buffer', '$fresh_buffer'),
  ...group(
    'PJRT_Buffer_ElementType PJRT_Buffer_Dimensions PJRT_Buffer_UnpaddedDimensions ' +
      'PJRT_Buffer_DynamicDimensionIndices PJRT_Buffer_GetMemoryLayout PJRT_Buffer_OnDeviceSizeInBytes ' +
      'PJRT_Buffer_Device PJRT_Buffer_Memory PJRT_Buffer_IsDeleted PJRT_Buffer_IsOnCpu PJRT_Buffer_ReadyEvent ' +
      'PJRT_Buffer_UnsafePointer PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
    of('buffer', '$buffer'),
  ),
  PJRT_Buffer_IncreaseExternalReferenceCount: {
    ...of('buffer', '$fresh_buffer'),
    settle: (context, succeeded) => {
      const buffer = context.resolve('fresh_buffer') as Buffer;
      if (succeeded) context.scope.defer(() => buffer.dropReference());
    },
  },
  PJRT_Buffer_DecreaseExternalReferenceCount: {
    ...of('buffer', '$fresh_counted_buffer'),
    settle: (context, succeeded) => {
      if (!succeeded) (context.resolve('fresh_counted_buffer') as Buffer).dropReference();
    },
  },
  PJRT_Buffer_CopyToDevice: { with: { buffer: '$buffer', dst_device: '$other_device' } },
  PJRT_Buffer_CopyToMemory: { with: { buffer: '$buffer', dst_memory: '$other_memory' } },
  PJRT_Buffer_ToHostBuffer: { with: { src: '$buffer', dst: { room: 24 }, dst_size: 24 }, awaits: 'event' },
  PJRT_Buffer_CopyRawToHost: {
    with: { buffer: '$buffer', dst: { room: 65536 }, offset: 0, transfer_size: '$device_bytes' },
    awaits: 'event',
  },
  PJRT_Buffer_Bitcast: { with: { buffer: '$fresh_buffer', element_type: { dtype: 's32' }, dims: [2, 3] } },
  PJRT_TopologyDescription_Create: {
    with: {
      topology_name: '$topology_name',
      create_options: '$topology_options',
      num_options: '$num_topology_options',
    },
  },
  PJRT_TopologyDescription_Destroy: { ...of('topology', '$fresh_topology'), consumes: 'fresh_topology' },
  ...group(
    'PJRT_TopologyDescription_PlatformName PJRT_TopologyDescription_PlatformVersion ' +
      'PJRT_TopologyDescription_GetDeviceDescriptions PJRT_TopologyDescription_Serialize ' +
      'PJRT_TopologyDescription_Attributes PJRT_TopologyDescription_Fingerprint ' +
      'PJRT_TopologyDescription_GetMemorySpaceKindIds',
    of('topology', '$topology'),
  ),
  PJRT_TopologyDescription_Deserialize: { with: { serialized_topology: '$serialized_topology' } },
  PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace: {
    with: {
      topology: '$topology',
      memory_space_kind_id: '$kind_id',
      dims: [2, 3],
      element_type: { dtype: 'f32' },
    },
  },
  PJRT_Compile: { with: { topology: '$topology', program: PROGRAM, compile_options: '$compile_options' } },
  PJRT_ExecuteContext_Create: { with: {} },
  PJRT_ExecuteContext_Destroy: { ...of('context', '$fresh_context'), consumes: 'fresh_context' },
  PJRT_AsyncHostToDeviceTransferManager_Destroy: {
    ...of('transfer_manager', '$fresh_manager'),
    consumes: 'fresh_manager',
  },
  PJRT_AsyncHostToDeviceTransferManager_TransferData: {
    with: {
      transfer_manager: '$fresh_manager',
      buffer_index: 0,
      data: '$device_data',
      offset: 0,
      transfer_size: '$device_bytes',
      is_last_transfer: true,
    },
    awaits: 'done_with_h2d_transfer',
  },
  PJRT_AsyncHostToDeviceTransferManager_TransferLiteral: {
    with: {
      transfer_manager: '$fresh_manager',
      buffer_index: 0,
      data: '$host_data',
      shape_dims: [2, 3],
      shape_element_type: { dtype: 'f32' },
      shape_layout: LAYOUT,
    },
    awaits: 'done_with_h2d_transfer',
  },
  PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer: {
    with: { transfer_manager: '$fresh_manager', buffer_index: 0 },
  },
  ...group(
    'PJRT_AsyncHostToDeviceTransferManager_Device PJRT_AsyncHostToDeviceTransferManager_BufferCount',
    of('transfer_manager', '$fresh_manager'),
  ),
  PJRT_AsyncHostToDeviceTransferManager_BufferSize: { with: { transfer_manager: '$fresh_manager', buffer_index: 0 } },
  PJRT_AsyncHostToDeviceTransferManager_SetBufferError: {
    with: {
      transfer_manager: '$fresh_manager',
      buffer_index: 0,
      error_code: { enum: 'INTERNAL' },
      error_message: 'on purpose',
    },
  },
  PJRT_AsyncHostToDeviceTransferManager_AddMetadata: {
    with: { transfer_manager: '$fresh_manager', transfer_metadata: { named: { key: 'value' } } },
  },
};

/** Functions without a list of valid arguments, and why. */
export const UNSOUND: Readonly<Record<string, string>> = {
  PJRT_Plugin_Initialize: 'must be called once, by the loader',
  ...Object.fromEntries(
    ['Destroy', 'AddChunk', 'TotalBytes', 'GranuleSize', 'CurrentBytes'].map((name) => [
      `PJRT_CopyToDeviceStream_${name}`,
      'a stream exists only inside a receive callback',
    ]),
  ),
  PJRT_Client_CreateAliasBuffer: 'leaves a promise that has to be kept with another call',
  PJRT_Client_FulfillAliasBuffer: 'keeps a promise once',
  PJRT_Client_DmaUnmap: 'only for memory that was mapped, which plugins rarely offer',
  PJRT_Buffer_CopyRawToHostFuture: 'leaves a promise that has to be kept with another call',
  PJRT_Buffer_DonateWithControlDependency: 'leaves a promise that has to be kept with another call',
};
