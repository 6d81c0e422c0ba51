import type { CaseRun, Run, SuiteRun } from '../../model/run.ts';
import { failsRun, type Weighing } from '../../verdict/breach.ts';
import type { NumberedCause } from '../../verdict/cause-index.ts';
import { causeEffect } from '../../verdict/cause-text.ts';
import { breachCause, causeSize } from '../../verdict/root-causes.ts';
import { causeLine, exampleOf } from '../cause-lines.ts';
import { cut } from '../sanitize.ts';
import type { Paint, Style } from './paint.ts';

/** Causes in the summary, unless all are requested; reports have the others. */
const CAUSES = 12;
/** Length of a cause's text: minimum, however narrow the terminal is, and maximum, unless all is requested. */
const MIN_TEXT = 60;
const MAX_TEXT = 160;
/** Failures of one cause that are printed; the others are counted below them. */
const PRINTED = 3;

/**
 * Root causes, one line each: the defect, its effect, a case to start with. The text is truncated to the width, the effect
 * never is.
 */
export function causeLines(
  run: Run,
  weighing: Weighing,
  causes: readonly NumberedCause[],
  { verbose, width, paint }: { verbose: boolean; width: number; paint: Paint },
): string[] {
  const shown = verbose ? causes : causes.slice(0, CAUSES);
  const lines = shown.map((cause) => {
    const [mark, style] = markOf(run, weighing, cause);
    const effect = `(${causeEffect(cause)}${causeSize(cause) > 1 ? ', e.g. ' : ': '}${exampleOf(cause)})`;
    const room = Math.max(MIN_TEXT, Math.min(MAX_TEXT, width - effect.length - 3));
    const text = verbose ? causeLine(cause) : cut(causeLine(cause), room);
    return `${paint(style, mark)} ${text} ${paint('dim', effect)}`;
  });
  const rest = causes.length - shown.length;
  if (rest > 0) lines.push(`  and ${rest} more; the reports and --verbose list all`);
  return lines;
}

/** As in the lines of cases: red is what fails the run. */
function markOf(run: Run, weighing: Weighing, { broken }: NumberedCause): [mark: string, style: Style] {
  if (broken.length === 0) return ['-', 'dim'];
  const fails = broken.some((id) => failsRun(run.cases.get(id)!.plan, run.cases.get(id)!.result, weighing));
  return fails ? ['✗', 'red'] : ['!', 'yellow'];
}

/** Cases of a suite that were not printed, by cause. */
type Folded = Map<string, { count: number; text: string }>;

/**
 * Decides during a run which failures are printed: the first few of each cause. The others are counted by suite. Failures of
 * the run are counted separately from others.
 */
export class Folding {
  readonly #seen = new Map<string, number>();
  readonly #folded = new Map<SuiteRun, Folded>();

  /** Whether to print the case; otherwise it is counted. */
  prints(run: Run, item: CaseRun, fails: boolean): boolean {
    const found = breachCause(run, item);
    if (!found) return true;
    const key = `${fails} ${found.key}`;
    const seen = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, seen);
    if (seen <= PRINTED) return true;
    const folded: Folded = this.#folded.get(item.suite) ?? new Map();
    this.#folded.set(item.suite, folded);
    const entry = folded.get(key);
    if (entry) entry.count++;
    else folded.set(key, { count: 1, text: causeLine(found.cause) });
    return false;
  }

  /** The counts of a suite, one line each, which are then cleared. */
  lines(suite: SuiteRun, width: number, paint: Paint): string[] {
    const folded = [...(this.#folded.get(suite)?.values() ?? [])];
    this.#folded.delete(suite);
    return folded.map(({ count, text }) => paint('dim', cut(`  … ${count} more: ${text}`, width)));
  }
}
