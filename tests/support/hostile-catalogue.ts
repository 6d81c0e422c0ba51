import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/paths.ts';

/** One hostile plugin, as fixtures/hostile/catalogue.yaml describes it. */
export interface HostileEntry {
  name: string;
  does: string;
  /** The C function in which it strikes, or `dlopen`, `GetPjrtApi`, `exit`, `thread`, `table`, `none`. */
  strikes: string;
  /** What becomes of a process that uses it. */
  process: 'lives' | 'hangs' | { signal: NodeJS.Signals } | { exit: number };
  /** Regular expression of what the driver finds wrong. */
  complaint?: string;
  /** It leaves a process of its own behind. */
  leaves?: 'process';
  /** The caller has to rest after PJRT_Client_Create for the fault to come out. */
  idle?: boolean;
  /** What a harness should report, in words. */
  verdict: string;
}

/** The catalogue, in its order. */
export function hostileCatalogue(): HostileEntry[] {
  return parse(readFileSync(packagePath('fixtures', 'hostile', 'catalogue.yaml'), 'utf8')) as HostileEntry[];
}
