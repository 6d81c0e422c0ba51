import type { Moment } from '../prediction.ts';

/** What a user of the plugin may meet. */
export interface Trouble {
  outcome: 'refuses' | 'aborts' | 'wrong' | 'limits';
  moment: Moment;
  reason: string;
  message?: string;
  facts: string[];
  /** The framework stops by itself, before it calls the plugin in that moment. */
  beforeCalls?: true;
}

/** With what it is about: a function, an extension, or another part of the plugin. */
export interface NamedTrouble extends Trouble {
  about: string;
}

export const named = (about: string, troubles: readonly Trouble[]): NamedTrouble[] =>
  troubles.map((trouble) => ({ ...trouble, about }));

/** What could not be found out: sessions in words, functions by full name. */
export interface Gaps {
  sessions: string[];
  functions: string[];
}
