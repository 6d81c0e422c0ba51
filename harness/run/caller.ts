import { NEWEST_MINOR, OLDEST_MINOR } from '../abi/index.ts';
import type { Caller } from '../wire/caller.ts';

/** What `callerOf` reads, in words. */
export const CALLERS = `0.${OLDEST_MINOR} to 0.${NEWEST_MINOR}, or newer`;

/** Parses the value of `--as-api`: `0.67`, `67` or `newer`; undefined if it is none of them. */
export function callerOf(text: string): Caller | undefined {
  if (text === 'newer') return { newer: true };
  const minor = Number(/^(?:0\.)?(\d+)$/.exec(text)?.[1]);
  return minor >= OLDEST_MINOR && minor <= NEWEST_MINOR ? { minor } : undefined;
}

/** What `callerOf` reads. */
export const callerText = ({ minor, newer }: Caller): string => (newer ? 'newer' : `0.${minor}`);
