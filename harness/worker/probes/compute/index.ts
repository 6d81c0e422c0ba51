import type { Probe } from '../../steps/steps.ts';
import { contentsWhenComplete, contentsWhenReady } from '../asynchrony/contents-in-time.ts';
import { compileByLength } from '../compile/compile-by-length.ts';
import { concurrentCompilationOfOne, concurrentCompilationOfSeveral } from '../compile/concurrent-compilation.ts';
import { deviceAssignment } from '../compile/device-assignment.ts';
import { hloProgram } from '../compile/hlo-program.ts';
import { portableArtifact } from '../compile/portable-artifact.ts';
import { unknownCustomCall } from '../compile/unknown-custom-call.ts';
import { immutableHostMemory } from '../donation/immutable-host-memory.ts';
import {
  takenAndShared,
  takenArgumentAwaited,
  takenArgumentExecuted,
  takenArgumentRead,
} from '../donation/taken-argument.ts';
import { compiledMemoryStats } from '../executables/compiled-memory-stats.ts';
import { olderMemoryStats } from '../executables/older-memory-stats.ts';
import { optimizedProgram } from '../executables/optimized-program.ts';
import { optimizedProgramTooSmall } from '../executables/optimized-program-too-small.ts';
import { completionEvent } from '../execute/completion-event.ts';
import { concurrentExecution } from '../execute/concurrent-execution.ts';
import { executeDevice } from '../execute/execute-device.ts';
import { executeLists } from '../execute/execute-lists.ts';
import { failedExecution } from '../execute/failed-execution.ts';
import { receiveCallback, receiveTooMuch, sendCallback, sendCallbackError } from '../execute/host-channels.ts';
import { manyArguments } from '../execute/many-arguments.ts';
import { olderExecuteOptions } from '../execute/older-execute-options.ts';
import { ffiHandlerAttributes } from '../extensions/ffi/handler-attributes.ts';
import { ffiHandlerError } from '../extensions/ffi/handler-error.ts';
import { ffiHandlerFailsLater, ffiHandlerLater } from '../extensions/ffi/handler-later.ts';
import { ffiHandlerRun } from '../extensions/ffi/handler-run.ts';
import { ffiHandlerUserData } from '../extensions/ffi/handler-user-data.ts';
import { dotPrecision } from '../numerics/dot-precision.ts';
import { subnormalOperands } from '../numerics/subnormal-operands.ts';
import { executableInNewProcess } from '../serialization/executable-in-new-process.ts';
import { loadElsewhere } from '../serialization/load-elsewhere.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'compile-by-length': compileByLength,
  'compiled-memory-stats': compiledMemoryStats,
  'completion-event': completionEvent,
  'contents-when-complete': contentsWhenComplete,
  'contents-when-ready': contentsWhenReady,
  'concurrent-compilation-of-one': concurrentCompilationOfOne,
  'concurrent-compilation-of-several': concurrentCompilationOfSeveral,
  'concurrent-execution': concurrentExecution,
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
