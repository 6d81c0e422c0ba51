import type { Probe } from '../../steps/steps.ts';
import { callbackExtension } from './callbacks.ts';
import { executableMetadataExtension } from './executable-metadata.ts';
import { ffiTypesExtension, ffiUserDataExtension } from './ffi-types.ts';
import { hostAllocatorExtension } from './host-allocator.ts';
import { memoriesOfDevices, memoriesOfTopology } from './memory-descriptions.ts';
import { phaseCompileExtension } from './phase-compile.ts';
import { profilerExtension } from './profiler.ts';
import { profilerSession } from './profiler-session.ts';
import { rawBufferExtension, rawBufferRange } from './raw-buffer.ts';
import { shardingsExtension } from './shardings.ts';

/** Probes of single extensions, by the names of ../names.ts. */
export const EXTENSION_PROBES: Readonly<Record<string, Probe>> = {
  'extension-executable-metadata': executableMetadataExtension,
  'extension-ffi-types': ffiTypesExtension,
  'extension-ffi-user-data': ffiUserDataExtension,
  'extension-callback': callbackExtension,
  'extension-host-allocator': hostAllocatorExtension,
  'extension-memories-of-devices': memoriesOfDevices,
  'extension-memories-of-topology': memoriesOfTopology,
  'extension-phase-compile': phaseCompileExtension,
  'extension-profiler': profilerExtension,
  'extension-profiler-session': profilerSession,
  'extension-raw-buffer': rawBufferExtension,
  'extension-raw-buffer-range': rawBufferRange,
  'extension-shardings': shardingsExtension,
};
