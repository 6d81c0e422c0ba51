import { EXTENSIONS, reasonNotToCall } from '../../knowledge/abi/index.ts';
import type { ValidCall } from './valid-calls.ts';

const group = (names: string, call: ValidCall): Record<string, ValidCall> =>
  Object.fromEntries(names.split(' ').map((name) => [name, call]));
const taking = (argument: string, object: string): ValidCall => ({ with: { [argument]: object } });
const SHAPE = { type: { dtype: 'f32' }, dims: [2, 3] } as const;

/** Functions of extensions that can be called on their own account, as VALID_CALLS has those of the API table. */
export const EXTENSION_CALLS: Readonly<Record<string, ValidCall>> = {
  'Layouts.PJRT_Layouts_MemoryLayout_Destroy': { ...taking('layout', '$fresh_layout'), consumes: 'fresh_layout' },
  'Layouts.PJRT_Layouts_MemoryLayout_Serialize': taking('layout', '$layout'),
  'Layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout': taking('buffer', '$buffer'),
  'Layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout': { with: { client: '$client', ...SHAPE } },
  'Layouts.PJRT_Layouts_PJRT_Topology_GetDefaultLayout': { with: { topology_description: '$topology', ...SHAPE } },
  ...group(
    'Layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts Layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts ' +
      'Shardings.PJRT_Shardings_PJRT_Executable_ParameterShardings Shardings.PJRT_Shardings_PJRT_Executable_OutputShardings ' +
      'ExecutableMetadata.get_executable_metadata AbiVersion.executable_get_abi_version',
    taking('executable', '$executable'),
  ),
  'ExecutableMetadata.destroy_serialized_metadata': {
    ...taking('metadata', '$fresh_metadata'),
    consumes: 'fresh_metadata',
  },
  'MemoryDescriptions.PJRT_DeviceDescription_MemoryDescriptions': taking('device_description', '$description'),
  'MemoryDescriptions.PJRT_MemoryDescription_Kind': taking('memory_description', '$memory_description'),
  'RawBuffer.PJRT_RawBuffer_CreateRawAliasOfBuffer': taking('buffer', '$buffer'),
  'RawBuffer.PJRT_RawBuffer_Destroy': { ...taking('buffer', '$fresh_raw'), consumes: 'fresh_raw' },
  ...group(
    'RawBuffer.PJRT_RawBuffer_GetOnDeviceSizeInBytes RawBuffer.PJRT_RawBuffer_GetMemorySpace ' +
      'RawBuffer.PJRT_RawBuffer_GetHostPointer',
    taking('buffer', '$raw'),
  ),
  'RawBuffer.PJRT_RawBuffer_CopyRawDeviceToHost': {
    with: { buffer: '$raw', dst: { room: 65536 }, offset: 0, transfer_size: '$device_bytes' },
    awaits: 'event',
  },
  'RawBuffer.PJRT_RawBuffer_CopyRawHostToDevice': {
    with: { buffer: '$raw', src: '$device_data', offset: 0, transfer_size: '$device_bytes' },
    awaits: 'event',
  },
  'AbiVersion.client_runtime_abi_version': taking('client', '$client'),
  'AbiVersion.runtime_abi_version_destroy': {
    ...taking('abi_version', '$fresh_runtime_version'),
    consumes: 'fresh_runtime_version',
  },
  'AbiVersion.executable_abi_version_destroy': {
    ...taking('abi_version', '$fresh_executable_version'),
    consumes: 'fresh_executable_version',
  },
  'AbiVersion.runtime_abi_version_is_compatible_with_runtime': {
    with: { abi_version: '$runtime_version', other_abi_version: '$runtime_version' },
  },
  'AbiVersion.runtime_abi_version_is_compatible_with_executable': {
    with: { abi_version: '$runtime_version', executable_abi_version: '$executable_version' },
  },
  ...group(
    'AbiVersion.runtime_abi_version_to_proto AbiVersion.runtime_abi_version_platform_id',
    taking('abi_version', '$runtime_version'),
  ),
  ...group(
    'AbiVersion.executable_abi_version_to_proto AbiVersion.executable_abi_version_platform_id',
    taking('abi_version', '$executable_version'),
  ),
  'AbiVersion.runtime_abi_version_from_proto': { with: { serialized_proto: '$runtime_proto' } },
  'AbiVersion.executable_abi_version_from_proto': { with: { serialized_proto: '$executable_proto' } },
};

/** Extensions that can be called, but not on their own account, and why. */
const PARTICULAR: Readonly<Record<string, string>> = {
  Stream: 'what waits on a stream is no part of the C API',
  FFI: 'what is registered stays for the whole process',
  Callback: 'what is registered stays for the life of the client',
  PhaseCompile: 'what it compiles is a matter of each plugin',
  HostMemoryAllocator: 'its memory is freed by a function that it returns',
};

/** Why a function of an extension has no valid call; undefined for one that should have. */
export const reasonWithoutCall = (extension: string, slot: string): string | undefined =>
  PARTICULAR[extension] ??
  reasonNotToCall({ name: extension }, { name: slot }) ??
  [...EXTENSIONS.values()].find((e) => e.name === extension && e.status !== 'current')?.status;
