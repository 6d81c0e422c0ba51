import type { Probe } from '../../steps/steps.ts';
import { compileOptionsComeBack } from './compile-options-come-back.ts';
import { compiledMemoryStats } from './compiled-memory-stats.ts';
import { completionEvent } from './completion-event.ts';
import { concurrentExecution } from './concurrent-execution.ts';
import { costProperties } from './cost-properties.ts';
import { declaredOutputs } from './declared-outputs.ts';
import { deviceAssignment } from './device-assignment.ts';
import { donationWithReference } from './donation-with-reference.ts';
import { dotPrecision } from './dot-precision.ts';
import { executeDevice } from './execute-device.ts';
import { executeLists } from './execute-lists.ts';
import { executeMemoryOverwritten } from './execute-memory-overwritten.ts';
import { failedExecution } from './failed-execution.ts';
import { immutableHostMemory } from './immutable-host-memory.ts';
import { logicalIds } from './logical-ids.ts';
import { manyArguments } from './many-arguments.ts';
import { memoryKinds } from './memory-kinds.ts';
import { olderExecuteOptions } from './older-execute-options.ts';
import { olderMemoryStats } from './older-memory-stats.ts';
import { optimizedProgram } from './optimized-program.ts';
import { optimizedProgramTooSmall } from './optimized-program-too-small.ts';
import { outputMemoryKinds } from './output-memory-kinds.ts';
import { recompiledExecution } from './recompiled-execution.ts';
import { repeatedExecution } from './repeated-execution.ts';
import { subnormalOperands } from './subnormal-operands.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'compile-options-come-back': compileOptionsComeBack,
  'compiled-memory-stats': compiledMemoryStats,
  'completion-event': completionEvent,
  'concurrent-execution': concurrentExecution,
  'cost-properties': costProperties,
  'declared-outputs': declaredOutputs,
  'device-assignment': deviceAssignment,
  'donation-with-reference': donationWithReference,
  'dot-precision': dotPrecision,
  'execute-device': executeDevice,
  'execute-lists': executeLists,
  'execute-memory-overwritten': executeMemoryOverwritten,
  'failed-execution': failedExecution,
  'immutable-host-memory': immutableHostMemory,
  'logical-ids': logicalIds,
  'many-arguments': manyArguments,
  'memory-kinds': memoryKinds,
  'older-execute-options': olderExecuteOptions,
  'older-memory-stats': olderMemoryStats,
  'optimized-program': optimizedProgram,
  'optimized-program-too-small': optimizedProgramTooSmall,
  'output-memory-kinds': outputMemoryKinds,
  'recompiled-execution': recompiledExecution,
  'repeated-execution': repeatedExecution,
  'subnormal-operands': subnormalOperands,
};
