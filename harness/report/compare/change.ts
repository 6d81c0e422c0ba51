/** What a policy does with a change. */
export type Action = 'fail' | 'warn' | 'ignore';

export const ACTIONS: readonly Action[] = ['fail', 'warn', 'ignore'];

/**
 * Every kind of change between two runs, as data, by what the default policy does with it (strict for correctness, lenient for
 * time): its heading in reports, and its explanation for authors of policies. The default policy, its schema, the help and the
 * documents are generated from this table. In the order of reports: first what explains others, then the most severe.
 */
const KINDS = {
  fail: {
    unusable: ['Plugin unusable', 'the plugin can no longer be loaded, is refused, or creates no client'],
    'api-major': ['Different major version of the C API', 'the major version of the API has changed'],
    'api-step-back': ['Older version of the C API', 'the minor version of the API is lower'],
    'lost-function': [
      'Lost functions',
      'a function of the C API or of an extension worked and now returns only errors, ends the process, is NULL or absent',
    ],
    'lost-extension': ['Lost extensions', 'an extension is no longer in the chain'],
    'smaller-extension': ['Smaller extensions', 'the struct of an extension is smaller'],
    'new-crash': ['New crashes and hangs', 'the process dies or hangs in a case that ended normally before'],
    'new-failure': ['New failures', 'a case violates a MUST and did not before'],
    'new-flaky': ['Newly flaky', 'a case that passed violates a requirement in some of its attempts'],
    'new-breach': [
      'New violations outside cases',
      'the plugin violates a MUST outside any case (an idle worker dies) and did not before',
    ],
    'lost-support': ['Lost support', 'a case that passed is now unsupported'],
    'not-run': ['Passed before, did not run now', 'a case that passed was skipped, or the run ended before it'],
    'harness-error': ['Internal errors', 'a case that passed ends in an internal error of the harness or of its suite'],
    'gone-suite': ['Suites that are gone', 'the old run executed cases of a suite of which the new one has none'],
    'fewer-cases': ['Fewer cases', 'more of the cases that the old run executed are gone than the threshold allows'],
    'lost-attribute': ['Lost attributes', 'a plugin attribute is no longer there'],
    'lost-memory': ['Lost memories', 'there is no longer a memory of some kind'],
    'framework-breaks': [
      'Frameworks that no longer work',
      'a framework release worked with the plugin and no longer does',
    ],
    'ulp-drift': ['Numeric drift', 'results are less accurate, but still within the bound'],
  },
  warn: {
    slowdown: ['Slower calls', 'calls of a function take longer over many cases, beyond noise'],
    'memory-growth': ['More memory', 'worker processes have a higher memory peak'],
    'program-memory': ['Programs that need more memory', 'a compiled program needs more memory, says the plugin'],
    'new-warning': ['New warnings', 'a case violates a SHOULD and did not before'],
    'changed-failure': ['Changed failures', 'a case still fails, with a different finding or status'],
    'untested-failure': [
      'Failures that were not tried again',
      'a case that failed is now skipped, unsupported or not run: it is not known to be fixed',
    ],
    'new-case-fails': ['New cases that fail', 'a case that the old run did not have violates a MUST'],
    'gone-case': ['Removed cases', 'a case of the old run is not in the new one, which has others of its suite'],
    'worse-function': [
      'Functions that fail in a worse way',
      'a function that did not work now ends the process, is NULL or absent',
    ],
    'changed-attribute': ['Changed attributes', 'a plugin attribute has a different value'],
    'changed-platform': ['Different platform', 'the platform name has changed'],
    'changed-devices': ['Different devices', 'the number of devices or their kinds have changed'],
    'changed-behaviour': ['Changed behaviour', 'an observed behaviour is a different one'],
    'framework-limits': ['New limits of frameworks', 'a framework release works with new limits'],
  },
  ignore: {
    fixed: ['Fixed', 'a case, a framework or the whole plugin works again'],
    gained: [
      'Gained',
      'a case, a function, an extension, an attribute or a memory that was missing now works or exists',
    ],
    'new-case': ['New cases', 'a case that the old run did not have'],
    'api-step-forward': ['Newer version of the C API', 'the minor version of the API is higher'],
    'changed-version': ['Different platform version', 'the platform reports a different version of itself'],
    speedup: ['Faster calls', 'calls of a function take less time over many cases, beyond noise'],
  },
} as const satisfies Record<Action, Record<string, readonly [title: string, description: string]>>;

type Keys<T> = T extends T ? keyof T : never;
export type ChangeKind = Keys<(typeof KINDS)[Action]>;

/** Default action, heading and explanation by kind. */
export const CHANGES = Object.fromEntries(
  ACTIONS.flatMap((action) =>
    Object.entries(KINDS[action]).map(([kind, [title, description]]) => [kind, { action, title, description }]),
  ),
) as Record<ChangeKind, { action: Action; title: string; description: string }>;

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
