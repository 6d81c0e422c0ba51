import { InvalidArgumentError } from 'commander';
import { NEWEST_MINOR, OLDEST_MINOR } from '../abi/index.ts';
import type { Caller } from '../wire/caller.ts';

/** `0.67`, `67` or `newer`, as `--as-api` takes it. @throws InvalidArgumentError */
export function parseCaller(text: string): Caller {
  if (text === 'newer') return { newer: true };
  const minor = Number(/^(?:0\.)?(\d+)$/.exec(text)?.[1]);
  if (minor >= OLDEST_MINOR && minor <= NEWEST_MINOR) return { minor };
  throw new InvalidArgumentError(`It must be 0.${OLDEST_MINOR} to 0.${NEWEST_MINOR}, or newer.`);
}

/** What `parseCaller` reads. */
export const callerText = ({ minor, newer }: Caller): string => (newer ? 'newer' : `0.${minor}`);
