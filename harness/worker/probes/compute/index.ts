import type { Probe } from '../../steps/steps.ts';
import { compileByLength } from './compile-by-length.ts';
import { compiledMemoryStats } from './compiled-memory-stats.ts';
import { completionEvent } from './completion-event.ts';
import { contentsWhenComplete, contentsWhenReady } from './contents-in-time.ts';
import { deviceAssignment } from './device-assignment.ts';
import { dotPrecision } from './dot-precision.ts';
import { executableInNewProcess } from './executable-in-new-process.ts';
import { executeDevice } from './execute-device.ts';
import { executeLists } from './execute-lists.ts';
import { failedExecution } from './failed-execution.ts';
import { ffiHandlerAttributes } from './ffi/handler-attributes.ts';
import { ffiHandlerError } from './ffi/handler-error.ts';
import { ffiHandlerFailsLater, ffiHandlerLater } from './ffi/handler-later.ts';
import { ffiHandlerRun } from './ffi/handler-run.ts';
import { ffiHandlerUserData } from './ffi/handler-user-data.ts';
import { hloProgram } from './hlo-program.ts';
import { receiveCallback, receiveTooMuch, sendCallback, sendCallbackError } from './host-channels.ts';
import { immutableHostMemory } from './immutable-host-memory.ts';
import { loadElsewhere } from './load-elsewhere.ts';
import { manyArguments } from './many-arguments.ts';
import { olderExecuteOptions } from './older-execute-options.ts';
import { olderMemoryStats } from './older-memory-stats.ts';
import { optimizedProgram } from './optimized-program.ts';
import { optimizedProgramTooSmall } from './optimized-program-too-small.ts';
import { portableArtifact } from './portable-artifact.ts';
import { subnormalOperands } from './subnormal-operands.ts';
import { takenAndShared, takenArgumentAwaited, takenArgumentExecuted, takenArgumentRead } from './taken-argument.ts';
import { unknownCustomCall } from './unknown-custom-call.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'compile-by-length': compileByLength,
  'compiled-memory-stats': compiledMemoryStats,
  'completion-event': completionEvent,
  'contents-when-complete': contentsWhenComplete,
  'contents-when-ready': contentsWhenReady,
  'device-assignment': deviceAssignment,
  'dot-precision': dotPrecision,
  'executable-in-new-process': executableInNewProcess,
  'execute-device': executeDevice,
  'execute-lists': executeLists,
  'failed-execution': failedExecution,
  'ffi-handler-attributes': ffiHandlerAttributes,
  'ffi-handler-error': ffiHandlerError,
  'ffi-handler-fails-later': ffiHandlerFailsLater,
  'ffi-handler-later': ffiHandlerLater,
  'ffi-handler-run': ffiHandlerRun,
  'ffi-handler-user-data': ffiHandlerUserData,
  'hlo-program': hloProgram,
  'immutable-host-memory': immutableHostMemory,
  'load-elsewhere': loadElsewhere,
  'many-arguments': manyArguments,
  'older-execute-options': olderExecuteOptions,
  'older-memory-stats': olderMemoryStats,
  'optimized-program': optimizedProgram,
  'optimized-program-too-small': optimizedProgramTooSmall,
  'portable-artifact': portableArtifact,
  'subnormal-operands': subnormalOperands,
  'taken-and-shared': takenAndShared,
  'taken-argument-awaited': takenArgumentAwaited,
  'taken-argument-executed': takenArgumentExecuted,
  'taken-argument-read': takenArgumentRead,
  'unknown-custom-call': unknownCustomCall,
  'receive-callback': receiveCallback,
  'receive-too-much': receiveTooMuch,
  'send-callback': sendCallback,
  'send-callback-error': sendCallbackError,
};
