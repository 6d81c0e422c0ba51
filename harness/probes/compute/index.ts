import type { Probe } from '../../steps/steps.ts';
import { compileByLength } from './compile-by-length.ts';
import { compileForTopology } from './compile-for-topology.ts';
import { compileMemoryOverwritten } from './compile-memory-overwritten.ts';
import { compileOptionsComeBack } from './compile-options-come-back.ts';
import { compiledMemoryStats } from './compiled-memory-stats.ts';
import { completionEvent } from './completion-event.ts';
import { concurrentCompilation } from './concurrent-compilation.ts';
import { concurrentExecution } from './concurrent-execution.ts';
import { costProperties } from './cost-properties.ts';
import { damagedExecutable } from './damaged-executable.ts';
import { declaredOutputs } from './declared-outputs.ts';
import { deviceAssignment } from './device-assignment.ts';
import { distinctElements } from './distinct-elements.ts';
import { donationWithReference } from './donation-with-reference.ts';
import { dotPrecision } from './dot-precision.ts';
import { executableInNewProcess } from './executable-in-new-process.ts';
import { executeDevice } from './execute-device.ts';
import { executeLists } from './execute-lists.ts';
import { executeMemoryOverwritten } from './execute-memory-overwritten.ts';
import { failedExecution } from './failed-execution.ts';
import { hloProgram } from './hlo-program.ts';
import { immutableHostMemory } from './immutable-host-memory.ts';
import { loadElsewhere, loadExecutable } from './load-executable.ts';
import { loadOptions } from './load-options.ts';
import { logicalIds } from './logical-ids.ts';
import { manyArguments } from './many-arguments.ts';
import { memoryKinds } from './memory-kinds.ts';
import { mustAliasKept } from './must-alias-kept.ts';
import { olderExecuteOptions } from './older-execute-options.ts';
import { olderMemoryStats } from './older-memory-stats.ts';
import { optimizedProgram } from './optimized-program.ts';
import { optimizedProgramTooSmall } from './optimized-program-too-small.ts';
import { outputMemoryKinds } from './output-memory-kinds.ts';
import { overriddenCompileOptions } from './overridden-compile-options.ts';
import { portableArtifact } from './portable-artifact.ts';
import { portableExecutable } from './portable-executable.ts';
import { recompiledExecution } from './recompiled-execution.ts';
import { repeatedExecution } from './repeated-execution.ts';
import { serializedExecutable } from './serialized-executable.ts';
import { serializedTwice } from './serialized-twice.ts';
import { subnormalOperands } from './subnormal-operands.ts';
import { takenAndShared, takenArgument } from './taken-argument.ts';
import { topologyRefuses } from './topology-refuses.ts';
import { unknownCustomCall } from './unknown-custom-call.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'compile-by-length': compileByLength,
  'compile-for-topology': compileForTopology,
  'compile-memory-overwritten': compileMemoryOverwritten,
  'compile-options-come-back': compileOptionsComeBack,
  'compiled-memory-stats': compiledMemoryStats,
  'completion-event': completionEvent,
  'concurrent-compilation': concurrentCompilation,
  'concurrent-execution': concurrentExecution,
  'cost-properties': costProperties,
  'damaged-executable': damagedExecutable,
  'declared-outputs': declaredOutputs,
  'device-assignment': deviceAssignment,
  'distinct-elements': distinctElements,
  'donation-with-reference': donationWithReference,
  'dot-precision': dotPrecision,
  'executable-in-new-process': executableInNewProcess,
  'execute-device': executeDevice,
  'execute-lists': executeLists,
  'execute-memory-overwritten': executeMemoryOverwritten,
  'failed-execution': failedExecution,
  'hlo-program': hloProgram,
  'immutable-host-memory': immutableHostMemory,
  'load-elsewhere': loadElsewhere,
  'load-executable': loadExecutable,
  'load-options': loadOptions,
  'logical-ids': logicalIds,
  'many-arguments': manyArguments,
  'memory-kinds': memoryKinds,
  'must-alias-kept': mustAliasKept,
  'older-execute-options': olderExecuteOptions,
  'older-memory-stats': olderMemoryStats,
  'optimized-program': optimizedProgram,
  'optimized-program-too-small': optimizedProgramTooSmall,
  'output-memory-kinds': outputMemoryKinds,
  'overridden-compile-options': overriddenCompileOptions,
  'portable-artifact': portableArtifact,
  'portable-executable': portableExecutable,
  'recompiled-execution': recompiledExecution,
  'repeated-execution': repeatedExecution,
  'serialized-executable': serializedExecutable,
  'serialized-twice': serializedTwice,
  'subnormal-operands': subnormalOperands,
  'taken-and-shared': takenAndShared,
  'taken-argument': takenArgument,
  'topology-refuses': topologyRefuses,
  'unknown-custom-call': unknownCustomCall,
};
