import type { FrameworkVerdict } from '../../model/framework-verdict.ts';

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

/** What a release makes of a plugin. `limits`: it works, but not everything does. */
export interface Prediction
  extends Pick<FrameworkVerdict, 'outcome' | 'reason' | 'message' | 'limits' | 'facts' | 'untried' | 'noClient'> {
  moment?: Moment;
  /** What each of the limits is, apart from its words: when it shows, what it is about (a function, an extension). */
  limitFacts: { moment: Moment; about: string; outcome: 'refuses' | 'aborts' | 'wrong' | 'limits' }[];
}
