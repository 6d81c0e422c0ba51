import type { Case, Deadline, Isolation, Level, ParamValue, Requires } from './types.ts';

/** A suite file as written, after validation against the schema. */
export interface RawSuite {
  suite: string;
  description: string;
  defaults?: RawDefaults;
  sets?: RawSets;
  cases: RawCase[];
}

interface RawDefaults {
  tags?: string[];
  isolation?: Isolation;
  client?: Case['client'];
  programs?: 'own' | 'shared';
  requires?: Requires;
  deadline?: Deadline;
}

export interface RawCase extends RawDefaults {
  id: string;
  title?: string;
  description: string;
  /** Ids of requirements; one that only some rows exercise, with the values of their parameters. */
  covers: (string | Record<string, Assignment>)[];
  level?: Level;
  demands?: string[];
  matrix?: Record<string, ParamValue[] | string>;
  rows?: Record<string, ParamValue>[];
  usual?: Record<string, ParamValue>;
  unnamed?: string[];
  exclude?: Assignment[];
  steps: RawStep[];
}

/** A case that runs others in one program, which consists of theirs. */
export interface RawTogether extends Pick<RawCase, 'id' | 'title' | 'description' | 'tags'> {
  program: string;
  /** Their ids. */
  together: string[];
}

/** The value that each parameter must have. */
type Assignment = Record<string, ParamValue>;

/** The requirements that some row of a case exercises, in the order of `covers`. */
export const coveredIds = (covers: RawCase['covers']): string[] =>
  covers.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.keys(entry)));

export type RawSets = Record<string, ParamValue[] | Record<string, ParamValue[]>>;

/** One key is the verb; its siblings belong to it. */
export type RawStep = Record<string, unknown>;

/** Verbs of the language. */
export const VERBS = [
  'run',
  'data',
  'program',
  'recorded',
  'rounds',
  'pending',
  'complete',
  'listen',
  'heard',
  'put',
  'get',
  'compile',
  'execute',
  'call',
  'valid-call',
  'layout',
  'read',
  'decode',
  'expect',
  'observe',
  'await',
  'destroy',
  'client',
  'for-each',
  'repeat',
  'soak',
  'on-threads',
  'if-offered',
  'probe',
] as const;

type Verb = (typeof VERBS)[number];

/** Kinds of data that the harness generates. */
export const DATA_KINDS: readonly string[] = [
  'iota',
  'hash',
  'fill',
  'values',
  'draw',
  'edges',
  'bits',
  'special',
  'oracle',
  'table',
  'file',
];

/** Keys that hold the steps inside a step. */
const NESTING = ['steps', 'meanwhile', 'if-offered'] as const;

/** The steps inside a step, and the key that holds them. */
export function nestedSteps(step: RawStep): { key: (typeof NESTING)[number]; steps: RawStep[] } {
  const key = NESTING.find((name) => Array.isArray(step[name])) ?? 'steps';
  return { key, steps: (step[key] as RawStep[] | undefined) ?? [] };
}

/** Verbs among the keys of a step. `expect` beside `call` is a part of the call. */
export function verbsOf(step: RawStep): Verb[] {
  const found = VERBS.filter((verb) => Object.hasOwn(step, verb));
  return found.includes('call') ? found.filter((verb) => verb !== 'expect') : found;
}
