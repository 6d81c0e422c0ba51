import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { readTextFile } from '../../base/text-file.ts';
import { textTable } from '../../base/text-table.ts';
import { parseYaml } from '../../suite/located-yaml.ts';
import { SuiteError, throwIfAny } from '../../suite/problem.ts';
import { checkSchema, validator } from '../../suite/schema-check.ts';
import { type Action, CHANGE_KINDS, CHANGES, type ChangeKind } from './change.ts';
import type { CaseThresholds } from './gone-cases.ts';

/** When results have drifted. */
export interface UlpThresholds {
  /** Minimum growth of the largest deviation, in ULP. */
  ulp: number;
  /** Other minimums, by operation (`exponential`) or operation and type (`exponential f32`). */
  operations?: Readonly<Record<string, number>>;
}

/** When calls of a function have become slower. */
export interface TimeThresholds {
  /** Minimum slowdown factor, of the median over all cases and of the total. */
  ratio: number;
  /** Minimum confidence that it is slower at all: 1 − p of the sign test. */
  confidence: number;
  /** Minimum time of the function in a case on either side, in milliseconds. */
  minimumMs: number;
  /** Minimum number of cases. */
  minimumCases: number;
}

/** When worker processes use more memory. */
export interface MemoryThresholds {
  ratio: number;
  minimumMiB: number;
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
  ulp: UlpThresholds;
  cases: CaseThresholds;
  time: TimeThresholds;
  memory: MemoryThresholds;
  exceptions: readonly PolicyException[];
}

/** Strict for correctness, lenient for time. */
export const DEFAULT_POLICY: Policy = {
  actions: Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, CHANGES[kind].action])) as Policy['actions'],
  cases: { percent: 10 },
  ulp: { ulp: 2 },
  time: { ratio: 1.5, confidence: 0.999, minimumMs: 0.2, minimumCases: 10 },
  memory: { ratio: 1.25, minimumMiB: 64 },
  exceptions: [],
};

/** A policy file as written (schemas/gate-policy.schema.json). */
interface PolicyDocument {
  changes?: Partial<Record<ChangeKind, Action>>;
  thresholds?: {
    'fewer-cases'?: { percent?: number };
    'ulp-drift'?: { ulp?: number; operations?: Record<string, number> };
    slowdown?: { ratio?: number; confidence?: number; 'minimum-ms'?: number; 'minimum-cases'?: number };
    'memory-growth'?: { ratio?: number; 'minimum-mib'?: number };
  };
  exceptions?: PolicyException[];
}

/** Reads a policy file. @throws SuiteError with every problem and its location */
function readPolicy(path: string, name = path): Policy {
  let text: string;
  try {
    text = readTextFile(path);
  } catch (error) {
    throw new SuiteError([{ file: name, path: '', message: `the policy cannot be read: ${(error as Error).message}` }]);
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
  const { changes, thresholds, exceptions } = document.value as PolicyDocument;
  const { cases, ulp, time, memory } = DEFAULT_POLICY;
  const slowdown = thresholds?.slowdown;
  const growth = thresholds?.['memory-growth'];
  return {
    actions: { ...DEFAULT_POLICY.actions, ...changes },
    cases: { ...cases, ...thresholds?.['fewer-cases'] },
    ulp: { ...ulp, ...thresholds?.['ulp-drift'] },
    time: {
      ratio: slowdown?.ratio ?? time.ratio,
      confidence: slowdown?.confidence ?? time.confidence,
      minimumMs: slowdown?.['minimum-ms'] ?? time.minimumMs,
      minimumCases: slowdown?.['minimum-cases'] ?? time.minimumCases,
    },
    memory: {
      ratio: growth?.ratio ?? memory.ratio,
      minimumMiB: growth?.['minimum-mib'] ?? memory.minimumMiB,
    },
    exceptions: exceptions ?? [],
  };
}

/** The policy file given on the command line, or the default policy. @throws SuiteError */
export const policyIn = (file: string | undefined, cwd: string): Policy =>
  file === undefined ? DEFAULT_POLICY : readPolicy(resolve(cwd, file), file);

/** The default policy as a file to edit, with an explanation of each kind of change. */
export function defaultPolicyYaml(): string {
  const rows = CHANGE_KINDS.map((kind) => [`${kind}: ${CHANGES[kind].action}`, `# ${CHANGES[kind].description}`]);
  const lines = textTable(rows, { indent: '  ' }).map((line) => `${line}\n`);
  const { cases, ulp, time, memory } = DEFAULT_POLICY;
  const thresholds = {
    'fewer-cases': { percent: cases.percent },
    'ulp-drift': { ulp: ulp.ulp },
    slowdown: {
      ratio: time.ratio,
      confidence: time.confidence,
      'minimum-ms': time.minimumMs,
      'minimum-cases': time.minimumCases,
    },
    'memory-growth': { ratio: memory.ratio, 'minimum-mib': memory.minimumMiB },
  };
  return [
    '# What the gate does with each kind of change: fail (exit code 1), warn (reported), ignore (listed in JSON only).\n',
    '# This is the default policy; a file need only contain what differs from it.\n',
    'changes:\n',
    ...lines,
    stringify({ thresholds }),
    "#    operations: {exponential: 8, 'divide f32': 1}   # under ulp-drift: other thresholds, by operation or operation and type\n",
    '# Exceptions from the above: the first matching entry decides.\n',
    'exceptions: []\n',
    "#  - match: 'numerics/unary:bounded'      # glob over case ids, functions, extensions, attributes\n",
    '#    changes: [ulp-drift]                 # kinds it applies to; default: all\n',
    '#    action: warn\n',
    '#    reason: the new exponential is faster and allowed to be\n',
  ].join('');
}
