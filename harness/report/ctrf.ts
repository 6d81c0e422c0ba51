import { cleanLine } from '../base/sanitize.ts';
import { type CaseRun, fileOf, type Run, reasonOf, statusOf } from '../model/run.ts';
import { causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { exercised } from '../verdict/exercised.ts';
import { type Standing, standingOf } from '../verdict/standing.ts';
import { judgedRequirements, violatedRequirementsOf } from '../verdict/violated-requirements.ts';
import { causeWithEffect } from './cause-lines.ts';
import { attemptsText, expectationText, failureText, headline } from './failure-text.ts';
import type { ReportOptions } from './format.ts';

/** Version of the Common Test Report Format (https://ctrf.io) that is written. */
const SPEC_VERSION = '0.0.0';

/** The five statuses of the format; ours is in `rawStatus`. */
const WORDS: Readonly<Record<Standing, 'passed' | 'failed' | 'skipped' | 'pending' | 'other'>> = {
  passed: 'passed',
  warned: 'passed',
  flaky: 'passed',
  failed: 'failed',
  error: 'other',
  expected: 'skipped',
  waived: 'skipped',
  known: 'skipped',
  outside: 'skipped',
  unsupported: 'skipped',
  skipped: 'skipped',
  'not-run': 'pending',
};

const wordOf = (run: Run, item: CaseRun): (typeof WORDS)[Standing] =>
  WORDS[standingOf(item, run.header?.options ?? {})];

/** The run in the Common Test Report Format. */
export function writeCtrf(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const { fixedTime } = options;
  const { causes, of } = causeIndex(run);
  const tests = run.suites.flatMap((suite) => suite.cases);
  const count = (word: string): number => tests.filter((item) => wordOf(run, item) === word).length;
  const start = fixedTime?.getTime() ?? Date.parse(run.header?.startedAt ?? '1970-01-01T00:00:00Z');
  const head = {
    reportFormat: 'CTRF',
    specVersion: SPEC_VERSION,
    results: {
      tool: { name: run.header?.tool.name ?? 'pjrt-conformance', version: run.header?.tool.version ?? '' },
      summary: {
        tests: tests.length,
        ...Object.fromEntries(['passed', 'failed', 'pending', 'skipped', 'other'].map((word) => [word, count(word)])),
        suites: run.suites.length,
        start,
        stop: fixedTime ? start : start + (run.footer?.durationMs ?? 0),
      },
      environment: {
        osPlatform: run.header?.host.os,
        extra: {
          plugins: run.plugins.map(({ name, sha256, apiVersion }) => ({ name, sha256, apiVersion })),
          exercised: exercised(run),
          rootCauses: causes.map(causeWithEffect),
        },
      },
    },
  };
  // The head without its last two braces, then the tests one at a time.
  write(`${JSON.stringify(head).slice(0, -2)},"tests":[`);
  tests.forEach((item, index) => {
    write(`${index === 0 ? '' : ','}\n${JSON.stringify(testOf(run, item, of(item.plan.id), options))}`);
  });
  write('\n]}}\n');
}

function testOf(
  run: Run,
  item: CaseRun,
  cause: NumberedCause | undefined,
  options: ReportOptions,
): Record<string, unknown> {
  const status = statusOf(item);
  const quiet = status === 'pass';
  const { attempts } = item.result ?? {};
  const text = quiet || !item.result ? undefined : failureText(run, item, options);
  const reason = reasonOf(item);
  const violated = violatedRequirementsOf(item);
  return {
    name: cleanLine(item.plan.id),
    status: wordOf(run, item),
    rawStatus: status,
    duration: options.fixedTime ? 0 : Math.round(item.result?.durationMs ?? 0),
    suite: [item.suite.suite],
    filePath: fileOf(item),
    line: item.plan.line,
    tags: item.plan.tags,
    ...(attempts ? { retries: attempts.length - 1, flaky: status === 'flaky' } : {}),
    ...(quiet ? {} : { message: cleanLine(headline(item) || (reason ?? '')) }),
    ...(text?.findings.some(({ rules, detail }) => rules.length + detail.length > 0)
      ? { trace: text.findings.flatMap(({ message, rules, detail }) => [message, ...rules, ...detail]).join('\n') }
      : {}),
    extra: {
      level: item.plan.level,
      requirements: judgedRequirements(item),
      ...(violated.length > 0 ? { violated } : {}),
      rootCause: cause?.number,
      reproduce: text?.reproduce,
      ...(text?.after === undefined ? {} : { after: text.after }),
      ...(attempts ? { attempts: attemptsText(item.result!) } : {}),
      ...(item.result?.expectation ? { expectation: expectationText(item.result) } : {}),
      ...(text?.knownDeviation === undefined ? {} : { knownDeviation: text.knownDeviation }),
    },
  };
}
