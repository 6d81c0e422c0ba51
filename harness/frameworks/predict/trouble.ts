import type { Moment } from '../prediction.ts';

/** What a user of the plugin may meet. */
export interface Trouble {
  outcome: 'refuses' | 'aborts' | 'limits';
  moment: Moment;
  reason: string;
  message?: string;
  facts: string[];
  /** The framework stops by itself, before it calls the plugin in that moment. */
  beforeCalls?: true;
}

/** What could not be found out: sessions in words, functions by full name. */
export interface Gaps {
  sessions: string[];
  functions: string[];
}
