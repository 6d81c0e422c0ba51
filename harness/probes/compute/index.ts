import type { Probe } from '../../steps/steps.ts';
import { completionEvent } from './completion-event.ts';
import { concurrentExecution } from './concurrent-execution.ts';
import { dotPrecision } from './dot-precision.ts';
import { executeDevice } from './execute-device.ts';
import { executeLists } from './execute-lists.ts';
import { executeMemoryOverwritten } from './execute-memory-overwritten.ts';
import { failedExecution } from './failed-execution.ts';
import { manyArguments } from './many-arguments.ts';
import { olderExecuteOptions } from './older-execute-options.ts';
import { outputMemoryKinds } from './output-memory-kinds.ts';
import { recompiledExecution } from './recompiled-execution.ts';
import { repeatedExecution } from './repeated-execution.ts';
import { subnormalOperands } from './subnormal-operands.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'completion-event': completionEvent,
  'concurrent-execution': concurrentExecution,
  'dot-precision': dotPrecision,
  'execute-device': executeDevice,
  'execute-lists': executeLists,
  'execute-memory-overwritten': executeMemoryOverwritten,
  'failed-execution': failedExecution,
  'many-arguments': manyArguments,
  'older-execute-options': olderExecuteOptions,
  'output-memory-kinds': outputMemoryKinds,
  'recompiled-execution': recompiledExecution,
  'repeated-execution': repeatedExecution,
  'subnormal-operands': subnormalOperands,
};
