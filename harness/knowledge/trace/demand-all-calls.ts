import type { TraceManifest } from './open-trace.ts';
import { TraceError } from './trace-error.ts';

/**
 * Demands that a recording has every call.
 * @param shown its path for messages
 * @param purpose what needs them: `to replay it`
 * @throws TraceError
 */
export function demandAllCalls({ programsOnly, window }: TraceManifest, shown: string, purpose: string): void {
  const compiling = 'the calls that compile programs';
  if (programsOnly)
    throw new TraceError(`${shown}: it has only ${compiling}; record without --programs-only ${purpose}`);
  if (window)
    throw new TraceError(
      `${shown}: it has only ${compiling}, and those of executions ${window.first} to ${window.last}; record without --window ${purpose}. \`trace programs --every\` makes programs of these executions`,
    );
}
