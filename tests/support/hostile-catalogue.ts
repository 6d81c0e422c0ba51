import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';

/** One hostile plugin, from fixtures/hostile/catalogue.yaml. */
export interface HostileEntry {
  name: string;
  does: string;
  /** The C function in which it acts, or `dlopen`, `GetPjrtApi`, `exit`, `thread`, `table`, `none`. */
  acts_in: string;
  /** How a process that uses it ends. */
  process: 'survives' | 'hangs' | { signal: NodeJS.Signals } | { exit: number };
  /** Regular expression of what the driver finds wrong. */
  complaint?: string;
  /** Whether it leaves a process behind. */
  leaves?: 'process';
  /** Whether the caller has to sleep after PJRT_Client_Create for the fault to occur. */
  idle?: boolean;
  /** What a harness should report, in words. */
  verdict: string;
}

/** The catalogue, in order. */
export function hostileCatalogue(): HostileEntry[] {
  return parse(readFileSync(packagePath('fixtures', 'hostile', 'catalogue.yaml'), 'utf8')) as HostileEntry[];
}
