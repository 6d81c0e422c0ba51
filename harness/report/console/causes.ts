import type { CaseRun, Run, SuiteRun } from '../../model/run.ts';
import { failsRun, type Weighing } from '../../verdict/breach.ts';
import type { NumberedCause } from '../../verdict/cause-index.ts';
import { causeEffect } from '../../verdict/cause-text.ts';
import { breachCause, causeSize } from '../../verdict/root-causes.ts';
import { causeLine, exampleOf } from '../cause-lines.ts';
import { cut } from '../sanitize.ts';
import type { Paint, Style } from './paint.ts';

/** Causes in the summary, unless all are asked for; the reports have the others. */
const CAUSES = 12;
/** What the text of a cause may take: at least, however narrow the terminal is, and at most, unless all is asked for. */
const MIN_TEXT = 60;
const MAX_TEXT = 160;
/** Failures of one cause that are printed; the others are counted below them. */
const PRINTED = 3;

/**
 * Root causes, a line each: what is wrong, what came of it, a case to begin with. The text of a cause is cut for the width,
 * what came of it never.
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

/** As the cases themselves are marked: red is what fails the run. */
function markOf(run: Run, weighing: Weighing, { broken }: NumberedCause): [mark: string, style: Style] {
  if (broken.length === 0) return ['-', 'dim'];
  const fails = broken.some((id) => failsRun(run.cases.get(id)!.plan, run.cases.get(id)!.result, weighing));
  return fails ? ['✗', 'red'] : ['!', 'yellow'];
}

/** Cases of a suite that were not printed, by what is behind them. */
type Folded = Map<string, { count: number; text: string }>;

/**
 * Decides while a run goes on which failures are printed: the first few of each cause. The others are counted, suite by suite.
 * What fails the run is not counted with what does not.
 */
export class Folding {
  readonly #seen = new Map<string, number>();
  readonly #folded = new Map<SuiteRun, Folded>();

  /** Whether the case is to be printed; otherwise it is counted. */
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

  /** What was counted in a suite, a line each; it is then told. */
  lines(suite: SuiteRun, width: number, paint: Paint): string[] {
    const folded = [...(this.#folded.get(suite)?.values() ?? [])];
    this.#folded.delete(suite);
    return folded.map(({ count, text }) => paint('dim', cut(`  … ${count} more: ${text}`, width)));
  }
}
