import type { Count, NonEmpty } from './values.ts';

/** Whether a framework release works with the (first) plugin: the gate of `--profile jax@0.10.2`. */
export interface FrameworkVerdict {
  /** As in `jax@0.10.2`. */
  framework: NonEmpty;
  version: NonEmpty;
  title: string;
  date: string;
  /** Minor version of the C API that the release was built with. */
  apiMinor: Count;
  /** wrong: it runs, and gives wrong results. @since log 1.9 `wrong` */
  outcome: 'works' | 'limits' | 'wrong' | 'refuses' | 'aborts' | 'unknown';
  /** If it does not work. */
  moment?: string;
  reason: string;
  /** What the user sees. */
  message?: string;
  /** What does not work, one line each. */
  limits: string[];
  /** What each of them is, apart from its words, in the same order. @since log 1.5 */
  limitFacts?: { moment: string; about: string; outcome: 'refuses' | 'aborts' | 'wrong' | 'limits' }[];
  /** What it rests on, with the source. */
  facts: string[];
  /** What could not be tried, one line each. */
  untried: string[];
  /** With which words the plugin gives no client here, as without its device; most of it could then not be tried. @since log 1.5 */
  noClient?: string;
  /** Whether the plugin is inside the framework's compatibility window. */
  window: {
    standing: 'inside' | 'outside' | 'newer' | 'unpromised';
    text: string;
    since?: string;
    oldestMinor?: Count;
  };
}

/** Whether a release does not work with the plugin. */
export const isUnusable = ({ outcome }: Pick<FrameworkVerdict, 'outcome'>): boolean =>
  outcome === 'wrong' || outcome === 'refuses' || outcome === 'aborts';
