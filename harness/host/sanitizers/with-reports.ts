import type { CaseResult } from '../../model/case-result.ts';
import type { Finding } from '../../model/finding.ts';
import { isJudged } from '../../model/warned.ts';
import type { Case } from '../../suite/types.ts';
import { frameOfPlugin, frameText, type SanitizerReport } from './report.ts';

const REQUIREMENT = 'HYG-SAN-001';
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
 */
export function withReports(
  result: CaseResult,
  { line, level }: Case,
  reports: readonly SanitizerReport[],
): CaseResult {
  if (reports.length === 0) return result;
  const findings = [...new Map(reports.map((report) => [reportLine(report), report])).entries()]
    .slice(0, MOST)
    .map(([message, { text }]): Finding => {
      const call = result.findings[0]?.call ?? result.inFlight;
      return {
        ...{ type: 'pjrt.Sanitizer', level: level === 'should' ? 'should' : 'must', message, detail: text },
        ...(result.status === 'crash' && call !== undefined ? { call } : {}),
        line,
        requirements: [REQUIREMENT],
      };
    });
  if (result.status === 'crash') {
    // The signal follows from it.
    return { ...result, findings };
  }
  if (!isJudged(result)) return { ...result, findings: [...result.findings, ...findings] };
  const status = findings[0]!.level === 'should' && result.status !== 'fail' ? 'warn' : 'fail';
  return { ...result, status, findings: [...result.findings, ...findings] };
}
