import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/index.ts';

/** Without these nothing can be run, or nothing that was made can be given back. */
const NEEDED = /^(Error|Event|Plugin)_|_Destroy$|^Client_Create$/;

/** Smallest and largest share of functions that a plugin lacks. */
const SHARES = [0.1, 0.6] as const;

/**
 * Functions chosen by chance from those that not every framework needs (frameworks/core.json), without PJRT_. The same
 * number always chooses the same.
 */
export function gapsOf(seed: number): string[] {
  const { functions } = JSON.parse(readFileSync(packagePath('frameworks', 'core.json'), 'utf8')) as {
    functions: string[];
  };
  const share = SHARES[0] + (SHARES[1] - SHARES[0]) * chance(seed, '');
  return Abi.at(NEWEST_MINOR)
    .functions.map((name) => name.replace(/^PJRT_/, ''))
    .filter((name) => !functions.includes(name) && !NEEDED.test(name) && chance(seed, name) < share);
}

/** From 0 up to 1. */
const chance = (seed: number, what: string): number =>
  createHash('sha256').update(`${seed} ${what}`).digest().readUInt32BE() / 2 ** 32;
