import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';

/** Why cases that detect no fault are kept. */
export const IDLE_FILE = packagePath('plugins', 'faults', 'idle-cases.yaml');

/** Why cases that no fault makes fail are kept. */
export interface IdleCase {
  /** Glob on cases without their parameters. */
  cases: string;
  reason: string;
}

/** The cases that no fault makes fail, with the reasons why they are kept. */
export const loadIdleCases = (): IdleCase[] => (parse(readFileSync(IDLE_FILE, 'utf8')) as IdleCase[] | null) ?? [];
