import type { CaseResult } from '../../model/case-result.ts';
import type { Finding } from '../../model/finding.ts';
import { isJudged } from '../../model/warned.ts';
import type { Case } from '../../suite/types.ts';
import type { Crumb } from '../breadcrumb-reader.ts';
import { frameText } from '../stack-frame.ts';
import { frameOfPlugin, type SanitizerReport } from './report.ts';

const PERMITTED = 'HYG-SAN-001';
const REFUSED = 'HYG-SAN-002';
/** The same defect may be reported at every call. */
const MOST = 20;

/** One line, the same in every run: `AddressSanitizer: heap-buffer-overflow in heap_overflow (plugin.c:17)`. */
export function reportLine(report: SanitizerReport): string {
  const frame = frameOfPlugin(report);
  return `${report.tool}: ${report.what}${frame ? ` in ${frameText(frame)}` : ''}`;
}

/**
 * A result with what sanitizers have reported of the plugin during the case. In a case that calls as it may, each is a violated
 * MUST. One that ended the process is why the process died.
 * @param crumb at the end of the case: whether the plugin had to refuse calls of the case, and the last one
 */
export function withReports(
  result: CaseResult,
  { line, level, isolation }: Case,
  reports: readonly SanitizerReport[],
  crumb: Pick<Crumb, 'wrong' | 'refusals'> | undefined,
): CaseResult {
  if (reports.length === 0) return result;
  const texts = [...new Map(reports.map((report) => [reportLine(report), report])).entries()]
    .slice(0, MOST)
    .map(([message, { text }]) => ({ type: 'pjrt.Sanitizer', message, detail: text, line }));
  const ofCase = level === 'should' ? 'should' : 'must';
  if (result.status === 'crash') {
    // The signal follows from it. What a call that must be refused may do is said of that call.
    const [death] = result.findings;
    const call = death?.call ?? result.inFlight;
    const requirements = (crumb?.wrong && death?.requirements) || [PERMITTED];
    const about = { level: ofCase, requirements, ...(call === undefined ? {} : { call }) } as const;
    return { ...result, findings: texts.map((text): Finding => ({ ...text, ...about })) };
  }
  // Which call it was in is unknown. What a plugin has to check whatever it is given does not keep a case from its worker.
  const mayHarm = crumb?.refusals && isolation !== 'worker';
  const [found, requirement] = mayHarm ? (['should', REFUSED] as const) : ([ofCase, PERMITTED] as const);
  const findings = [
    ...result.findings,
    ...texts.map((text): Finding => ({ ...text, level: found, requirements: [requirement] })),
  ];
  if (!isJudged(result)) return { ...result, findings };
  return { ...result, status: found === 'should' && result.status !== 'fail' ? 'warn' : 'fail', findings };
}
