/** What a replay does with functions that it does not simply call again, as data. */
import { isExtensionFunction } from '../../../knowledge/abi/index.ts';

/** The harness does these itself: it has initialized the plugin, and it reads and destroys each error when it is returned. */
const OWN: ReadonlySet<string> = new Set([
  'PJRT_Plugin_Initialize',
  'PJRT_Error_Destroy',
  'PJRT_Error_Message',
  'PJRT_Error_GetCode',
  'PJRT_Error_ForEachPayload',
]);

/** What these are about exists only in the process, or with the plugin, that was recorded. */
const PROCESS_BOUND: Readonly<Record<string, string>> = {
  PJRT_Client_CreateViewOfDeviceBuffer: 'memory of the recorded process',
  PJRT_Client_DmaMap: 'memory of the recorded process',
  PJRT_Client_DmaUnmap: 'memory of the recorded process',
  PJRT_Client_FulfillAliasBuffer: 'a handle of the recorded process',
  PJRT_Executable_OptimizedProgram: 'a program of the recorded compiler, whose size the caller has asked for before',
  PJRT_Buffer_CopyRawToHostFuture: 'memory that a callback of the recorded process gives',
};

/** Extensions whose functions are about callbacks and streams of their process. */
const PROCESS_BOUND_EXTENSIONS: ReadonlySet<string> = new Set([
  'Gpu_Custom_Call',
  'Custom_Partitioner',
  'Stream',
  'FFI',
  'Callback',
  'CrossHostTransfers',
  'HostAllocator',
  'Profiler',
]);

/** Calls that may wait for what other threads do: made again where they returned, not where they began. */
export const WAITS: ReadonlySet<string> = new Set(['PJRT_Event_Await']);

/** Calls that are made when what they were given has been read: the recorder did so before it passed them on. */
export const READ_BEFORE: ReadonlySet<string> = new Set(['PJRT_LoadedExecutable_Execute']);

/** Calls that may be made only when an event is ready. */
export const NEEDS_READY: ReadonlySet<string> = new Set(['PJRT_Event_Error']);

/** What these do to the number of external references of a buffer. */
export const REFERENCES: Readonly<Record<string, 1 | -1>> = {
  PJRT_Buffer_IncreaseExternalReferenceCount: 1,
  PJRT_Buffer_DecreaseExternalReferenceCount: -1,
};

/** Answers that follow from the program and from what was called, whatever the plugin: these must be the same. */
export const SAME: Readonly<Record<string, readonly string[]>> = {
  PJRT_Buffer_ElementType: ['type'],
  PJRT_Buffer_Dimensions: ['dims'],
  PJRT_Buffer_IsDeleted: ['is_deleted'],
  PJRT_Executable_NumOutputs: ['num_outputs'],
  PJRT_Executable_NumReplicas: ['num_replicas'],
  PJRT_Executable_NumPartitions: ['num_partitions'],
  PJRT_Executable_OutputElementTypes: ['output_types'],
  PJRT_Executable_OutputDimensions: ['dims', 'dim_sizes'],
  PJRT_LoadedExecutable_IsDeleted: ['is_deleted'],
  PJRT_AsyncHostToDeviceTransferManager_BufferCount: ['buffer_count'],
};

/** Buffers whose contents are those of host data, or of another buffer: the fields that name them. */
export const MADE_OF: Readonly<Record<string, { buffer: string; of?: string }>> = {
  PJRT_Client_BufferFromHostBuffer: { buffer: 'buffer' },
  PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer: { buffer: 'buffer_out' },
  PJRT_Buffer_CopyToDevice: { buffer: 'dst_buffer', of: 'buffer' },
  PJRT_Buffer_CopyToMemory: { buffer: 'dst_buffer', of: 'buffer' },
};

/** Calls without which a session has no results. */
export const GIVES_RESULTS: ReadonlySet<string> = new Set([
  'PJRT_Client_BufferFromHostBuffer',
  'PJRT_Client_Compile',
  'PJRT_Executable_DeserializeAndLoad',
  'PJRT_LoadedExecutable_Execute',
  'PJRT_Buffer_ToHostBuffer',
]);

/** Why a function is not called; undefined if it is. */
export function leftOut(name: string): string | undefined {
  if (OWN.has(name)) return 'what the harness does itself';
  if (PROCESS_BOUND[name] !== undefined) return PROCESS_BOUND[name];
  const extension = isExtensionFunction(name) ? name.split('.')[0]! : undefined;
  return extension !== undefined && PROCESS_BOUND_EXTENSIONS.has(extension)
    ? `the extension ${extension}, which is about its process`
    : undefined;
}
