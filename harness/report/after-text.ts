import { cleanLine } from '../base/sanitize.ts';
import type { After, CaseResult } from '../model/case-result.ts';

const VERBS: Partial<Record<CaseResult['status'], string>> = { warn: 'deviates', crash: 'dies', timeout: 'hangs' };

/** `fails only after profiler/sessions:start`, of a case that passes in a process of its own; undefined of others. */
export const afterText = ({ after, status }: CaseResult): string | undefined =>
  after && cleanLine(`${VERBS[status] ?? 'fails'} only after ${culpritsText(after)}`);

/** `a and b`, or `some of the cases from a to b (12 between them)`. */
function culpritsText({ cases, further }: After): string {
  if (further === undefined) return cases.join(' and ');
  const [first, last] = cases;
  return `some of the cases from ${first} to ${last} (${further} between them)`;
}
