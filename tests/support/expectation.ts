import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import type { CaseResult } from '../../harness/model/case-result.ts';
import type { Status } from '../../harness/model/status.ts';

/** Equal to this, or matching this between slashes. */
type Text = string;

/** Expected result of a case: its status, or the relevant parts of its result. */
export type CaseExpectation =
  | Status
  | { anyOf: Status[] }
  | {
      status: Status;
      reason?: Text;
      signal?: string;
      exitCode?: number;
      inFlight?: string;
      /** Of the first finding. */
      type?: string;
      message?: Text;
      detail?: Text;
      /** Of the captured output. */
      stderr?: Text;
    };

/** Expected output of the command for one hostile plugin; tests/hostile-expectations.yaml explains the keys. */
export interface Expectation {
  exit: number | { anyOf: number[] };
  verdict?: Text;
  failure?: { stage: string; code?: string; message: Text };
  rest?: CaseExpectation;
  cases?: Record<string, CaseExpectation>;
  notes?: 'any' | (Text | { breach: Text })[];
  /** Notes of the run that must be present. */
  said?: Text[];
  junit?: string[];
  args?: string[];
}

/** All of them by plugin. */
export const hostileExpectations = (): Record<string, Expectation> =>
  parse(readFileSync(packagePath('tests', 'hostile-expectations.yaml'), 'utf8')) as Record<string, Expectation>;

/** Whether a text is the expected one. */
export function fits(text: string | undefined, expected: Text): boolean {
  const [, pattern] = /^\/(.*)\/$/s.exec(expected) ?? [];
  return pattern === undefined ? text === expected : new RegExp(pattern).test(text ?? '');
}

/** Differences from the expectation, one line each. */
export function caseDifferences(id: string, result: CaseResult | undefined, expected: CaseExpectation): string[] {
  if (!result) return [`${id} has no result`];
  const said = `${result.status} ${result.findings[0]?.message ?? result.reason ?? ''}`;
  if (typeof expected === 'string') return result.status === expected ? [] : [`${id}: ${said}; expected ${expected}`];
  if ('anyOf' in expected) {
    return expected.anyOf.includes(result.status) ? [] : [`${id}: ${said}; expected ${expected.anyOf.join(' or ')}`];
  }
  const [finding] = result.findings;
  const stderr = result.stderr && result.stderr.head + result.stderr.tail;
  const actual = { ...result, ...finding, stderr } as Record<string, unknown>;
  return Object.entries(expected)
    .filter(([key, wanted]) =>
      typeof wanted === 'string' ? !fits(actual[key] as string, wanted) : actual[key] !== wanted,
    )
    .map(([key, wanted]) => `${id}: ${key} is ${JSON.stringify(actual[key])}, expected ${JSON.stringify(wanted)}`);
}
