import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { systemReason } from '../../base/system-reason.ts';
import { readTextFile } from '../../base/text-file.ts';
import { textTable } from '../../base/text-table.ts';
import { parseYaml } from '../../suite/located-yaml.ts';
import { SuiteError, throwIfAny } from '../../suite/problem.ts';
import { checkSchema, validator } from '../../suite/schema-check.ts';
import { type Action, CHANGE_KINDS, CHANGES, type ChangeKind } from './change.ts';

/** From when on a change counts as one of its kind, as in a policy file (schemas/gate-policy.schema.json). */
export interface Thresholds {
  /** Largest share of the executed cases of the old run that may be gone, less those that are new, in percent. */
  'fewer-cases': { percent: number };
  'ulp-drift': {
    /** Minimum growth of the largest deviation, in ULP. */
    ulp: number;
    /** Other minimums, by operation (`exponential`) or operation and type (`exponential f32`). */
    operations?: Readonly<Record<string, number>>;
  };
  slowdown: {
    /** Minimum slowdown factor, of the median over all cases and of the total. */
    ratio: number;
    /** Minimum confidence that it is slower at all: 1 − p of the sign test. */
    confidence: number;
    /** Minimum time of the function in a case on either side, in milliseconds. */
    'minimum-ms': number;
    /** Minimum number of cases. */
    'minimum-cases': number;
  };
  'memory-growth': { ratio: number; 'minimum-mib': number };
  /** Of each number of bytes that the plugin says of a program. */
  'program-memory': { ratio: number; 'minimum-kib': number };
}

/** Changes with another action than their kind. */
interface PolicyException {
  /** Glob over case ids, functions, extensions and other subjects. */
  match: string;
  /** Kinds that it applies to; default: all. */
  changes?: ChangeKind[];
  action: Action;
  reason: string;
}

/** Which changes are regressions. */
export interface Policy {
  actions: Readonly<Record<ChangeKind, Action>>;
  thresholds: Thresholds;
  exceptions: readonly PolicyException[];
}

/** Strict for correctness, lenient for time. */
export const DEFAULT_POLICY: Policy = {
  actions: Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, CHANGES[kind].action])) as Policy['actions'],
  thresholds: {
    'fewer-cases': { percent: 10 },
    'ulp-drift': { ulp: 2 },
    slowdown: { ratio: 1.5, confidence: 0.999, 'minimum-ms': 0.2, 'minimum-cases': 10 },
    'memory-growth': { ratio: 1.25, 'minimum-mib': 64 },
    'program-memory': { ratio: 1.1, 'minimum-kib': 16 },
  },
  exceptions: [],
};

/** A policy file as written. */
interface PolicyDocument {
  changes?: Partial<Record<ChangeKind, Action>>;
  thresholds?: { [K in keyof Thresholds]?: Partial<Thresholds[K]> };
  exceptions?: PolicyException[];
}

/** Reads a policy file. @throws SuiteError with every problem and its location */
function readPolicy(path: string, name = path): Policy {
  let text: string;
  try {
    text = readTextFile(path);
  } catch (error) {
    throw new SuiteError([{ file: name, path: '', message: `the policy cannot be read: ${systemReason(error)}` }]);
  }
  return parsePolicy(text, name);
}

/** The policy in a file; what it does not mention is as in {@link DEFAULT_POLICY}. @throws SuiteError */
export function parsePolicy(text: string, file: string): Policy {
  const document = parseYaml(text, file);
  throwIfAny(document.problems);
  // An empty file, or one with comments only, is the default policy.
  if (document.value === null || document.value === undefined) return DEFAULT_POLICY;
  throwIfAny(checkSchema(validator('gate-policy.schema.json'), document));
  const { changes, thresholds = {}, exceptions = [] } = document.value as PolicyDocument;
  const { actions, thresholds: usual } = DEFAULT_POLICY;
  return {
    actions: { ...actions, ...changes },
    thresholds: {
      'fewer-cases': { ...usual['fewer-cases'], ...thresholds['fewer-cases'] },
      'ulp-drift': { ...usual['ulp-drift'], ...thresholds['ulp-drift'] },
      slowdown: { ...usual.slowdown, ...thresholds.slowdown },
      'memory-growth': { ...usual['memory-growth'], ...thresholds['memory-growth'] },
      'program-memory': { ...usual['program-memory'], ...thresholds['program-memory'] },
    },
    exceptions,
  };
}

/** The policy file given on the command line, or the default policy. @throws SuiteError */
export const policyIn = (file: string | undefined, cwd: string): Policy =>
  file === undefined ? DEFAULT_POLICY : readPolicy(resolve(cwd, file), file);

/** The default policy as a file to edit, with an explanation of each kind of change. */
export function defaultPolicyYaml(): string {
  const rows = CHANGE_KINDS.map((kind) => [`${kind}: ${CHANGES[kind].action}`, `# ${CHANGES[kind].description}`]);
  const lines = textTable(rows, { indent: '  ' }).map((line) => `${line}\n`);
  return [
    '# What the gate does with each kind of change: fail (exit code 1), warn (reported), ignore (listed in JSON only).\n',
    '# This is the default policy; a file need only contain what differs from it.\n',
    'changes:\n',
    ...lines,
    stringify({ thresholds: DEFAULT_POLICY.thresholds }),
    "#    operations: {exponential: 8, 'divide f32': 1}   # under ulp-drift: other thresholds, by operation or operation and type\n",
    '# Exceptions from the above: the first matching entry decides.\n',
    'exceptions: []\n',
    "#  - match: 'numerics/unary:bounded'      # glob over case ids, functions, extensions, attributes\n",
    '#    changes: [ulp-drift]                 # kinds it applies to; default: all\n',
    '#    action: warn\n',
    '#    reason: the new exponential is faster and allowed to be\n',
  ].join('');
}
