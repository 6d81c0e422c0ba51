/** What a caller of the C API must do, as far as a recording of its calls shows it. */

/** Rules, each with the requirement that it checks (suites/requirements.yaml, level caller). */
export const RULES = {
  'used-after-destroy': 'CAL-OBJ-001',
  'destroyed-twice': 'CAL-OBJ-002',
  'other-plugin': 'CAL-OBJ-003',
  'used-after-keeper': 'CAL-OBJ-004',
  'null-object': 'CAL-OBJ-005',
  'not-its-own': 'CAL-OBJ-006',
  'other-client': 'CAL-OBJ-007',
  'struct-size': 'CAL-ARG-001',
  'null-argument': 'CAL-ARG-002',
  'unknown-value': 'CAL-ARG-003',
  'argument-count': 'CAL-EXE-001',
  'error-not-destroyed': 'CAL-ERR-001',
  'event-read-early': 'EVT-ERR-002',
  'event-set': 'EVT-SET-003',
  'deleted-used': 'CAL-BUF-001',
  'reference-not-taken': 'CAL-BUF-002',
  'reference-kept': 'CAL-BUF-003',
  'read-too-small': 'CAL-BUF-004',
  'retrieved-twice': 'H2D-RET-002',
  'no-such-buffer': 'CAL-H2D-001',
  'sent-after-last': 'CAL-H2D-002',
  'outlived-client': 'RES-002',
} as const;

export type Rule = keyof typeof RULES;

/** Functions that need the data of the buffers that they are given; others answer for a deleted one too, or are not offered. */
export const NEED_DATA: ReadonlySet<string> = new Set([
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Buffer_CopyRawToHost',
  'PJRT_Buffer_CopyRawToHostFuture',
  'PJRT_Buffer_CopyToDevice',
  'PJRT_Buffer_CopyToMemory',
  'PJRT_Buffer_UnsafePointer',
  'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
  'PJRT_LoadedExecutable_Execute',
]);

/** Functions that take null as what they are about, and do nothing. */
export const TAKES_NULL: ReadonlySet<string> = new Set(['PJRT_Error_Destroy']);

/** Arguments, besides lists with a length, that functions use without a test. */
export const DEMANDED: Readonly<Record<string, readonly string[]>> = {
  PJRT_Event_OnReady: ['callback'],
  PJRT_Client_Compile: ['program'],
  PJRT_Compile: ['program'],
  PJRT_LoadedExecutable_Execute: ['options'],
  PJRT_Buffer_CopyToDevice: ['dst_device'],
  PJRT_Buffer_CopyToMemory: ['dst_memory'],
  PJRT_CopyToDeviceStream_AddChunk: ['chunk'],
  PJRT_Client_Load: ['executable'],
};

/** Functions that may be given objects of two clients. */
export const BETWEEN_CLIENTS: ReadonlySet<string> = new Set(['PJRT_Buffer_CopyToDevice', 'PJRT_Buffer_CopyToMemory']);
