import type { Extension, ExtensionSlot } from './extensions.ts';

/** Why functions of an extension are never called: what holds for all of them, or for single ones. */
const REASONS: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  Gpu_Custom_Call: 'it registers a handler for the whole process, for good',
  Custom_Partitioner: 'it registers callbacks for the whole process, for good',
  Triton: 'it needs a Triton module, and nothing says how its result is freed',
  PhaseCompile: { phase_compile_run_phases: 'phases, and the form of their programs, are a matter of each plugin' },
  Example: 'it is for documentation only',
  CrossHostTransfers: 'its arguments have C++ types, and it needs a second host',
  TpuTopology: 'it takes TPU objects without a look at what it is given',
  TpuExecutable: 'it takes TPU objects without a look at what it is given',
  Megascale: 'it starts a runtime of several slices',
  Collectives: 'what it takes comes from Megascale alone',
  MultiSlice: 'what it takes comes from Megascale alone',
  XlaTransform: 'it changes every later compilation of the process',
};

/** Why this tool never calls a function of an extension; undefined for one that can be called on any plugin. */
export function reasonNotToCall(
  extension: Pick<Extension, 'name'>,
  slot: Pick<ExtensionSlot, 'name'>,
): string | undefined {
  const reasons = REASONS[extension.name];
  return typeof reasons === 'string' ? reasons : reasons?.[slot.name];
}

/** Functions that take what another function of their extension makes, and that one. */
const MAKERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PhaseCompile: {
    phase_compile_destroy_compiler: 'phase_compile_get_compiler',
    phase_compile_get_phase_names: 'phase_compile_get_compiler',
    phase_compile_c_buffers_destroy: 'phase_compile_get_phase_names',
  },
  RawBuffer: Object.fromEntries(
    [
      'Destroy',
      'GetOnDeviceSizeInBytes',
      'GetMemorySpace',
      'CopyRawHostToDevice',
      'CopyRawDeviceToHost',
      'GetHostPointer',
    ].map((name) => [`PJRT_RawBuffer_${name}`, 'PJRT_RawBuffer_CreateRawAliasOfBuffer']),
  ),
  ExecutableMetadata: { destroy_serialized_metadata: 'get_executable_metadata' },
  MemoryDescriptions: { PJRT_MemoryDescription_Kind: 'PJRT_DeviceDescription_MemoryDescriptions' },
};

/** The function of the same extension that makes what this one takes; undefined where arguments come from elsewhere. */
export function makerOf(extension: Pick<Extension, 'name'>, slot: Pick<ExtensionSlot, 'name'>): string | undefined {
  return MAKERS[extension.name]?.[slot.name];
}
