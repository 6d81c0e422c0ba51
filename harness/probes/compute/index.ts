import type { Probe } from '../../steps/steps.ts';
import { compileByLength } from './compile-by-length.ts';
import { compileForTopology } from './compile-for-topology.ts';
import { compiledMemoryStats } from './compiled-memory-stats.ts';
import { completionEvent } from './completion-event.ts';
import { concurrentCompilation } from './concurrent-compilation.ts';
import { concurrentExecution } from './concurrent-execution.ts';
import { deviceAssignment } from './device-assignment.ts';
import { dotPrecision } from './dot-precision.ts';
import { executableInNewProcess } from './executable-in-new-process.ts';
import { executeDevice } from './execute-device.ts';
import { executeLists } from './execute-lists.ts';
import { failedExecution } from './failed-execution.ts';
import { hloProgram } from './hlo-program.ts';
import { immutableHostMemory } from './immutable-host-memory.ts';
import { loadElsewhere } from './load-elsewhere.ts';
import { loadOptions } from './load-options.ts';
import { manyArguments } from './many-arguments.ts';
import { olderExecuteOptions } from './older-execute-options.ts';
import { olderMemoryStats } from './older-memory-stats.ts';
import { optimizedProgram } from './optimized-program.ts';
import { optimizedProgramTooSmall } from './optimized-program-too-small.ts';
import { portableArtifact } from './portable-artifact.ts';
import { subnormalOperands } from './subnormal-operands.ts';
import { takenAndShared, takenArgument } from './taken-argument.ts';
import { topologyRefuses } from './topology-refuses.ts';
import { unknownCustomCall } from './unknown-custom-call.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'compile-by-length': compileByLength,
  'compile-for-topology': compileForTopology,
  'compiled-memory-stats': compiledMemoryStats,
  'completion-event': completionEvent,
  'concurrent-compilation': concurrentCompilation,
  'concurrent-execution': concurrentExecution,
  'device-assignment': deviceAssignment,
  'dot-precision': dotPrecision,
  'executable-in-new-process': executableInNewProcess,
  'execute-device': executeDevice,
  'execute-lists': executeLists,
  'failed-execution': failedExecution,
  'hlo-program': hloProgram,
  'immutable-host-memory': immutableHostMemory,
  'load-elsewhere': loadElsewhere,
  'load-options': loadOptions,
  'many-arguments': manyArguments,
  'older-execute-options': olderExecuteOptions,
  'older-memory-stats': olderMemoryStats,
  'optimized-program': optimizedProgram,
  'optimized-program-too-small': optimizedProgramTooSmall,
  'portable-artifact': portableArtifact,
  'subnormal-operands': subnormalOperands,
  'taken-and-shared': takenAndShared,
  'taken-argument': takenArgument,
  'topology-refuses': topologyRefuses,
  'unknown-custom-call': unknownCustomCall,
};
