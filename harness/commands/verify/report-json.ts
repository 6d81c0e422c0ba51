import type { VerifiedCase } from './cases.ts';
import { lastFacts, type Outcome } from './outcome.ts';
import type { LogEvent } from './read-log.ts';
import { checkRootCauses } from './root-causes.ts';
import type { AddViolation, Say } from './rules.ts';
import { schemaFault } from './schemas.ts';

/** Compares a JSON report with the log: cases, statuses, root causes, counts, plugins and the verdict. */
export function checkJsonReport(
  content: Buffer,
  name: string,
  events: readonly LogEvent[],
  cases: ReadonlyMap<string, VerifiedCase>,
  outcome: Outcome,
  addViolation: AddViolation,
): void {
  const say: Say = (what) => addViolation('report-json', name, what);
  let report: LogEvent;
  try {
    report = JSON.parse(content.toString('utf8'));
  } catch (error) {
    say(`not JSON: ${(error as Error).message}`);
    return;
  }
  const fault = schemaFault('report.schema.json', report);
  if (fault !== undefined) {
    say(fault);
    return;
  }
  const seen = new Set<string>();
  for (const suite of report.suites) {
    for (const { id, status } of suite.cases) {
      const item = cases.get(id);
      if (!item || item.suite !== suite.suite) say(`${id} is not a case of the suite ${suite.suite} in the log`);
      else if (seen.has(id)) say(`${id} occurs twice`);
      else if (status !== (item.result?.status ?? 'notrun')) {
        say(`${id} is ${status}, in the log it is ${item.result?.status ?? 'notrun'}`);
      }
      seen.add(id);
    }
  }
  for (const id of cases.keys()) if (!seen.has(id)) say(`${id} is missing`);
  checkRootCauses(report, cases, say);
  for (const [status, count] of Object.entries(outcome.counts)) {
    const said = report.summary[status] ?? 0;
    if (said !== count) say(`its summary says ${said} ${status}, the log has ${count}`);
  }
  if (report.summary.cases !== cases.size)
    say(`its summary says ${report.summary.cases} cases, the log has ${cases.size}`);
  const footer = events.at(-1);
  if (footer?.type === 'footer') {
    const { exitCode, line } = report.verdict;
    if (exitCode !== footer.exitCode) say(`its exit code is ${exitCode}, that of the log ${footer.exitCode}`);
    if (line !== footer.verdict) say('its verdict differs from that of the log');
  }
  const hashes = (list: LogEvent['plugin'][]): string =>
    list.map((plugin) => `${plugin.name} ${plugin.sha256}`).join(', ');
  if (lastFacts(events).length > 0 && hashes(report.plugins) !== hashes(lastFacts(events))) {
    say('its plugins differ from those of the log');
  }
}
