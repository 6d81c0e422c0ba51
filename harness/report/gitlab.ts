import type { Run } from '../model/run.ts';
import type { ReportOptions } from './format.ts';
import { withSource } from './requirement-source.ts';
import { violations } from './violations.ts';

/** Violated requirements in the format of GitLab's code quality report: a list that merge requests compare by fingerprint. */
export function writeGitlab(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const issues = [...violations(run)].map((entry) => ({
    engine_name: 'pjrt-conformance',
    description: entry.message,
    content: { body: withSource(entry.requirement, options) },
    check_name: entry.requirement,
    fingerprint: entry.fingerprint,
    severity: entry.excuse !== undefined ? 'info' : entry.level === 'must' ? 'major' : 'minor',
    location: { path: entry.file, lines: { begin: entry.line } },
  }));
  write(`${JSON.stringify(issues, null, 1)}\n`);
}
