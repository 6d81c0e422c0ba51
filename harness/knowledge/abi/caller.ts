import type { Count } from '../../model/values.ts';
import { NEWEST_MINOR, OLDEST_MINOR } from './abi.ts';

/** The consumer that the harness acts as; by default one of the plugin's own version, as far as it is known. */
export interface Caller {
  /** Minor of the C API whose struct sizes, functions and enum values are used; older or newer than the plugin's. */
  minor?: Count;
  /** A consumer newer than any: argument structs are longer than the plugin knows, with unknown extension nodes attached. */
  newer?: boolean;
}

/** What `callerOf` reads, in words. */
export const CALLERS = `0.${OLDEST_MINOR} to 0.${NEWEST_MINOR}, or newer`;

/** Parses the value of `--as-api`: `0.67`, `67` or `newer`; undefined if it is none of them. */
export function callerOf(text: string): Caller | undefined {
  if (text === 'newer') return { newer: true };
  const minor = Number(/^(?:0\.)?(\d+)$/.exec(text)?.[1]);
  return minor >= OLDEST_MINOR && minor <= NEWEST_MINOR ? { minor } : undefined;
}

/** As `callerOf` reads it. */
export const callerText = ({ minor, newer }: Caller): string => (newer ? 'newer' : `0.${minor}`);
