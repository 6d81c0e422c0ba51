import { cleanLine } from '../base/sanitize.ts';
import type { Judgement } from '../model/judgement.ts';
import { judgementLine } from '../verdict/judgement-line.ts';
import type { Testcase } from './junit-document.ts';

/** Listed cases that the body names; mustpass.json has all. */
const NAMED = 50;

/**
 * A list of the conformance programme as a case: red if the run does not pass it. A list also fails a run on what is no failure
 * elsewhere, such as a missing function that every plugin must offer.
 */
export function mustpassCase(judgement: Judgement): Testcase {
  const line = cleanLine(judgementLine(judgement));
  const named = judgement.cases.slice(0, NAMED).map(({ id, standing, status, why, waiver }) => {
    const reason = waiver ? `${waiver.reason}; ${waiver.url}` : why;
    return cleanLine(`${standing}: ${id} (${status})${reason === undefined ? '' : `: ${reason}`}`);
  });
  const more = judgement.cases.length - named.length;
  const body = [line, ...named, ...(more > 0 ? [`… ${more} more in mustpass.json`] : [])].join('\n');
  const base = { name: `mustpass ${judgement.version}`, durationMs: 0 };
  if (judgement.passes) return { ...base, out: body };
  return { ...base, element: 'failure', type: 'pjrt.Mustpass', message: line, body };
}
