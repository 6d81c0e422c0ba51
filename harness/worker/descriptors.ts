import { closeSync, openSync } from 'node:fs';
import type { Finding } from '../model/finding.ts';

/** Whether a file could not be opened because the process, or the machine, has too many open. */
export const isDescriptorShortage = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes(String((error as { code?: unknown } | null)?.code));

/** The finding about a process that has used up its descriptors; undefined if one is free, or the machine has none left. */
export function descriptorShortage(): Omit<Finding, 'line'> | undefined {
  try {
    closeSync(openSync('/dev/null', 'r+'));
    return undefined;
  } catch (error) {
    if (!isDescriptorShortage(error)) throw error;
    // Whose doing that is, nobody can say.
    if ((error as NodeJS.ErrnoException).code === 'ENFILE') return undefined;
    const message = 'the process has no descriptor left: all that its limit allows are open';
    return { type: 'pjrt.ResourceLeak', level: 'should', message, requirements: ['RES-001'] };
  }
}
