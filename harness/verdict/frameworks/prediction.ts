/** What a release makes of a plugin. `limits`: it works, but not everything does. */
type Outcome = 'works' | 'limits' | 'refuses' | 'aborts' | 'unknown';

/** When it happens, in the order of a process's life. */
export const MOMENTS = [
  'import',
  'client creation',
  'first transfer',
  'first compile',
  'first execution',
  'first error',
  'exit',
  'when used',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** A limit: when it shows, what it is about (a function, an extension), and what happens there. */
interface LimitFact {
  moment: Moment;
  about: string;
  outcome: 'refuses' | 'aborts' | 'limits';
}

export interface Prediction {
  outcome: Outcome;
  moment?: Moment;
  /** One line: why. */
  reason: string;
  /** What the user sees, as far as it is known. */
  message?: string;
  /** What does not work, one line each. */
  limits: string[];
  /** What each of them is, apart from its words. */
  limitFacts: LimitFact[];
  /** The facts that it rests on, with their source. */
  facts: string[];
  /** What could not be tried, one line each. */
  untried: string[];
  /** With which words the plugin gives no client here, as without its device: what was not tried may still fail. */
  noClient?: string;
}
