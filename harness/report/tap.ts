import { stringify } from 'yaml';
import { cleanLine } from '../base/sanitize.ts';
import { type CaseRun, fileOf, type Run, reasonOf, statusOf } from '../model/run.ts';
import { isExpectedFailure, isRed, isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { exercised, exercisedText } from '../verdict/exercised.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { causeWithEffect } from './cause-lines.ts';
import { failureText, headline } from './failure-text.ts';

/** A description must not contain `#`, or a backslash that is not escaped (TAP 14). */
const plain = (text: string): string => cleanLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');

/** TAP version 14: one line per case, with a YAML block below those that did not pass. */
export function writeTap(run: Run, write: (chunk: string) => void): void {
  const weighing = run.header?.options ?? {};
  write(`TAP version 14\n1..${run.cases.size}\n# pjrt-conformance\n`);
  const { causes, of } = causeIndex(run);
  for (const cause of causes) write(`# root cause ${cause.number}: ${causeWithEffect(cause)}\n`);
  if (run.cases.size > 0) write(`# ${exercisedText(exercised(run))}\n`);
  let number = 0;
  for (const suite of run.suites) {
    for (const item of suite.cases) {
      write(testPoint(run, item, ++number, of(item.plan.id), weighing));
    }
  }
  const { exitCode, line } = recordedVerdict(run);
  for (const stale of staleEntries(run)) write(`# stale expectation: ${cleanLine(staleText(stale))}\n`);
  // TAP has only cases, so problems outside of them would be lost.
  const shown = [...run.cases.values()].some((item) => isRed(item, weighing));
  if (exitCode !== 0 && !shown) write(`Bail out! ${cleanLine(line)}\n`);
  else write(`# ${cleanLine(line)}\n`);
}

function testPoint(
  run: Run,
  item: CaseRun,
  number: number,
  cause: NumberedCause | undefined,
  weighing: Weighing,
): string {
  const status = statusOf(item);
  const skipped = status === 'skip' || status === 'unsupported' || status === 'notrun';
  const fails = isRed(item, weighing);
  // A point that is not ok and TODO is an expected failure; a failure of the run must not look like one.
  const todo = fails ? '' : todoOf(item);
  const directive = skipped ? ` # SKIP ${plain(`${status}: ${reasonOf(item) ?? ''}`)}` : todo;
  const ok = !fails && !isExpectedFailure(item.plan, item.result, weighing);
  const line = `${ok ? 'ok' : 'not ok'} ${number} - ${plain(item.plan.id)}${directive}\n`;
  if (skipped || (status === 'pass' && !isUnexpectedPass(item.result))) return line;
  const text = failureText(run, item);
  const block: Record<string, unknown> = {
    status,
    message: headline(item),
    ...(cause ? { rootCause: cause.number } : {}),
    at: text.findings[0]?.place ?? `${fileOf(item)}:${item.plan.line}`,
    requirements: text.requirements,
    ...(text.attempts === undefined ? {} : { attempts: text.attempts }),
    ...(text.expectation === undefined ? {} : { expectation: text.expectation }),
    ...(text.knownDeviation === undefined ? {} : { knownDeviation: text.knownDeviation }),
    reproduce: text.reproduce,
  };
  return `${line}  ---\n${indent(stringify(block, { lineWidth: 0 }))}  ...\n`;
}

const todoOf = ({ result }: CaseRun): string =>
  result?.expectation?.outcome === 'met' || isUnexpectedPass(result)
    ? ` # TODO ${plain(result!.expectation!.reason)}`
    : '';

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');
