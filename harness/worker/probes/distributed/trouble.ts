/** What the harness does wrong on purpose as the store of a job. */
export interface Trouble {
  /** Milliseconds before each answer. */
  slow?: number;
  /** Questions that end with UNAVAILABLE and STORE_MESSAGE. */
  failing?: readonly Question[];
  /** Values are taken and never found again. */
  forgets?: boolean;
  /** It goes away after this many answers: every further question, and those that wait, end with UNAVAILABLE. */
  answers?: number;
  /** What happens to values before they are found. */
  values?: 'truncated' | 'inverted' | 'empty';
  /** A key can be put once. */
  once?: boolean;
  /** The first try for each key finds nothing. */
  late?: boolean;
  /** Milliseconds after which a get ends with DEADLINE_EXCEEDED although the plugin would wait for longer. */
  patience?: number;
}

export type Question = 'get' | 'try' | 'put';

/** Message of the errors of a store that fails. */
export const STORE_MESSAGE = 'the store is closed for the day';

/** A value as a troubled store gives it. */
export function damaged(value: Uint8Array, how: Trouble['values']): Uint8Array {
  if (how === 'truncated') return value.slice(0, Math.floor(value.length / 2));
  if (how === 'inverted') return value.map((byte) => ~byte);
  return how === 'empty' ? new Uint8Array() : value;
}
