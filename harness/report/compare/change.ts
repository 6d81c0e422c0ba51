/** What a policy does with a change. */
export type Action = 'fail' | 'warn' | 'ignore';

export const ACTIONS: readonly Action[] = ['fail', 'warn', 'ignore'];

interface ChangeRule {
  /** Default action: strict for correctness, lenient for time. */
  action: Action;
  /** Heading over changes of this kind. */
  title: string;
  /** Explanation for authors of policies. */
  description: string;
}

/**
 * Every kind of change between two runs, as data: the default policy, its schema, the help and the documents are generated
 * from this table. In the order of reports, most severe first.
 */
export const CHANGES = {
  unusable: {
    action: 'fail',
    title: 'Plugin unusable',
    description: 'the plugin can no longer be loaded, is refused, or creates no client',
  },
  'new-crash': {
    action: 'fail',
    title: 'New crashes and hangs',
    description: 'the process dies or hangs in a case that ended normally before',
  },
  'new-failure': {
    action: 'fail',
    title: 'New failures',
    description: 'a case violates a MUST and did not before',
  },
  'new-flaky': {
    action: 'fail',
    title: 'Newly flaky',
    description: 'a case that passed violates a requirement in some of its attempts',
  },
  'new-breach': {
    action: 'fail',
    title: 'New violations outside cases',
    description: 'the plugin violates a MUST outside any case (an idle worker dies) and did not before',
  },
  'lost-support': {
    action: 'fail',
    title: 'Lost support',
    description: 'a case that passed is now unsupported',
  },
  'not-run': {
    action: 'fail',
    title: 'Passed before, did not run now',
    description: 'a case that passed was skipped, or the run ended before it',
  },
  'harness-error': {
    action: 'fail',
    title: 'Internal errors',
    description: 'a case that passed ends in an internal error of the harness or of its suite',
  },
  'gone-suite': {
    action: 'fail',
    title: 'Suites that are gone',
    description: 'the old run executed cases of a suite of which the new one has none',
  },
  'fewer-cases': {
    action: 'fail',
    title: 'Fewer cases',
    description: 'more of the cases that the old run executed are gone than the threshold allows',
  },
  'api-major': {
    action: 'fail',
    title: 'Different major version of the C API',
    description: 'the major version of the API has changed',
  },
  'api-step-back': {
    action: 'fail',
    title: 'Older version of the C API',
    description: 'the minor version of the API is lower',
  },
  'lost-function': {
    action: 'fail',
    title: 'Lost functions',
    description:
      'a function of the C API or of an extension worked and now returns only errors, ends the process, is NULL or absent',
  },
  'lost-extension': {
    action: 'fail',
    title: 'Lost extensions',
    description: 'an extension is no longer in the chain',
  },
  'smaller-extension': {
    action: 'fail',
    title: 'Smaller extensions',
    description: 'the struct of an extension is smaller',
  },
  'lost-attribute': {
    action: 'fail',
    title: 'Lost attributes',
    description: 'a plugin attribute is no longer there',
  },
  'lost-memory': {
    action: 'fail',
    title: 'Lost memories',
    description: 'there is no longer a memory of some kind',
  },
  'framework-breaks': {
    action: 'fail',
    title: 'Frameworks that no longer work',
    description: 'a framework release worked with the plugin and no longer does',
  },
  'ulp-drift': {
    action: 'fail',
    title: 'Numeric drift',
    description: 'results are less accurate, but still within the bound',
  },
  slowdown: {
    action: 'warn',
    title: 'Slower calls',
    description: 'calls of a function take longer over many cases, beyond noise',
  },
  'memory-growth': {
    action: 'warn',
    title: 'More memory',
    description: 'worker processes have a higher memory peak',
  },
  'new-warning': {
    action: 'warn',
    title: 'New warnings',
    description: 'a case violates a SHOULD and did not before',
  },
  'changed-failure': {
    action: 'warn',
    title: 'Changed failures',
    description: 'a case still fails, with a different finding or status',
  },
  'untested-failure': {
    action: 'warn',
    title: 'Failures that were not tried again',
    description: 'a case that failed is now skipped, unsupported or not run: it is not known to be fixed',
  },
  'new-case-fails': {
    action: 'warn',
    title: 'New cases that fail',
    description: 'a case that the old run did not have violates a MUST',
  },
  'gone-case': {
    action: 'warn',
    title: 'Removed cases',
    description: 'a case of the old run is not in the new one, which has others of its suite',
  },
  'worse-function': {
    action: 'warn',
    title: 'Functions that fail in a worse way',
    description: 'a function that did not work now ends the process, is NULL or absent',
  },
  'changed-attribute': {
    action: 'warn',
    title: 'Changed attributes',
    description: 'a plugin attribute has a different value',
  },
  'changed-platform': {
    action: 'warn',
    title: 'Different platform',
    description: 'the platform name has changed',
  },
  'changed-devices': {
    action: 'warn',
    title: 'Different devices',
    description: 'the number of devices or their kinds have changed',
  },
  'changed-behaviour': {
    action: 'warn',
    title: 'Changed behaviour',
    description: 'an observed behaviour is a different one',
  },
  'framework-limits': {
    action: 'warn',
    title: 'New limits of frameworks',
    description: 'a framework release works with new limits',
  },
  fixed: {
    action: 'ignore',
    title: 'Fixed',
    description: 'a case, a framework or the whole plugin works again',
  },
  gained: {
    action: 'ignore',
    title: 'Gained',
    description: 'a case, a function, an extension, an attribute or a memory that was missing now works or exists',
  },
  'new-case': {
    action: 'ignore',
    title: 'New cases',
    description: 'a case that the old run did not have',
  },
  'api-step-forward': {
    action: 'ignore',
    title: 'Newer version of the C API',
    description: 'the minor version of the API is higher',
  },
  'changed-version': {
    action: 'ignore',
    title: 'Different platform version',
    description: 'the platform reports a different version of itself',
  },
  speedup: {
    action: 'ignore',
    title: 'Faster calls',
    description: 'calls of a function take less time over many cases, beyond noise',
  },
} as const satisfies Record<string, ChangeRule>;

export type ChangeKind = keyof typeof CHANGES;

export const CHANGE_KINDS = Object.keys(CHANGES) as ChangeKind[];

/** One difference between two runs. All texts are clean, single lines. */
export interface Change {
  kind: ChangeKind;
  /** What the policy does with it. */
  action: Action;
  /** Subject: a case id, a function, `Layouts`, an attribute, `jax@0.10.2`. */
  subject: string;
  /** Plugin concerned, if the runs have several. */
  plugin?: string;
  /** Old and new value, in a word or two: a status, a capability, a size. */
  old?: string;
  new?: string;
  /** What happened, on one line; for a case, the finding. */
  message: string;
  /** Further lines, as in the reports of a run. */
  detail?: string[];
  /** `suites/a.yaml:12`. */
  place?: string;
  requirements?: string[];
  /** Command that reproduces it with the new plugin. */
  reproduce?: string;
  /** Reason for doubt: the suite's file changed, or the case is not deterministic. */
  caution?: string;
  /** Why its action differs from that of its kind. */
  exception?: string;
}

/** A change before the policy is applied. `most` limits its action, for the reason in `exception`. */
export type FoundChange = Omit<Change, 'action'> & { most?: Action };
