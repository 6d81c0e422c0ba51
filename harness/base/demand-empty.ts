import { readdirSync, statSync } from 'node:fs';
import { systemReason } from './system-reason.ts';
import { UsageError } from './usage-error.ts';

/**
 * A directory that `--output` names does not exist yet, or is empty: nothing is lost.
 * @param what is written there, for the message @throws UsageError
 */
export function demandEmpty(directory: string, shown: string, what: string): void {
  const facts = statSync(directory, { throwIfNoEntry: false });
  if (!facts || (facts.isDirectory() && entriesOf(directory, shown).length === 0)) return;
  throw new UsageError(`--output ${shown}: exists and is not empty; name another directory for the ${what}`, {
    options: ['output'],
  });
}

function entriesOf(directory: string, shown: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw new UsageError(`--output ${shown}: ${systemReason(error)}`, { options: ['output'] });
  }
}
