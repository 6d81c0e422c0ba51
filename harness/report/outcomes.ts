import type { Event } from '../model/events.ts';
import { type CaseRun, type Run, statusOf } from '../model/run.ts';
import type { Status } from '../model/status.ts';
import { exercised } from '../verdict/exercised.ts';
import { isExcused, standingOf } from '../verdict/standing.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { isRed, type OutcomeElement, type Testcase } from './junit-document.ts';
import { frameworkCase } from './junit-framework.ts';
import { harnessCases } from './junit-harness.ts';
import { outcomeElement, outcomeOf } from './junit-outcome.ts';
import type { JudgedRun } from './junit-provenance.ts';

/** How a test runner shows a case. `error`: of the harness or of a suite; says nothing about the plugin. */
type OutcomeName = 'passed' | 'failed' | 'error' | 'skipped' | 'expected-failure';

/** A line of the stream: a case, judged as in the JUnit file (schemas/outcomes.schema.json). */
export interface OutcomeLine {
  type: 'case';
  /** Of a case of the plan, or `harness:…` and `framework:…` as the suites that JUnit files add. */
  id: string;
  outcome: OutcomeName;
  /** Of cases of the plan. */
  status?: Status;
  /** One line: why it did not pass. */
  message?: string;
  /** Everything about it, with the command that reproduces it; of a case that passed: warnings. */
  text?: string;
  stdout?: string;
  stderr?: string;
  durationMs: number;
}

/** The last line of the stream. */
export interface OutcomesEnd {
  type: 'end';
  exitCode: number;
  verdict: string;
}

/**
 * Writes the outcome of each case as soon as it is final, one JSON line each, for test runners that show cases while the run
 * goes on. Root causes are not known yet, so the texts lack them.
 * @returns what takes the events of the run, which has applied them already
 */
export function outcomeStream(run: Run, write: (line: string) => void): (event: Event) => void {
  const put = (line: OutcomeLine | OutcomesEnd): void => write(`${JSON.stringify(line)}\n`);
  let red = false;
  const putCase = (item: CaseRun): void => {
    red ||= isRed(outcomeElement(item, run.header?.options ?? {}));
    put(caseLine(run, item));
  };
  // What an earlier session of the run found.
  for (const item of run.cases.values()) if (item.result) putCase(item);
  return (event) => {
    if (event.type === 'case') {
      const item = run.cases.get(event.id);
      if (item) putCase(item);
    }
    if (event.type !== 'footer') return;
    for (const item of run.cases.values()) if (!item.result) putCase(item);
    for (const item of run.frameworks) put(extraLine('framework', frameworkCase(item)));
    for (const item of harnessCases(judged(run), red)) put(extraLine('harness', item));
    const { exitCode, line } = recordedVerdict(run);
    put({ type: 'end', exitCode, verdict: line });
  };
}

/** The run as far as it is known; causes are sought when all results are there. */
const judged = (run: Run): JudgedRun => ({
  run,
  weighing: run.header?.options ?? {},
  verdict: recordedVerdict(run),
  causes: { causes: [], of: () => undefined },
  exercised: exercised(run),
});

function caseLine(run: Run, item: CaseRun): OutcomeLine {
  const weighing = run.header?.options ?? {};
  const { plan, result } = item;
  const status = statusOf(item);
  const found = outcomeOf({ run, weighing, causes: { causes: [], of: () => undefined } }, item);
  const plain = outcomeName(found.element);
  const standing = standingOf(item, weighing);
  const outcome = standing === 'error' ? 'error' : isExcused(standing) ? 'expected-failure' : plain;
  return line({ type: 'case', id: plan.id, outcome, status }, { ...found, durationMs: result?.durationMs ?? 0 });
}

const extraLine = (suite: string, item: Testcase): OutcomeLine =>
  line({ type: 'case', id: `${suite}:${item.name}`, outcome: outcomeName(item.element) }, item);

const outcomeName = (element: OutcomeElement | undefined): OutcomeName =>
  element === undefined ? 'passed' : element === 'skipped' ? 'skipped' : 'failed';

/** A case that passed has only `out`: its warnings. */
function line(
  head: Pick<OutcomeLine, 'type' | 'id' | 'outcome' | 'status'>,
  { element, message, body, out, err, durationMs }: Omit<Testcase, 'name'>,
): OutcomeLine {
  const text = element === undefined ? out : (body ?? message);
  return {
    ...head,
    ...(message ? { message } : {}),
    ...(text ? { text } : {}),
    ...(element !== undefined && out ? { stdout: out } : {}),
    ...(err ? { stderr: err } : {}),
    durationMs,
  };
}
