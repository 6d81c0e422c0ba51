import { DEBUGGERS, type DebuggerName } from '../../host/debuggers/kinds.ts';
import type { RunOptions } from './run-options.ts';

/** The debugger that the options ask for, if they do. */
export const debuggerNamed = (options: RunOptions): DebuggerName | undefined =>
  (Object.keys(DEBUGGERS) as DebuggerName[]).find((name) => options[name]);
