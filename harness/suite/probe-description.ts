import { dataIn } from '../base/paths.ts';
import type {} from './probes.generated.json'; // makes the compiler copy the file beside this module

/** What a value of an option may be: a kind, one of a few words, or a list. */
export type OptionType =
  | 'text'
  | 'number'
  | 'flag'
  | 'function'
  | 'program'
  | 'element type'
  | { oneOf: readonly (string | number)[] }
  | { listOf: OptionType };

/** An option of a probe. */
export interface ProbeOption {
  is: OptionType;
  /** Without it something is assumed, such as `default`. */
  optional?: true;
  default?: unknown;
}

/** What suites may say to a probe. */
export interface ProbeDescription {
  /** What it checks, in a sentence. */
  checks: string;
  with: Readonly<Record<string, ProbeOption>>;
}

/** Every probe. Each describes itself in its file (harness/worker/probes), from which `npm run docs` writes this list. */
export const PROBES: ReadonlyMap<string, ProbeDescription> = new Map(
  Object.entries(dataIn<Record<string, ProbeDescription>>('suite/probes.generated.json')),
);

/** A type in words, as in `expected: one of a, b`. */
export function typeText(is: OptionType): string {
  if (typeof is === 'string')
    return { text: 'a text', number: 'a number', flag: 'true or false' }[is as 'text'] ?? `a ${is}`;
  return 'oneOf' in is ? `one of ${is.oneOf.join(', ')}` : `a list, each ${typeText(is.listOf)}`;
}

/** Whether a value is of a type; of names only that they are texts. */
export function isOfType(is: OptionType, value: unknown): boolean {
  if (is === 'number') return typeof value === 'number';
  if (is === 'flag') return typeof value === 'boolean';
  if (typeof is === 'string') return typeof value === 'string';
  if ('oneOf' in is) return is.oneOf.includes(value as string);
  return Array.isArray(value) && value.every((one) => isOfType(is.listOf, one));
}
