/** Whether a framework release works with the (first) plugin: the gate of `--profile jax@0.10.2`. */
export interface FrameworkVerdict {
  /** As in `jax@0.10.2`. */
  framework: string;
  version: string;
  title: string;
  date: string;
  apiMinor: number;
  outcome: 'works' | 'limits' | 'refuses' | 'aborts' | 'unknown';
  /** If it does not work. */
  moment?: string;
  reason: string;
  /** What the user sees. */
  message?: string;
  limits: string[];
  /** What each of them is, apart from its words; earlier logs have none. */
  limitFacts?: { moment: string; about: string; outcome: 'refuses' | 'aborts' | 'limits' }[];
  facts: string[];
  untried: string[];
  /** With which words the plugin gives no client here, as without its device; most of it could then not be tried. */
  noClient?: string;
  /** Whether the plugin is inside the framework's compatibility window. */
  window: {
    standing: 'inside' | 'outside' | 'newer' | 'unpromised';
    text: string;
    since?: string;
    oldestMinor?: number;
  };
}
