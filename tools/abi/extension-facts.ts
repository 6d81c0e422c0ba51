import type { ExtensionRow } from '../../harness/knowledge/abi/extension-format.ts';

const C = 'xla/pjrt/c/pjrt_c_api_';
const EXTENSIONS = 'xla/pjrt/extensions/';

/** What the headers do not say about the extensions: where they are, how far to probe, which sizes they have had. */
export const EXTENSION_FACTS: readonly ExtensionRow[] = [
  row(0, 'Gpu_Custom_Call', 'R', `${C}gpu_extension.h`, 'PJRT_Gpu_Custom_Call', { '2024-02-27': 32, '2026-08-10': 33 }),
  row(1, 'Profiler', 'A', `${C}profiler_extension.h`, 'PJRT_Profiler_Extension', {
    '2024-02-27': 32,
    '2024-02-28': 40,
  }),
  row(2, 'Custom_Partitioner', 'R', `${C}custom_partitioner_extension.h`, 'PJRT_Custom_Partitioner_Extension', {
    '2024-03-29': 32,
    '2025-02-07': 40,
  }),
  row(3, 'Stream', 'B', `${C}stream_extension.h`, 'PJRT_Stream_Extension', { '2024-04-19': 40 }),
  row(4, 'Layouts', 'A', `${C}layouts_extension.h`, 'PJRT_Layouts_Extension', {
    '2024-05-02': 56,
    '2025-08-28': 64,
    '2025-10-20': 72,
    '2026-02-20': 80,
  }),
  row(5, 'FFI', 'B', `${C}ffi_extension.h`, 'PJRT_FFI_Extension', {
    '2024-05-22': 32,
    '2024-06-10': 40,
    '2025-07-29': 48,
    '2025-10-17': 56,
    '2025-10-22': 48,
  }),
  row(6, 'MemoryDescriptions', 'A', `${C}memory_descriptions_extension.h`, 'PJRT_MemoryDescriptions_Extension', {
    '2024-12-17': 40,
  }),
  row(7, 'Triton', 'R', `${C}triton_extension.h`, 'PJRT_Triton_Extension', { '2025-01-23': 32 }),
  row(8, 'RawBuffer', 'B', `${C}raw_buffer_extension.h`, 'PJRT_RawBuffer_Extension', {
    '2025-02-06': 72,
    '2025-07-30': 80,
  }),
  {
    ...row(9, 'PhaseCompile', 'A', `${C}phase_compile_extension.h`, 'PJRT_PhaseCompile_Extension', {
      '2025-06-16': 56,
      '2025-07-08': 64,
    }),
    nullable: ['phase_compile_get_compiler', 'phase_compile_destroy_compiler'],
    slotProbe: { phase_compile_run_phases: 'R' },
  },
  row(10, 'Example', 'R', `${EXTENSIONS}example/example_extension.h`, 'PJRT_Example_Extension', { '2025-07-10': 48 }),
  { type: 11, name: 'Unknown', status: 'reserved', probe: 'R', sizes: [] },
  row(
    12,
    'CrossHostTransfers',
    'R',
    `${EXTENSIONS}cross_host_transfers/pjrt_c_api_cross_host_transfers_extension.h`,
    'PJRT_CrossHostTransfers_Extension',
    { '2025-07-30': 40, '2025-11-05': 56 },
  ),
  row(
    13,
    'ExecutableMetadata',
    'A',
    `${EXTENSIONS}executable_metadata/executable_metadata_extension.h`,
    'PJRT_ExecutableMetadata_Extension',
    { '2025-08-14': 40 },
  ),
  row(14, 'Callback', 'B', `${C}callback_extension.h`, 'PJRT_Callback_Extension', { '2025-09-22': 40 }),
  { type: 15, name: 'HostAllocator', status: 'removed', probe: 'R', sizes: [{ size: 48, since: '2025-10-02' }] },
  row(16, 'TpuTopology', 'R', `${C}tpu_topology_extension.h`, 'PJRT_TpuTopology_Extension', {
    '2025-11-21': 240,
    '2026-01-20': 248,
    '2026-01-30': 272,
  }),
  row(17, 'TpuExecutable', 'R', `${C}tpu_executable_extension.h`, 'PJRT_TpuExecutable_Extension', {
    '2026-01-26': 40,
    '2026-01-28': 48,
    '2026-02-28': 80,
    '2026-03-12': 88,
    '2026-07-28': 96,
  }),
  row(18, 'Megascale', 'R', `${C}megascale_extension.h`, 'PJRT_Megascale_Extension', {
    '2026-01-26': 72,
    '2026-02-04': 128,
    '2026-02-23': 136,
    '2026-03-06': 152,
    '2026-03-10': 232,
    '2026-03-18': 240,
    '2026-03-31': 248,
  }),
  row(19, 'Shardings', 'A', `${C}shardings_extension.h`, 'PJRT_Shardings_Extension', { '2026-02-03': 40 }),
  row(20, 'AbiVersion', 'A', `${C}abi_version_extension.h`, 'PJRT_AbiVersion_Extension', { '2026-02-17': 120 }),
  row(21, 'Collectives', 'R', `${C}collectives_extension.h`, 'PJRT_Collectives_Extension', { '2026-02-23': 96 }),
  row(22, 'MultiSlice', 'R', `${C}multi_slice_extension.h`, 'PJRT_MultiSlice_Extension', { '2026-02-25': 64 }),
  row(
    23,
    'HostMemoryAllocator',
    'B',
    `${EXTENSIONS}host_memory_allocator/host_memory_allocator_extension.h`,
    'PJRT_HostMemoryAllocator_Extension',
    { '2026-04-08': 32 },
  ),
  row(24, 'XlaTransform', 'R', `${C}xla_transform_extension.h`, 'PJRT_Xla_Transform_Extension', {
    '2026-05-18': 32,
    '2026-06-04': 40,
    '2026-08-07': 56,
  }),
];

/** Headers that extensions refer to and that publish no extension themselves. */
export const SUPPORT_HEADERS = [`${C}device_event.h`, 'xla/backends/profiler/plugin/profiler_c_api.h'];

function row(
  type: number,
  name: string,
  probe: ExtensionRow['probe'],
  header: string,
  struct: string,
  sizes: Record<string, number>,
): ExtensionRow {
  return { type, name, probe, header, struct, sizes: Object.entries(sizes).map(([since, size]) => ({ size, since })) };
}

/**
 * Structs that an earlier header laid out otherwise, and not only shorter: the day since which their fields are where they are
 * today. Looked up in the history of XLA's headers by tools/abi/extension-history.ts.
 */
export const LAYOUT_SINCE: Readonly<Record<string, string>> = {
  PJRT_Gpu_Register_Custom_Call_Args: '2024-09-24',
  PJRT_RawBuffer_CopyRawHostToDevice_Args: '2025-02-20',
  PJRT_PhaseCompile_Extension: '2025-06-27',
  PJRT_FFI_Extension: '2025-10-22',
  PJRT_FFI_UserData: '2025-11-01',
  PJRT_FFI_UserData_Add_Args: '2025-11-01',
  PJRT_Triton_Compile_Args: '2025-12-11',
  PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args: '2026-01-14',
};
